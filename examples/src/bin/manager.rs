//! Keeps two named agents, and prints what they do as it happens.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use agency_engine::agents::{AgentEventKind, AgentManager, AgentState, ManagerConfig};
use agency_engine::runs::create::RunRequest;
use agency_examples::{Outcome, Place};
use agency_model::run::State;

const SCRIPT: &str = "
```agency
say I look around.
write notes.md A stove.
commit Describe the kitchen
```
";

fn main() -> Outcome {
    // First of all: the library starts this program again to supervise each agent.
    agency_engine::init();
    let place = Place::new()?;
    let agency = place.agency()?;
    let config = ManagerConfig::of(agency.config());
    let mut manager = AgentManager::new(agency, config);
    let events = manager.events()?;

    let mut at_work = BTreeSet::from(["alice", "bob"]);
    for name in &at_work {
        let request = RunRequest::new(place.repository(), "scripted").prompt(SCRIPT);
        manager.spawn_agent(name, request, &AtomicBool::new(false))?;
    }
    // Each works in a worktree and on a branch of its own.
    let mut said = String::new();
    for event in events {
        match event.happened {
            AgentEventKind::Output { text, .. } => {
                print!("{}: {text}", event.agent);
                said.push_str(&text);
            }
            AgentEventKind::StateChange { old, new } => {
                println!("{}: {} -> {}", event.agent, old.as_str(), new.as_str());
                if new == AgentState::Stopped {
                    at_work.remove(event.agent.as_str());
                }
            }
            // The kinds of events will grow.
            _ => {}
        }
        if at_work.is_empty() {
            break;
        }
    }
    assert_eq!(said.matches("I look around.").count(), 2);
    for agent in manager.list_agents()? {
        // An event is there a moment before the row that it is about.
        let run = manager.agency().wait(&agent.run.id, None, State::is_terminal)?;
        println!("{} ended {} on {:?}", agent.name, run.state, run.new_branch);
        assert_eq!(run.state, State::Completed);
    }
    // Nothing is left to be stopped.
    assert!(manager.shutdown(&AtomicBool::new(false))?.stopped.is_empty());
    Ok(())
}
