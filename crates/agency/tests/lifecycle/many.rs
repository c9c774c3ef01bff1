//! `agency rm --all-finished --dry-run` of many runs: it shows how far it is, and Ctrl-C ends it.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use agency_testkit::{ProcessTable, World, wait_for};
use rustix::process::Signal;

use super::world;

const LIMIT: Duration = Duration::from_secs(30);

/// Runs whose worktrees git cannot look at before a file is there: a filter of the user waits for it.
struct Slow {
    world: World,
    started: PathBuf,
    release: PathBuf,
}

impl Slow {
    fn new() -> Self {
        let world = world();
        let repo = world.repo("project");
        // The same size, so that git has to read it.
        world.agent("worker", "tr 'a-z' 'b-za' < README.md > copy; cat copy > README.md; rm copy");
        for _ in 0..3 {
            let run = world.begin(&repo, "worker", &["--host", "detached", "--mode", "headless"]);
            world.ended(&run);
            run.wait_until_unsupervised();
        }
        let (started, release) = (world.root().join("filter.started"), world.root().join("filter.release"));
        let filter =
            format!("echo >>'{}'; until [ -e '{}' ]; do sleep 0.01; done; cat", started.display(), release.display());
        let attributes = world.root().join("attributes");
        fs::write(&attributes, "README.md filter=slow\n").unwrap();
        repo.git(&["config", "filter.slow.clean", &filter]);
        repo.git(&["config", "core.attributesFile", attributes.to_str().unwrap()]);
        Self { world, started, release }
    }

    fn wait_for_filter(&self) {
        self.wait_for_filters(1);
    }

    fn wait_for_filters(&self, count: usize) {
        wait_for("the filters", LIMIT, || {
            let started = fs::read(&self.started).ok()?.len();
            (started >= count).then_some(())
        });
    }

    fn release(&self) {
        fs::write(&self.release, "").unwrap();
    }
}

const DRY_RUN: [&str; 3] = ["rm", "--all-finished", "--dry-run"];

#[test]
fn a_bar_shows_how_many_runs_were_looked_at() {
    let slow = Slow::new();
    let terminal = slow.world.terminal(&DRY_RUN);
    slow.wait_for_filter();
    let screen = terminal.wait_for_text("looking");
    assert!(screen.contains("0/3"), "{screen}");
    slow.release();
    assert_eq!(terminal.wait_for_exit(), 0);
    let screen = terminal.screen();
    assert_eq!(screen.matches("remove the worktree").count(), 3, "{screen}");
    assert!(!screen.contains("looking"), "the bar is gone: {screen}");
}

#[test]
fn nothing_is_drawn_where_no_terminal_is() {
    let slow = Slow::new();
    slow.release();
    let output = slow.world.ok(&DRY_RUN);
    assert_eq!(output.stderr, "");
}

#[test]
fn ctrl_c_ends_it_at_once_and_removes_nothing() {
    let slow = Slow::new();
    let terminal = slow.world.terminal(&DRY_RUN);
    // Two worktrees are looked at at once. A git that is started after the interrupt would not get it.
    slow.wait_for_filters(2);
    terminal.wait_for_text("0/3");
    terminal.send_keys(&["C-c"]);
    assert_eq!(terminal.wait_for_exit(), 130);
    let screen = terminal.screen();
    assert!(screen.contains("interrupted; nothing was removed"), "{screen}");
    assert_eq!(slow.world.runs().len(), 3);
}

// Of a signal to the process alone, git and the filter know nothing.
#[test]
fn one_interrupt_ends_it_after_the_worktrees_at_hand_and_a_second_one_at_once() {
    for second in [false, true] {
        let slow = Slow::new();
        let process = slow.world.start(&mut slow.world.command(&DRY_RUN));
        slow.wait_for_filter();
        process.signal(Signal::INT);
        if second {
            // Interrupts that wait at the same time are one.
            wait_for("its end", LIMIT, || {
                process.signal(Signal::INT);
                (!process.is_running()).then_some(())
            });
        } else {
            slow.release();
        }
        let output = process.wait();
        assert_eq!((output.status.code(), output.stdout.as_str()), (Some(130), ""), "{output}");
        slow.release();
        let home = slow.world.agency_home();
        wait_for("git is gone", LIMIT, || {
            ProcessTable::read().carrying("AGENCY_HOME", home.as_os_str()).is_empty().then_some(())
        });
        let finished = slow.world.json(&["ls"])["data"]["runs"].take();
        assert_eq!(finished.as_array().unwrap().len(), 3, "nothing is removed");
    }
}
