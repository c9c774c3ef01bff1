//! A world in which jj is found, and its repositories.

use std::path::Path;

use super::World;
use crate::jj::{JJ_CONFIG, jj_directory};
use crate::{Process, Repo};

impl World {
    /// Makes a world in which jj is found; panics with what to do unless it is installed.
    #[track_caller]
    pub fn with_jj(binary: impl AsRef<Path>) -> Self {
        let mut world = Self::new(binary);
        let config = world.root().join("home/jj.toml");
        std::fs::write(&config, JJ_CONFIG).unwrap();
        world.environment_mut().find_programs_in(&jj_directory());
        world.environment_mut().set("JJ_CONFIG", config.into());
        world
    }

    /// Makes a repository of jj with one described revision; its user works on an empty one above it.
    #[track_caller]
    pub fn jj_repo(&self, name: &str, kind: JjKind) -> Repo {
        let repo = Repo { path: self.root().join("repos").join(name), environment: self.environment().clone() };
        std::fs::create_dir_all(&repo.path).unwrap();
        repo.jj(&["git", "init", kind.option(), "."]);
        repo.write("README.md", "# Sample\n");
        repo.write(".gitignore", "target/\n");
        repo.jj(&["commit", "--message", "first"]);
        repo
    }
}

/// Whether a repository of jj is one of git, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JjKind {
    /// It is.
    Colocated,
    /// Only jj knows it.
    Alone,
}

impl JjKind {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Colocated, Self::Alone];

    fn option(self) -> &'static str {
        match self {
            Self::Colocated => "--colocate",
            Self::Alone => "--no-colocate",
        }
    }
}

impl Repo {
    /// Runs jj in the repository and returns what it printed, without the last newline; panics when it fails.
    #[track_caller]
    pub fn jj(&self, arguments: &[&str]) -> String {
        let mut command = self.environment.command("jj");
        command.args(["--no-pager", "--color=never"]).args(arguments).current_dir(&self.path);
        let output = Process::start(&mut command).wait();
        assert!(output.status.success(), "jj {arguments:?} failed: {output}");
        output.stdout.trim_end_matches('\n').to_owned()
    }

    /// The names of its workspaces, without taking anything in.
    #[track_caller]
    pub fn workspaces(&self) -> Vec<String> {
        let listed = self.jj(&["--ignore-working-copy", "workspace", "list", "-T", r#"name ++ "\n""#]);
        listed.lines().map(str::to_owned).collect()
    }

    /// A file as a revision holds it.
    #[track_caller]
    pub fn jj_file(&self, revset: &str, name: &str) -> String {
        self.jj(&["--ignore-working-copy", "file", "show", "-r", revset, &format!("root:{name}")])
    }

    /// The commits of a revset, without taking anything in.
    #[track_caller]
    pub fn jj_commits(&self, revset: &str) -> Vec<String> {
        let template = r#"commit_id ++ "\n""#;
        let printed = self.jj(&["--ignore-working-copy", "log", "--no-graph", "-r", revset, "-T", template]);
        printed.lines().map(str::to_owned).collect()
    }
}
