//! The manager as a library: its channel of events.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use agency_engine::agency::Agency;
use agency_engine::agents::{AgentEvent, AgentEventKind, AgentManager, AgentState, ManagerConfig};
use agency_engine::config::{Config, Environment};
use agency_engine::home::Home;
use agency_engine::runs::create::{RunRequest, SetupChoice};
use agency_model::spec::SpecDraft;
use agency_model::{Event, RunKind};
use agency_testkit::{World, conversation, wait_for};

use super::fixture::{LIMIT, world};

fn manager(world: &World) -> AgentManager {
    let file = world.root().join("home/config.toml");
    let config = Config::load(Some(&file), &Environment::default()).unwrap();
    let manager = ManagerConfig::of(&config);
    let binary = Path::new(env!("CARGO_BIN_EXE_agency")).to_owned();
    AgentManager::new(Agency::open(Home::new(world.agency_home()), config, binary).unwrap(), manager)
}

fn request(world: &World, repo: &Path, prompt: Option<&str>) -> RunRequest {
    RunRequest {
        kind: RunKind::Agent,
        spec_file: None,
        flags: SpecDraft::default(),
        prompt_text: prompt.map(str::to_owned),
        include_changes: false,
        current_directory: repo.to_owned(),
        environment: [("PATH", "/usr/bin:/bin"), ("AGENCY_HOME", world.agency_home().to_str().unwrap())]
            .map(|(name, value)| (name.into(), value.into()))
            .into(),
        may_wait: false,
        terminal: None,
        notify: false,
        workflow: None,
        setup: SetupChoice::Project,
    }
}

fn says(happened: &AgentEventKind, words: &str) -> bool {
    matches!(happened, AgentEventKind::Event { event, .. } if matches!(&**event, Event::Output { text, .. } if text == words))
}

// proves P9
#[test]
fn the_manager_speaks_through_its_channel_alone() {
    let (world, repo) = world(conversation::staying());
    let mut manager = manager(&world);
    let events = manager.events().unwrap();
    let alice =
        manager.spawn_agent("alice", request(&world, &repo.path, Some("hello")), &AtomicBool::new(false)).unwrap();
    assert!(!alice.run.state.is_terminal());
    let mut heard: Vec<AgentEvent> = vec![];
    let mut until = |wanted: &dyn Fn(&AgentEventKind) -> bool| {
        loop {
            let event = events.wait(LIMIT).unwrap_or_else(|| panic!("nothing more came after {heard:#?}"));
            assert_eq!(event.agent, "alice");
            heard.push(event);
            if wanted(&heard.last().unwrap().happened) {
                break;
            }
        }
    };
    until(&|happened| says(happened, "heard: hello"));
    until(&|happened| matches!(happened, AgentEventKind::StateChange { new: AgentState::Idle, .. }));
    // The row follows within a moment.
    wait_for("the row", LIMIT, || (manager.state("alice").unwrap() == AgentState::Idle).then_some(()));
    assert_eq!(manager.list_agents().unwrap().len(), 1);
    manager.stop_agent("alice").unwrap();
    until(&|happened| matches!(happened, AgentEventKind::StateChange { new: AgentState::Stopped, .. }));
    let numbers: Vec<u64> = heard
        .iter()
        .filter_map(|event| if let AgentEventKind::Event { seq, .. } = event.happened { Some(seq) } else { None })
        .collect();
    assert!(numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{numbers:?}");
    assert_eq!(numbers[0], 1);
}

// proves P9
#[test]
fn another_manager_sees_the_same_agents_and_hears_them_from_now_on() {
    let (world, repo) = world(conversation::staying());
    let (mut one, mut other) = (manager(&world), manager(&world));
    one.spawn_agent("alice", request(&world, &repo.path, None), &AtomicBool::new(false)).unwrap();
    let events = other.events().unwrap();
    world.ok(&["send", "alice", "to both"]);
    let mut numbers = vec![];
    loop {
        let event = events.wait(LIMIT).expect("what the agent says");
        if let AgentEventKind::Event { seq, event } = event.happened {
            numbers.push(seq);
            if matches!(&*event, Event::Output { text, .. } if text == "heard: to both") {
                break;
            }
        }
    }
    assert!(numbers[0] > 1, "{numbers:?}");
    other.shutdown(&AtomicBool::new(false)).unwrap();
    assert_eq!(one.state("alice").unwrap(), AgentState::Stopped);
    assert_eq!(one.events().unwrap().wait(Duration::ZERO), None);
}
