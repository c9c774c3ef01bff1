//! A screen that no rule describes becomes a question. Minutes are short here.

use std::fs;
use std::time::Instant;

use agency_model::ErrorCode;
use agency_testkit::{Agent, Repo, Run, World, wait_for};
use serde_json::Value;

use super::fixture::{LIMIT, answer, events, open, shown, text, wait_for_question, world};

/// Shows a screen that is not described until it is released, then what was typed meanwhile, then its prompt.
const STRANGE: &str = "stty -icanon -echo min 0 time 0\nprintf 'Choose your adventure\\n'\n\
    until [ -e \"$0.release\" ]; do sleep 0.05; done\n\
    printf 'typed:[%s]\\nready> ' \"$(dd bs=100 count=1 2>/dev/null)\"\n\
    until [ -e \"$0.end\" ]; do sleep 0.05; done";

const RULES: &str = "version = \"1\"\n[[rules]]\nname = \"prompt\"\nactivity = \"idle\"\n\
    when = [{ where = { last = 1 }, all = ['/^ready>/'] }]\n";

fn strange() -> (World, Repo) {
    let (world, repo) = world(Agent::from(STRANGE));
    fs::write(world.root().join("home/rules.toml"), RULES).unwrap();
    world.configure("screen = \"rules.toml\"\n");
    (world, repo)
}

#[track_caller]
fn begin(world: &World, repo: &Repo, options: &[&str]) -> Run {
    let always = ["--host", "detached", "--mode", "interactive", "--json"];
    let mut command = world.run_command(repo, "agent", &[&always, options].concat());
    let started = world.run(command.env("AGENCY_MINUTE_MS", "300")).object();
    assert_eq!(started["ok"], true, "{started:#}");
    world.run_with_id(started["data"]["id"].as_str().unwrap())
}

#[track_caller]
fn wait_until(world: &World, run: &Run, activity: &str) {
    wait_for(activity, LIMIT, || {
        let why = world.json(&["why", &run.id])["data"].take();
        (why["activity"] == activity).then_some(())
    });
}

#[test]
fn it_is_asked_about_with_its_text_and_withdrawn_when_it_is_recognised() {
    let (world, repo) = strange();
    let run = begin(&world, &repo, &[]);
    let id = wait_for_question(&world, &run);
    let question = shown(&world, &id);
    assert_eq!((&question["kind"], &question["actions"]), (&"other".into(), &serde_json::json!([])), "{question:#}");
    assert_eq!(question["title"], "agency does not recognise this screen");
    let detail = text(&question, "detail");
    assert!(detail.contains("Choose your adventure") && detail.contains("agency attach"), "{detail}");
    // It is our question: what the agent does is still not known.
    wait_until(&world, &run, "unknown");
    for wrong in [&["--text", "yes"][..], &["allow"], &["2"]] {
        world.error(&[&["answer", &id], wrong].concat(), ErrorCode::InvalidAnswer);
    }
    world.release("agent");
    wait_until(&world, &run, "idle");
    wait_for("no open question", LIMIT, || open(&world, &run).is_empty().then_some(()));
    let expired = shown(&world, &id);
    assert_eq!(expired["state"], "expired", "{expired:#}");
    assert!(text(&events(&run, "answer")[0], "outcome").contains("recognised again"));
    run.wait_for_output("typed:[]");
    world.ok(&["stop", &run.id]);
}

/// A dialog of which the rules do not say how it is answered.
const DIALOG: &str = "version = \"1\"\n[[rules]]\nname = \"dialog\"\nactivity = \"waiting_for_user\"\n\
    when = [{ all = [\"Choose your adventure\"], none = [\"ready>\"] }]\n[rules.question]\nkind = \"other\"\n\
    title = { from = \"Choose\" }\noptions = { style = \"numbered\" }\n";

#[test]
fn a_dialog_without_known_keys_offers_no_answer_and_names_the_screen() {
    let (world, repo) = world(Agent::from(STRANGE.replace("adventure", "adventure\\n1. Sea\\n2. Land").as_str()));
    fs::write(world.root().join("home/rules.toml"), DIALOG).unwrap();
    world.configure("screen = \"rules.toml\"\n");
    let run = begin(&world, &repo, &[]);
    let id = wait_for_question(&world, &run);
    let question = shown(&world, &id);
    assert_eq!(question["only_on_screen"], true, "{question:#}");
    assert_eq!((&question["options"], &question["actions"]), (&serde_json::json!([]), &serde_json::json!([])));
    assert!(text(&question, "detail").ends_with("1. Sea\n2. Land"), "{question:#}");
    let list = world.ok(&["inbox"]).stdout;
    assert!(list.contains("agency attach do-it") && !list.contains("agency answer"), "{list}");
    for wrong in [&["1"][..], &["Sea"], &["deny"], &["allow"], &["--text", "yes"]] {
        let error = world.error(&[&["answer", &id], wrong].concat(), ErrorCode::InvalidAnswer);
        assert!(text(&error, "hint").contains(&format!("agency attach {}", run.id)), "{error:#}");
    }
    assert_eq!(shown(&world, &id)["state"], "open");
    world.ok(&["stop", &run.id]);
}

#[test]
fn it_can_be_dismissed_and_nothing_is_typed() {
    let (world, repo) = strange();
    let run = begin(&world, &repo, &["--unknown-minutes", "1"]);
    let id = wait_for_question(&world, &run);
    let told = answer(&world, &id, &["dismiss"]);
    assert_eq!(told["outcome"], "noted; nothing was typed", "{told:#}");
    wait_until(&world, &run, "unknown");
    let dismissed = Instant::now();
    wait_for("three of our minutes", LIMIT, || (dismissed.elapsed().as_millis() > 900).then_some(()));
    assert_eq!(open(&world, &run), Vec::<Value>::new(), "it is not asked again");
    world.release("agent");
    run.wait_for_output("typed:[]");
    wait_until(&world, &run, "idle");
    world.ok(&["stop", &run.id]);
}

#[test]
fn it_does_not_end_the_run_and_is_not_asked_where_the_limit_is_none() {
    let (world, repo) = strange();
    let never = begin(&world, &repo, &["--unknown-minutes", "0"]);
    wait_until(&world, &never, "unknown");
    let run = begin(&world, &repo, &["--unknown-minutes", "1", "--question-minutes", "1"]);
    wait_for_question(&world, &run);
    let asked = Instant::now();
    wait_for("four of our minutes", LIMIT, || (asked.elapsed().as_millis() > 1200).then_some(()));
    assert_eq!(world.show(&run)["state"], "running");
    assert_eq!(open(&world, &run).len(), 1);
    assert_eq!(open(&world, &never), Vec::<Value>::new());
    world.ok(&["stop", &never.id]);
    world.ok(&["stop", &run.id]);
}
