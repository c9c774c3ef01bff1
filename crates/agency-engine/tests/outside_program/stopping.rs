//! Issue 17: `Watcher::run` can be cancelled, and so can every other wait.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;

use agency_engine::runs::watcher::WatcherError;
use agency_model::run::State;

use super::place::Place;

const WAITING: &str = "```agency\nsay ready\nwait 600s\n```";

pub(super) fn a_watcher_is_stopped_from_another_thread_and_the_run_continues() {
    let place = Place::new();
    let mut agency = place.builder().build().unwrap();
    let plan = agency.plan(place.request("scripted").prompt(WAITING)).unwrap();
    let run = agency.create(&plan, &AtomicBool::new(false)).unwrap();
    let (ready, was_ready) = channel();
    let (handle, stop) = channel();
    let (mut clone, id) = (agency.clone(), run.id.clone());
    let watching = std::thread::spawn(move || {
        let watcher = clone.watch_run(&id);
        handle.send(watcher.stop_handle()).unwrap();
        watcher.on_output(move |text| ready.send(text.to_owned()).unwrap()).run()
    });
    assert_eq!(was_ready.recv().unwrap(), "ready\n");
    stop.recv().unwrap().stop();
    let left = watching.join().unwrap();
    assert!(matches!(&left, Err(WatcherError::Stopped(id)) if *id == run.id), "{left:?}");
    assert_eq!(agency.stop(&agency.run(&run.id).unwrap()).unwrap().state, State::Killed);
}

pub(super) fn a_watch_of_the_inbox_is_stopped_from_another_thread() {
    let place = Place::new();
    let mut agency = place.builder().build().unwrap();
    let mut inbox = agency.watch_inbox().unwrap();
    assert!(inbox.next(&mut agency).unwrap().is_empty());
    let stop = inbox.stop_handle();
    let waiting = std::thread::spawn(move || {
        let news = inbox.next(&mut agency).unwrap();
        // A handle stays stopped.
        (news, inbox.next(&mut agency).unwrap())
    });
    stop.stop();
    assert_eq!(waiting.join().unwrap(), (vec![], vec![]));
}
