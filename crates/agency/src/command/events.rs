//! `agency events`: the numbered facts of a run.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use agency_engine::follow::{Cursor, EventReader, ReadEvent};
use agency_model::{ErrorCode, Event, EventLine, Usage};

use super::RUN_HELP;
use crate::context::Context;
use crate::problem::Problem;

/// How many characters of a text or an input are printed.
const WIDTH: usize = 200;

/// Print the numbered facts of a run; with --json, one JSON object per line
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency events fix\n  agency events -f --since 12 --json fix")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, add = super::completions::run_candidates())]
    run: String,
    /// Go on printing until the run is over
    #[arg(short, long)]
    follow: bool,
    /// Only events after this number
    #[arg(long, value_name = "N", default_value_t = 0)]
    since: u64,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = context.select(&mut agency, &args.run)?;
    let path = agency.home().run(&row.id).events();
    let broken = |error: io::Error| Problem::new(ErrorCode::Io, format!("{}: {error}", path.display()));
    let mut cursor = Cursor::at(&path, 0).map_err(broken)?;
    let mut reader = EventReader::default();
    let print = |piece: &[u8]| {
        let events = reader.feed(piece);
        let wanted = events.iter().filter(|read| read.event.seq > args.since);
        let text: String = wanted.map(|read| line(read, context.json()) + "\n").collect();
        context.print_raw(text.as_bytes())
    };
    if args.follow {
        return context.follow(&mut agency, &row.id, &mut cursor, print);
    }
    cursor.read(print).map_err(|error| Problem::output(&error))?;
    Ok(ExitCode::SUCCESS)
}

fn line(read: &ReadEvent, json: bool) -> String {
    if !json {
        return readable(&read.event, io::stdout().is_terminal());
    }
    // What stands in the file is passed on as it is; a line that is no JSON is wrapped.
    if serde_json::from_str::<serde_json::Value>(&read.line).is_ok() {
        return read.line.clone();
    }
    serde_json::to_string(&read.event).unwrap_or_default()
}

/// An event on one line.
pub(super) fn readable(line: &EventLine, icons: bool) -> String {
    let number = |value: &Option<i32>| value.map_or_else(|| "unknown".to_owned(), |value| value.to_string());
    let text = match &line.event {
        Event::StateChange { from: Some(from), to } => format!("{from} → {to}"),
        Event::StateChange { from: None, to } => format!("created as {to}"),
        Event::Attempt { program, pid, .. } => format!("attempt {}: {program} started as process {pid}", line.attempt),
        Event::Exit { exit_code: Some(code), .. } => format!("the process exited with code {code}"),
        Event::Exit { exit_code: None, signal } => format!("the process was ended by signal {}", number(signal)),
        Event::Restart { failures, delay_ms } => format!("crash {failures}; next attempt in {delay_ms} ms"),
        Event::Notice { message } => message.clone(),
        Event::Error { message } => format!("error: {message}"),
        Event::Completed { state, reason, error, .. } => {
            let error = error.as_deref().map_or_else(String::new, |error| format!(": {error}"));
            format!("the run is {state} ({reason}){error}")
        }
        Event::Output { text } => one_line(text),
        Event::ToolUse { tool_name, input, .. } => one_line(&format!("{tool_name} {input}")),
        Event::ToolResult { tool_name, output, success, .. } => {
            let verdict = if *success { "answered" } else { "failed" };
            one_line(&format!("{tool_name} {verdict}: {output}"))
        }
        Event::Usage(Usage { input_tokens, output_tokens, cached_tokens, cost_usd }) => {
            let tokens = |count: &Option<u64>, what: &str| count.map(|count| format!("{count} tokens {what}"));
            let parts = [
                tokens(input_tokens, "read"),
                tokens(cached_tokens, "of them from the cache"),
                tokens(output_tokens, "written"),
                cost_usd.map(|cost| format!("${cost:.4}")),
            ];
            format!("used {}", parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
        }
        Event::Message { text } => one_line(&format!("told: {text}")),
        Event::Activity { activity, because, line: None } => one_line(&format!("{activity}: {because}")),
        Event::Activity { activity, because, line: Some(line) } => {
            one_line(&format!("{activity}: {because} (screen line {line})"))
        }
        Event::Question { question_id, question, .. } => {
            one_line(&format!("asks {question_id}: {} {}", question.title, question.detail))
        }
        Event::Answer { question_id, by, outcome, .. } => one_line(&format!("{question_id}: {outcome} ({by})")),
        Event::Unknown { text } => one_line(&format!("? {text}")),
    };
    let icon = if icons { format!("{} ", icon(&line.event)) } else { String::new() };
    format!("{:>4}  {}  {icon}{text}", line.seq, line.at)
}

/// One sign per kind, for eyes that skim; the words say the same.
const fn icon(event: &Event) -> char {
    match event {
        Event::StateChange { .. } => '●',
        Event::Attempt { .. } => '▶',
        Event::Exit { .. } => '■',
        Event::Restart { .. } => '↻',
        Event::Notice { .. } => 'ℹ',
        Event::Error { .. } => '✗',
        Event::Output { .. } => '»',
        Event::ToolUse { .. } => '→',
        Event::ToolResult { .. } => '←',
        Event::Usage(_) => '$',
        Event::Message { .. } => '>',
        Event::Activity { .. } => '·',
        Event::Question { .. } => '?',
        Event::Answer { .. } => '=',
        Event::Completed { .. } => '✓',
        Event::Unknown { .. } => '…',
    }
}

/// A text of any length on one line of at most [`WIDTH`] characters, with nothing in it that moves the cursor.
fn one_line(text: &str) -> String {
    let words = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let mut line = String::new();
    for word in words.filter(|word| !word.is_empty()) {
        line.extend((!line.is_empty()).then_some(' '));
        line.extend(word.chars().take(WIDTH + 1));
        if line.chars().count() > WIDTH {
            return line.chars().take(WIDTH - 1).chain(['…']).collect();
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_becomes_one_short_line() {
        assert_eq!(one_line(" a\nb\u{1b}[2J\r\n\tc  "), "a b [2J c");
        assert_eq!(one_line(""), "");
        let fitting = "ä".repeat(WIDTH);
        assert_eq!(one_line(&fitting), fitting);
        for long in ["ä".repeat(WIDTH + 1), "word ".repeat(WIDTH), format!("{fitting} b")] {
            let line = one_line(&long);
            assert!(line.ends_with('…') && line.chars().count() <= WIDTH, "{line}");
        }
    }
}
