//! A git repository of a world.

use crate::environment::Environment;
use crate::process::Process;
use std::fs;
use std::path::{Path, PathBuf};

/// A repository with a working tree on `main`.
#[derive(Debug, Clone)]
pub struct Repo {
    /// Its working tree.
    pub path: PathBuf,
    pub(crate) environment: Environment,
}

impl Repo {
    /// Makes a repository with one commit.
    #[track_caller]
    pub(crate) fn create(path: PathBuf, environment: Environment) -> Self {
        fs::create_dir_all(&path).unwrap();
        let repo = Self { path, environment };
        repo.git(&["init", "--quiet", "--initial-branch", "main"]);
        repo.write("README.md", "# Sample\n");
        repo.write("src/lib.rs", "pub fn answer() -> u32 {\n    42\n}\n");
        repo.commit_file(".gitignore", "target/\n");
        repo
    }

    /// Runs git in the repository and returns what it printed, without the last newline; panics when it fails.
    #[track_caller]
    pub fn git(&self, arguments: &[&str]) -> String {
        let output = Process::start(self.environment.command("git").args(arguments).current_dir(&self.path)).wait();
        assert!(output.status.success(), "git {arguments:?} failed: {output}");
        output.stdout.trim_end_matches('\n').to_owned()
    }

    /// Writes a file, with the folders it needs.
    #[track_caller]
    pub fn write(&self, name: impl AsRef<Path>, text: &str) {
        let path = self.path.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes a file and commits it, along with all else that changed; returns the commit's id.
    #[track_caller]
    pub fn commit_file(&self, name: &str, text: &str) -> String {
        self.write(name, text);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", &format!("Add {name}")]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// The names of the local branches, sorted.
    #[track_caller]
    pub fn branches(&self) -> Vec<String> {
        // Git's own short name is a longer one where another ref ends alike, such as the one that keeps saved work.
        let names = self.git(&["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads"]);
        names.lines().map(str::to_owned).collect()
    }

    /// The working trees, the repository's own first.
    #[track_caller]
    pub fn worktrees(&self) -> Vec<PathBuf> {
        let fields = self.git(&["worktree", "list", "--porcelain", "-z"]);
        fields.split('\0').filter_map(|field| field.strip_prefix("worktree ")).map(PathBuf::from).collect()
    }
}
