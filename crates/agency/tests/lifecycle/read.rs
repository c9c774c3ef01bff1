//! Looking at runs: ls, show, logs, events, wait.

use std::time::Duration;

use agency_model::ErrorCode;
use agency_testkit::agent::{self, Agent};
use agency_testkit::wait_for;
use serde_json::Value;

use super::{end, start, text, world};

#[test]
fn ls_is_newest_first_and_filters() {
    let world = world();
    let (one, two) = (world.repo("one"), world.repo("two"));
    world.agent("quiet", agent::quiet());
    world.agent("waiting", agent::waiting());
    let first = start(&world, &one, "quiet", &["--host", "detached", "--name", "first"]);
    let second = start(&world, &two, "waiting", &["--host", "detached", "--name", "second"]);
    end(&world, &first);
    let ids = |arguments: &[&str]| -> Vec<Value> {
        let answer = world.json(arguments);
        answer["data"]["runs"].as_array().unwrap().iter().map(|run| run["id"].clone()).collect()
    };
    assert_eq!(ids(&["ls"]), [second["id"].clone(), first["id"].clone()]);
    assert_eq!(ids(&["ls", "--state", "running"]), [second["id"].clone()]);
    assert_eq!(ids(&["ls", "--repo", one.path.to_str().unwrap()]), [first["id"].clone()]);
    assert_eq!(ids(&["ls", "--name", "second"]), [second["id"].clone()]);
    assert_eq!(ids(&["ls", "--limit", "1"]), [second["id"].clone()]);
    let table = world.ok(&["ls"]).stdout;
    assert!(table.starts_with("NAME ") && table.contains("first") && table.contains("completed"), "{table}");
}

#[test]
fn the_table_fits_the_terminal() {
    let world = world();
    let repo = world.repo("a-repository-with-a-rather-long-name");
    world.agent("quiet", agent::quiet());
    let name = "a label that is much longer than the rest of an ordinary terminal line could ever take";
    start(&world, &repo, "quiet", &["--host", "detached", "--name", name]);
    let terminal = world.terminal(&["ls"]);
    let screen = terminal.wait_for_text("a label");
    let rows = screen.lines().filter(|line| line.contains("r_") || line.contains("label")).count();
    assert_eq!(rows, 1, "{screen}");
}

#[test]
fn a_run_is_named_by_prefix_or_by_name() {
    let world = world();
    let repo = world.repo("project");
    world.agent("quiet", agent::quiet());
    let run = start(&world, &repo, "quiet", &["--host", "detached", "--name", "fix"]);
    let id = text(&run, "id");
    for name in [id, &id[..20], &id[2..20].to_lowercase(), "fix"] {
        assert_eq!(world.json(&["show", name])["data"]["id"], id, "{name}");
    }
}

#[test]
fn logs_follow_a_run_to_its_end_and_can_be_cleaned() {
    let world = world();
    let repo = world.repo("project");
    let gate = world.root().join("gate");
    let script = format!(
        "printf '\\033[31mred\\033[0m\\n'; echo oops >&2; while ! test -e {}; do sleep 0.01; done; echo last",
        gate.display()
    );
    world.agent("colourful", Agent::new(script));
    let run = start(&world, &repo, "colourful", &["--host", "detached", "--mode", "headless"]);
    let id = text(&run, "id");
    let follower = world.spawn(&["logs", "-f", "--clean", id]);
    wait_for("the first lines", Duration::from_secs(20), || follower.stdout().contains("oops").then_some(()));
    std::fs::write(gate, "").unwrap();
    let followed = follower.wait();
    assert!(followed.status.success());
    assert!(followed.stdout.ends_with("last\n") && followed.stdout.contains("red\n"), "{:?}", followed.stdout);
    assert_eq!(world.ok(&["logs", "--stderr", id]).stdout, "oops\n");
    assert_eq!(world.ok(&["logs", "--stdout", id]).stdout, "\u{1b}[31mred\u{1b}[0m\nlast\n");
    assert_eq!(world.ok(&["logs", "--stdout", "--tail", "1", id]).stdout, "last\n");
    assert_eq!(world.json(&["logs", "--stderr", id])["data"]["text"], "oops\n");
}

#[test]
fn events_are_numbered_and_can_be_read_from_a_cursor() {
    let world = world();
    let repo = world.repo("project");
    world.agent("quiet", agent::quiet());
    let run = start(&world, &repo, "quiet", &["--host", "detached"]);
    let id = text(&run, "id");
    let followed = world.ok(&["events", "-f", "--json", id]).stdout;
    let events: Vec<Value> = followed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let numbers: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>());
    let kinds: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["state_change", "state_change", "attempt", "activity", "exit", "state_change", "completed"]);
    let later = world.ok(&["events", "--json", "--since", "4", id]).stdout;
    assert_eq!(later.lines().count(), events.len() - 4);
    assert!(world.ok(&["events", id]).stdout.contains("queued → running"));
}

#[test]
fn waiting_has_a_limit_and_a_goal() {
    let world = world();
    let repo = world.repo("project");
    world.agent("waiting", agent::waiting());
    let run = start(&world, &repo, "waiting", &["--host", "detached"]);
    let id = text(&run, "id");
    assert_eq!(world.json(&["wait", "--until", "running", id])["data"]["state"], "running");
    let output = world.agency(&["wait", "--timeout", "0s", "--json", id]);
    assert_eq!(output.status.code(), Some(124));
    assert_eq!(output.object()["error"]["code"], ErrorCode::Timeout.as_str());
    world.release("waiting");
    assert_eq!(end(&world, &run)["state"], "completed");
}

#[test]
fn show_and_diff_tell_what_changed_whether_committed_or_not() {
    let world = world();
    let repo = world.repo("project");
    world.agent("working", Agent::new("echo a > a.txt; git add a.txt; git commit -qm a; echo b > b.txt"));
    let run = start(&world, &repo, "working", &["--host", "detached", "--mode", "headless"]);
    end(&world, &run);
    let shown = world.json(&["show", text(&run, "id")])["data"].take();
    let files: Vec<&str> =
        shown["changed_files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(files, ["a.txt", "b.txt"]);
    assert_eq!(shown["spec"]["base_ref"], "HEAD");
    let diff = world.ok(&["diff", text(&run, "id")]).stdout;
    assert!(diff.contains("+++ b/a.txt") && diff.contains("+++ b/b.txt"), "{diff}");
}

#[test]
fn a_reader_that_has_seen_enough_ends_us_quietly() {
    let world = world();
    let repo = world.repo("project");
    world.agent("noisy", agent::noisy(4_000_000));
    let run = start(&world, &repo, "noisy", &["--host", "detached", "--mode", "headless"]);
    end(&world, &run);
    let script =
        format!("'{}' logs {} | head -c 10; exit ${{PIPESTATUS[0]}}", env!("CARGO_BIN_EXE_agency"), text(&run, "id"));
    let mut command = world.command(&[]);
    let environment: Vec<_> =
        command.get_envs().map(|(name, value)| (name.to_owned(), value.map(ToOwned::to_owned))).collect();
    command = std::process::Command::new("bash");
    command.arg("-c").arg(script).env_clear();
    command.envs(environment.into_iter().filter_map(|(name, value)| Some((name, value?))));
    let output = world.run(&mut command);
    assert_eq!(output.stderr, "");
    assert_eq!(output.status.code(), Some(0));
}
