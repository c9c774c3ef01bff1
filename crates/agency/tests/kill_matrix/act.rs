//! What is done to a run, and how one case is played.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agency_testkit::{Run, wait_for};

use super::cases::{Case, Left};
use super::database::{Row, rows};
use super::invariants;
use super::scene::Scene;

/// The operation during which somebody is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// `agency run`, which is killed.
    Create,
    /// `agency run`, whose supervisor is killed; the agent ignores TERM and HUP.
    Supervise,
    /// `agency stop` of such an agent, whose supervisor is killed.
    SuperviseStop,
    /// The agent ends, and the supervisor is killed.
    Finish,
    /// `agency stop` of a run that waits for a slot, which is killed.
    StopQueued,
    /// `agency stop` of a run that works, which is killed.
    StopRunning,
    /// `agency agent kill-orphan` of an agent whose supervisor was killed, which is killed too.
    KillOrphan,
    /// `agency rm` of a run with uncommitted work, which is killed.
    Remove,
    /// `agency rm --delete-branch`, which is killed.
    RemoveWithBranch,
    /// `agency rm --force` of a run with a repository inside its worktree, which is killed.
    RemoveNested,
}

impl Act {
    /// Whether `agency rm` was asked for, so that resources may be gone before the row says so.
    pub(super) fn removes(self) -> bool {
        matches!(self, Self::Remove | Self::RemoveWithBranch | Self::RemoveNested)
    }

    /// The options of the `agency rm` with which the case ends.
    fn removal_options(self) -> &'static [&'static str] {
        match self {
            Self::Remove => &[],
            Self::RemoveNested => &["--force"],
            Self::Create
            | Self::Supervise
            | Self::SuperviseStop
            | Self::Finish
            | Self::StopQueued
            | Self::StopRunning
            | Self::KillOrphan
            | Self::RemoveWithBranch => &["--delete-branch"],
        }
    }
}

/// Plays one case from its first to its last act.
pub(super) fn play(case: &Case) {
    let max_agents = if case.act == Act::StopQueued { 1 } else { 8 };
    let scene = Scene::new(case.point, max_agents);
    perform(case, &scene);
    scene.check_witness();
    let target = scene.target();
    if let (Some(run), Left::Nothing | Left::Ended { .. }) = (&target, case.left) {
        settle_down(case, run);
    }
    let reconciled = scene.world.json(&["reconcile"]);
    assert_eq!(reconciled["ok"], true, "{reconciled:#}");
    if let (Some(run), Left::Ended { .. }) = (&target, case.left) {
        wait_until_over(&scene, run);
    }
    let target = scene.target();
    check_target(case, &scene, target.as_ref());
    invariants::check(case, &scene);

    if let Some(run) = &target {
        if case.left == Left::Alive {
            let stopped = scene.world.json(&["stop", &run.id]);
            assert_eq!(stopped["data"]["state"], "killed", "{stopped:#}");
        }
        scene.remove_twice(run, case.act.removal_options());
        invariants::check_removed(case, &scene, run);
    }
}

fn perform(case: &Case, scene: &Scene) {
    let world = &scene.world;
    let host = ["--host", case.host.as_str()];
    match case.act {
        Act::Create => {
            let mut command = world.run_command(&scene.repo, "stubborn", &host);
            scene.doom(&mut command);
            let output = world.run(&mut command);
            assert_eq!(output.status.signal(), Some(9), "{output}");
        }
        Act::Supervise => scene.run_with_doomed_supervisor("stubborn", case.host),
        Act::Finish => scene.run_with_doomed_supervisor("quiet", case.host),
        Act::SuperviseStop => {
            scene.run_with_doomed_supervisor("stubborn", case.host);
            let run = scene.target().unwrap();
            run.wait_for_output("ready");
            world.ok(&["stop", &run.id]);
        }
        Act::StopQueued | Act::StopRunning => {
            let run = world.begin(&scene.repo, "waiting", &host);
            if case.act == Act::StopRunning {
                run.wait_for_output("ready");
            }
            die_at(scene, &["stop", &run.id]);
        }
        Act::KillOrphan => {
            let run = world.begin(&scene.repo, "stubborn", &host);
            run.wait_for_output("ready");
            run.kill_supervisor();
            die_at(scene, &["agent", "kill-orphan", &run.agent().as_raw_nonzero().to_string()]);
        }
        Act::Remove | Act::RemoveWithBranch | Act::RemoveNested => {
            let run = world.begin(&scene.repo, "quiet", &host);
            assert_eq!(world.ended(&run)["state"], "completed");
            let worktree = worktree_of(scene, &run);
            fs::write(worktree.join("new.txt"), "precious\n").unwrap();
            fs::write(worktree.join("README.md"), "changed\n").unwrap();
            if case.act == Act::RemoveNested {
                scene.repo.git(&["init", "--quiet", worktree.join("inner").to_str().unwrap()]);
                fs::write(worktree.join("inner/file"), "in no ref\n").unwrap();
            }
            if case.point == "kept.entry" {
                name_incomplete_commit(scene, &worktree);
            }
            die_at(scene, &[&["rm", &run.id], case.act.removal_options()].concat());
        }
    }
}

/// Lets git's entry for a worktree name a commit whose parent is missing, so that the entry itself is kept.
fn name_incomplete_commit(scene: &Scene, worktree: &Path) {
    let tree = scene.repo.git(&["rev-parse", "HEAD^{tree}"]);
    let (parent, person) = ("1234567890123456789012345678901234567890", "a <a@b> 0 +0000");
    let text = format!("tree {}\nparent {parent}\nauthor {person}\ncommitter {person}\n\nx\n", tree.trim());
    let file = worktree.join("inner/commit");
    fs::write(&file, text).unwrap();
    let commit = scene.repo.git(&["hash-object", "-t", "commit", "-w", file.to_str().unwrap()]);
    let link = fs::read_to_string(worktree.join(".git")).unwrap();
    let entry = Path::new(link.trim_end().strip_prefix("gitdir: ").unwrap());
    fs::write(entry.join("ORIG_HEAD"), commit).unwrap();
}

fn die_at(scene: &Scene, arguments: &[&str]) {
    let mut command = scene.world.command(arguments);
    scene.doom(&mut command);
    let output = scene.world.run(&mut command);
    assert_eq!(output.status.signal(), Some(9), "{output}");
}

/// The one who was killed is gone, and so is whoever notices it by himself.
fn settle_down(case: &Case, run: &Run) {
    match case.act {
        Act::Create | Act::Supervise | Act::SuperviseStop | Act::Finish | Act::KillOrphan => {
            run.wait_until_unsupervised();
        }
        // Here the supervisor lives, and does what was asked.
        Act::StopQueued | Act::StopRunning | Act::Remove | Act::RemoveWithBranch | Act::RemoveNested => {}
    }
}

fn wait_until_over(scene: &Scene, run: &Run) {
    let limit = Duration::from_secs(20);
    wait_for("a terminal state", limit, || row(scene, run).is_over().then_some(()));
    run.wait_until_unsupervised();
}

fn check_target(case: &Case, scene: &Scene, target: Option<&Run>) {
    match (case.left, target) {
        (Left::Nothing, None) => {}
        (Left::Nothing, Some(run)) => panic!("{} should be nothing", run.id),
        (Left::Ended { .. } | Left::Alive, None) => panic!("the run is gone"),
        (Left::Alive, Some(run)) => {
            assert_eq!(row(scene, run).state, "running");
            assert!(run.is_supervised());
            run.wait_for_output("ready");
        }
        (Left::Ended { state, exit_code, error }, Some(run)) => {
            let row = row(scene, run);
            assert_eq!((row.state.as_str(), row.exit_code), (state, exit_code), "{row:?}");
            match error {
                Some(code) => assert!(row.error.as_deref().unwrap().starts_with(code), "{row:?}"),
                None => assert_eq!(row.error, None),
            }
            run.wait_until_gone();
            let told = run.events();
            let ends = told.iter().filter(|event| event["type"] == "completed").count();
            assert_eq!(ends, 1, "the end is told once: {told:#?}");
            if case.may_have_worked() {
                assert!(worktree_of(scene, run).exists(), "what the agent did is not thrown away");
            }
        }
    }
}

fn row(scene: &Scene, run: &Run) -> Row {
    let mut rows = rows(&scene.world.agency_home()).into_iter();
    rows.find(|row| row.id == run.id).unwrap()
}

pub(super) fn worktree_of(scene: &Scene, run: &Run) -> PathBuf {
    row(scene, run).worktree.unwrap().into()
}
