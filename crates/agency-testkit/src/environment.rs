//! The environment that every process of a world gets, instead of the test's own.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::Command;

/// The variable that every process of a world carries, and by which leftovers are found.
pub(crate) const HOME_VARIABLE: &str = "AGENCY_HOME";

/// Variables and their values.
#[derive(Debug, Clone)]
pub(crate) struct Environment {
    variables: Vec<(&'static str, OsString)>,
}

impl Environment {
    /// The environment of the world in that directory.
    pub(crate) fn new(root: &Path) -> Self {
        let home = root.join("home");
        let path = env::var_os("PATH").unwrap();
        let mut variables: Vec<(&'static str, OsString)> = vec![
            ("PATH", path),
            ("HOME", home.clone().into()),
            (HOME_VARIABLE, root.join("agency").into()),
            ("AGENCY_CONFIG", home.join("config.toml").into()),
            ("TMPDIR", root.join("tmp").into()),
            ("GIT_CONFIG_GLOBAL", home.join("gitconfig").into()),
        ];
        let fixed = [
            ("USER", "ada"),
            ("LANG", "C.UTF-8"),
            ("TERM", "xterm-256color"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_AUTHOR_NAME", "Test"),
            ("GIT_AUTHOR_EMAIL", "test@example.com"),
            ("GIT_COMMITTER_NAME", "Test"),
            ("GIT_COMMITTER_EMAIL", "test@example.com"),
        ];
        variables.extend(fixed.map(|(name, value)| (name, value.into())));
        Self { variables }
    }

    /// Adds a variable, or gives it another value.
    pub(crate) fn set(&mut self, name: &'static str, value: OsString) {
        self.variables.retain(|(other, _)| *other != name);
        self.variables.push((name, value));
    }

    /// Lets programs be found in that directory before all others.
    #[track_caller]
    pub(crate) fn find_programs_in(&mut self, directory: &Path) {
        let path = env::var_os("PATH").unwrap();
        let places = [directory.to_owned()].into_iter().chain(env::split_paths(&path));
        self.set("PATH", env::join_paths(places).unwrap());
    }

    /// A command that gets this environment and nothing else.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Each variable as `NAME=value`.
    pub(crate) fn assignments(&self) -> impl Iterator<Item = OsString> {
        self.variables.iter().map(|(name, value)| {
            let mut assignment = OsString::from(name);
            assignment.push("=");
            assignment.push(value);
            assignment
        })
    }
}
