//! A private repository, worktree root and trash for one test.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use agency_model::RunId;
use agency_workspace::{Commit, GitWorktree, Workspace};
use tempfile::TempDir;
use ulid::Ulid;

static RUNS: AtomicU64 = AtomicU64::new(1);

/// One test's files. Everything goes when it is dropped.
pub(crate) struct World {
    directory: TempDir,
    pub(crate) repository: PathBuf,
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
        let directory = tempfile::tempdir().unwrap();
        let repository = fs::canonicalize(directory.path()).unwrap().join(name);
        fs::create_dir(&repository).unwrap();
        let world = Self { directory, repository };
        world.git(["init", "-q", "-b", "main"]);
        // In the repository itself, since the code under test runs with the environment of the whole test process.
        for (key, value) in [("user.name", "Tester"), ("user.email", "t@example.org"), ("core.hooksPath", ".git/hooks")]
        {
            world.git(["config", key, value]);
        }
        world
    }

    /// The directory that holds everything of this test.
    pub(crate) fn root(&self) -> PathBuf {
        fs::canonicalize(self.directory.path()).unwrap()
    }

    /// Where looks at the files of a run are kept.
    pub(crate) fn looks(&self, run: &RunId) -> PathBuf {
        self.root().join("home/runs").join(run.as_str()).join("git")
    }

    pub(crate) fn trash(&self) -> PathBuf {
        self.root().join("home/trash")
    }

    pub(crate) fn head(&self) -> Commit {
        self.git(["rev-parse", "HEAD"]).parse().unwrap()
    }

    /// A worktree that is described but not made.
    pub(crate) fn worktree(&self) -> GitWorktree {
        let number = RUNS.fetch_add(1, Ordering::Relaxed);
        let run = RunId::from_ulid(Ulid::from_parts(number, u128::from(number)));
        let worktrees_root = self.root().join("home/worktrees");
        GitWorktree {
            repository: self.repository.clone(),
            base: self.head(),
            branch: run.default_branch(),
            path: worktrees_root.join("0123456789abcdef").join(run.as_str()),
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

    /// Writes a file of the repository.
    pub(crate) fn write(&self, name: &str, text: &str) {
        write(&self.repository.join(name), text);
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

/// Runs git with a private home.
pub(crate) fn try_git<const N: usize>(directory: &Path, arguments: [&str; N]) -> (bool, String) {
    let output = Command::new("git")
        .arg("-C")
        .arg(directory)
        .args(arguments)
        .env("HOME", "/nonexistent")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("LC_ALL", "C")
        .output()
        .unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned();
    let stderr = String::from_utf8_lossy(&output.stderr);
    if output.status.success() { (true, stdout) } else { (false, format!("{stdout}{stderr}")) }
}
