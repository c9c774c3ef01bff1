//! The process is killed at each inner step, or jj in the middle of its work, and what is left is completed or taken back.

use std::env;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use agency_system::fault::POINTS;
use agency_workspace::{JjWorkspace, RemoveOptions, Workspace};

use super::world::{JjWorld, KINDS, path_with, with_jj};
use crate::world::write;

/// Runs in the process that is to be killed, and is nothing when it is run as a test.
#[test]
fn victim() {
    let Ok(described) = env::var("JJ_WORKSPACE_OF_VICTIM") else {
        return;
    };
    let parts: Vec<&str> = described.split('\n').collect();
    let workspace = JjWorkspace {
        repository: parts[0].into(),
        run: parts[1].parse().unwrap(),
        base: parts[2].parse().unwrap(),
        bookmark: parts[3].to_owned(),
        path: parts[4].into(),
        worktrees_root: parts[5].into(),
        trash: parts[6].into(),
        looks: None,
    };
    if workspace.path.exists() {
        workspace.remove(RemoveOptions::default()).unwrap();
    } else {
        workspace.prepare().unwrap();
    }
}

fn start_victim(workspace: &JjWorkspace) -> Command {
    let paths = [&workspace.path, &workspace.worktrees_root, &workspace.trash].map(|path| path.display().to_string());
    let head =
        [&workspace.repository.display().to_string(), workspace.run.as_str(), workspace.base.as_str()].join("\n");
    let described = [head, workspace.bookmark.clone(), paths.join("\n")].join("\n");
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "jj::killed::victim"]).env("JJ_WORKSPACE_OF_VICTIM", described);
    command
}

fn kill_at(point: &str, workspace: &JjWorkspace) {
    let status = start_victim(workspace).env("AGENCY_FAULT_POINT", point).status().unwrap();
    assert_eq!(status.signal(), Some(9), "{point}");
}

// proves P10, L17
#[test]
fn nothing_is_lost_or_left_at_any_step() {
    with_jj!();
    for kind in KINDS {
        for point in POINTS.iter().filter(|point| point.starts_with("jj.")) {
            let world = JjWorld::new(kind);
            if *point == "jj.added" {
                let workspace = world.workspace();
                kill_at(point, &workspace);
                workspace.undo().unwrap();
                world.assert_gone(&workspace, 3);
                continue;
            }
            let workspace = world.prepared();
            write(&workspace.path.join("new"), "precious\n");
            kill_at(point, &workspace);
            let removal = workspace.remove(RemoveOptions::default()).unwrap();
            assert_eq!(removal.saved.unwrap().files, 1, "{kind:?} {point}");
            assert_eq!(world.file(&workspace.bookmark, "new"), "precious", "{kind:?} {point}");
            world.assert_gone(&workspace, 4);
        }
    }
}

/// A jj that dies in the middle of `workspace add`, with the git it may have started, as soon as `FATAL` is true.
fn fragile_jj(directory: &Path) -> std::path::PathBuf {
    let programs = directory.join("programs");
    let real =
        env::split_paths(&env::var_os("PATH").unwrap()).map(|place| place.join("jj")).find(|path| path.is_file());
    let script = format!(
        r#"#!/bin/sh
case " $* " in
*" workspace add "*)
    setsid "{real}" "$@" & child=$!
    while kill -0 "$child" 2>/dev/null; do
        if eval "$FATAL"; then kill -KILL -- "-$child"; break; fi
    done
    wait "$child";;
*) exec "{real}" "$@";;
esac
"#,
        real = real.unwrap().display()
    );
    write(&programs.join("jj"), &script);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(programs.join("jj"), mode).unwrap();
    programs
}

// proves P10
#[test]
fn a_jj_that_dies_while_it_makes_a_workspace_leaves_nothing() {
    with_jj!();
    for kind in KINDS {
        for found in ["", "/.jj", "/.jj/working_copy", "/.jj/working_copy/checkout", "/.gitignore"] {
            let world = JjWorld::new(kind);
            // Enough that the files are not all there at once.
            for number in 0..300 {
                world.write(&format!("many/{number}"), "x");
            }
            let workspace = world.workspace();
            let fatal = format!("[ -e {}{found} ]", workspace.path.display());
            let output = start_victim(&workspace)
                .env("PATH", path_with(&fragile_jj(&world.root())))
                .env("FATAL", fatal)
                .output()
                .unwrap();
            if output.status.success() {
                // It was faster than its killer.
                workspace.undo().unwrap();
            }
            world.assert_gone(&workspace, 3);
        }
    }
}
