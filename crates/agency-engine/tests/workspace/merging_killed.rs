//! The process is killed at each step of a merge; called again, it ends as if nothing had happened.

use std::env;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use agency_engine::fault::POINTS;
use agency_engine::workspace::{BranchWork, GitWorktree, MergeStrategy};

use crate::merging::request;
use crate::world::{World, commit_all, write};

const STRATEGIES: [MergeStrategy; 3] = [MergeStrategy::Merge, MergeStrategy::Squash, MergeStrategy::Rebase];

fn act(worktree: &GitWorktree, strategy: MergeStrategy) {
    worktree.commit_all("work").unwrap();
    worktree.merge(&request(strategy)).unwrap();
}

/// Runs in the process that is to be killed, and is nothing when it is run as a test.
#[test]
fn victim() {
    let Ok(described) = env::var("MERGE_OF_VICTIM") else {
        return;
    };
    let parts: Vec<&str> = described.split('\n').collect();
    let worktree = GitWorktree {
        repository: parts[0].into(),
        run: parts[1].parse().unwrap(),
        base: parts[2].parse().unwrap(),
        branch: parts[3].to_owned(),
        path: parts[4].into(),
        worktrees_root: parts[5].into(),
        trash: parts[6].into(),
    };
    act(&worktree, STRATEGIES[parts[7].parse::<usize>().unwrap()]);
}

fn kill_at(point: &str, worktree: &GitWorktree, strategy: usize) {
    let [repository, path, root, trash] =
        [&worktree.repository, &worktree.path, &worktree.worktrees_root, &worktree.trash]
            .map(|path| path.display().to_string());
    let strategy = strategy.to_string();
    let described =
        [&repository, worktree.run.as_str(), worktree.base.as_str(), &worktree.branch, &path, &root, &trash, &strategy];
    let status = Command::new(env::current_exe().unwrap())
        .args(["--exact", "merging_killed::victim"])
        .env("MERGE_OF_VICTIM", described.join("\n"))
        .env("AGENCY_FAULT_POINT", point)
        .status()
        .unwrap();
    assert_eq!(status.signal(), Some(9), "{point}");
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
            act(&worktree, strategy);
            assert_eq!(world.git(["status", "--porcelain"]), "", "{strategy:?} {point:?}");
            assert_eq!(world.git(["worktree", "list"]).lines().count(), 2, "{strategy:?} {point:?}");
            history(&world)
        };
        let undisturbed = play(None);
        // Commits that are made anew are looked at by no hook.
        let reached = |point: &&&str| strategy != MergeStrategy::Rebase || **point != "merge.tried";
        for point in POINTS.iter().filter(|point| point.starts_with("merge.")).filter(reached) {
            assert_eq!(play(Some(point)), undisturbed, "{strategy:?} {point}");
        }
    }
}
