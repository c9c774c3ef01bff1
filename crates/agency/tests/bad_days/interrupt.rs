//! `agency run` is interrupted while the worktree is being made: a hook of the repository waits, so the moment is certain.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;

use agency_testkit::{ProcessTable, Repo, World, agent};
use rustix::process::Signal;

use super::place::{clear_away, nothing_was_left, until, world};

/// A world whose repository has a hook that waits.
struct Slow {
    world: World,
    repo: Repo,
    started: PathBuf,
    release: PathBuf,
}

impl Slow {
    fn new() -> Self {
        let (world, repo) = world();
        world.agent("waiting", agent::waiting());
        let started = world.root().join("hook.started");
        let release = world.root().join("hook.release");
        let hook = repo.path.join(".git/hooks/post-checkout");
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        let script = format!(
            "#!/bin/sh\n: >'{}'\nuntil [ -e '{}' ]; do sleep 0.01; done\n",
            started.display(),
            release.display()
        );
        fs::write(&hook, script).unwrap();
        fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
        Self { world, repo, started, release }
    }

    fn wait_for_hook(&self) {
        until("the hook", || self.started.exists());
    }

    fn release(&self) {
        fs::write(&self.release, "").unwrap();
    }

    /// Waits until git and its hook, which nobody waits for any more, have ended.
    fn wait_until_git_is_gone(&self) {
        let home = self.world.agency_home();
        until("the end of git", || ProcessTable::read().carrying("AGENCY_HOME", home.as_os_str()).is_empty());
    }
}

// proves L22
#[test]
fn a_run_that_is_killed_while_its_worktree_is_made_has_failed_and_can_be_removed() {
    let slow = Slow::new();
    let creator = slow.world.start(&mut slow.world.run_command(&slow.repo, "waiting", &["--host", "detached"]));
    slow.wait_for_hook();
    creator.signal(Signal::KILL);
    assert_eq!(creator.wait().status.signal(), Some(9));
    let run = slow.world.runs().pop().unwrap();
    slow.world.ok(&["reconcile"]);
    let row = slow.world.show(&run);
    assert_eq!(row["state"], "failed");
    assert!(row["error"].as_str().unwrap().starts_with("E_RUNNER_DISAPPEARED"), "{row:#}");
    slow.release();
    slow.wait_until_git_is_gone();
    clear_away(&slow.world, &slow.repo, &[&run]);
}

// proves L4
#[test]
fn ctrl_c_while_the_worktree_is_made_takes_everything_back() {
    let slow = Slow::new();
    let command = slow.world.run_command(&slow.repo, "waiting", &["--host", "detached"]);
    let terminal = slow.world.terminal_with(&command);
    slow.wait_for_hook();
    terminal.send_keys(&["C-c"]);
    assert_eq!(terminal.wait_for_exit(), 130, "{}", terminal.screen());
    assert!(terminal.screen().contains("E_INTERRUPTED"), "{}", terminal.screen());
    slow.release();
    nothing_was_left(&slow.world, &slow.repo);
    let row = slow.world.show(&slow.world.runs()[0]);
    assert_eq!(row["state"], "failed");
    assert!(row["error"].as_str().unwrap().starts_with("E_INTERRUPTED"), "{row:#}");
}

// proves L4
#[test]
fn an_interrupt_that_only_agency_hears_takes_everything_back_when_git_is_done() {
    let slow = Slow::new();
    let creator = slow.world.start(&mut slow.world.run_command(&slow.repo, "waiting", &["--host", "tmux", "--json"]));
    slow.wait_for_hook();
    creator.signal(Signal::INT);
    slow.release();
    let output = creator.wait();
    assert_eq!(output.status.code(), Some(130), "{output}");
    assert_eq!(output.object()["error"]["code"], "E_INTERRUPTED");
    nothing_was_left(&slow.world, &slow.repo);
}

#[test]
fn a_second_interrupt_ends_agency_at_once_and_leaves_what_rm_can_remove() {
    let slow = Slow::new();
    let creator = slow.world.start(&mut slow.world.run_command(&slow.repo, "waiting", &["--host", "detached"]));
    slow.wait_for_hook();
    // Two signals that wait at the same time are one; the first must have been heard.
    creator.signal(Signal::INT);
    let pending = format!("/proc/{}/status", creator.id());
    until("the first interrupt heard", || {
        let status = fs::read_to_string(&pending).unwrap();
        let line = status.lines().find(|line| line.starts_with("ShdPnd:")).unwrap().to_owned();
        line.trim_end().ends_with("0000000000000000")
    });
    creator.signal(Signal::INT);
    let output = creator.wait();
    assert_eq!(output.status.code(), Some(130), "{output}");
    let run = slow.world.runs().pop().unwrap();
    slow.release();
    slow.wait_until_git_is_gone();
    slow.world.ok(&["reconcile"]);
    assert_eq!(slow.world.show(&run)["state"], "failed");
    clear_away(&slow.world, &slow.repo, &[&run]);
}

#[test]
fn ctrl_c_while_waiting_leaves_the_run_alive() {
    let (world, repo) = world();
    world.agent("waiting", agent::waiting());
    let waiter = world.start(&mut world.run_command(&repo, "waiting", &["--host", "detached", "--wait"]));
    until("the waiting", || waiter.stderr().contains("waiting for its end"));
    let run = world.runs().pop().unwrap();
    run.wait_for_output("ready");
    // It says that it waits a moment before it listens for the signal in its new meaning.
    until("the end of the waiting", || {
        waiter.signal(Signal::INT);
        !waiter.is_running()
    });
    assert_eq!(waiter.wait().status.code(), Some(130));
    assert_eq!(world.show(&run)["state"], "running");
    assert!(run.is_supervised());
    world.release("waiting");
    assert_eq!(world.ended(&run)["state"], "completed");
    clear_away(&world, &repo, &[&run]);
}
