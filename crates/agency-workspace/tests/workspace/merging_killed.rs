//! The process is killed at each step of a merge; called again, it ends as if nothing had happened.

use std::env;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command};

use agency_system::fault::POINTS;
use agency_workspace::{GitWorktree, MergeOutcome, MergeStrategy, Merged};

use crate::merging::request;
use crate::merging_dirty::saving;
use crate::world::{World, commit_all, described_worktree, description, git, write};

const STRATEGIES: [MergeStrategy; 3] = [MergeStrategy::Merge, MergeStrategy::Squash, MergeStrategy::Rebase];

/// The steps of a merge that moves changes of the user out of its way.
const SAVING: [&str; 3] = ["merge.saved", "merge.cleared", "merge.updated"];
/// In place of the number of a strategy: changes that are in the way are saved.
pub(crate) const SAVE: usize = STRATEGIES.len();

pub(crate) fn act(worktree: &GitWorktree, strategy: usize) -> MergeOutcome {
    worktree.commit_all("work").unwrap();
    let wish = STRATEGIES.get(strategy).map_or_else(saving, |strategy| request(*strategy));
    worktree.merge_checked(&wish, &mut |_| true).unwrap()
}

/// Runs in the process that is to be killed, and is nothing when it is run as a test.
#[test]
fn victim() {
    let Ok(described) = env::var("MERGE_OF_VICTIM") else {
        return;
    };
    let (strategy, described) = described.split_once('\n').unwrap();
    let worktree = described_worktree(described);
    act(&worktree, strategy.parse().unwrap());
}

fn kill_at(point: &str, worktree: &GitWorktree, strategy: usize) {
    let described = format!("{strategy}\n{}", description(worktree));
    let status = Command::new(env::current_exe().unwrap())
        .args(["--exact", "merging_killed::victim"])
        .env("MERGE_OF_VICTIM", described)
        .env("AGENCY_FAULT_POINT", point)
        .status()
        .unwrap();
    assert_eq!(status.signal(), Some(9), "{point}");
}

/// Starts the process that is to be killed.
pub(crate) fn start(worktree: &GitWorktree, strategy: usize) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "merging_killed::victim"])
        .env("MERGE_OF_VICTIM", format!("{strategy}\n{}", description(worktree)))
        .spawn()
        .unwrap()
}

/// What the target has in the end.
fn history(world: &World) -> Vec<String> {
    let log = world.git(["log", "--format=%T %s", "main"]);
    let mut commits: Vec<String> = log.lines().map(str::to_owned).collect();
    // Those of two sides come in any order.
    commits.sort();
    commits
}

// proves W10, W12
#[test]
fn a_merge_that_was_killed_at_any_step_is_made_once() {
    for (number, strategy) in STRATEGIES.into_iter().enumerate() {
        let play = |point: Option<&str>| {
            let world = World::new();
            let worktree = world.prepared();
            world.write("meanwhile", "x\n");
            commit_all(&world.repository, "meanwhile");
            // Hooks that need the files: the working tree that is made for them must not stay behind.
            world.hook("pre-merge-commit", "test -f new");
            world.hook("pre-commit", "test -f new");
            write(&worktree.path.join("new"), "new\n");
            if let Some(point) = point {
                kill_at(point, &worktree, number);
            }
            act(&worktree, number);
            assert_eq!(world.git(["status", "--porcelain"]), "", "{strategy:?} {point:?}");
            assert_eq!(world.git(["worktree", "list"]).lines().count(), 2, "{strategy:?} {point:?}");
            history(&world)
        };
        let undisturbed = play(None);
        // Commits that are made anew are looked at by no hook.
        let reached = |point: &&&str| {
            (strategy != MergeStrategy::Rebase || **point != "merge.tried")
                && !matches!(**point, "merge.saved" | "merge.cleared")
        };
        for point in POINTS.iter().filter(|point| point.starts_with("merge.")).filter(reached) {
            assert_eq!(play(Some(point)), undisturbed, "{strategy:?} {point}");
        }
    }
}

/// Changes in the way are in a ref or in the checkout, wherever the process is killed.
#[test]
fn changes_in_the_way_of_a_merge_that_was_killed_are_never_lost() {
    for point in SAVING {
        let world = World::new();
        let second = world.root().join("second");
        world.git(["worktree", "add", "-q", "--force", second.to_str().unwrap(), "main"]);
        let worktree = world.prepared();
        write(&worktree.path.join("a.txt"), "one\nfrom the agent\n");
        write(&worktree.path.join("new"), "new\n");
        world.write("a.txt", "staged\n");
        world.git(["add", "a.txt"]);
        world.write("a.txt", "mine\n");
        world.write("new", "mine, untracked\n");
        write(&second.join("a.txt"), "mine in the second\n");
        kill_at(point, &worktree, SAVE);
        let saved = |what: &str| {
            let refs = world.git(["for-each-ref", "--format=%(refname)", "refs/agency/saved"]);
            refs.lines().map(|name| world.try_show(&format!("{name}{what}"))).collect::<Vec<_>>().join(" ")
        };
        assert!(saved(":a.txt").contains("mine"), "{point}: saved before anything is touched");
        let outcome = act(&worktree, SAVE);
        let (MergeOutcome::Merged(Merged { saved: named, .. }) | MergeOutcome::AlreadyMerged { saved: named, .. }) =
            &outcome
        else {
            panic!("{point}: {outcome:?}")
        };
        for checkout in [&world.repository, &second] {
            assert_eq!(git(checkout, ["status", "--porcelain"]), "", "{point}");
        }
        assert_eq!(world.git(["show", "main:new"]), "new", "{point}");
        for bytes in ["mine", "mine in the second"] {
            assert!(saved(":a.txt").contains(bytes), "{point}: {bytes}");
        }
        assert!(saved(":new").contains("mine, untracked") && saved("^2:a.txt").contains("staged"), "{point}");
        assert!(named.len() >= 2, "{point}: each ref is named: {named:?}");
    }
}
