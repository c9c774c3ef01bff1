//! The commands of a project file are shown, and approved by their content.

use agency_model::ErrorCode;
use agency_testkit::{Repo, World};
use serde_json::Value;

use super::{finished, world};

fn write(repo: &Repo, text: &str) {
    repo.write(".agency/project.toml", text);
}

#[test]
fn commands_are_shown_escaped_and_need_a_yes() {
    let (world, repo) = world();
    let at = ["--repo", repo.path.to_str().unwrap()];
    write(&repo, "[land]\ncheck = [\"touch ran\", \"echo \\u001b[2Jhidden\"]\n");
    let refused = world.agency(&["trust", at[0], at[1]]);
    assert_eq!(refused.status.code(), Some(8), "{}", refused.stderr);
    for text in ["land.check: touch ran", "land.check: echo \\x1b[2Jhidden", "E_NOT_TRUSTED", "agency trust --yes"] {
        assert!(refused.stderr.contains(text), "{text} is missing: {}", refused.stderr);
    }
    let error = world.error(&["trust", at[0], at[1]], ErrorCode::NotTrusted);
    assert_eq!(error["details"]["commands"][0], "touch ran");
    assert_eq!(world.json(&["trust", "ls"])["data"]["projects"].as_array().unwrap().len(), 0);
    let approved = world.json(&["trust", at[0], at[1], "--yes"])["data"].take();
    assert_eq!((&approved["trusted"], &approved["commands"][0]["key"]), (&true.into(), &"land.check".into()));
    let listed = world.json(&["trust", "ls"])["data"]["projects"].take();
    assert_eq!(listed[0]["sha256"], approved["sha256"]);
    let again = world.ok(&["trust", at[0], at[1]]).stdout;
    assert!(again.contains("approved before"), "{again}");
    assert_eq!(world.json(&["trust", "revoke", at[0], at[1]])["data"]["revoked"], 1);
    world.error(&["trust", at[0], at[1]], ErrorCode::NotTrusted);
    assert!(!repo.path.join("ran").exists(), "nothing of it is executed");
}

#[test]
fn on_a_terminal_the_user_is_asked_and_enter_is_no() {
    let (world, repo) = world();
    let at = ["--repo", repo.path.to_str().unwrap()];
    write(&repo, "[land]\ncheck = [\"make test\"]\n");
    for (typed, code, listed) in [("\r", 8, 0), ("n\r", 8, 0), ("y\r", 0, 1)] {
        let terminal = world.terminal(&["trust", at[0], at[1]]);
        let screen = terminal.wait_for_text("[y/N]");
        assert!(screen.contains("land.check: make test"), "{screen}");
        terminal.type_text(typed);
        assert_eq!(terminal.wait_for_exit(), code, "{typed:?}");
        assert_eq!(world.json(&["trust", "ls"])["data"]["projects"].as_array().unwrap().len(), listed);
    }
}

#[test]
fn a_file_without_commands_needs_no_approval_and_a_missing_one_is_an_error() {
    let (world, repo) = world();
    let at = ["--repo", repo.path.to_str().unwrap()];
    world.error(&["trust", at[0], at[1]], ErrorCode::InvalidPath);
    write(&repo, "[land]\nrequire_approval = true\n");
    assert_eq!(world.json(&["trust", at[0], at[1]])["data"]["trusted"], true);
    write(&repo, "[land]\nchek = []\n");
    let error = world.error(&["trust", at[0], at[1]], ErrorCode::InvalidConfig);
    assert!(error["message"].as_str().unwrap().contains("did you mean `check`?"), "{error}");
}

// proves I5
#[test]
fn an_agent_does_not_approve_its_own_commands() {
    let (world, repo) = world();
    write(&repo, "[land]\ncheck = [\"true\"]\n");
    let path = repo.path.to_str().unwrap();
    let binary = env!("CARGO_BIN_EXE_agency");
    world.agent("sly", format!("{binary} trust --yes --repo '{path}' 2>&1; echo code $?"));
    let run = world.begin(&repo, "sly", &["--host", "detached", "--mode", "headless"]);
    world.ended(&run);
    let said = world.ok(&["logs", "--stdout", &run.id]).stdout;
    assert!(said.contains("E_NOT_ALLOWED") && said.contains("code 8"), "{said}");
    assert_eq!(world.json(&["trust", "ls"])["data"]["projects"].as_array().unwrap().len(), 0);
}

fn open(world: &World) -> Vec<Value> {
    world.json(&["inbox"])["data"]["questions"].as_array().unwrap().clone()
}

#[test]
fn a_landing_that_needs_an_approval_leaves_a_question_whose_answer_approves() {
    let (world, repo) = world();
    let at = ["--repo", repo.path.to_str().unwrap()];
    let run = finished(&world, &repo, "echo 1 >one");
    write(&repo, "[land]\ncheck = [\"test -e one\", \"echo \\u001b[2Jhidden\"]\n");
    world.ok(&["land", &run.id, "--dry-run", "--no-check"]);
    assert!(open(&world).is_empty());
    for _ in 0..2 {
        world.error(&["land", &run.id], ErrorCode::NotTrusted);
    }
    let [question] = open(&world).try_into().unwrap();
    assert_eq!((&question["kind"], &question["run_id"]), (&"trust".into(), &run.id.as_str().into()), "{question:#}");
    let shown = world.ok(&["inbox"]).stdout;
    for text in ["land.check: test -e one", "land.check: echo \\x1b[2Jhidden", "allow   # or deny"] {
        assert!(shown.contains(text), "{text} is missing: {shown}");
    }
    // The question is about this content. Another one is not approved by its answer.
    write(&repo, "[land]\ncheck = [\"touch sly\"]\n");
    let first = question["id"].as_str().unwrap();
    let error = world.error(&["answer", first, "allow"], ErrorCode::QuestionExpired);
    assert!(error["message"].as_str().unwrap().contains("the project file was changed"), "{error}");
    assert_eq!(world.json(&["trust", "ls"])["data"]["projects"].as_array().unwrap().len(), 0);
    world.error(&["land", &run.id], ErrorCode::NotTrusted);
    let [second] = open(&world).try_into().unwrap();
    let answered = world.ok(&["answer", second["id"].as_str().unwrap(), "allow"]).stdout;
    assert!(answered.contains("the project file is approved as it is now"), "{answered}");
    world.ok(&["land", &run.id]);
    assert!(!repo.path.join("sly").exists(), "a check runs in the trial tree");
    // Approved in another way, or removed with its run, a question is not open any more.
    let other = finished(&world, &repo, "echo 2 >two");
    write(&repo, "[land]\ncheck = [\"true\"]\n");
    world.error(&["land", &other.id], ErrorCode::NotTrusted);
    world.ok(&["trust", at[0], at[1], "--yes"]);
    assert!(open(&world).is_empty());
    // What was approved and withdrawn is asked about anew, also if an answer had approved it.
    for _ in 0..2 {
        world.ok(&["trust", "revoke", at[0], at[1]]);
        world.error(&["land", &other.id], ErrorCode::NotTrusted);
        let [question] = open(&world).try_into().unwrap();
        world.ok(&["answer", question["id"].as_str().unwrap(), "allow"]);
    }
    world.ok(&["trust", "revoke", at[0], at[1]]);
    world.error(&["land", &other.id], ErrorCode::NotTrusted);
    assert_eq!(open(&world).len(), 1);
    world.ok(&["rm", &other.id]);
    assert!(open(&world).is_empty());
}

#[test]
fn a_denied_project_stays_denied_until_agency_trust() {
    let (world, repo) = world();
    let at = ["--repo", repo.path.to_str().unwrap()];
    let run = finished(&world, &repo, "echo 1 >one");
    write(&repo, "[land]\ncheck = [\"true\"]\n");
    world.error(&["land", &run.id], ErrorCode::NotTrusted);
    let [question] = open(&world).try_into().unwrap();
    world.ok(&["answer", question["id"].as_str().unwrap(), "deny"]);
    world.error(&["land", &run.id], ErrorCode::NotTrusted);
    assert!(open(&world).is_empty(), "the same is not asked twice");
    world.ok(&["trust", at[0], at[1], "--yes"]);
    world.ok(&["land", &run.id]);
}

// proves I5
#[test]
fn an_agent_does_not_answer_the_question_about_its_commands() {
    let (world, repo) = world();
    let run = finished(&world, &repo, "echo 1 >one");
    write(&repo, "[land]\ncheck = [\"true\"]\n");
    world.error(&["land", &run.id], ErrorCode::NotTrusted);
    let [question] = open(&world).try_into().unwrap();
    let binary = env!("CARGO_BIN_EXE_agency");
    let sly = finished(
        &world,
        &repo,
        &format!("{binary} answer {} allow 2>&1; echo code $?", question["id"].as_str().unwrap()),
    );
    let said = world.ok(&["logs", "--stdout", &sly.id]).stdout;
    assert!(said.contains("E_NOT_ALLOWED") && said.contains("code 8"), "{said}");
    assert_eq!(open(&world).len(), 1);
}
