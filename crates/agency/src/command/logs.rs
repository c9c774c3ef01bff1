//! `agency logs`: what the agent wrote, for reading on a terminal, byte for byte elsewhere.

mod readable;

use std::io::{self, Write};
use std::process::ExitCode;

use agency_engine::agency::Agency;
use agency_engine::runner::AnsiStripper;
use agency_engine::store::Purpose;
use agency_engine::store::RunRow;
use agency_engine::watch::{Tail, offset_of_last_lines};
use agency_model::{ErrorCode, Escaper, Event, RunId, Sgr};
use schemars::JsonSchema;
use serde::Serialize;

use super::RUN_HELP;
use crate::context::Context;
use crate::output::{Data, Pager, Surface};
use crate::problem::Problem;

/// Print what the agent wrote: readable on a terminal, byte for byte elsewhere
#[derive(Debug, Clone, clap::Args)]
#[command(
    after_help = "On a terminal, a headless run shows its transcript: text, tool calls, errors and cost. An interactive run\nshows \
    its last screen and what has scrolled out of it. Long output goes through $PAGER.\n\nExamples:\n  agency logs fix\n  \
    agency logs --transcript fix > fix.txt\n  agency logs -f --clean fix\n  agency logs --stderr --tail 20 fix"
)]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, allow_negative_numbers = true,
        add = super::completions::run_candidates(Purpose::Read))]
    run: String,
    /// Keep printing until the run has finished
    #[arg(short, long, conflicts_with = "json")]
    follow: bool,
    /// Standard output only
    #[arg(long, group = "stream")]
    stdout: bool,
    /// Standard error only
    #[arg(long, group = "stream")]
    stderr: bool,
    /// Both, in the order of arrival (the default)
    #[arg(long, group = "stream")]
    combined: bool,
    /// What is shown on a terminal, also elsewhere
    #[arg(long, conflicts_with_all = ["stream", "clean", "raw"])]
    transcript: bool,
    /// Without colours; cursor movements become spaces and newlines
    #[arg(long)]
    clean: bool,
    /// The exact bytes; to a terminal only with --force, since it obeys the control sequences among them
    #[arg(long, conflicts_with = "clean")]
    raw: bool,
    /// Print raw bytes to a terminal
    #[arg(long, requires = "raw")]
    force: bool,
    /// Only the last so many lines
    #[arg(long, value_name = "N")]
    tail: Option<usize>,
    /// Only what one process of an agent that crashed and came back said, counted from 1
    #[arg(long, value_name = "N", conflicts_with_all = ["tail", "follow"])]
    attempt: Option<u32>,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Logs {
    id: RunId,
    stream: &'static str,
    path: String,
    bytes: u64,
    /// The log as text; bytes that are not UTF-8 are replaced.
    text: String,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = context.select(&mut agency, &args.run)?;
    let on_terminal = Surface::stdout().is_terminal() && !context.json();
    if args.raw && on_terminal && !args.force {
        return Err(Problem::new(ErrorCode::Usage, "raw output can change the modes of this terminal")
            .hint("redirect it to a file, or add --force"));
    }
    let exact = context.json() || args.raw || args.clean || args.stdout || args.stderr || args.combined;
    if !exact && (on_terminal || args.transcript) {
        return readable::run(args, context, &mut agency, &row);
    }
    print_log(args, context, &mut agency, row)
}

/// Prints a log as it is, or without control sequences.
fn print_log(args: &Args, context: &Context, agency: &mut Agency, row: RunRow) -> Result<ExitCode, Problem> {
    let directory = agency.home().run(&row.id);
    let (stream, path) = match (args.stdout, args.stderr) {
        (true, _) => ("stdout", directory.stdout_log()),
        (_, true) => ("stderr", directory.stderr_log()),
        (false, false) => ("combined", directory.combined_log()),
    };
    let broken = |error: io::Error| Problem::new(ErrorCode::Io, format!("{}: {error}", path.display()));
    let section = args.attempt.map(|attempt| section(agency, &row.id, attempt, stream)).transpose()?;
    let start = match (section, args.tail) {
        (Some(section), _) => section.from,
        (None, Some(lines)) => offset_of_last_lines(&path, lines).map_err(broken)?,
        (None, None) => 0,
    };
    let mut left = section.and_then(|section| section.length).unwrap_or(u64::MAX);
    let mut cursor = Tail::at(&path, start).map_err(broken)?;
    let mut cleaner = args.clean.then(AnsiStripper::keeping_words);
    if context.json() {
        let mut bytes = vec![];
        let mut keep = |piece: &[u8]| write_piece(&mut cleaner, within(piece, &mut left), |text| bytes.write_all(text));
        cursor.read(&mut keep).map_err(broken)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let size = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
        let answer = Logs { id: row.id, stream, path: path.display().to_string(), bytes: size, text };
        return context.answer(&answer, |_| Ok(()));
    }
    let _pager = if args.raw || args.follow { None } else { Pager::start() };
    let mut data = if args.raw { Data::exact() } else { Data::new(Escaper::new(Sgr::KeepColours).keeping_crlf()) };
    let print = |piece: &[u8]| write_piece(&mut cleaner, within(piece, &mut left), |text| data.print(text));
    let code = if args.follow {
        context.follow(agency, &row.id, &mut cursor, print)?
    } else {
        cursor.read(print).map_err(|error| Problem::output(&error))?;
        ExitCode::SUCCESS
    };
    data.finish().map_err(|error| Problem::output(&error))?;
    Ok(code)
}

/// A part of a log, in bytes.
#[derive(Clone, Copy)]
struct Section {
    from: u64,
    /// None for the rest of the file.
    length: Option<u64>,
}

/// What one attempt added to a log.
fn section(agency: &Agency, id: &RunId, attempt: u32, stream: &str) -> Result<Section, Problem> {
    let begin = |wanted: u32| {
        agency.last_event(id, |line| {
            let Event::Attempt { logs_from, .. } = line.event else { return None };
            (line.attempt == wanted).then_some(match stream {
                "stdout" => logs_from.stdout,
                "stderr" => logs_from.stderr,
                _ => logs_from.combined,
            })
        })
    };
    let Some(from) = begin(attempt)? else {
        return Err(Problem::new(ErrorCode::Usage, format!("{id} has no attempt {attempt}"))
            .hint("agency events shows its attempts"));
    };
    Ok(Section { from, length: begin(attempt + 1)?.map(|next| next.saturating_sub(from)) })
}

/// The part of a piece that is wanted.
fn within<'a>(piece: &'a [u8], left: &mut u64) -> &'a [u8] {
    let wanted = usize::try_from(*left).unwrap_or(usize::MAX).min(piece.len());
    *left -= wanted as u64;
    piece.get(..wanted).unwrap_or_default()
}

/// Writes a piece of a log, as it is or as text without control sequences.
fn write_piece(
    cleaner: &mut Option<AnsiStripper>,
    piece: &[u8],
    write: impl FnOnce(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    match cleaner {
        None => write(piece),
        Some(cleaner) => write(cleaner.feed(piece).as_bytes()),
    }
}
