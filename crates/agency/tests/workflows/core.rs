//! How tasks are run and sessions kept, scenario by scenario of the document about them.

use agency_engine::home::Home;
use agency_engine::orchestrator::SessionManager;
use serde_json::Value;

use super::fixture::{Place, step};

const TWO_TASKS: &str = r#"
id: two
stages:
  - id: only
    tasks:
      - { id: seen, adapter: worker, prompt: look at it }
      - { id: unseen, adapter: worker, executionMode: headless, prompt: look at it, name: The other }
"#;

/// Says whether it has a terminal, and with what it was started and named.
const TELLING: &str = "echo \"$(test -t 0 && echo terminal || echo pipe) $AGENCY_RUN_ID $*\" >>\"$LOG\"; if [ ! -t 0 ]; then cat >>\"$LOG\"; fi";

fn both(place: &Place) -> (Value, Value) {
    let session = place.begin(TWO_TASKS, &[]);
    let shown = place.wait_for_state(&session, "completed");
    let run = |name: &str| {
        let id = step(&shown, name)["run_id"].as_str().unwrap().to_owned();
        place.world.json(&["show", &id])["data"].take()
    };
    (run("seen"), run("unseen"))
}

// proves W3
#[test]
fn runner_selection() {
    let place = Place::new().with_agent("worker", TELLING);
    let (seen, unseen) = both(&place);
    assert_eq!((&seen["mode"], &unseen["mode"]), (&"interactive".into(), &"headless".into()));
    let lines = place.lines();
    assert!(lines[1].starts_with("terminal") && lines[0].starts_with("pipe"), "{lines:?}");
}

// proves W4
#[test]
fn unified_prompt_injection() {
    let place = Place::new().with_agent("worker", TELLING);
    let (seen, unseen) = both(&place);
    let lines = place.lines();
    assert_eq!(lines.len(), 2, "nothing came on standard input: {lines:?}");
    assert!(lines.iter().all(|line| line.ends_with("look at it")), "by arguments: {lines:?}");
    for run in [seen, unseen] {
        let kept = std::fs::read_to_string(format!("{}/prompt.md", run["run_dir"].as_str().unwrap())).unwrap();
        assert_eq!(kept, "look at it", "it is recorded");
    }
}

// proves W3
#[test]
fn task_adapter_instantiation() {
    let place = Place::new().with_agent("worker", TELLING);
    let (seen, unseen) = both(&place);
    assert_eq!((&seen["name"], &unseen["name"]), (&"seen".into(), &"The other".into()));
    let own = |run: &Value| place.lines().iter().filter(|line| line.contains(run["id"].as_str().unwrap())).count();
    assert_eq!((own(&seen), own(&unseen)), (1, 1), "each has a process and a name of its own");
}

#[test]
fn exit_based_completion() {
    let place = Place::new().with_agent("worker", TELLING);
    let (seen, _) = both(&place);
    assert_eq!((&seen["state"], &seen["reason"]), (&"completed".into(), &"exited".into()));
}

// proves W9
#[test]
fn who_follows_on_a_terminal_sees_the_steps_change_and_the_end() {
    let place = Place::new();
    let session = place.begin("name: x\nsteps:\n  - { name: agree, type: approval, message: Shall we }\n", &[]);
    place.wait_for_state(&session, "waiting");
    let command = place.world.command(&["workflow", "show", "-f", &session]);
    let terminal = place.world.terminal_with(&command);
    terminal.wait_until("the step and the way out", |screen| {
        screen.contains("waiting") && screen.contains("Ctrl-C leaves it running")
    });
    place.does(&["approve", &session]);
    assert_eq!(terminal.wait_for_exit(), 0, "{}", terminal.screen());
    let screen = terminal.screen();
    assert!(screen.contains("completed") && !screen.contains("Ctrl-C leaves it running"), "{screen}");
}

// proves W1
#[test]
fn component_separation() {
    let place = Place::new();
    let session = place.begin("name: x\nsteps:\n  - { name: a, type: script, command: 'true' }\n", &[]);
    place.wait_for_state(&session, "completed");
    // What keeps sessions reads them without what drives them and without the facade.
    let manager = SessionManager::new(Home::new(place.world.agency_home()));
    let kept = manager.load(&session.parse().unwrap()).unwrap();
    assert_eq!(kept.flow.state().to_string(), "completed");
}

// proves P8
#[test]
fn silent_execution() {
    let place = Place::new().with_agent("worker", "echo a word that nobody asked for; echo another >&2");
    let file = place.workflow(
        "name: quiet\ndefaults: { adapter: worker, mode: headless }\nsteps:\n  - { name: work, type: agent, prompt: go }\n",
    );
    let mut command = place.world.command(&["workflow", "run", file.to_str().unwrap()]);
    let output = place.world.run(command.current_dir(&place.repo.path));
    assert!(output.status.success(), "{output}");
    assert!(!output.stdout.contains("a word") && !output.stderr.contains("another"), "{output}");
    let logs = place.does(&["logs", "last"]);
    assert!(logs["logs"][0]["text"].as_str().unwrap().contains("a word that nobody asked for"), "it is kept: {logs:#}");
}
