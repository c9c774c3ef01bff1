//! Watches a run: what its agent says, and how it ended. Then leaves another one before its end.

use std::sync::atomic::AtomicBool;

use agency_engine::runs::create::RunRequest;
use agency_engine::runs::watcher::WatcherError;
use agency_examples::{Outcome, Place};
use agency_model::Mode;
use agency_model::run::State;

const SCRIPT: &str = "
```agency
say I look around.
write notes.md A stove.
commit Describe the kitchen
say It is described.
```
";

fn main() -> Outcome {
    // First of all: the library starts this program again to supervise the agent.
    agency_engine::init();
    let place = Place::new()?;
    let mut agency = place.agency()?;

    let request = RunRequest::new(place.repository(), "scripted").prompt(SCRIPT).mode(Mode::Headless);
    let plan = agency.plan(request.name("kitchen"))?;
    let run = agency.create(&plan, &AtomicBool::new(false))?;
    let mut said = String::new();
    // From its beginning: a watcher that comes late misses nothing.
    let result = agency.watch_run(&run.id).on_output(|text| said.push_str(text)).run()?;
    println!("{} ended {}:\n{said}", run.id, result.state);
    assert_eq!(result.state, State::Completed);
    assert!(said.starts_with("I look around.\n") && said.ends_with("It is described.\n"));
    let changed = result.changed_files.unwrap_or_default();
    assert!(changed.iter().any(|file| file.path == "notes.md"));

    // A watcher is stopped by its handle, from another thread or from a callback. The run continues.
    let request = RunRequest::new(place.repository(), "scripted").prompt("```agency\nsay ready\nwait 600s\n```");
    let plan = agency.plan(request.mode(Mode::Headless))?;
    let run = agency.create(&plan, &AtomicBool::new(false))?;
    let watcher = agency.watch_run(&run.id);
    let stop = watcher.stop_handle();
    let left = watcher.on_output(|_text| stop.stop()).run();
    assert!(matches!(left, Err(WatcherError::Stopped(_))), "{left:?}");
    assert_eq!(agency.run(&run.id)?.state, State::Running);
    let stopped = agency.stop(&run)?;
    println!("{} was stopped: {}", stopped.id, stopped.state);
    assert_eq!(stopped.state, State::Killed);
    Ok(())
}
