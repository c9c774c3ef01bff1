//! `agency inbox`: what agents ask, oldest first.

mod follow;
mod walk;

use std::process::ExitCode;

pub(crate) use follow::NewsLine;

use crate::context::Context;
use crate::problem::Problem;
use crate::view::{Inbox, QuestionView};

/// List what agents ask and wait for, oldest first
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  agency inbox\n  agency inbox --follow\n  agency inbox --interactive\n  \
    agency inbox show q_01ABC\n  agency answer q_01ABC allow"
)]
pub(crate) struct Args {
    /// Keep printing questions until Ctrl-C; with --json, one JSON object per line
    #[arg(short, long)]
    follow: bool,
    /// Walk through the questions and answer them by single keys
    #[arg(short, long, conflicts_with_all = ["follow", "json"])]
    interactive: bool,
    #[command(subcommand)]
    what: Option<Verb>,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Show one question whole: the command or the diff, the options, its outcome
    Show {
        /// The question: its id, or the beginning or end of it
        #[arg(add = super::completions::question_candidates())]
        question: String,
    },
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    if args.interactive {
        walk::check_terminal()?;
    }
    let mut agency = context.agency()?;
    if let Some(Verb::Show { question }) = &args.what {
        let view = QuestionView::new(agency.question(question)?, &agency);
        return context.answer(&view, |out| view.write(out, true));
    }
    if args.follow {
        return follow::follow(&mut agency, context);
    }
    if args.interactive {
        agency.check_answering()?;
        return walk::walk(&mut agency, context);
    }
    let inbox = Inbox::read(&mut agency)?;
    context.answer(&inbox, |out| inbox.write(out))
}
