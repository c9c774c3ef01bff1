//! `AgentManager` takes a `ProcessRunner`: a manager is testable without an agent.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use agency_adapters::{PromptDelivery, StreamFormat};
use agency_engine::agents::{AgentEvent, AgentEventKind, AgentState, RestartRequest};
use agency_engine::config::Config;
use agency_engine::runner::{ScriptStep, Signal, Stream};
use agency_model::Event;
use agency_model::run::Exit;
use agency_system::process::processes_of_run;

use super::place::{Place, say, wait_for_event};

const DONE: &str = r#"{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s1"}"#;

fn is_event(happened: &AgentEvent, wanted: impl Fn(&Event) -> bool) -> bool {
    matches!(&happened.happened, AgentEventKind::Event { event, .. } if wanted(event))
}

fn becomes(happened: &AgentEvent, state: AgentState) -> bool {
    matches!(happened.happened, AgentEventKind::StateChange { new, .. } if new == state)
}

// proves P9, P14: `AgentManager` takes a `ProcessRunner`.
#[test]
fn a_manager_spawns_sends_to_restarts_and_stops_a_scripted_agent_without_any_process() {
    let mut place = Place::new(Config::default(), |_| {
        vec![
            say(r#"{"type":"system","subtype":"init","session_id":"s1"}"#),
            ScriptStep::AwaitInput(b"Fix the login".to_vec()),
            say(r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Fixed."}]}}"#),
            say(DONE),
        ]
    });
    let events = place.manager.events().unwrap();
    let request = place.request("claude-code");
    let alice = place.manager.spawn_agent("alice", request, &AtomicBool::new(false)).unwrap();
    let command = place.started.command(0);
    assert_eq!(command.get_program().as_os_str(), "claude", "it does not have to be installed");
    assert_eq!(command.get_directory(), alice.run.worktree_path.as_deref().map(std::path::Path::new));
    assert_eq!(command.get_variable("AGENCY_RUN_ID"), Some(alice.run.id.as_str().as_ref()));
    wait_for_event(&events, |event| becomes(event, AgentState::Idle));
    assert_eq!(place.manager.state("alice").unwrap(), AgentState::Idle);

    place.manager.agency().send(&alice.run, "Fix the login").unwrap();
    wait_for_event(&events, |event| is_event(event, |event| *event == Event::output("Fixed.")));
    wait_for_event(&events, |event| becomes(event, AgentState::Idle));
    assert!(String::from_utf8(place.started.handle(0).typed()).unwrap().contains("Fix the login"));
    assert!(processes_of_run(&alice.run.id).is_empty(), "it is not a process");

    let restart = RestartRequest::new("/").environment([("PATH".into(), "/nowhere".into())].into());
    let again = place.manager.restart_agent("alice", restart, &AtomicBool::new(false)).unwrap();
    assert_ne!(again.run.id, alice.run.id);
    assert!(place.started.handle(0).signals().contains(&Signal::TERM));
    let args: Vec<_> = place.started.command(1).get_args().map(std::ffi::OsStr::to_owned).collect();
    assert!(args.windows(2).any(|pair| pair == ["--resume", "s1"]), "the same conversation: {args:?}");

    assert_eq!(place.manager.stop_agent("alice").unwrap().state, AgentState::Stopped);
    assert_eq!(place.manager.list_agents().unwrap().len(), 1);
    assert!(place.manager.detect_orphans().unwrap().is_empty());
    assert_eq!(place.started.count(), 2);
}

// proves P9, P14: `AgentManager` takes a `ProcessRunner`.
#[test]
fn a_scripted_agent_that_crashes_is_started_again_and_one_that_ignores_term_is_killed() {
    let mut config = Config::default();
    config.restart.pauses = vec![Duration::ZERO];
    let mut place = Place::new(config, |attempt| match attempt {
        0 => vec![ScriptStep::Exit(Exit { exit_code: Some(3), signal: None })],
        _ => vec![ScriptStep::IgnoreSignals],
    });
    let events = place.manager.events().unwrap();
    let request = place.request("claude-code");
    place.manager.spawn_agent("bob", request, &AtomicBool::new(false)).unwrap();
    wait_for_event(&events, |event| is_event(event, |event| matches!(event, Event::Restart { failures: 1, .. })));
    wait_for_event(&events, |event| is_event(event, |event| matches!(event, Event::Attempt { .. })));
    let shutdown = place.manager.shutdown(&AtomicBool::new(true)).unwrap();
    assert_eq!(shutdown.stopped.len(), 1);
    assert!(shutdown.stopped[0].killed_by_force);
    assert_eq!(shutdown.stopped[0].agent.state, AgentState::Stopped);
    assert!(place.started.handle(1).signals().ends_with(&[Signal::KILL]));
}

// `events()` has the output of agents that print plain text.
#[test]
fn the_events_of_a_manager_have_the_output_of_an_agent_that_prints_plain_text() {
    let mut config = Config::default();
    let mut plain = config.agent("claude-code").unwrap().1.clone();
    (plain.headless.stream, plain.headless.prompt) = (StreamFormat::Text, PromptDelivery::Stdin);
    config.agents.insert("plain".to_owned(), plain);
    let mut place = Place::new(config, |_| {
        vec![
            say("\u{1b}[32mone\u{1b}[0m"),
            // A character that comes in two pieces.
            ScriptStep::Say(Stream::Stdout, b"tw\xc3".to_vec()),
            ScriptStep::Say(Stream::Stdout, b"\xb6\n".to_vec()),
            ScriptStep::Exit(Exit { exit_code: Some(0), signal: None }),
        ]
    });
    let events = place.manager.events().unwrap();
    let mut request = place.request("plain");
    request.prompt_text = Some("Count".to_owned());
    place.manager.spawn_agent("carol", request, &AtomicBool::new(false)).unwrap();
    let mut text = String::new();
    wait_for_event(&events, |event| {
        if let AgentEventKind::Output { text: piece, .. } = &event.happened {
            text.push_str(piece);
        }
        is_event(event, |event| matches!(event, Event::Exit { .. }))
    });
    assert_eq!(text, "one\ntwö\n", "all of it before the event of its exit");
}

#[test]
fn the_output_of_an_attempt_is_between_its_beginning_and_its_exit() {
    let mut config = Config::default();
    config.restart.pauses = vec![Duration::ZERO];
    let mut plain = config.agent("claude-code").unwrap().1.clone();
    (plain.headless.stream, plain.headless.prompt) = (StreamFormat::Text, PromptDelivery::Stdin);
    config.agents.insert("plain".to_owned(), plain);
    let mut place = Place::new(config, |attempt| {
        let exit_code = Some(i32::from(attempt == 0));
        vec![say(&format!("attempt {attempt}")), ScriptStep::Exit(Exit { exit_code, signal: None })]
    });
    let events = place.manager.events().unwrap();
    let request = place.request("plain").prompt("Count");
    place.manager.spawn_agent("dora", request, &AtomicBool::new(false)).unwrap();
    let mut order = vec![];
    wait_for_event(&events, |event| {
        if let AgentEventKind::Output { text, .. } = &event.happened {
            order.push(text.trim().to_owned());
        } else if is_event(event, |event| matches!(event, Event::Attempt { .. })) {
            order.push("begin".to_owned());
        } else if is_event(event, |event| matches!(event, Event::Exit { .. })) {
            order.push("exit".to_owned());
        }
        is_event(event, |event| matches!(event, Event::Completed { .. }))
    });
    assert_eq!(order, ["begin", "attempt 0", "exit", "begin", "attempt 1", "exit"]);
}

fn is_stopped(event: &AgentEvent) -> bool {
    becomes(event, AgentState::Stopped)
}

// `events()` loses nothing that changes the state of an agent.
#[test]
fn the_last_events_are_given_also_when_the_manager_is_dropped_at_once() {
    for _ in 0..10 {
        let mut place = Place::new(Config::default(), |_| vec![ScriptStep::IgnoreSignals]);
        let events = place.manager.events().unwrap();
        let request = place.request("claude-code");
        place.manager.spawn_agent("frank", request, &AtomicBool::new(false)).unwrap();
        let clone = place.manager.clone();
        place.manager.shutdown(&AtomicBool::new(true)).unwrap();
        drop(std::mem::replace(&mut place.manager, clone));
        let events: Vec<AgentEvent> = events.collect();
        assert!(events.last().is_some_and(is_stopped), "{events:#?}");
    }
}

// proves P14: an error of the `ProcessRunner`'s own function is one of the spawn.
#[test]
fn a_function_that_panics_is_an_error_and_leaves_its_name_free() {
    let mut place = Place::new(Config::default(), |_| panic!("no runner today"));
    for _ in 0..2 {
        let request = place.request("claude-code");
        let error = place.manager.spawn_agent("grace", request, &AtomicBool::new(false)).unwrap_err();
        assert_eq!(error.to_string(), "claude could not be started: the function that starts it panicked");
    }
    assert!(place.manager.shutdown(&AtomicBool::new(false)).unwrap().stopped.is_empty());
}

// Handles can be cloned.
#[test]
fn a_clone_of_a_manager_stops_and_starts_the_same_agents_from_another_thread() {
    let mut place = Place::new(Config::default(), |_| vec![]);
    let events = place.manager.events().unwrap();
    let request = place.request("claude-code");
    place.manager.spawn_agent("heidi", request, &AtomicBool::new(false)).unwrap();
    let mut clone = place.manager.clone();
    let request = place.request("claude-code");
    let others = std::thread::spawn(move || {
        let others = clone.events().unwrap();
        assert_eq!(clone.stop_agent("heidi").unwrap().state, AgentState::Stopped);
        clone.spawn_agent("ivan", request, &AtomicBool::new(false)).unwrap();
        // The channel of the clone ends with it.
        drop(clone);
        others.map(|event| event.agent).collect::<std::collections::BTreeSet<_>>()
    });
    wait_for_event(&events, is_stopped);
    assert_eq!(others.join().unwrap().into_iter().collect::<Vec<_>>(), ["heidi", "ivan"]);
    assert_eq!(place.started.count(), 2, "by the same function");
}

#[test]
fn a_second_call_for_events_repeats_none() {
    let mut place = Place::new(Config::default(), |_| vec![ScriptStep::IgnoreSignals]);
    let mut events = place.manager.events().unwrap();
    let request = place.request("claude-code");
    place.manager.spawn_agent("eve", request, &AtomicBool::new(false)).unwrap();
    wait_for_event(&events, |event| is_event(event, |event| matches!(event, Event::Attempt { .. })));
    let again = place.manager.events().unwrap();
    place.manager.shutdown(&AtomicBool::new(true)).unwrap();
    wait_for_event(&again, |event| is_event(event, |event| matches!(event, Event::Completed { .. })));
    drop(place);
    let completed = events.by_ref().filter(|event| is_event(event, |event| matches!(event, Event::Completed { .. })));
    assert_eq!(completed.count(), 0, "it was given before");
}
