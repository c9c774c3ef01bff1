//! `agency open`: the directory of a run in an editor.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use agency_engine::store::Purpose;
use agency_model::{ErrorCode, RunId};
use schemars::JsonSchema;
use serde::Serialize;

use super::RUN_HELP;
use super::cd::present_directory;
use crate::context::Context;
use crate::problem::Problem;
use crate::terminal::editor;

/// Open the directory of a run in an editor
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency open fix\n  agency open fix --editor code")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, allow_negative_numbers = true, add = super::completions::run_candidates(Purpose::Read))]
    run: String,
    /// The editor: code, cursor, zed, idea, or any other program with its arguments [default: $VISUAL, $EDITOR, vi]
    #[arg(long, value_name = "EDITOR")]
    editor: Option<String>,
}

/// The answer: what would be executed, since an editor may need the terminal.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HowToOpen {
    /// The run.
    id: RunId,
    /// Where it works.
    directory: String,
    /// The program and its arguments.
    command: Vec<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = context.select_for(&mut agency, &args.run, Purpose::Read)?;
    let directory = present_directory(&row)?.to_owned();
    let (program, mut arguments) = match &args.editor {
        Some(editor) => given(editor)?,
        None => editor(),
    };
    arguments.push(OsString::from(&directory));
    if context.json() {
        let text = |text: &OsString| text.to_string_lossy().into_owned();
        let command = std::iter::once(&program).chain(&arguments).map(text).collect();
        return context.answer(&HowToOpen { id: row.id, directory, command }, |_| Ok(()));
    }
    let failed = |why: String| {
        Problem::new(ErrorCode::Io, format!("{} {why}", program.display()))
            .hint("name an installed editor with --editor, or set $EDITOR to one")
    };
    match execute(&program, &arguments, &directory) {
        Ok(status) if status.success() => Ok(ExitCode::SUCCESS),
        Ok(status) => Err(failed(format!("ended with {status}"))),
        Err(error) => Err(failed(format!("could not be started: {error}"))),
    }
}

/// The program and the arguments of `--editor`.
fn given(editor: &str) -> Result<(OsString, Vec<OsString>), Problem> {
    let mut words = editor.split_whitespace().map(OsString::from);
    let program = words.next().ok_or_else(|| Problem::new(ErrorCode::Usage, "--editor names no program"))?;
    Ok((program, words.collect()))
}

#[expect(clippy::disallowed_methods, reason = "the user's editor takes over the terminal")]
fn execute(program: &OsString, arguments: &[OsString], directory: &str) -> std::io::Result<std::process::ExitStatus> {
    Command::new(program).args(arguments).current_dir(directory).status()
}
