//! What an agent leaves in its workspace adds no setting to jj, does not make it wait, and is never deleted unsaved.

use std::fs;
use std::path::Path;
use std::process::Command;

use agency_workspace::{DeleteBranch, JjWorkspace, RemoveOptions, Workspace, WorkspaceError};

use super::world::{JjWorld, KINDS, Kind, with_jj};
use crate::world::{git, write};

const PLAIN: RemoveOptions = RemoveOptions { delete_branch: DeleteBranch::No, force: false };
const FORCED: RemoveOptions = RemoveOptions { delete_branch: DeleteBranch::No, force: true };

/// Something that an agent does to its workspace.
type Deed = fn(&Path);

fn pipe(path: &Path) {
    let _ = fs::remove_file(path);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// A workspace with a new file.
fn worked(world: &JjWorld) -> JjWorkspace {
    let workspace = world.prepared();
    write(&workspace.path.join("new"), "precious\n");
    workspace
}

/// The plan names the refusal.
#[track_caller]
fn planned(workspace: &JjWorkspace, what: &str) -> String {
    let obstacle = workspace.preview().map_or_else(Some, |preview| preview.obstacle);
    obstacle.unwrap_or_else(|| panic!("{what}: nothing is said to be in the way")).to_string()
}

/// By force the whole workspace is moved away, and jj forgets it.
#[track_caller]
fn kept_by_force(world: &JjWorld, workspace: &JjWorkspace, what: &str) {
    let removal = workspace.remove(FORCED).unwrap_or_else(|error| panic!("{what}: {error}"));
    let kept = removal.kept.unwrap_or_else(|| panic!("{what}: not kept")).join("worktree");
    assert_eq!(fs::read_to_string(kept.join("new")).unwrap(), "precious\n", "{what}");
    assert!(!workspace.path.exists(), "{what}");
    assert_eq!(world.names(), ["default"], "{what}");
}

#[test]
fn settings_in_the_workspace_are_refused_and_not_taken_over() {
    with_jj!();
    let world = JjWorld::new(Kind::Colocated);
    let note = world.root().join("ran");
    let program = world.root().join("program");
    crate::world::executable(&program, &format!("touch '{}'\nexit 1", note.display()));
    for name in ["workspace-config.toml", "workspace-config-id"] {
        let workspace = worked(&world);
        let file = workspace.path.join(".jj").join(name);
        let setting = format!("git.executable-path = \"{}\"\n", program.display());
        write(&file, &setting);
        let error = workspace.bring_up_to_date().unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
        assert!(planned(&workspace, name).contains(name));
        let error = workspace.remove(PLAIN).unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), setting, "jj did not take it over");
        kept_by_force(&world, &workspace, name);
        assert!(!note.exists(), "the program ran");
    }
}

#[test]
fn odd_files_in_the_directory_of_jj_are_named_at_once_and_kept_by_force() {
    with_jj!();
    let world = JjWorld::new(Kind::Colocated);
    let deeds: [(&str, Deed); 5] = [
        ("checkout", |path| pipe(&path.join(".jj/working_copy/checkout"))),
        ("tree_state", |path| pipe(&path.join(".jj/working_copy/tree_state"))),
        ("type", |path| pipe(&path.join(".jj/working_copy/type"))),
        ("workspace-config-id", |path| pipe(&path.join(".jj/workspace-config-id"))),
        ("tree_state", |path| {
            fs::remove_file(path.join(".jj/working_copy/tree_state")).unwrap();
            std::os::unix::fs::symlink("/dev/zero", path.join(".jj/working_copy/tree_state")).unwrap();
        }),
    ];
    for (name, deed) in deeds {
        let workspace = worked(&world);
        deed(&workspace.path);
        workspace.changes().unwrap();
        assert!(planned(&workspace, name).contains(name), "{name}");
        for error in [workspace.bring_up_to_date().unwrap_err(), workspace.remove(PLAIN).unwrap_err()] {
            assert!(error.to_string().contains(name), "{name}: {error}");
        }
        kept_by_force(&world, &workspace, name);
    }
}

/// Jj passes it by; git would wait for it.
#[test]
fn a_pipe_among_the_files_makes_nothing_wait() {
    with_jj!();
    let world = JjWorld::new(Kind::Colocated);
    let workspace = worked(&world);
    fs::create_dir(workspace.path.join("inner")).unwrap();
    pipe(&workspace.path.join("inner/.gitignore"));
    workspace.bring_up_to_date().unwrap();
    assert!(planned(&workspace, "a pipe").contains("inner/.gitignore"));
    let error = workspace.remove(PLAIN).unwrap_err();
    assert!(error.to_string().contains("inner/.gitignore"), "{error}");
    kept_by_force(&world, &workspace, "a pipe");
}

#[test]
fn a_damaged_workspace_is_refused_and_by_force_saved_and_kept() {
    with_jj!();
    for kind in KINDS {
        let world = JjWorld::new(kind);
        let deeds: [(&str, Deed); 3] = [
            ("checkout", |path| fs::write(path.join(".jj/working_copy/checkout"), "rubbish").unwrap()),
            ("tree_state", |path| fs::write(path.join(".jj/working_copy/tree_state"), "rubbish").unwrap()),
            ("no working_copy", |path| fs::remove_dir_all(path.join(".jj/working_copy")).unwrap()),
        ];
        for (what, deed) in deeds {
            let workspace = worked(&world);
            deed(&workspace.path);
            planned(&workspace, what);
            let error = workspace.remove(PLAIN).unwrap_err();
            assert!(matches!(error, WorkspaceError::NotSaved { .. }), "{what}: {error}");
            kept_by_force(&world, &workspace, what);
        }
    }
}

#[test]
fn repositories_in_ignored_directories_are_named_and_kept() {
    with_jj!();
    let world = JjWorld::new(Kind::Colocated);
    let workspace = worked(&world);
    git(&workspace.path, ["init", "-q", "target/inner"]);
    assert_eq!(workspace.preview().unwrap().nested, [Path::new("target/inner")]);
    let error = workspace.remove(PLAIN).unwrap_err();
    assert!(error.to_string().contains("target/inner"), "{error}");
    kept_by_force(&world, &workspace, "ignored");
}

#[test]
fn of_a_workspace_that_became_a_link_only_the_link_is_kept() {
    with_jj!();
    let world = JjWorld::new(Kind::Alone);
    let workspace = worked(&world);
    let moved = world.root().join("moved");
    fs::rename(&workspace.path, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &workspace.path).unwrap();
    assert!(planned(&workspace, "a link").contains("not the worktree any more"));
    assert!(matches!(workspace.remove(PLAIN), Err(WorkspaceError::Replaced { .. })));
    let kept = workspace.remove(FORCED).unwrap().kept.unwrap();
    assert_eq!(fs::read_link(kept.join("worktree")).unwrap(), moved);
    assert_eq!(fs::read_to_string(moved.join("new")).unwrap(), "precious\n");
    assert_eq!(world.names(), ["default"]);
}
