//! `agency diff`: what a run changed, committed or not.

mod side_by_side;
mod stat;
mod tool;
mod unified;

use std::process::ExitCode;

use agency_engine::runs::remove::RemoveError;
use agency_engine::store::{Purpose, RunRow};
use agency_model::patch::Patch as PatchText;
use agency_model::{Escaper, Sgr};
use agency_workspace::{ChangedFile, Patch, PatchContext};
use schemars::JsonSchema;
use serde::Serialize;

use super::RUN_HELP;
use crate::context::Context;
use crate::output::{Data, Pager, Surface};
use crate::problem::Problem;

/// From this width on, old and new stand side by side.
const MIN_SIDE_BY_SIDE_COLUMNS: usize = 160;

/// Print what a run changed against its base commit, committed or not
#[derive(Debug, clap::Args)]
#[command(
    after_help = "On a terminal the diff has colours, changed words are marked, and long output goes through $PAGER.\n\
    From 160 columns on, old and new stand side by side.\n\nExamples:\n  agency diff fix\n  agency diff --stat fix\n  \
    agency diff --tool delta fix\n  agency diff fix | git apply --stat"
)]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, allow_negative_numbers = true,
        add = super::completions::run_candidates(Purpose::Read))]
    run: String,
    /// Only how many lines of each file changed
    #[arg(long, group = "form")]
    stat: bool,
    /// Only the names of the files
    #[arg(long, group = "form")]
    name_only: bool,
    /// Show the diff with a program that reads it from standard input, such as delta, or with difft
    #[arg(long, group = "form", value_name = "COMMAND", conflicts_with = "json")]
    tool: Option<String>,
    /// How the diff looks on a terminal; auto: side by side from 160 columns on [default: auto, or diff_tool of the configuration]
    #[arg(long, value_enum, value_name = "LAYOUT")]
    layout: Option<Layout>,
}

/// How a diff looks on a terminal: side by side where there is room, or as chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Layout {
    #[default]
    Auto,
    Unified,
    SideBySide,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Diff {
    id: agency_model::RunId,
    base_commit: String,
    /// A unified diff; bytes that are not UTF-8 are replaced.
    diff: String,
    /// What git printed about each directory that it could not open: files in it are not in the diff.
    unread: Vec<String>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = context.select(&mut agency, &args.run)?;
    if row.removed_at.is_some() {
        // No command is named that would let git run where an agent could write.
        let repo_path = agency.repository_of(&row).map_err(RemoveError::from)?.display().to_string();
        return Err(Problem::removed(&RunRow { repo_path, ..row }));
    }
    let Patch { text, unread } = agency.workspace_of(&row)?.patch().map_err(RemoveError::from)?;
    for warning in &unread {
        context.say(&format!("not in the diff: {warning}"));
    }
    if text.is_empty() && Surface::stdout().is_terminal() {
        context.say(&format!("{} has changed nothing so far", row.name.as_deref().unwrap_or(row.id.as_str())));
    }
    if context.json() {
        let diff = String::from_utf8_lossy(&text).into_owned();
        return context.answer(&Diff { id: row.id, base_commit: row.base_commit, diff, unread }, |_| Ok(()));
    }
    if args.stat || args.name_only {
        let files = agency.workspace_of(&row)?.changes().map_err(RemoveError::from)?.files;
        return print_files(&files, args.stat, context);
    }
    let configured =
        agency.config().diff_tool.as_ref().filter(|_| Surface::stdout().is_terminal() && args.layout.is_none());
    if let Some(command) = args.tool.as_ref().or(configured) {
        let tool = tool::Tool::read(command)?;
        if tool.takes_files() {
            let whole = agency.workspace_of(&row)?.patch_with(PatchContext::Whole).map_err(RemoveError::from)?;
            return tool.show_files(&whole.text);
        }
        return tool.show(&text);
    }
    print_patch(&text, args.layout.unwrap_or_default(), context)
}

/// Prints a diff: with colours and a pager on a terminal, as it is elsewhere.
pub(super) fn print_patch(text: &[u8], layout: Layout, context: &Context) -> Result<ExitCode, Problem> {
    if let Some(shown) = coloured(text, layout) {
        let _pager = Pager::start();
        context.print_text(shown.as_bytes()).map_err(|error| Problem::output(&error))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut data = Data::new(Escaper::new(Sgr::Escape));
    data.print(text).and_then(|()| data.finish()).map_err(|error| Problem::output(&error))?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the files of a diff: their names, or also how many lines of each changed.
pub(super) fn print_files(files: &[ChangedFile], with_lines: bool, context: &Context) -> Result<ExitCode, Problem> {
    let _pager = Pager::start();
    let lines = if with_lines { stat::lines(files) } else { stat::names(files) };
    context.print_text(&lines).map_err(|error| Problem::output(&error))?;
    Ok(ExitCode::SUCCESS)
}

/// The diff with colours, if standard output is a terminal and the diff is not larger than is worth reading there.
fn coloured(text: &[u8], layout: Layout) -> Option<String> {
    let surface = Surface::stdout();
    if !surface.is_terminal() {
        return None;
    }
    // Bytes that are not UTF-8 are shown as escapes, too.
    let mut escaper = Escaper::new(Sgr::Escape);
    let patch = PatchText::read([escaper.feed(text), escaper.finish()].concat().as_bytes());
    if patch.left_out > 0 {
        return None;
    }
    let width = crossterm::terminal::size().map_or(0, |(columns, _)| usize::from(columns));
    let beside = match layout {
        Layout::Auto => width >= MIN_SIDE_BY_SIDE_COLUMNS,
        Layout::Unified => false,
        Layout::SideBySide => true,
    };
    Some(if beside { side_by_side::show(&patch, width) } else { unified::show(&patch) })
}
