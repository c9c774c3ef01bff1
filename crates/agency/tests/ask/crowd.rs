//! Many questions at once, half of whose askers are killed.
//!
//! The suite plays it small; `scripts/bench asks` plays it in full.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rustix::process::Signal;

use super::fixture::{LIMIT, left, wait_until_clean, world};
use agency_testkit::wait_for;

const ASKS: usize = 40;
const AT_ONCE: usize = 8;

// proves A7
#[test]
fn of_many_asks_half_are_killed_and_nothing_is_left_or_harmed() {
    let world = world("cat docs/a.txt note; sleep 0.05; echo done");
    let next = AtomicUsize::new(0);
    let (answered, killed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= ASKS {
                        return;
                    }
                    let asking = world.spawn(&["ask", "-s", "docs,note", "What?"]);
                    if number.is_multiple_of(2) {
                        // At another moment each time: before, while and after the agent works.
                        let runs = number / 8;
                        wait_for("somebody's run", LIMIT, || (world.runs().len() > runs).then_some(()));
                        asking.signal(Signal::KILL);
                        asking.wait();
                        killed.fetch_add(1, Ordering::Relaxed);
                    } else {
                        let output = asking.wait();
                        assert_eq!(output.stdout, "the timeout is 42\na note\ndone\n", "{output}");
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert_eq!((answered.into_inner(), killed.into_inner()), (ASKS / 2, ASKS / 2));
    wait_for("the end of every run", LIMIT, || {
        world.ok(&["reconcile"]);
        let runs = world.json(&["ls", "--all"])["data"]["runs"].take();
        let over = |run: &serde_json::Value| run["state"] != "running" && run["state"] != "queued";
        runs.as_array().unwrap().iter().all(over).then_some(())
    });
    world.ok(&["reconcile"]);
    for path in left(&world).iter().filter(|path| is_unlocked_draft(path)) {
        // Its asker may have died before it locked the directory, which then is swept after a minute.
        fs::remove_dir_all(path).unwrap();
    }
    wait_until_clean(&world);
}

/// Whether a directory holds nothing that says whose it is.
fn is_unlocked_draft(path: &Path) -> bool {
    let has_no_note = |entry: fs::DirEntry| entry.metadata().is_ok_and(|found| found.len() == 0);
    path.extension().is_some_and(|ending| ending == "new")
        && fs::read_dir(path).unwrap().all(|entry| entry.is_ok_and(has_no_note))
}
