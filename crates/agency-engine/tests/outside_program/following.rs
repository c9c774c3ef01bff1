//! Issue 17: a session is followed and approved at the same time, in two threads.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;

use agency_engine::config::Config;
use agency_engine::orchestrator::{FollowEnd, Orchestrator, SessionEvent, StartRequest};
use agency_engine::workflow::{Project, load};
use agency_model::HostChoice;
use agency_model::workflow::{SessionState, Task};

use super::place::Place;

const APPROVAL: &str = "name: x\nsteps:\n  - { name: ok, type: approval, message: 'Continue?' }\n";

// proves W1: `follow` does not block `approve`.
pub(super) fn a_session_is_followed_in_one_thread_and_approved_by_a_clone_in_another() {
    let place = Place::new();
    let mut config = Config::default();
    config.host = HostChoice::Detached;
    let agency = place.builder().config(config).build().unwrap();
    let file = place.file("workflow.yaml");
    std::fs::write(&file, APPROVAL).unwrap();
    let loaded = load(&Project::around(&place.repo), &file, agency.config(), None).unwrap();
    let mut orchestrator = Orchestrator::new(agency);
    let request = StartRequest::new(loaded, &place.repo, Task::new("Decide", ""));
    let session = orchestrator.start(request, &AtomicBool::new(false)).unwrap();
    let (asked, was_asked) = channel();
    let (follower, id) = (orchestrator.clone(), session.id().clone());
    let following = std::thread::spawn(move || {
        let each = |event| {
            if let SessionEvent::Interaction(question) = event {
                asked.send(question.question.title).unwrap();
            }
            ControlFlow::Continue(())
        };
        follower.follow(&id, 0, &AtomicBool::new(false), each).unwrap()
    });
    was_asked.recv().unwrap();
    orchestrator.approve(session.id(), None, "a test").unwrap();
    assert_eq!(following.join().unwrap(), FollowEnd::Over(SessionState::Completed));
}
