//! Looking at an agent's files without taking them in.

use std::fs;

use agency_workspace::{FileStatus, InPlace, Workspace};

use super::world::{JjWorld, KINDS, jj, with_jj};
use crate::world::write;

// proves P10
#[test]
fn looking_shows_what_jj_has_not_seen_and_leaves_no_operation() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspace = world.prepared();
        write(&workspace.path.join("new.txt"), "fresh\n");
        write(&workspace.path.join("a.txt"), "one\n");
        write(&workspace.path.join("target/made"), "x");
        fs::remove_file(workspace.path.join("dir/b.txt")).unwrap();
        let before = world.operation();
        let changes = workspace.changes().unwrap();
        let found: Vec<_> =
            changes.files.iter().map(|file| (file.path.to_str().unwrap(), file.status.clone())).collect();
        let wanted =
            [("a.txt", FileStatus::Modified), ("dir/b.txt", FileStatus::Deleted), ("new.txt", FileStatus::Added)];
        assert_eq!(found, wanted, "{kind:?}");
        assert_eq!(changes.ignored, [std::path::Path::new("target/")]);
        let diff = String::from_utf8(workspace.diff().unwrap()).unwrap();
        assert!(diff.contains("+fresh") && !diff.contains(".jj"), "{diff}");
        assert_eq!(world.operation(), before);
        // Jj still has to see it.
        assert_eq!(world.commits(&format!("{}@ & empty()", workspace.name())).len(), 1);
    }
}

// proves P10
#[test]
fn what_the_agent_put_into_several_revisions_is_one_difference() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspace = world.prepared();
        write(&workspace.path.join("one.txt"), "1\n");
        jj(&workspace.path, &["commit", "--message", "one"]);
        write(&workspace.path.join("two.txt"), "2\n");
        let files = workspace.changes().unwrap().files;
        assert_eq!(files.iter().map(|file| file.path.to_str().unwrap()).collect::<Vec<_>>(), ["one.txt", "two.txt"]);
    }
}

// proves P10
#[test]
fn a_stale_workspace_can_be_looked_at_and_shows_only_the_agents_changes() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspace = world.prepared();
        write(&workspace.path.join("new.txt"), "fresh\n");
        world.write("a.txt", "the user goes on\n");
        world.jj(&["status"]);
        let names = || -> Vec<String> {
            let files = workspace.changes().unwrap().files;
            files.iter().map(|file| file.path.display().to_string()).collect()
        };
        assert_eq!(names(), ["new.txt"], "{kind:?}");
        workspace.bring_up_to_date().unwrap();
        assert_eq!(fs::read_to_string(workspace.path.join("a.txt")).unwrap(), "the user goes on\n");
        assert_eq!(names(), ["new.txt"], "{kind:?}");
    }
}

#[test]
fn an_agent_in_the_users_own_workspace_is_looked_at_too() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let base = world.workspace().base;
        world.write("new.txt", "fresh\n");
        let before = world.operation();
        let files = InPlace {
            repository: world.repository.clone(),
            base,
            worktrees_root: world.root().join("home/worktrees"),
            looks: None,
        }
        .changes()
        .unwrap()
        .files;
        assert_eq!(files.iter().map(|file| file.path.to_str().unwrap()).collect::<Vec<_>>(), ["new.txt"], "{kind:?}");
        assert_eq!(world.operation(), before);
    }
}
