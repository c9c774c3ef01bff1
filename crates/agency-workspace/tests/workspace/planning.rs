//! What a removal would do: a plan that promises to save work is kept, and one that a removal would refuse says so.

use std::fs;
use std::path::Path;

use agency_workspace::{GitWorktree, Workspace, WorkspaceError};

use crate::hidden_work::{FORCED, PLAIN, commit, oddities, pipe};
use crate::world::{World, git, write};

/// The plan names what the removal then refuses, and `--force` gets past it.
#[track_caller]
fn refused_as_planned(worktree: &GitWorktree, case: &str, expected: &str) {
    let planned = worktree.preview().unwrap_or_else(|error| panic!("{case}: {error}")).obstacle;
    let planned = planned.unwrap_or_else(|| panic!("{case}: nothing is said to be in the way")).to_string();
    let refused = worktree.remove(PLAIN).expect_err(case).to_string();
    assert!(planned.contains(expected) && refused.contains(expected), "{case}: '{planned}', '{refused}'");
    assert!(worktree.path.exists(), "{case}");
    worktree.remove(FORCED).unwrap_or_else(|error| panic!("{case}: {error}"));
}

/// The plan has nothing in the way, and neither has the removal.
#[track_caller]
fn saved_as_planned(worktree: &GitWorktree, case: &str, files: usize) {
    let planned = worktree.preview().unwrap();
    assert!(planned.obstacle.is_none(), "{case}: {:?}", planned.obstacle);
    assert_eq!(planned.uncommitted, files, "{case}");
    let saved = worktree.remove(PLAIN).unwrap_or_else(|error| panic!("{case}: {error}")).saved;
    assert_eq!(saved.map_or(0, |saved| saved.files), files, "{case}");
}

/// Makes a commit whose parent does not exist, and returns its id.
pub(crate) fn without_parent(directory: &Path) -> String {
    let tree = git(directory, ["rev-parse", "HEAD^{tree}"]);
    let text = format!(
        "tree {tree}\nparent 1234567890123456789012345678901234567890\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 \
         +0000\n\nno parent\n"
    );
    let file = directory.join(".git-object");
    write(&file, &text);
    let id = git(directory, ["hash-object", "-t", "commit", "-w", "--literally", ".git-object"]);
    fs::remove_file(file).unwrap();
    id
}

#[test]
fn a_plan_names_commits_whose_history_is_not_complete() {
    let world = World::new();
    for case in ["in the log of HEAD", "at a ref of the worktree", "in ORIG_HEAD"] {
        let worktree = world.prepared();
        let broken = without_parent(&worktree.path);
        match case {
            "in the log of HEAD" => {
                git(&worktree.path, ["update-ref", "--no-deref", "HEAD", &broken]);
                git(&worktree.path, ["checkout", "-q", "-f", &worktree.branch]);
            }
            "at a ref of the worktree" => drop(git(&worktree.path, ["update-ref", "refs/worktree/mine", &broken])),
            _ => {
                let admin = world.repository.join(".git/worktrees").join(worktree.run.as_str());
                write(&admin.join("ORIG_HEAD"), &format!("{broken}\n"));
            }
        }
        write(&worktree.path.join("new"), "work\n");
        refused_as_planned(&worktree, case, &broken);
    }
}

#[test]
fn a_plan_names_the_pipe_that_keeps_git_from_adding_files() {
    let world = World::new();
    let worktree = world.prepared();
    write(&worktree.path.join("q/new"), "work\n");
    pipe(&worktree.path.join("q/.gitattributes"));
    refused_as_planned(&worktree, "a pipe for attributes", "q/.gitattributes' is a named pipe");
    // Without a file beside it, git never reads it.
    let other = world.prepared();
    pipe(&other.path.join("q/.gitattributes"));
    write(&other.path.join("new"), "work\n");
    saved_as_planned(&other, "a pipe that is not read", 1);
}

#[test]
fn a_plan_names_what_git_does_not_take() {
    let world = World::new();
    for (case, make) in oddities() {
        let worktree = world.prepared();
        write(&worktree.path.join("a.txt"), "changed\n");
        make(&worktree.path);
        refused_as_planned(&worktree, case, "git add in");
    }
}

#[test]
fn a_plan_names_a_lock() {
    let world = World::new();
    let worktree = world.prepared();
    world.git(["worktree", "lock", "--reason", "mine", worktree.path.to_str().unwrap()]);
    let planned = worktree.preview().unwrap().obstacle;
    assert!(matches!(planned, Some(WorkspaceError::Locked { .. })), "{planned:?}");
    assert!(worktree.remove(PLAIN).is_err());
}

#[test]
fn a_plan_for_unusual_work_that_can_be_saved_has_nothing_in_the_way() {
    let world = World::new();
    let worktree = world.prepared();
    git(&worktree.path, ["checkout", "-q", "--detach"]);
    commit(&worktree.path, "left behind");
    git(&worktree.path, ["checkout", "-q", &worktree.branch]);
    saved_as_planned(&worktree, "commits on no branch", 0);

    // The saved work leads to the commit that is checked out, whatever is missing below it.
    let worktree = world.prepared();
    let broken = without_parent(&worktree.path);
    git(&worktree.path, ["update-ref", "--no-deref", "HEAD", &broken]);
    write(&worktree.path.join("new"), "work\n");
    saved_as_planned(&worktree, "a commit without its parent at HEAD", 1);

    let worktree = world.prepared();
    write(&worktree.path.join(".gitkeep"), "");
    write(&worktree.path.join("gitlab/.gitlab-ci.yml"), "x");
    fs::remove_file(worktree.path.join("dir/b.txt")).unwrap();
    std::os::unix::fs::symlink("../a.txt", worktree.path.join("dir/b.txt")).unwrap();
    saved_as_planned(&worktree, "names that only look like git's", 3);

    // What stops a filter does not keep the file from being saved as it is.
    let worktree = world.prepared();
    write(&worktree.path.join(".gitattributes"), "*.txt working-tree-encoding=UTF-16\n");
    write(&worktree.path.join("a.txt"), "changed\n");
    saved_as_planned(&worktree, "an encoding that does not fit", 2);
}
