//! `agency review`: comments on the work of a run, which its agent receives as one message, and approval.

mod written;

use std::process::ExitCode;

use agency_engine::agency::Agency;
use agency_engine::store::{Purpose, RunRow};

use super::RUN_HELP;
use super::run::listen_for_interrupts;
use crate::context::{Context, user_name};
use crate::output::Spinner;
use crate::problem::Problem;
use crate::view::{ReviewView, SentView};

/// Comment on what a run changed, send the comments to its agent, or approve the work
#[derive(Debug, clap::Args)]
#[command(after_help = "Without an option, the comments are listed, with the lines that they are about now.\n\n\
    Examples:\n  agency review fix\n  agency review fix --comment \"src/main.rs:12:Handle the error\" --send\n  \
    agency review fix --comment \"src/main.rs:-30-32:Why is this gone?\"\n  agency review fix --edit --send\n  \
    agency review fix --file review.md\n  agency review fix --withdraw 3\n  agency review fix --approve")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, allow_negative_numbers = true,
        add = super::completions::run_candidates(Purpose::Read))]
    run: String,
    /// Comment on a line, on lines (FILE:3-5:TEXT), on old lines (FILE:-3:TEXT) or on a whole file (FILE::TEXT)
    #[arg(long, value_name = "FILE:LINE:TEXT", allow_hyphen_values = true)]
    comment: Vec<String>,
    /// Take comments from a Markdown file, each below a heading "## FILE:LINE"; - from standard input
    #[arg(long, value_name = "FILE")]
    file: Option<std::path::PathBuf>,
    /// Write comments into the diff in $EDITOR
    #[arg(long)]
    edit: bool,
    /// Withdraw a comment by its number
    #[arg(long, value_name = "NUMBER")]
    withdraw: Vec<i64>,
    /// Send all open comments to the agent, as one message; a finished run is resumed
    #[arg(long, conflicts_with = "approve")]
    send: bool,
    /// Approve exactly the files as they are, or only if their tree begins with TREE
    #[arg(long, value_name = "TREE", num_args = 0..=1, require_equals = true)]
    #[expect(clippy::option_option, reason = "clap distinguishes --approve and --approve=TREE by it")]
    approve: Option<Option<String>>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = context.select(&mut agency, &args.run)?;
    let comments = written::comments(args, &mut agency, &row, context)?;
    let added = if comments.is_empty() { vec![] } else { agency.comment(&row, &user_name(), &comments)? };
    if !args.withdraw.is_empty() {
        agency.withdraw_comments(&row, &args.withdraw)?;
    }
    if let Some(expected) = &args.approve {
        agency.approve(&row, &user_name(), expected.as_deref())?;
    }
    let sent = if args.send { Some(send(&mut agency, &row, context)?) } else { None };
    let view = ReviewView::new(&row, agency.review(&row)?, added, sent);
    context.answer(&view, |out| view.write(out))
}

fn send(agency: &mut Agency, row: &RunRow, context: &Context) -> Result<SentView, Problem> {
    let interrupted = listen_for_interrupts()?;
    let _spinner = Spinner::begin(format!("sending comments to {}", row.label()), context.is_watched());
    let sent = agency.send_review(row, &interrupted)?;
    Ok(SentView { run_id: sent.run.id, comments: sent.comments, outcome: sent.outcome })
}
