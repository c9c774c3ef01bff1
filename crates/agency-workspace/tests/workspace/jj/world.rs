//! A private jj repository, and a process that finds jj.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use agency_workspace::{JjWorkspace, Repository, Workspace};

use crate::files::{TestFiles, next_run};

#[path = "../../../../agency-testkit/src/jj.rs"]
mod installed;

/// Says to a process that it is the one with jj on its PATH.
const INSIDE: &str = "WORKSPACE_WITH_JJ";

/// Whether a repository of jj is one of git, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Colocated,
    Alone,
}

pub(crate) const KINDS: [Kind; 2] = [Kind::Colocated, Kind::Alone];

/// Runs the rest of a test in a process of its own that finds jj: the variables of this one belong to all its tests.
macro_rules! with_jj {
    () => {
        fn here() {}
        if !crate::jj::world::runs_with_jj(std::any::type_name_of_val(&here)) {
            return;
        }
    };
}
pub(crate) use with_jj;

/// Whether this is the process with jj. If not, runs the test in such a one, and passes its failure on.
pub(crate) fn runs_with_jj(inner_name: &str) -> bool {
    if env::var_os(INSIDE).is_some() {
        return true;
    }
    let test = inner_name.split_once("::").unwrap().1.strip_suffix("::here").unwrap();
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(INSIDE, "1")
        .env("PATH", path_with(&installed::jj_directory()))
        .env("HOME", home.path())
        .env("XDG_CONFIG_HOME", home.path())
        .env("JJ_CONFIG", config_in(home.path()))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{test} with jj:\n{said}");
    false
}

/// A PATH on which a directory comes first.
pub(crate) fn path_with(directory: &Path) -> std::ffi::OsString {
    let path = env::var_os("PATH").unwrap();
    env::join_paths([directory.to_owned()].into_iter().chain(env::split_paths(&path))).unwrap()
}

fn config_in(home: &Path) -> PathBuf {
    let path = home.join("jj.toml");
    fs::write(&path, installed::JJ_CONFIG).unwrap();
    path
}

/// One test's files, with a repository of jj.
pub(crate) struct JjWorld {
    files: TestFiles,
}

impl std::ops::Deref for JjWorld {
    type Target = TestFiles;

    fn deref(&self) -> &TestFiles {
        &self.files
    }
}

impl JjWorld {
    /// A repository with a described revision of two files, and above it the user's own with an edit that jj has not seen.
    pub(crate) fn new(kind: Kind) -> Self {
        let world = Self { files: TestFiles::new(OsStr::new("repo")) };
        world.jj(&["git", "init", if kind == Kind::Colocated { "--colocate" } else { "--no-colocate" }, "."]);
        world.write("a.txt", "one\ntwo\n");
        world.write("dir/b.txt", "bee\n");
        world.write(".gitignore", "target/\n");
        world.jj(&["commit", "--message", "first"]);
        world.write("edit.txt", "not committed\n");
        world
    }

    /// A workspace that is described but not made.
    pub(crate) fn workspace(&self) -> JjWorkspace {
        let run = next_run();
        let (worktrees_root, path) = self.worktree_of(&run);
        let (repository, base) = Repository::open_with_jj(&self.repository, "HEAD").unwrap();
        JjWorkspace {
            repository: repository.root().to_owned(),
            base,
            bookmark: run.default_branch(),
            path,
            trash: self.trash(),
            worktrees_root,
            looks: Some(self.looks(&run)),
            run,
        }
    }

    /// A workspace that is made.
    pub(crate) fn prepared(&self) -> JjWorkspace {
        let workspace = self.workspace();
        workspace.prepare().unwrap();
        workspace
    }

    /// Runs jj in the repository, which must succeed, and returns what it prints.
    pub(crate) fn jj(&self, arguments: &[&str]) -> String {
        jj(&self.repository, arguments)
    }

    /// The commits of a revset, without taking anything in.
    pub(crate) fn commits(&self, revset: &str) -> Vec<String> {
        let template = r#"commit_id ++ "\n""#;
        let printed = self.jj(&["--ignore-working-copy", "log", "--no-graph", "-r", revset, "-T", template]);
        printed.lines().map(str::to_owned).collect()
    }

    /// The last operation.
    pub(crate) fn operation(&self) -> String {
        self.jj(&["--ignore-working-copy", "operation", "log", "--no-graph", "--limit", "1", "-T", "id"])
    }

    /// The names of the workspaces.
    pub(crate) fn names(&self) -> Vec<String> {
        let listed = self.jj(&["--ignore-working-copy", "workspace", "list", "-T", r#"name ++ "\n""#]);
        listed.lines().map(str::to_owned).collect()
    }

    /// A file as a revision holds it.
    pub(crate) fn file(&self, revset: &str, name: &str) -> String {
        self.jj(&["--ignore-working-copy", "file", "show", "-r", revset, &format!("root:{name}")])
    }

    /// Panics unless nothing of a workspace is left but what `kept` says: visible revisions are counted.
    #[track_caller]
    pub(crate) fn assert_gone(&self, workspace: &JjWorkspace, visible: usize) {
        assert!(!workspace.path.exists());
        assert_eq!(self.names(), ["default"]);
        assert_eq!(self.commits("all()").len(), visible, "{}", self.jj(&["log", "-r", "all()"]));
        assert_eq!(fs::read_dir(self.trash()).map_or(0, Iterator::count), 0);
        let worktrees = self.repository.join(".git/worktrees");
        assert_eq!(fs::read_dir(worktrees).map_or(0, Iterator::count), 0);
    }
}

/// Runs jj in a workspace, which must succeed.
#[track_caller]
pub(crate) fn jj(directory: &Path, arguments: &[&str]) -> String {
    let output =
        Command::new("jj").args(["--no-pager", "--color=never"]).args(arguments).current_dir(directory).output();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "jj {arguments:?}: {said}");
    String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned()
}
