//! Drives a workflow session: an agent works, a person agrees, and the work is merged.

use std::sync::atomic::AtomicBool;

use agency_engine::orchestrator::{FollowEnd, Orchestrator, SessionEvent, StartRequest, describe_fact};
use agency_engine::workflow::{Project, load};
use agency_examples::{Outcome, Place};
use agency_model::workflow::{SessionState, Task};

const WORKFLOW: &str = "
name: describe
defaults: { adapter: scripted, mode: headless }
steps:
  - name: write
    type: agent
    prompt: |
      {{ .task.title }}

      ```agency
      write notes.md A stove.
      commit Describe the kitchen
      ```
  - { name: ok, type: approval, message: 'Merge the notes?' }
";

fn main() -> Outcome {
    // First of all: the library starts this program again to drive the session and to supervise its agents.
    agency_engine::init();
    let place = Place::new()?;
    let agency = place.agency()?;
    let file = place.path("describe.yaml");
    std::fs::write(&file, WORKFLOW)?;
    let workflow = load(&Project::around(place.repository()), &file, agency.config(), None)?;

    let mut orchestrator = Orchestrator::new(agency);
    let request = StartRequest::new(workflow, place.repository(), Task::new("Describe the kitchen", ""));
    let session = orchestrator.start(request, &AtomicBool::new(false))?;
    // The session is driven by a process of its own: this loop could end, and another program could follow it.
    let mut events = orchestrator.session_events(session.id(), 0)?;
    let mut approvals = 0;
    for event in &mut events {
        match event? {
            SessionEvent::Fact(entry) => println!("{}", describe_fact(&entry.fact)),
            SessionEvent::Interaction(question) => {
                println!("asked: {}", question.question.title);
                orchestrator.approve(session.id(), Some("Looks good."), "the example")?;
                approvals += 1;
            }
            // The kinds of events will grow.
            _ => {}
        }
    }
    assert_eq!(approvals, 1);
    assert_eq!(events.end(), Some(FollowEnd::Over(SessionState::Completed)));
    Ok(())
}
