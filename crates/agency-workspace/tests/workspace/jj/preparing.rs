//! Making workspaces, and taking them back.

use std::fs;
use std::thread;

use agency_model::ErrorCode;
use agency_workspace::{JjError, Workspace, WorkspaceError, write_prompt};

use super::world::{JjWorld, KINDS, Kind, jj, with_jj};
use crate::world::write;

// proves P10
#[test]
fn the_agent_gets_an_empty_revision_above_the_users_with_what_the_user_sees() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspace = world.prepared();
        let before = world.commits("default@");
        assert_eq!(before, [workspace.base.to_string()], "{kind:?}");
        let own = format!("{}@", workspace.name());
        assert_eq!(world.commits(&format!("{own}-")), before);
        assert_eq!(world.commits(&format!("{own} & empty()")).len(), 1);
        assert_eq!(fs::read_to_string(workspace.path.join("edit.txt")).unwrap(), "not committed\n");
        assert_eq!(jj(&workspace.path, &["workspace", "root"]), workspace.path.display().to_string());
        // The user's own revision and files stay.
        assert_eq!(world.commits("default@"), before);
        assert_eq!(world.jj(&["diff", "--name-only"]), "edit.txt");
    }
}

// proves P10
#[test]
fn an_empty_revision_of_the_user_is_built_on_too() {
    with_jj!();
    let world = JjWorld::new(Kind::Alone);
    world.jj(&["new"]);
    let workspace = world.prepared();
    assert_eq!(world.commits("default@"), [workspace.base.to_string()]);
    workspace.undo().unwrap();
    assert_eq!(world.commits("default@"), [workspace.base.to_string()]);
}

// proves P10
#[test]
fn what_the_user_wrote_since_the_base_was_looked_up_is_built_on_and_does_not_split_the_revision() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspace = world.workspace();
        world.write("edit.txt", "another word\n");
        workspace.prepare().unwrap();
        assert_eq!(world.commits(&format!("{}@-", workspace.name())), world.commits("default@"));
        assert_eq!(fs::read_to_string(workspace.path.join("edit.txt")).unwrap(), "another word\n");
        assert_eq!(workspace.changes().unwrap().files, [], "{kind:?}");
        assert_eq!(world.commits("all()").len(), 4);
    }
}

#[test]
fn a_name_that_is_taken_is_refused_and_its_owner_stays() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspace = world.workspace();
        let other = world.root().join("other");
        world.jj(&["workspace", "add", "--name", &workspace.name(), other.to_str().unwrap()]);
        let error = workspace.prepare().unwrap_err();
        assert!(matches!(&error, WorkspaceError::Jj(JjError::NameTaken { .. })), "{error}");
        assert_eq!(error.code(), ErrorCode::WorktreeCreateFailed);
        assert!(error.to_string().contains("workspace forget"), "{error}");
        assert!(!workspace.path.exists());
        assert_eq!(world.names(), [workspace.name().as_str(), "default"]);
        assert!(other.join("a.txt").is_file());
    }
}

#[test]
fn a_place_that_is_taken_is_refused() {
    with_jj!();
    let world = JjWorld::new(Kind::Colocated);
    let workspace = world.workspace();
    write(&workspace.path.join("mine"), "x");
    assert!(matches!(workspace.prepare(), Err(WorkspaceError::PathOccupied { .. })));
    assert_eq!(fs::read_to_string(workspace.path.join("mine")).unwrap(), "x");
    assert_eq!(world.names(), ["default"]);
}

// proves P10
#[test]
fn a_workspace_that_cannot_be_filled_leaves_nothing() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let mut workspace = world.workspace();
        let visible = world.commits("all()").len();
        // Jj makes the workspace first, and looks for the revision then.
        workspace.base = "1234567890123456789012345678901234567890".parse().unwrap();
        let error = workspace.prepare().unwrap_err();
        world.assert_gone(&workspace, visible);
        assert!(error.to_string().contains("1234567890"), "{kind:?}: {error}");
    }
}

// proves P10
#[test]
fn taking_back_leaves_nothing_and_can_be_repeated() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspace = world.prepared();
        workspace.undo().unwrap();
        workspace.undo().unwrap();
        world.assert_gone(&workspace, 3);
        // The same can be made again.
        workspace.prepare().unwrap();
    }
}

// proves P10
#[test]
fn eight_runs_start_at_once() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspaces: Vec<_> = (0..8).map(|_| world.workspace()).collect();
        thread::scope(|scope| {
            let starts: Vec<_> = workspaces.iter().map(|workspace| scope.spawn(|| workspace.prepare())).collect();
            for start in starts {
                start.join().unwrap().unwrap();
            }
        });
        assert_eq!(world.names().len(), 9, "{kind:?}");
        for workspace in &workspaces {
            assert!(workspace.path.join("edit.txt").is_file());
            assert_eq!(world.commits(&format!("{}@-", workspace.name())), [workspace.base.to_string()]);
        }
        thread::scope(|scope| {
            for workspace in &workspaces {
                scope.spawn(|| workspace.undo().unwrap());
            }
        });
        assert_eq!(world.commits("all()").len(), 3, "{}", world.jj(&["log", "-r", "all()"]));
        assert_eq!(world.names(), ["default"]);
    }
}

// proves P10
#[test]
fn the_prompt_is_in_no_revision() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspace = world.prepared();
        write_prompt(&workspace.path, "Fix it").unwrap();
        assert_eq!(fs::read_to_string(workspace.path.join(".agency/prompt.md")).unwrap(), "Fix it");
        assert_eq!(jj(&workspace.path, &["diff", "--name-only"]), "", "{kind:?}");
        assert_eq!(workspace.changes().unwrap().files, []);
        assert!(workspace.changes().unwrap().ignored.is_empty());
    }
}
