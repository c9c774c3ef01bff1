//! How an agent starts this very server: the command line, and the variables that name another home or configuration.

use std::path::{Path, PathBuf};

use agency_engine::config::{Environment, Location, NamedBy, locate};
use agency_model::{ErrorCode, shell_quoted};
use serde_json::{Map, Value, json};

use crate::context::{Context, home_from_environment};
use crate::problem::Problem;

/// What an agent has to know to start the server.
#[derive(Debug)]
pub(super) struct Registration {
    /// The program and its arguments.
    pub(super) words: Vec<String>,
    /// Variables, by name. An agent may start its servers without those of the shell that it was started from.
    pub(super) env: Vec<(&'static str, String)>,
}

impl Registration {
    /// Describes the server as this process was started.
    pub(super) fn of_this_program(context: &Context) -> Result<Self, Problem> {
        let program = std::env::current_exe()
            .map_err(|error| Problem::new(ErrorCode::Io, format!("the agency executable was not found: {error}")))?;
        let mut words = vec![text(&program)?];
        let mut env = vec![];
        if let Some(home) = other_home()? {
            env.push(("AGENCY_HOME", text(&home)?));
        }
        match locate(context.config_file(), &Environment::of_process()) {
            Some(Location::Named { path, by: NamedBy::Flag | NamedBy::Argument }) => {
                words.extend(["--config".to_owned(), text(&absolute(&path))?]);
            }
            Some(Location::Named { path, by: NamedBy::Variable | NamedBy::LowerVariable }) => {
                env.push(("AGENCY_CONFIG", text(&absolute(&path))?));
            }
            Some(Location::Platform(_)) | None => {}
        }
        words.push("mcp".to_owned());
        Ok(Self { words, env })
    }

    /// An entry of settings with the variables under this name, if there are any.
    pub(super) fn with_env(&self, mut entry: Value, name: &str) -> Value {
        if let (Some(fields), false) = (entry.as_object_mut(), self.env.is_empty()) {
            let variables: Map<String, Value> =
                self.env.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
            fields.insert(name.to_owned(), Value::Object(variables));
        }
        entry
    }

    /// The command line for a shell.
    pub(super) fn line(&self) -> String {
        self.words.iter().map(shell_quoted).collect::<Vec<_>>().join(" ")
    }

    /// The variables as options of an agent's own command, each with a space before it.
    pub(super) fn options(&self, option: &str) -> String {
        let each = self.env.iter().map(|(name, value)| format!(" {option} {name}={}", shell_quoted(value)));
        each.collect()
    }
}

/// The home, if it is not the usual one.
fn other_home() -> Result<Option<PathBuf>, Problem> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if variable("AGENCY_HOME").is_none() {
        return Ok(None);
    }
    let root = home_from_environment()?.root().to_owned();
    let usual = variable("HOME").map(|home| home.join(".agency"));
    Ok((usual.as_ref() != Some(&root)).then_some(root))
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn text(path: &Path) -> Result<String, Problem> {
    let wrong = || Problem::new(ErrorCode::InvalidPath, format!("{} is not UTF-8", path.display()));
    path.to_str().map(str::to_owned).ok_or_else(wrong)
}
