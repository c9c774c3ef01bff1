//! Following a session in a program of one's own.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use agency_engine::agency::Agency;
use agency_engine::config::{Config, Environment};
use agency_engine::home::Home;
use agency_engine::orchestrator::{FollowEnd, Orchestrator, SessionEvent};
use agency_model::SessionId;
use agency_model::workflow::SessionState;

use super::fixture::Place;

const APPROVAL: &str = "name: x\nsteps:\n  - { name: ok, type: approval, message: 'Continue?' }\n";

fn orchestrator(place: &Place) -> Orchestrator {
    let file = place.world.root().join("home/config.toml");
    let config = Config::load(Some(&file), &Environment::default()).unwrap();
    let home = Home::new(place.world.agency_home());
    Orchestrator::new(Agency::open(home, config, env!("CARGO_BIN_EXE_agency").into()).unwrap())
}

// `follow` does not block `approve`.
#[test]
fn a_session_is_approved_by_the_orchestrator_that_follows_it() {
    let place = Place::new();
    let id: SessionId = place.begin(APPROVAL, &[]).parse().unwrap();
    let mut orchestrator = orchestrator(&place);
    let mut events = orchestrator.session_events(&id, 0).unwrap();
    let mut asked = 0;
    for event in &mut events {
        match event.unwrap() {
            SessionEvent::Fact(_) => {}
            SessionEvent::Interaction(_) => {
                orchestrator.approve(&id, None, "a test").unwrap();
                asked += 1;
            }
        }
    }
    assert_eq!((asked, events.end()), (1, Some(FollowEnd::Over(SessionState::Completed))));
}

// `follow` does not block `approve`: it is stopped from another thread, and by its callback.
#[test]
fn following_stops_by_its_handle_and_by_its_callback_and_the_session_continues() {
    let place = Place::new();
    let id: SessionId = place.begin(APPROVAL, &[]).parse().unwrap();
    let orchestrator = orchestrator(&place);
    let mut events = orchestrator.session_events(&id, 0).unwrap();
    let stop = events.stop_handle();
    let (asked, was_asked) = std::sync::mpsc::channel();
    let follower = std::thread::spawn(move || {
        for event in events.by_ref() {
            if let SessionEvent::Interaction(_) = event.unwrap() {
                asked.send(()).unwrap();
            }
        }
        events.end()
    });
    was_asked.recv().unwrap();
    stop.stop();
    assert_eq!(follower.join().unwrap(), Some(FollowEnd::Interrupted));
    let mut count = 0;
    let end = orchestrator.follow(&id, 0, &AtomicBool::new(false), |_| {
        count += 1;
        ControlFlow::Break(())
    });
    assert_eq!((count, end.unwrap()), (1, FollowEnd::Interrupted));
    place.does(&["approve", id.as_str()]);
    place.wait_for_state(id.as_str(), "completed");
}
