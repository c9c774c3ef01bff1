//! What an agent wrote, for reading: its transcript, its text, or its screen.

use std::io;
use std::process::ExitCode;

use agency_engine::agency::Agency;
use agency_engine::runs::output_form::OutputForm;
use agency_engine::store::RunRow;
use agency_engine::watch::{EventReader, Tail};
use agency_model::ErrorCode;

use super::{Args, print_log};
use crate::context::Context;
use crate::output::{Pager, plain};
use crate::problem::Problem;
use crate::view::{TranscriptText, usage_line};

pub(super) fn run(args: &Args, context: &Context, agency: &mut Agency, row: &RunRow) -> Result<ExitCode, Problem> {
    match agency.output_form(row) {
        OutputForm::Events => transcript(args, context, agency, row),
        OutputForm::Screen if !args.follow && args.attempt.is_none() => screen(args, context, agency, row),
        // What a screen shows while it changes is not lines; its text is.
        OutputForm::Screen => print_log(&Args { clean: true, ..args.clone() }, context, agency, row.clone()),
        OutputForm::Text => print_log(args, context, agency, row.clone()),
    }
}

/// The last screen, and what has scrolled out of it.
fn screen(args: &Args, context: &Context, agency: &Agency, row: &RunRow) -> Result<ExitCode, Problem> {
    let lines = agency.screen_text(row);
    let from = args.tail.map_or(0, |count| lines.len().saturating_sub(count));
    // A space that does not break looks like one, and would be shown as an escape.
    let text: String = lines.iter().skip(from).map(|line| plain(&line.replace('\u{a0}', " ")) + "\n").collect();
    let _pager = Pager::start();
    context.print_text(text.as_bytes()).map_err(|error| Problem::output(&error))?;
    Ok(ExitCode::SUCCESS)
}

fn transcript(args: &Args, context: &Context, agency: &mut Agency, row: &RunRow) -> Result<ExitCode, Problem> {
    let path = agency.home().run(&row.id).events();
    let broken = |error: io::Error| Problem::new(ErrorCode::Io, format!("{}: {error}", path.display()));
    let mut cursor = Tail::at(&path, 0).map_err(broken)?;
    let (mut reader, mut text) = (EventReader::default(), TranscriptText::default());
    let wanted = |attempt: u32| args.attempt.is_none_or(|wanted| wanted == attempt);
    let mut take = |piece: &[u8], text: &mut TranscriptText| {
        reader.feed(piece).into_iter().map(|read| read.event).filter(|event| wanted(event.attempt)).for_each(|event| {
            text.push(event);
        });
    };
    // What is there already is printed at once, so that only its last lines can be.
    let begin = |piece: &[u8]| {
        take(piece, &mut text);
        Ok(())
    };
    cursor.read(begin).map_err(broken)?;
    let said = if args.follow { text.ready() } else { text.finish() + &usage_line(&row.usage) };
    let pager = if args.follow { None } else { Pager::start() };
    context.print_text(last_lines(&said, args.tail).as_bytes()).map_err(|error| Problem::output(&error))?;
    drop(pager);
    if !args.follow {
        return Ok(ExitCode::SUCCESS);
    }
    let code = context.follow(agency, &row.id, &mut cursor, |piece| {
        take(piece, &mut text);
        context.print_text(text.ready().as_bytes())
    })?;
    let usage = context.select(agency, row.id.as_str()).map_or(row.usage, |row| row.usage);
    let rest = text.finish() + &usage_line(&usage);
    context.print_text(rest.as_bytes()).map_err(|error| Problem::output(&error))?;
    Ok(code)
}

/// The last lines of a text, or all of it.
fn last_lines(text: &str, count: Option<usize>) -> &str {
    let Some(count) = count else { return text };
    let before = text.lines().count().saturating_sub(count);
    let start: usize = text.split_inclusive('\n').take(before).map(str::len).sum();
    text.get(start..).unwrap_or_default()
}
