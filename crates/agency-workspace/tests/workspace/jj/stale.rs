//! Workspaces whose revision was rewritten below the agent.

use std::fs;

use agency_model::ErrorCode;
use agency_workspace::{RemoveOptions, Workspace};

use super::world::{JjWorld, KINDS, jj, with_jj};
use crate::world::write;

// proves P10
#[test]
fn what_the_agent_wrote_stays_in_its_files_and_comes_into_its_revision() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspace = world.prepared();
        write(&workspace.path.join("new.txt"), "fresh\n");
        write(&workspace.path.join("large"), &"x".repeat(3_000_000));
        world.write("a.txt", "the user goes on\n");
        world.jj(&["status"]);
        workspace.bring_up_to_date().unwrap();
        assert_eq!(fs::read_to_string(workspace.path.join("new.txt")).unwrap(), "fresh\n", "{kind:?}");
        assert_eq!(fs::metadata(workspace.path.join("large")).unwrap().len(), 3_000_000);
        let own = format!("{}@", workspace.name());
        assert_eq!(world.file(&own, "new.txt"), "fresh");
        assert_eq!(world.file(&own, "a.txt"), "the user goes on");
        assert_eq!(world.commits(&format!("{own}-")), world.commits("default@"));
        // Nothing is left beside it.
        assert_eq!(world.commits("all()").len(), 4);
        // The agent can use jj again.
        jj(&workspace.path, &["status"]);
        workspace.bring_up_to_date().unwrap();
        assert_eq!(world.commits("all()").len(), 4);
    }
}

// proves P10
#[test]
fn what_was_taken_in_before_and_what_was_not_come_together() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspace = world.prepared();
        write(&workspace.path.join("early.txt"), "1\n");
        jj(&workspace.path, &["status"]);
        write(&workspace.path.join("late.txt"), "2\n");
        world.write("a.txt", "the user goes on\n");
        world.jj(&["status"]);
        workspace.bring_up_to_date().unwrap();
        for name in ["early.txt", "late.txt"] {
            assert!(workspace.path.join(name).is_file(), "{kind:?}: {name}");
            world.file(&format!("{}@", workspace.name()), name);
        }
    }
}

// proves P10
#[test]
fn what_both_changed_becomes_a_conflict_and_neither_is_lost() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspace = world.prepared();
        write(&workspace.path.join("a.txt"), "the agent's\n");
        world.write("a.txt", "the user's\n");
        world.jj(&["status"]);
        let saved = workspace.remove(RemoveOptions::default()).unwrap().saved.unwrap();
        assert_eq!(saved.reference, workspace.bookmark, "{kind:?}");
        let both = world.file(&workspace.bookmark, "a.txt");
        assert!(both.contains("the agent's") && both.contains("the user's"), "{both}");
        assert_eq!(fs::read_to_string(world.repository.join("a.txt")).unwrap(), "the user's\n");
    }
}

// proves P10
#[test]
fn a_workspace_whose_operation_is_forgotten_is_recovered() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspace = world.prepared();
        write(&workspace.path.join("new.txt"), "fresh\n");
        world.write("a.txt", "the user goes on\n");
        world.jj(&["status"]);
        world.jj(&["operation", "abandon", "..@-"]);
        world.jj(&["util", "gc", "--expire=now"]);
        workspace.diff().unwrap();
        let saved = workspace.remove(RemoveOptions::default()).unwrap().saved.unwrap();
        assert_eq!(world.file(&saved.reference, "new.txt"), "fresh", "{kind:?}");
    }
}

#[test]
fn a_workspace_that_was_led_to_another_repository_is_not_touched() {
    with_jj!();
    for kind in KINDS {
        let (world, other) = (JjWorld::new(kind), JjWorld::new(kind));
        let workspace = world.prepared();
        let before = other.operation();
        fs::write(workspace.path.join(".jj/repo"), other.repository.join(".jj/repo").to_str().unwrap()).unwrap();
        let error = workspace.bring_up_to_date().unwrap_err();
        assert_eq!(error.code(), ErrorCode::CleanupFailed, "{kind:?}: {error}");
        assert!(workspace.remove(RemoveOptions::default()).is_err());
        assert!(workspace.path.join("a.txt").is_file());
        assert_eq!(other.operation(), before);
    }
}

// proves P10
#[test]
fn an_interrupted_update_is_completed() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspace = world.prepared();
        write(&workspace.path.join("new.txt"), "fresh\n");
        world.write("a.txt", "the user goes on\n");
        world.jj(&["status"]);
        // By itself, jj takes the file out of the agent's sight.
        jj(&workspace.path, &["workspace", "update-stale"]);
        assert!(!workspace.path.join("new.txt").exists());
        workspace.bring_up_to_date().unwrap();
        assert_eq!(fs::read_to_string(workspace.path.join("new.txt")).unwrap(), "fresh\n", "{kind:?}");
        assert_eq!(world.commits("all()").len(), 4);
    }
}
