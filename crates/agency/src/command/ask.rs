//! `agency ask`: a question about sources, answered by a fresh agent.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use agency_engine::ask::AskRequest;
use agency_engine::runner::AnsiStripper;

use super::completions::{group_candidates, runner_candidates, source_candidates};
use super::run::listen_for_interrupts;
use crate::context::Context;
use crate::output::{ActivityLine, parse_duration};
use crate::problem::Problem;
use crate::typed_text::given_text;
use crate::view::Answered;

/// Ask a question about sources; a fresh agent reads exactly those and answers
#[derive(Debug, clap::Args)]
#[command(after_help = "The answer is all that is printed on standard output.\n\nExamples:\n  \
    agency ask -s langchain \"How do I create a tool?\"\n  \
    agency ask -s api,docs -g core --runner codex \"Where is the timeout set?\"\n  \
    git diff | agency ask -s api --json -")]
pub(crate) struct Args {
    #[command(flatten)]
    about: About,
    /// The agent: claude-code, codex, gemini, opencode, or one of your own [default: default_agent]
    #[arg(short = 'a', long, visible_alias = "agent", value_name = "AGENT", add = runner_candidates())]
    runner: Option<String>,
    /// Give up after this time, such as 90s or 10m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    timeout: Option<Duration>,
    /// The question; - reads it from standard input
    #[arg(allow_hyphen_values = true)]
    question: String,
}

/// The sources that are meant.
#[derive(Debug, clap::Args)]
pub(super) struct About {
    /// A source; may be repeated, or name several with commas
    #[arg(short, long = "source", value_name = "NAME", value_delimiter = ',', add = source_candidates())]
    pub(super) sources: Vec<String>,
    /// A group of sources; may be repeated, or name several with commas
    #[arg(short, long = "group", value_name = "NAME", value_delimiter = ',', add = group_candidates())]
    pub(super) groups: Vec<String>,
}

pub(crate) fn run(args: Args, context: &Context) -> Result<ExitCode, Problem> {
    let question = given_text(args.question, "question")?;
    let mut runner = context.subagent_runner()?;
    let interrupted = listen_for_interrupts()?;
    let request = AskRequest {
        sources: args.about.sources,
        groups: args.about.groups,
        question,
        runner: args.runner,
        limit: args.timeout,
        current_directory: context.current_directory()?,
        environment: std::env::vars_os().collect(),
    };
    let answered = {
        let mut activity = ActivityLine::begin("asking", context.is_watched());
        runner.ask(&request, &mut |event| activity.show(event), &interrupted)?
    };
    let answer = Answered::new(answered);
    context.answer(&answer, |out| print_answer(out, &answer.answer))
}

/// A terminal gets the words, and nothing that would make it do something.
fn print_answer(out: &mut dyn Write, answer: &str) -> std::io::Result<()> {
    let mut cleaner = AnsiStripper::new();
    let text = cleaner.feed(answer.as_bytes()) + &cleaner.finish();
    match text.ends_with('\n') {
        true => write!(out, "{text}"),
        false => writeln!(out, "{text}"),
    }
}
