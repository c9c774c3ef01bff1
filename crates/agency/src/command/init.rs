//! `agency init`: workflows, spells and a system prompt to begin with.

use std::path::PathBuf;
use std::process::ExitCode;

use agency_engine::workflow::{Written, init};
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::problem::Problem;

/// Write example workflows, spells, a prompt and a project file; what is there is kept
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency init\n  agency workflow validate")]
pub(crate) struct Args {
    /// The directory that gets .agency/; without it, the top of this repository, or this directory
    directory: Option<PathBuf>,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Initialised {
    /// The directory that has .agency/ now.
    directory: String,
    /// Files that are new.
    written: Vec<String>,
    /// Files that were there already and are as they were.
    kept: Vec<String>,
}

/// Says how branches get the names of runs, where the configuration does not say anything about branches.
fn offer_branch_names(context: &Context) {
    if context.config().is_ok_and(|config| config.branch_template.is_none()) {
        context.say(&format!(
            "Branches of runs are named agency/<run_id>. To name them by what is done, write into {}:\n  \
             branch_template = \"agency/{{name}}\"   # also {{date}}, {{agent}} and {{id}}",
            context.usual_config_file()
        ));
    }
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let root = match &args.directory {
        Some(directory) => directory.clone(),
        None => super::workflow::project()?.root().to_owned(),
    };
    let files = init(&root)?;
    let of = |wanted: Written| {
        let files = files.iter().filter(move |file| file.written == wanted);
        files.map(|file| file.path.to_owned()).collect::<Vec<String>>()
    };
    let (written, kept) = (of(Written::New), of(Written::Kept));
    let initialised = Initialised { directory: root.display().to_string(), written, kept };
    context
        .answer(&initialised, |out| {
            for path in &initialised.written {
                writeln!(out, "wrote {path}")?;
            }
            for path in &initialised.kept {
                writeln!(out, "kept  {path}")?;
            }
            writeln!(out, "agency workflow validate checks them; edit run-tests in implement-test-merge.yaml first")
        })
        .inspect(|_| offer_branch_names(context))
}
