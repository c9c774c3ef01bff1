//! A user who may not do everything. Root reads every file, so a test that runs as root becomes somebody else.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, lchown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use agency_testkit::{Repo, World};

use super::refusal;

/// The user and group that own nothing.
const NOBODY: u32 = 65_534;

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A world that belongs to the user of [`user`], with an agent `quiet` and a repository.
pub(super) fn world() -> (World, Repo) {
    let (world, repo) = refusal::world();
    // The user may not reach the place where the program was built.
    fs::copy(env!("CARGO_BIN_EXE_agency"), program(&world)).unwrap();
    // Git reads nobody else's repository unless it is told to, and the tests look at it too.
    fs::write(world.root().join("home/gitconfig"), "[safe]\n\tdirectory = *\n").unwrap();
    hand_over(world.root());
    (world, repo)
}

/// The command as somebody who is not root, with no privilege left.
pub(super) fn user(world: &World, command: &Command) -> Command {
    let mut unprivileged = Command::new(program(world));
    unprivileged.args(command.get_args()).env_clear();
    unprivileged.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    unprivileged.current_dir(command.get_current_dir().unwrap());
    if is_root() {
        unprivileged.uid(NOBODY).gid(NOBODY);
    }
    unprivileged
}

fn program(world: &World) -> PathBuf {
    world.root().join("program")
}

/// Takes every permission from a file, and the file from the user.
pub(super) fn forbid(path: &Path) {
    fs::set_permissions(path, Permissions::from_mode(0o000)).unwrap();
    if is_root() {
        chown(path, Some(0), Some(0)).unwrap();
    }
}

/// Gives a directory and all that is in it to the user.
pub(super) fn hand_over(path: &Path) {
    if !is_root() {
        return;
    }
    lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    if path.is_dir() && !path.is_symlink() {
        for entry in fs::read_dir(path).unwrap() {
            hand_over(&entry.unwrap().path());
        }
    }
}
