//! `agency events`: the numbered events of a run.

use std::io;
use std::process::ExitCode;

use agency_engine::store::Purpose;
use agency_engine::watch::{EventReader, ReadEvent, Tail};
use agency_model::ErrorCode;

use super::RUN_HELP;
use crate::context::Context;
use crate::output::{Pager, Surface, readable};
use crate::problem::Problem;

/// Print the numbered events of a run; with --json, one JSON object per line
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency events fix\n  agency events -f --since 12 --json fix\n  \
    agency events -f --all fix")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, allow_negative_numbers = true,
        add = super::completions::run_candidates(Purpose::Read))]
    run: String,
    /// Keep printing until the run has finished
    #[arg(short, long)]
    follow: bool,
    /// With --follow, also what happens to the work after the end of the run, until the run is removed
    #[arg(long, requires = "follow")]
    all: bool,
    /// Only events after this number
    #[arg(long, value_name = "N", default_value_t = 0)]
    since: u64,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = context.select(&mut agency, &args.run)?;
    let path = agency.home().run(&row.id).events();
    let broken = |error: io::Error| Problem::new(ErrorCode::Io, format!("{}: {error}", path.display()));
    let mut cursor = Tail::at(&path, 0).map_err(broken)?;
    let mut reader = EventReader::default();
    let _pager = if args.follow || context.json() { None } else { Pager::start() };
    let print = |piece: &[u8]| {
        let events = reader.feed(piece);
        let wanted = events.iter().filter(|read| read.event.seq > args.since);
        let text: String = wanted.map(|read| line(read, context.json()) + "\n").collect();
        if context.json() { context.print_json(text.into_bytes()) } else { context.print_text(text.as_bytes()) }
    };
    if args.all {
        return context.follow_work(&mut agency, &row.id, &mut cursor, print);
    }
    if args.follow {
        return context.follow(&mut agency, &row.id, &mut cursor, print);
    }
    cursor.read(print).map_err(|error| Problem::output(&error))?;
    Ok(ExitCode::SUCCESS)
}

fn line(read: &ReadEvent, json: bool) -> String {
    if !json {
        return readable(&read.event, Surface::stdout().is_terminal());
    }
    // The lines of the file are passed on as they are; a line that is not JSON is wrapped.
    if serde_json::from_str::<serde_json::Value>(&read.line).is_ok() {
        return read.line.clone();
    }
    serde_json::to_string(&read.event).unwrap_or_default()
}
