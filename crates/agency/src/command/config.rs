//! `agency config`: what is configured, and where each value came from.

use std::process::ExitCode;

use agency_engine::config::{ConfigValue, Environment, Origin, locate};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::context::Context;
use crate::problem::Problem;

/// Show the configuration, or the file it is read from
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency config show\n  agency config show --origin\n  agency config path")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Print every value
    Show {
        /// Also show where each value comes from
        #[arg(long)]
        origin: bool,
    },
    /// Print which file is read
    Path,
}

/// The answer to `config show`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Configuration {
    file: Option<String>,
    values: Vec<ValueView>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ValueView {
    key: String,
    value: Value,
    origin: String,
}

impl ValueView {
    fn new(value: ConfigValue) -> Self {
        let origin = match &value.origin {
            Origin::Default => "default".to_owned(),
            Origin::File { path, line: Some(line) } => format!("{}:{line}", path.display()),
            Origin::File { path, line: None } => path.display().to_string(),
        };
        Self { key: value.key, value: value.value, origin }
    }
}

/// The answer to `config path`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ConfigPath {
    file: Option<String>,
    exists: bool,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    match args.what {
        Verb::Show { origin } => show(origin, context),
        Verb::Path => path(context),
    }
}

fn show(origin: bool, context: &Context) -> Result<ExitCode, Problem> {
    let config = context.config()?;
    let answer = Configuration {
        file: config.file.as_ref().map(|path| path.display().to_string()),
        values: config.values().into_iter().map(ValueView::new).collect(),
    };
    context.answer(&answer, |out| {
        for value in &answer.values {
            if origin {
                writeln!(out, "{} = {}    # {}", value.key, value.value, value.origin)?;
            } else {
                writeln!(out, "{} = {}", value.key, value.value)?;
            }
        }
        Ok(())
    })
}

fn path(context: &Context) -> Result<ExitCode, Problem> {
    let location = locate(context.config_file(), &Environment::of_process());
    let file = location.map(|location| location.path().to_owned());
    let answer = ConfigPath {
        exists: file.as_ref().is_some_and(|path| path.exists()),
        file: file.map(|path| path.display().to_string()),
    };
    context.answer(&answer, |out| {
        let note = if answer.exists { "" } else { "  (does not exist; the defaults apply)" };
        writeln!(out, "{}{note}", answer.file.as_deref().unwrap_or("none"))
    })
}
