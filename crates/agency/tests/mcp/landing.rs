//! Agents land work only after their user allowed exactly that, in the inbox.

use agency_model::ErrorCode;
use agency_testkit::{Repo, Run, World, wait_for};
use serde_json::{Value, json};

use super::client::{Client, text};
use super::fixture::{LIMIT, empty};

/// A finished run that wrote one file.
fn finished(world: &World, repo: &Repo, file: &str) -> Run {
    let name = format!("writer-{file}");
    world.agent(&name, format!("echo {file} >{file}"));
    let run = world.begin(repo, &name, &["--host", "detached", "--mode", "headless", "--name", file]);
    world.ended(&run);
    run
}

/// The open questions.
fn open(world: &World) -> Vec<Value> {
    world.json(&["inbox"])["data"]["questions"].as_array().unwrap().clone()
}

#[track_caller]
fn wait_for_question(world: &World) -> Value {
    wait_for("a question", LIMIT, || open(world).into_iter().next())
}

fn id(question: &Value) -> String {
    question["id"].as_str().unwrap().to_owned()
}

fn on_main(repo: &Repo, file: &str) -> bool {
    repo.git(&["ls-tree", "--name-only", "main"]).lines().any(|name| name == file)
}

#[test]
fn the_user_is_asked_and_the_work_lands_after_the_answer() {
    let world = empty();
    let repo = world.repo("project");
    let run = finished(&world, &repo, "one");
    let client = Client::new(&world);
    let call = client.begin("land_run", json!({ "run": "one", "message": "By an agent" }));
    let question = wait_for_question(&world);
    assert_eq!((&question["kind"], &question["run_id"]), (&json!("permission"), &json!(run.id)), "{question:#}");
    assert_eq!(question["title"], "an agent asks: land one on main (1 file)?");
    assert!(question["detail"].as_str().unwrap().starts_with("one (+1 -0)\nmerge into main, exactly tree "));
    client.wait_for_news(&format!("waiting for the user to answer {}", id(&question)));
    assert!(!on_main(&repo, "one"));
    let answered = world.ok(&["answer", &id(&question), "allow"]).stdout;
    assert!(answered.contains("it lands while the agent waits"), "{answered}");
    let landed = client.end(call).structured_content.unwrap();
    assert_eq!((&landed["target"], &landed["already"]), (&json!("main"), &json!(false)), "{landed:#}");
    assert_eq!(repo.git(&["log", "-1", "--format=%s", "main^2"]).trim(), "By an agent");
    // What has landed needs no other answer.
    assert_eq!(client.facts("land_run", json!({ "run": "one" }))["already"], true);
    assert!(open(&world).is_empty());
    let shown = world.json(&["inbox", "show", &id(&question)])["data"].take();
    assert_eq!((&shown["state"], &shown["answer"]["answer"]), (&json!("delivered"), &json!("allow")), "{shown:#}");
}

#[test]
fn a_denial_reaches_the_agent_with_its_reason_and_is_not_asked_about_again() {
    let world = empty();
    let repo = world.repo("project");
    finished(&world, &repo, "one");
    let client = Client::new(&world);
    let call = client.begin("land_run", json!({ "run": "one" }));
    let question = wait_for_question(&world);
    world.ok(&["answer", &id(&question), "deny", "--text", "Not before the release"]);
    let refused = client.end(call);
    let refused: Value = serde_json::from_str(&text(&refused)).unwrap();
    assert_eq!(refused["code"], "E_NOT_ALLOWED");
    assert!(refused["message"].as_str().unwrap().contains("Not before the release"), "{refused}");
    assert_eq!(client.error("land_run", json!({ "run": "one" }))["code"], "E_NOT_ALLOWED");
    assert!(open(&world).is_empty() && !on_main(&repo, "one"));
    let late = world.error(&["answer", &id(&question), "allow"], ErrorCode::AlreadyAnswered);
    assert!(late["message"].as_str().unwrap().contains("was answered by"), "{late}");
    // The user still can.
    world.ok(&["land", "one"]);
}

#[test]
fn the_answer_to_a_call_that_ended_is_found_by_the_next_one() {
    let world = empty();
    let repo = world.repo("project");
    finished(&world, &repo, "one");
    let client = Client::new(&world);
    let call = client.begin("land_run", json!({ "run": "one" }));
    let question = wait_for_question(&world);
    client.cancel(call);
    client.leave();
    // Nothing waits any more, and the question is open all the same.
    assert_eq!(open(&world).len(), 1);
    world.ok(&["answer", &id(&question), "allow"]);
    assert!(!on_main(&repo, "one"));
    let client = Client::new(&world);
    assert_eq!(client.facts("land_run", json!({ "run": "one" }))["target"], "main");
    assert!(on_main(&repo, "one"));
}

#[test]
fn files_that_changed_are_asked_about_anew_and_allow_all_is_for_the_run() {
    let world = empty();
    let repo = world.repo("project");
    let run = finished(&world, &repo, "one");
    let worktree = world.show(&run)["worktree_path"].as_str().unwrap().to_owned();
    let client = Client::new(&world);
    client.cancel(client.begin("land_run", json!({ "run": "one" })));
    let first = wait_for_question(&world);
    std::fs::write(format!("{worktree}/sly"), "sly\n").unwrap();
    // An answer to what is not the case any more lands nothing.
    world.ok(&["answer", &id(&first), "allow"]);
    let call = client.begin("land_run", json!({ "run": "one" }));
    let second = wait_for_question(&world);
    assert!(second["detail"].as_str().unwrap().contains("sly (+1 -0)"), "{second:#}");
    assert!(!on_main(&repo, "one"));
    world.ok(&["answer", &id(&second), "allow-all"]);
    assert_eq!(client.end(call).is_error, Some(false));
    std::fs::write(format!("{worktree}/more"), "more\n").unwrap();
    client.facts("land_run", json!({ "run": "one" }));
    assert!(on_main(&repo, "sly") && on_main(&repo, "more") && open(&world).is_empty());
    // Another run is another question.
    finished(&world, &repo, "two");
    let call = client.begin("land_run", json!({ "run": "two" }));
    let third = wait_for_question(&world);
    // An open question about a state that is gone expires.
    client.cancel(call);
    let worktree =
        third["run_id"].as_str().map(|id| world.show(&world.run_with_id(id))["worktree_path"].clone()).unwrap();
    std::fs::write(format!("{}/late", worktree.as_str().unwrap()), "late\n").unwrap();
    client.cancel(client.begin("land_run", json!({ "run": "two" })));
    wait_for("another question", LIMIT, || open(&world).iter().any(|row| row["id"] != third["id"]).then_some(()));
    world.error(&["answer", &id(&third), "allow"], ErrorCode::QuestionExpired);
    // So does one about work that the user landed.
    world.ok(&["land", "two"]);
    assert!(open(&world).is_empty());
}

#[test]
fn only_the_users_own_setting_lands_without_a_question_and_not_for_the_agent_of_a_run() {
    let world = empty();
    let repo = world.repo("project");
    let run = finished(&world, &repo, "one");
    world.configure("[mcp]\nallow_land = true\n");
    let mut command = world.command(&["mcp"]);
    command.env("AGENCY_RUN_ID", &run.id);
    let agent = Client::started(command);
    let call = agent.begin("land_run", json!({ "run": "one" }));
    let question = wait_for_question(&world);
    agent.cancel(call);
    let client = Client::new(&world);
    assert_eq!(client.facts("land_run", json!({ "run": "one" }))["target"], "main");
    let shown = world.json(&["inbox", "show", &id(&question)])["data"].take();
    assert_eq!((&shown["state"], &shown["outcome"]), (&json!("expired"), &json!("the work has landed")), "{shown:#}");
}

#[test]
fn commands_that_are_not_approved_are_asked_about_first() {
    let world = empty();
    let repo = world.repo("project");
    finished(&world, &repo, "one");
    repo.write(".agency/project.toml", "[land]\ncheck = [\"test -e one\"]\n");
    let client = Client::new(&world);
    let call = client.begin("land_run", json!({ "run": "one" }));
    let trust = wait_for_question(&world);
    assert_eq!(trust["kind"], "trust", "{trust:#}");
    assert!(trust["detail"].as_str().unwrap().contains("land.check: test -e one"), "{trust:#}");
    world.ok(&["answer", &id(&trust), "allow"]);
    let landing =
        wait_for("the other question", LIMIT, || open(&world).into_iter().find(|row| row["kind"] == "permission"));
    assert!(landing["detail"].as_str().unwrap().contains("check: test -e one\n"), "{landing:#}");
    world.ok(&["answer", &id(&landing), "allow"]);
    let landed = client.end(call).structured_content.unwrap();
    assert_eq!(landed["checks"], json!(["test -e one"]), "{landed:#}");
}
