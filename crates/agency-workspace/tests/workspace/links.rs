//! Links to other repositories are compared by their commits, whatever an agent says of them.

use std::path::Path;

use agency_workspace::{GitWorktree, Workspace};

use crate::world::{World, commit_all, git, write};

/// A worktree with a committed link `x`, of which `.gitmodules` says something.
fn linked(world: &World, setting: &str) -> GitWorktree {
    let worktree = world.prepared();
    let gitmodules = format!("[submodule \"x\"]\n\tpath = x\n\turl = ./x\n\t{setting}\n");
    write(&worktree.path.join(".gitmodules"), &gitmodules);
    git(&worktree.path, ["add", ".gitmodules"]);
    link(&worktree.path, "x", &git(&worktree.path, ["rev-parse", "HEAD"]));
    worktree
}

fn link(worktree: &Path, name: &str, commit: &str) {
    git(worktree, ["update-index", "--add", "--cacheinfo", &format!("160000,{},{name}", commit.trim())]);
    git(worktree, ["commit", "-q", "-m", "link"]);
}

#[test]
fn what_gitmodules_says_of_a_link_neither_hides_it_nor_stops_git() {
    for setting in ["ignore = all", "update = !true"] {
        let world = World::new();
        let worktree = linked(&world, setting);
        let named = |files: &[agency_workspace::ChangedFile]| files.iter().any(|file| file.path == Path::new("x"));
        assert!(named(&worktree.changes().unwrap().files), "{setting}");
        assert!(String::from_utf8(worktree.diff().unwrap()).unwrap().contains("+Subproject commit"), "{setting}");
        write(&worktree.path.join("a.txt"), "changed\n");
        assert_eq!(worktree.commit_all("more").unwrap().files, 1, "{setting}");
        assert!(named(&worktree.review("main").unwrap().files), "{setting}");
    }
}

#[test]
fn committing_runs_nothing_of_a_linked_repository() {
    let world = World::new();
    let worktree = world.prepared();
    let (sub, note) = (worktree.path.join("sub"), world.root().join("ran"));
    git(&worktree.path, ["init", "-q", "sub"]);
    write(&sub.join("file"), "x");
    for (key, value) in [("user.name", "a"), ("user.email", "a@b")] {
        git(&sub, ["config", key, value]);
    }
    commit_all(&sub, "x");
    link(&worktree.path, "sub", &git(&sub, ["rev-parse", "HEAD"]));
    write(&sub.join("file"), "changed");
    git(&sub, ["config", "core.fsmonitor", &format!("touch '{}'; false", note.display())]);
    write(&worktree.path.join("a.txt"), "changed\n");
    assert_eq!(worktree.commit_all("more").unwrap().files, 1);
    assert!(!note.exists(), "agency");
    git(&worktree.path, ["diff-files", "--name-only"]);
    assert!(note.exists(), "git itself runs the program");
}
