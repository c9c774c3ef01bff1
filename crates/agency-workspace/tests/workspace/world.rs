//! A private repository, worktree root and trash for one test.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use agency_workspace::{Commit, GitWorktree, Workspace};

use crate::files::{TestFiles, next_run};

/// One test's files, with a repository of git.
pub(crate) struct World {
    files: TestFiles,
}

impl std::ops::Deref for World {
    type Target = TestFiles;

    fn deref(&self) -> &TestFiles {
        &self.files
    }
}

impl World {
    /// A repository with the commit of two files on `main`.
    pub(crate) fn new() -> Self {
        Self::with_repository(OsStr::new("repo"))
    }

    /// The same, in a directory with a name of the test's choice.
    pub(crate) fn with_repository(name: &OsStr) -> Self {
        let world = Self::without_commit(name);
        world.write("a.txt", "one\ntwo\n");
        world.write("dir/b.txt", "bee\n");
        world.git(["add", "-A"]);
        world.git(["commit", "-q", "-m", "first"]);
        world
    }

    /// A repository in which nothing was committed yet.
    pub(crate) fn without_commit(name: &OsStr) -> Self {
        let world = Self { files: TestFiles::new(name) };
        world.git(["init", "-q", "-b", "main"]);
        // In the repository itself, since the code under test runs with the environment of the whole test process.
        for (key, value) in [("user.name", "Tester"), ("user.email", "t@example.org"), ("core.hooksPath", ".git/hooks")]
        {
            world.git(["config", key, value]);
        }
        world
    }

    /// Notes that the repository was moved to this path.
    pub(crate) fn repository_moved(&mut self, path: &Path) {
        self.files.repository = path.to_owned();
    }

    pub(crate) fn head(&self) -> Commit {
        self.git(["rev-parse", "HEAD"]).parse().unwrap()
    }

    /// A worktree that is described but not made.
    pub(crate) fn worktree(&self) -> GitWorktree {
        let run = next_run();
        let (worktrees_root, path) = self.worktree_of(&run);
        GitWorktree {
            repository: self.repository.clone(),
            base: self.head(),
            branch: run.default_branch(),
            path,
            trash: self.trash(),
            worktrees_root,
            looks: Some(self.looks(&run)),
            run,
        }
    }

    /// A worktree that is made.
    pub(crate) fn prepared(&self) -> GitWorktree {
        let worktree = self.worktree();
        worktree.prepare().unwrap();
        worktree
    }

    /// Makes a hook of the repository, as a shell script.
    pub(crate) fn hook(&self, name: &str, script: &str) {
        executable(&self.repository.join(".git/hooks").join(name), script);
    }

    /// Runs git in the repository and returns what it prints.
    pub(crate) fn git<const N: usize>(&self, arguments: [&str; N]) -> String {
        git(&self.repository, arguments)
    }

    /// What git has under a name, or nothing.
    #[cfg(feature = "fault-points")]
    pub(crate) fn try_show(&self, name: &str) -> String {
        let (success, printed) = try_git(&self.repository, ["show", name]);
        if success { printed } else { String::new() }
    }

    /// Whether a ref exists.
    pub(crate) fn has(&self, full_ref: &str) -> bool {
        try_git(&self.repository, ["rev-parse", "--verify", "--quiet", full_ref]).0
    }

    /// Whether a branch exists; its full name matters, since `refs/agency/x` hides the branch `agency/x`.
    pub(crate) fn has_branch(&self, name: &str) -> bool {
        self.has(&format!("refs/heads/{name}"))
    }

    /// Whether git lists a worktree.
    pub(crate) fn lists(&self, path: &Path) -> bool {
        self.git(["worktree", "list", "--porcelain"]).contains(&format!("worktree {}\n", path.display()))
    }
}

/// Writes a file and the directories above it.
pub(crate) fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Writes a shell script that can be run.
pub(crate) fn executable(path: &Path, script: &str) {
    write(path, &format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Commits everything in a working tree.
pub(crate) fn commit_all(directory: &Path, message: &str) {
    git(directory, ["add", "-A"]);
    git(directory, ["commit", "-q", "-m", message]);
}

/// Runs git, which must succeed, and returns what it prints without the last newline.
pub(crate) fn git<const N: usize>(directory: &Path, arguments: [&str; N]) -> String {
    let (success, printed) = try_git(directory, arguments);
    assert!(success, "git {arguments:?}: {printed}");
    printed
}

/// Runs git, which must succeed, with something to read.
pub(crate) fn git_with_input<const N: usize>(directory: &Path, arguments: [&str; N], input: &str) -> String {
    let mut git = command(directory, arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    git.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = git.wait_with_output().unwrap();
    assert!(output.status.success(), "git {arguments:?}");
    String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned()
}

fn command<const N: usize>(directory: &Path, arguments: [&str; N]) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).args(arguments).env("HOME", "/nonexistent");
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").env("LC_ALL", "C");
    command
}

/// Runs git with a private home.
pub(crate) fn try_git<const N: usize>(directory: &Path, arguments: [&str; N]) -> (bool, String) {
    let output = command(directory, arguments).output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned();
    let stderr = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { (true, stdout) } else { (false, format!("{stdout}{stderr}")) }
}

/// A worktree as text, for a process that is killed while it works on it.
#[cfg(feature = "fault-points")]
pub(crate) fn description(worktree: &GitWorktree) -> String {
    let [repository, path, root, trash] =
        [&worktree.repository, &worktree.path, &worktree.worktrees_root, &worktree.trash].map(|path| path.to_str());
    let names = [worktree.run.as_str(), worktree.base.as_str(), &worktree.branch];
    [repository, path, root, trash].map(Option::unwrap).iter().chain(&names).copied().collect::<Vec<_>>().join("\n")
}

/// The worktree of a [`description`].
#[cfg(feature = "fault-points")]
pub(crate) fn described_worktree(text: &str) -> GitWorktree {
    let mut lines = text.split('\n');
    let mut next = || lines.next().unwrap();
    GitWorktree {
        repository: next().into(),
        path: next().into(),
        worktrees_root: next().into(),
        trash: next().into(),
        run: next().parse().unwrap(),
        base: next().parse().unwrap(),
        branch: next().to_owned(),
        looks: None,
    }
}
