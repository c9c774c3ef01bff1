//! Whoever creates a run is interrupted while the worktree is being made: a hook of the repository waits, so the moment is certain.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use agency_testkit::{Agent, Process, ProcessTable, Repo, World, agent};
use rustix::process::Signal;

use super::fixture::{clear_away, nothing_was_left, until, world};

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

    /// A command about workflows.
    fn workflow(&self, words: &[&str]) -> Command {
        let mut command = self.world.command(&[&["--json", "workflow"], words].concat());
        command.current_dir(&self.repo.path);
        command
    }

    /// A command that begins a session.
    fn begin(&self) -> Command {
        let file = self.world.root().join("workflow.yaml");
        fs::write(&file, "name: one\nsteps: [{ name: first, type: script, command: 'true' }]\n").unwrap();
        self.workflow(&["run", file.to_str().unwrap(), "--detach"])
    }

    /// A session whose driver was never made, so that whoever lets it go on makes a worktree.
    fn session_without_driver(&self) -> String {
        let begun = self.world.run(self.begin().env("AGENCY_FAULT_POINT", "run.locked"));
        assert!(begun.status.code().is_none(), "{begun}");
        // What never became a run is swept.
        self.world.ok(&["reconcile"]);
        assert!(self.world.runs().is_empty());
        let sessions = self.world.run(&mut self.workflow(&["ls"])).object();
        sessions["data"]["sessions"][0]["session"].as_str().unwrap().to_owned()
    }

    /// Two interrupts end a command that creates a run, and leave what `agency rm` can remove.
    fn is_ended_by_two(&self, command: &mut Command) {
        let creator = self.world.start(command);
        self.wait_for_hook();
        interrupt_until_it_ends(creator);
        let run = self.world.runs().pop().unwrap();
        self.release();
        self.wait_until_git_is_gone();
        self.world.ok(&["reconcile"]);
        assert_eq!(self.world.show(&run)["state"], "failed");
        clear_away(&self.world, &self.repo, &[&run]);
    }

    /// Waits until git and its hook, which nobody waits for any more, have ended.
    fn wait_until_git_is_gone(&self) {
        // The tmux server of a session that was started meanwhile stays until the run is removed.
        let root = self.world.root().to_str().unwrap();
        let is_git =
            |line: &String| line.contains(root) && (line.starts_with("git ") || line.contains("post-checkout"));
        until("the end of git", || !ProcessTable::read().command_lines().iter().any(is_git));
    }
}

/// Interrupts a command that waits for something that does not come, until it has ended.
#[track_caller]
fn interrupt_until_it_ends(command: Process) {
    // Interrupts that wait at the same time are one, so two may not be enough.
    until("the end of the command", || {
        command.signal(Signal::INT);
        !command.is_running()
    });
    let output = command.wait();
    assert_eq!(output.status.code(), Some(130), "{output}");
    assert_eq!(output.stdout, "", "it has ended by itself: {output}");
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
fn a_second_interrupt_ends_a_spawn_at_once() {
    let slow = Slow::new();
    let repo = slow.repo.path.to_str().unwrap();
    let words = ["--json", "agent", "spawn", "alice", "--repo", repo, "--runner", "waiting", "--prompt", "go"];
    slow.is_ended_by_two(&mut slow.world.command(&words));
}

#[test]
fn a_second_interrupt_ends_a_restart_that_waits_for_the_end_of_the_agent_before() {
    let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
    world.configure("\n[limits]\nstop_grace_seconds = 600\n");
    world.agent("deaf", Agent::new("trap 'echo asked' TERM\necho ready\nwhile :; do sleep 0.1; done"));
    let repo = world.repo("project");
    let place = ["--repo", repo.path.to_str().unwrap(), "--host", "detached"];
    world.ok(&[&["agent", "spawn", "alice", "--runner", "deaf", "--prompt", "go"], &place[..]].concat());
    let run = world.runs().pop().unwrap();
    run.wait_for_output("ready");
    let restart = world.spawn(&["--json", "agent", "restart", "alice"]);
    run.wait_for_output("asked");
    interrupt_until_it_ends(restart);
    assert_eq!(world.runs().len(), 1);
    assert_eq!(world.show(&run)["state"], "running");
}

#[test]
fn a_second_interrupt_ends_the_beginning_of_a_workflow_at_once() {
    let slow = Slow::new();
    slow.is_ended_by_two(&mut slow.begin());
}

#[test]
fn a_second_interrupt_ends_the_resumption_of_a_workflow_at_once() {
    let slow = Slow::new();
    let session = slow.session_without_driver();
    slow.is_ended_by_two(&mut slow.workflow(&["resume", &session, "--detach"]));
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
