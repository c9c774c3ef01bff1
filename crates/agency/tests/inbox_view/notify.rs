//! Being told that an agent asks, and that a run is over.

use std::fs;

use agency_testkit::{Repo, Run, World, agent, wait_for};
use serde_json::Value;

use super::fixture::{LIMIT, asks, open, permission, start, text, world};

const SECRET: &str = "deploy --token hunter2";

/// Puts a fake desktop on the PATH, which notes what it is told, and gives the PATH.
pub(super) fn fake_desktop(world: &World) -> String {
    world.agent("notify-send", "printf '%s|' \"$@\" >>\"$0.said\"; echo >>\"$0.said\"");
    format!("{}:{}", world.root().join("agents").display(), std::env::var("PATH").unwrap())
}

/// Configures a command of that name, which notes what it is told.
fn noting_command(world: &World) {
    let path = world.agent("teller", "cat >>\"$0.said\"; echo >>\"$0.said\"; echo noise; echo noise >&2");
    world.configure(&format!("\n[notify]\ncommand = [{:?}, \"--flag\"]\n", path.display().to_string()));
}

/// Starts a run as a script does.
pub(super) fn start_by_script(world: &World, repo: &Repo, name: &str, path: &str, further: &[&str]) -> Run {
    let options = ["--mode", "headless", "--name", name, "--json"];
    let mut command = world.run_command(repo, name, &[&options, further].concat());
    let answer = world.run(command.env("PATH", path)).object();
    world.run_with_id(answer["data"]["id"].as_str().unwrap_or_else(|| panic!("{answer:#}")))
}

fn said(world: &World, program: &str) -> Vec<String> {
    let text = fs::read_to_string(world.root().join(format!("agents/{program}.said"))).unwrap_or_default();
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[track_caller]
fn wait_for_said(world: &World, program: &str, count: usize) -> Vec<String> {
    let what = format!("{count} words to {program}");
    wait_for(&what, LIMIT, || Some(said(world, program)).filter(|said| said.len() >= count))
}

#[test]
fn the_command_is_told_everything_and_the_desktop_nothing_of_the_agents_words() {
    let (world, repo) = world();
    noting_command(&world);
    let path = fake_desktop(&world);
    asks(&world, "asking", &[permission("r1", SECRET)]);
    let run = start_by_script(&world, &repo, "asking", &path, &["--host", "detached", "--notify"]);
    let told: Value = serde_json::from_str(&wait_for_said(&world, "teller", 1)[0]).unwrap();
    let asked = open(&world, 1).remove(0);
    assert_eq!((text(&told, "event"), text(&told["run"], "id")), ("question", run.id.as_str()));
    for field in ["id", "kind", "title", "detail", "options", "several", "free_text", "only_on_screen", "actions"] {
        assert_eq!(told["question"][field], asked[field], "{field}");
    }
    assert_eq!(told["question"]["detail"], SECRET);
    let shown = wait_for_said(&world, "notify-send", 1);
    assert_eq!(shown, ["--app-name=agency|--|agency: asking|asks for a permission|"]);

    world.ok(&["answer", text(&asked, "id"), "allow"]);
    assert_eq!(world.ended(&run)["state"], "completed");
    let told: Value = serde_json::from_str(&wait_for_said(&world, "teller", 2)[1]).unwrap();
    assert_eq!((text(&told, "event"), text(&told["run"], "state")), ("ended", "completed"));
    assert!(told["question"].is_null());
    assert_eq!(wait_for_said(&world, "notify-send", 2)[1], "--app-name=agency|--|agency: asking|is completed|");
    run.wait_until_unsupervised();
    assert_eq!(run.messages(), Vec::<String>::new(), "nobody took them for something the agent left");
}

#[test]
fn nobody_is_told_where_nobody_sits_unless_it_is_asked_for() {
    let (world, repo) = world();
    noting_command(&world);
    let path = fake_desktop(&world);
    world.agent("quiet", agent::quiet());
    let run = start_by_script(&world, &repo, "quiet", &path, &["--host", "detached"]);
    world.ended(&run);
    run.wait_until_unsupervised();
    assert_eq!((said(&world, "teller"), said(&world, "notify-send")), (vec![], vec![]));
    world.configure("\n[agents.unused]\ncommand = 'x'\n");
    let file = world.root().join("home/config.toml");
    let text = fs::read_to_string(&file).unwrap().replace("[notify]\n", "[notify]\nalways = true\n");
    fs::write(&file, text).unwrap();
    let run = start_by_script(&world, &repo, "quiet", &path, &["--host", "detached"]);
    world.ended(&run);
    wait_for_said(&world, "teller", 1);
    wait_for_said(&world, "notify-send", 1);
}

#[test]
fn at_a_terminal_one_is_told_without_asking_for_it() {
    let (world, repo) = world();
    noting_command(&world);
    world.agent("quiet", agent::quiet());
    let terminal = world.terminal_with(&world.run_command(&repo, "quiet", &["--host", "detached"]));
    assert_eq!(terminal.wait_for_exit(), 0);
    wait_for_said(&world, "teller", 1);
}

#[test]
fn the_bell_rings_in_the_panes_of_the_run_where_it_is_wanted() {
    let (world, repo) = world();
    for (name, wanted) in [("loud", true), ("silent", false)] {
        if !wanted {
            world.configure("\n[notify]\nbell = false\n");
        }
        asks(&world, name, &[permission("r1", "touch one")]);
        let run = world.begin(&repo, name, &["--mode", "headless", "--name", name, "--notify"]);
        let session = format!("=agency_{}:", run.id);
        let rung = || world.tmux(&["display-message", "-p", "-t", &session, "#{window_bell_flag}"]).trim() == "1";
        let shown = || world.tmux(&["capture-pane", "-p", "-t", &session]).contains("touch one");
        wait_for("the question on the pane", LIMIT, || shown().then_some(()));
        if wanted {
            wait_for("the bell", LIMIT, || rung().then_some(()));
        }
        world.ok(&["answer", text(&open(&world, 1)[0], "id"), "allow"]);
        world.ended(&run);
        run.wait_until_unsupervised();
        assert_eq!(rung(), wanted, "{name}");
    }
}

#[test]
fn what_a_rule_answers_at_once_is_nobody_told() {
    let (world, repo) = world();
    noting_command(&world);
    let requests = [permission("r1", "touch one"), permission("r2", "touch two"), permission("r3", "touch three")];
    // It asks on when it has its first answer.
    let later: String = requests[1..].iter().map(|request| format!("printf '%s\\n' '{request}'\n")).collect();
    let script = format!(
        "read -r prompt; printf '%s\\n' '{}'; read -r line\n{later}read -r line; read -r line\n\
         printf '%s\\n' '{{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false}}'; cat >/dev/null",
        requests[0]
    );
    world.agent("on", agency_testkit::Agent::new(script).prompt("protocol"));
    world.configure("stream = \"claude\"\n");
    let run = start(&world, &repo, "on", &["--notify"]);
    world.ok(&["answer", text(&open(&world, 1)[0], "id"), "allow-all"]);
    assert_eq!(world.ended(&run)["state"], "completed");
    let told = wait_for_said(&world, "teller", 2);
    run.wait_until_unsupervised();
    let events: Vec<Value> =
        told.iter().map(|line| serde_json::from_str::<Value>(line).unwrap()["event"].take()).collect();
    assert_eq!(events, ["question", "ended"]);
}
