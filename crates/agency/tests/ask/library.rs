//! The shape that the document gives the library.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::atomic::AtomicBool;

use agency_engine::agency::Agency;
use agency_engine::ask::{AskError, AskRequest, ChatRequest, SubagentRunner};
use agency_engine::config::{Config, Environment};
use agency_engine::home::Home;
use agency_engine::sources::Sources;
use agency_model::Event;
use agency_testkit::World;

use super::fixture::{command, left, wait_until_clean, world};

fn runner(world: &World) -> SubagentRunner {
    let config_file = world.root().join("home/config.toml");
    let config = Config::load(Some(&config_file), &Environment::default()).unwrap();
    let home = Home::new(world.agency_home());
    let sources = Sources::beside(&config_file, &home.sources());
    let agency = Agency::open(home, config, env!("CARGO_BIN_EXE_agency").into()).unwrap();
    SubagentRunner::new(agency, sources)
}

fn environment(world: &World) -> BTreeMap<OsString, OsString> {
    let mut environment = BTreeMap::from([("AGENCY_HOME".into(), world.agency_home().into())]);
    environment.extend(std::env::var_os("PATH").map(|path| ("PATH".into(), path)));
    environment
}

fn request(world: &World, question: &str) -> AskRequest {
    AskRequest {
        sources: vec!["docs".to_owned()],
        question: question.to_owned(),
        current_directory: world.root().to_owned(),
        environment: environment(world),
        ..AskRequest::default()
    }
}

// proves A1
#[test]
fn constructor_injection() {
    let world = world("true");
    let runner = runner(&world);
    assert_eq!(runner.config().default_agent, "mine");
    assert_eq!(runner.sources().source("docs").unwrap().name, "docs");
}

// proves A1
#[test]
fn ask_method_signature() {
    let world = world("cat docs/a.txt");
    let mut heard = vec![];
    let mut hear = |event: &Event| heard.push(event.clone());
    let answer = runner(&world).ask(&request(&world, "What?"), &mut hear, &AtomicBool::new(false)).unwrap();
    assert_eq!((answer.answer.as_str(), answer.sources.as_slice()), ("the timeout is 42\n", &["docs".to_owned()][..]));
    assert!(matches!(heard.last(), Some(Event::Completed { .. })), "{heard:?}");
    wait_until_clean(&world);
}

// proves A1, A8
#[test]
fn chat_method_signature() {
    let world = world("true");
    command(&world, "mine", "chat", "sh -c 'exit 4'");
    let request = ChatRequest {
        sources: vec!["docs".to_owned()],
        current_directory: world.root().to_owned(),
        environment: environment(&world),
        ..ChatRequest::default()
    };
    let end = runner(&world).chat(&request, &AtomicBool::new(false)).unwrap();
    assert_eq!(end.exit_code, 4);
}

// proves A7
#[test]
fn whoever_no_longer_wants_the_answer_stops_the_agent() {
    let world = world("cat docs/a.txt; sleep 3600");
    let cancelled = AtomicBool::new(false);
    let mut hear = |event: &Event| {
        if matches!(event, Event::Attempt { .. }) {
            cancelled.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    };
    let ended = runner(&world).ask(&request(&world, "What?"), &mut hear, &cancelled);
    assert!(matches!(ended, Err(AskError::Interrupted)), "{ended:?}");
    assert!(left(&world).is_empty());
    wait_until_clean(&world);
}
