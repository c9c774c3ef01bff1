//! `agency status`: one line for a status bar or a shell prompt.

use std::process::ExitCode;

use agency_engine::runs::list::Overview;
use clap::builder::PossibleValuesParser;

use crate::context::Context;
use crate::problem::Problem;

/// Print one line about all runs, for a tmux status bar or a shell prompt
#[derive(Debug, clap::Args)]
#[command(
    after_help = "2? are runs that wait for an answer, 5● are others that run, 1✗ are those that failed since you last \
    looked with agency ls.\nNothing is printed if there are none.\n\nExamples:\n  agency status\n  \
    set -g status-right '#(agency status --format tmux)'     (in ~/.tmux.conf)\n  \
    PS1='$(agency status --format prompt) \\$ '               (in ~/.bashrc)"
)]
pub(crate) struct Args {
    /// Words, a line with tmux colours, a line without, or JSON
    #[arg(long, default_value = "text", value_parser = PossibleValuesParser::new(["text", "tmux", "prompt", "json"]))]
    format: String,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let overview = context.agency()?.overview()?;
    let as_json = context.clone().with_json();
    let context = if args.format == "json" { &as_json } else { context };
    context.answer(&overview, |out| match args.format.as_str() {
        "tmux" => {
            line(out, &short(overview).map(|(count, sign, colour)| format!("#[fg={colour}]{count}{sign}#[default]")))
        }
        "prompt" => line(out, &short(overview).map(|(count, sign, _)| format!("{count}{sign}"))),
        _ => writeln!(out, "{}", words(overview)),
    })
}

/// The parts of the short line: how many, their sign, and its colour.
fn short(overview: Overview) -> [(u64, char, &'static str); 3] {
    let Overview { waiting, running, queued, failed, .. } = overview;
    [(waiting, '?', "yellow"), (running.saturating_sub(waiting) + queued, '●', "cyan"), (failed, '✗', "red")]
}

/// Prints the parts that count something.
fn line(out: &mut dyn std::io::Write, parts: &[String; 3]) -> std::io::Result<()> {
    let is_something =
        |part: &&String| !part.trim_start_matches(|letter: char| !letter.is_ascii_digit()).starts_with('0');
    let shown: Vec<&str> = parts.iter().filter(is_something).map(String::as_str).collect();
    if shown.is_empty() { Ok(()) } else { writeln!(out, "{}", shown.join(" ")) }
}

fn words(overview: Overview) -> String {
    let Overview { waiting, running, queued, failed, since } = overview;
    let when = if since.is_some() { " since you last looked" } else { "" };
    let working = running.saturating_sub(waiting);
    format!("{waiting} waiting, {working} running, {queued} queued, {failed} failed{when}")
}
