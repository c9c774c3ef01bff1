//! What people decide, agents do not.

use super::fixture::Place;

// an agent, and what it starts, neither approves nor rejects nor retries what people decide
#[test]
fn agents_do_not_decide_what_a_session_asks_its_user() {
    let place = Place::new();
    let agency = env!("CARGO_BIN_EXE_agency");
    let session = place.begin("name: x\nsteps:\n  - { name: ok, type: approval, message: 'Go on?' }\n", &[]);
    place.wait_for_state(&session, "waiting");
    let verbs = ["approve", "reject", "retry --detach"];
    let attempts = verbs.map(|verb| format!("'{agency}' --json workflow {verb} {session}; echo \" $?\""));
    place.world.agent("deciding", attempts.join("\n").as_str());
    let run = place.world.begin(&place.repo, "deciding", &["--host", "detached", "--mode", "headless"]);
    place.world.ended(&run);
    let said = place.world.ok(&["logs", &run.id]).stdout;
    assert_eq!(said.matches("E_NOT_ALLOWED").count(), verbs.len(), "{said}");
    assert_eq!(said.matches("\n 8\n").count(), verbs.len(), "{said}");
    assert_eq!(place.shown(&session)["state"], "waiting");
    place.does(&["approve", &session]);
    place.wait_for_state(&session, "completed");
}

#[test]
fn what_a_script_step_leaves_behind_does_not_decide_either() {
    let place = Place::new();
    let agency = env!("CARGO_BIN_EXE_agency");
    let session = place.begin("name: x\nsteps:\n  - { name: ok, type: approval, message: 'Go on?' }\n", &[]);
    place.wait_for_state(&session, "waiting");
    let result = place.world.root().join("result");
    let (file, draft) = (result.display(), place.world.root().join("draft"));
    let decide = format!("'{agency}' workflow approve {session}; echo $? >'{0}'; mv '{0}' '{file}'", draft.display());
    let program = place.world.root().join("decide.sh");
    std::fs::write(&program, decide).unwrap();
    // Its parent ends, so that the supervisor of the driver takes it over.
    let orphan = format!("setsid -f env -u AGENCY_RUN_ID -u AGENCY_SESSION sh '{}'", program.display());
    let script = format!("{orphan}; until [ -e '{file}' ]; do sleep 0.02; done");
    let other = format!("name: y\nsteps:\n  - name: leave\n    type: script\n    command: |\n      {script}\n");
    let other = place.begin(&other, &[]);
    place.wait_for_state(&other, "completed");
    assert_eq!(std::fs::read_to_string(&result).unwrap(), "8\n");
    assert_eq!(place.shown(&session)["state"], "waiting");
}

#[test]
fn a_session_that_an_agent_starts_merges_only_what_a_user_reviewed() {
    let place = Place::new();
    let file = place.world.root().join("evil.yaml");
    let steps = "  - { name: work, type: script, command: echo theirs >theirs.txt }\n  \
                 - name: again\n    type: loop\n    max_iterations: 1\n    on_max_iterations: continue\n    steps:\n      \
                 - { name: bring, type: merge, require_review: false, into: main }\n";
    std::fs::write(&file, format!("name: evil\nsteps:\n{steps}")).unwrap();
    let (agency, repo) = (env!("CARGO_BIN_EXE_agency"), place.repo.path.display());
    let start = format!("cd '{repo}'; '{agency}' workflow run '{}' --title t --detach", file.display());
    place.world.agent("starting", start.as_str());
    let before = place.repo.git(&["rev-parse", "main"]);
    let run = place.world.begin(&place.repo, "starting", &["--host", "detached", "--mode", "headless"]);
    assert_eq!(place.world.ended(&run)["state"], "completed");
    let sessions = place.world.json(&["workflow", "ls"])["data"]["sessions"].take();
    let session = sessions[0]["session"].as_str().unwrap_or_else(|| panic!("{sessions:#}"));
    place.wait_for_state(session, "pending_merge");
    assert_eq!(place.repo.git(&["rev-parse", "main"]), before);
    place.does(&["approve", session]);
    place.wait_for_state(session, "completed");
    assert_eq!(place.repo.git(&["show", "main:theirs.txt"]).trim(), "theirs");
}
