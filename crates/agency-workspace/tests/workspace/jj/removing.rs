//! Removing workspaces, and where their work is afterwards.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use agency_model::ErrorCode;
use agency_workspace::{
    DeleteBranch, JjError, JjWorkspace, RemoveOptions, Repository, Workspace, WorkspaceError, WorktreeOutcome,
    restore_ref_with_jj, restore_with_jj,
};

use super::world::{JjWorld, KINDS, Kind, jj, with_jj};
use crate::world::{git, write};

const FORCE: RemoveOptions = RemoveOptions { delete_branch: DeleteBranch::No, force: true };

fn remove(workspace: &JjWorkspace) -> agency_workspace::Removal {
    workspace.remove(RemoveOptions::default()).unwrap()
}

// proves P10, L17
#[test]
fn what_the_agent_left_is_in_a_bookmark_and_can_be_restored() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspace = world.prepared();
        let before = world.commits("default@");
        write(&workspace.path.join("new.txt"), "fresh\n");
        write(&workspace.path.join("large"), &"x".repeat(3_000_000));
        write(&workspace.path.join("target/made"), "x");
        let removal = remove(&workspace);
        assert_eq!(removal.worktree, WorktreeOutcome::Removed, "{kind:?}");
        assert_eq!(removal.ignored, [std::path::Path::new("target/")]);
        let saved = removal.saved.unwrap();
        assert_eq!((saved.reference.as_str(), saved.files), (workspace.bookmark.as_str(), 2));
        assert_eq!(world.file(&saved.reference, "new.txt"), "fresh");
        assert_eq!(world.commits("default@"), before);
        world.assert_gone(&workspace, 4);
        // Once more, after everything is gone.
        let again = remove(&workspace);
        assert_eq!((again.worktree, again.saved), (WorktreeOutcome::AlreadyGone, Some(saved.clone())));

        let repository = Repository::from_root(world.repository.clone());
        let restored = restore_with_jj(&repository, &workspace.bookmark, "mine").unwrap().unwrap();
        assert_eq!(restored.commit, saved.commit);
        assert_eq!(world.file("mine", "new.txt"), "fresh");
        let taken = restore_with_jj(&repository, &workspace.bookmark, "mine").unwrap_err();
        assert_eq!(taken.code(), ErrorCode::BranchExists);
        assert!(restore_with_jj(&repository, "agency/none", "other").unwrap().is_none());
    }
}

// proves P10
#[test]
fn an_agent_that_did_nothing_leaves_nothing() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspace = world.prepared();
        assert_eq!(remove(&workspace).saved, None, "{kind:?}");
        world.assert_gone(&workspace, 3);
        // Nor does one below which the user went on.
        let workspace = world.prepared();
        world.write("a.txt", "the user goes on\n");
        world.jj(&["status"]);
        assert_eq!(remove(&workspace).saved, None, "{kind:?}");
        world.assert_gone(&workspace, 3);
    }
}

// proves P10
#[test]
fn revisions_with_content_and_described_ones_are_kept() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspace = world.prepared();
        write(&workspace.path.join("one.txt"), "1\n");
        jj(&workspace.path, &["commit", "--message", "one"]);
        let last = world.commits(&format!("{}@-", workspace.name()));
        // The empty revision on top of it is nothing to keep.
        assert_eq!([remove(&workspace).saved.unwrap().commit.to_string()], *last, "{kind:?}");
        world.assert_gone(&workspace, 4);

        let workspace = world.prepared();
        jj(&workspace.path, &["describe", "--message", "only words"]);
        assert!(remove(&workspace).saved.is_some());
        world.assert_gone(&workspace, 5);
    }
}

// proves P10
#[test]
fn what_was_committed_with_git_in_a_workspace_is_kept() {
    with_jj!();
    let world = JjWorld::new(Kind::Colocated);
    let workspace = world.prepared();
    if !workspace.path.join(".git").exists() {
        // Older versions of jj make no worktree of git.
        return;
    }
    write(&workspace.path.join("new.txt"), "fresh\n");
    for (key, value) in [("user.name", "Tester"), ("user.email", "t@example.org")] {
        git(&world.repository, ["config", key, value]);
    }
    git(&workspace.path, ["add", "new.txt"]);
    git(&workspace.path, ["commit", "-q", "-m", "with git"]);
    let saved = remove(&workspace).saved.unwrap();
    assert_eq!(world.file(&saved.reference, "new.txt"), "fresh");
}

// proves P10, L17
#[test]
fn nested_repositories_are_refused_unless_forced() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspace = world.prepared();
        let inner = workspace.path.join("inner");
        fs::create_dir(&inner).unwrap();
        git(&inner, ["init", "-q"]);
        write(&inner.join("file"), "x");
        let error = workspace.remove(RemoveOptions::default()).unwrap_err();
        assert!(error.to_string().contains("'inner'"), "{kind:?}: {error}");
        assert!(inner.join("file").is_file());
        let removal = workspace.remove(FORCE).unwrap();
        assert_eq!(removal.worktree, WorktreeOutcome::Removed);
        assert!(removal.kept.unwrap().join("worktree/inner/file").is_file(), "it is moved, not deleted");
        world.assert_gone(&workspace, 3);
    }
}

// proves P10, L17
#[test]
fn a_file_that_jj_cannot_take_in_is_not_lost() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspace = world.prepared();
        write(&workspace.path.join("new.txt"), "fresh\n");
        let odd = workspace.path.join(OsStr::from_bytes(b"odd\xff"));
        fs::write(&odd, "precious").unwrap();
        let planned = workspace.preview().unwrap().obstacle.expect("the plan names the refusal").to_string();
        assert!(planned.contains("odd"), "{kind:?}: {planned}");
        let error = workspace.remove(RemoveOptions::default()).unwrap_err();
        assert_eq!(error.code(), ErrorCode::CleanupFailed);
        assert!(odd.is_file());
        if error.to_string().contains("not valid UTF-8") {
            // Older versions of jj take in nothing at all while such a file is there.
            fs::remove_file(&odd).unwrap();
        } else {
            assert!(error.to_string().contains("jj did not record 'odd"), "{kind:?}: {error}");
        }
        let left_out = odd.exists();
        let removal = workspace.remove(FORCE).unwrap();
        assert_eq!(world.file(&removal.saved.unwrap().reference, "new.txt"), "fresh");
        if left_out {
            let kept = removal.kept.unwrap().join("worktree").join(OsStr::from_bytes(b"odd\xff"));
            assert_eq!(fs::read_to_string(kept).unwrap(), "precious");
        }
    }
}

#[test]
fn there_is_no_branch_to_delete() {
    with_jj!();
    let world = JjWorld::new(Kind::Colocated);
    let workspace = world.prepared();
    for delete_branch in [DeleteBranch::IfMerged, DeleteBranch::Force] {
        let error = workspace.remove(RemoveOptions { delete_branch, force: false }).unwrap_err();
        assert!(matches!(error, WorkspaceError::Jj(JjError::NoBranch { .. })), "{error}");
        assert!(workspace.path.is_dir());
    }
}

// proves L17
#[test]
fn only_the_workspace_of_the_run_is_removed() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspace = world.prepared();
        let own = JjWorkspace { path: world.repository.clone(), ..workspace.clone() };
        assert!(matches!(own.remove(FORCE), Err(WorkspaceError::MainWorktree { .. })), "{kind:?}");
        let elsewhere = world.root().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        let outside = JjWorkspace { path: elsewhere.clone(), ..workspace.clone() };
        assert!(matches!(outside.remove(FORCE), Err(WorkspaceError::OutsideRoot { .. })));

        // A directory of another repository at our place.
        let other = JjWorld::new(kind);
        let foreign = JjWorkspace { repository: other.repository.clone(), ..workspace.clone() };
        let planned = foreign.preview().map_or_else(Some, |preview| preview.obstacle);
        assert!(matches!(planned, Some(WorkspaceError::Jj(JjError::OtherRepository { .. }))), "{planned:?}");
        let error = foreign.remove(RemoveOptions::default());
        assert!(matches!(error, Err(WorkspaceError::Jj(JjError::OtherRepository { .. }))));
        assert!(workspace.path.join("a.txt").is_file());
        assert!(elsewhere.is_dir());
    }
}

// proves L17: after the user's `jj workspace forget` or `jj undo` the agent's files are saved to a ref
#[test]
fn the_files_of_a_workspace_that_jj_has_forgotten_are_saved_and_come_back() {
    with_jj!();
    for kind in KINDS {
        for undone in [false, true] {
            let world = JjWorld::new(kind);
            let workspace = world.prepared();
            write(&workspace.path.join("new.txt"), "fresh\n");
            if undone {
                world.jj(&["undo", "--allow-cross-workspace"]);
            } else {
                world.jj(&["workspace", "forget", &workspace.name()]);
            }
            let removal = remove(&workspace);
            assert_eq!(removal.worktree, WorktreeOutcome::Removed, "{kind:?}");
            let saved = removal.saved.unwrap();
            assert_eq!(saved.reference, workspace.run.saved_work_ref(), "{kind:?}");
            assert!(!workspace.path.exists());
            let repository = Repository::kept_by_jj(&world.repository).unwrap();
            let restored = restore_ref_with_jj(&repository, &workspace.run, "back").unwrap().unwrap();
            assert_eq!(restored.commit, saved.commit);
            assert_eq!(world.file("back", "new.txt"), "fresh");
        }
    }
}

#[test]
fn a_workspace_that_lost_its_jj_directory_is_saved_all_the_same() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspace = world.prepared();
        write(&workspace.path.join("new.txt"), "fresh\n");
        fs::remove_dir_all(workspace.path.join(".jj")).unwrap();
        let removal = remove(&workspace);
        assert_eq!(removal.saved.unwrap().reference, workspace.run.saved_work_ref(), "{kind:?}");
        assert!(!workspace.path.exists());
    }
}

// proves L17
#[test]
fn a_directory_deleted_by_hand_is_forgotten() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let workspace = world.prepared();
        write(&workspace.path.join("new.txt"), "fresh\n");
        jj(&workspace.path, &["status"]);
        fs::remove_dir_all(&workspace.path).unwrap();
        let removal = remove(&workspace);
        assert_eq!(removal.worktree, WorktreeOutcome::DeletedByHand, "{kind:?}");
        // What jj had seen is kept all the same.
        assert_eq!(world.file(&removal.saved.unwrap().reference, "new.txt"), "fresh");
        world.assert_gone(&workspace, 4);
    }
}

// proves L17
#[test]
fn a_repository_that_is_gone_takes_nothing_with_it() {
    with_jj!();
    let world = JjWorld::new(Kind::Colocated);
    let workspace = world.prepared();
    fs::rename(&world.repository, world.root().join("moved")).unwrap();
    assert!(workspace.remove(RemoveOptions::default()).is_err());
    assert!(workspace.path.join("a.txt").is_file());
    let kept = workspace.remove(FORCE).unwrap().kept.unwrap();
    assert!(kept.join("worktree/a.txt").is_file());
    assert_eq!(remove(&workspace).worktree, WorktreeOutcome::AlreadyGone);
}

/// A signature could need a passphrase.
#[test]
fn nothing_is_signed_where_the_user_signs_everything() {
    with_jj!();
    let world = JjWorld::new(Kind::Colocated);
    let (note, program) = (world.root().join("ran"), world.root().join("signer"));
    crate::world::executable(&program, &format!("touch '{}'\nexit 1", note.display()));
    let program = program.to_str().unwrap();
    for (name, value) in
        [("signing.behavior", "force"), ("signing.backend", "gpg"), ("signing.backends.gpg.program", program)]
    {
        world.jj(&["config", "set", "--repo", name, value]);
    }
    let workspace = world.prepared();
    write(&workspace.path.join("new.txt"), "fresh\n");
    workspace.bring_up_to_date().unwrap();
    let saved = remove(&workspace).saved.unwrap();
    assert_eq!(world.file(&saved.reference, "new.txt"), "fresh");
    assert!(!note.exists(), "the program ran");
    // The settings are alive.
    let signing = std::process::Command::new("jj").current_dir(&world.repository).args(["new"]).status().unwrap();
    assert!(!signing.success() && note.exists());
}
