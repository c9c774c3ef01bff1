//! `agency ls -w`: the table, kept up to date.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;

use agency_engine::agency::Agency;
use agency_engine::store::RunFilter;
use agency_model::ErrorCode;
use agency_system::process::own_terminal_size;
use jiff::Timestamp;

use super::super::tui::can_move_cursor;
use super::{Args, columns, header, listed, note_below};
use crate::context::Context;
use crate::output::Surface;
use crate::problem::Problem;
use crate::view::run_table;

/// How often the table is read again.
const INTERVAL: Duration = Duration::from_secs(1);
/// To the top left; then from the end of the text on, everything else is cleared.
const TO_TOP: &[u8] = b"\x1b[H";
const CLEAR_LINE: &[u8] = b"\x1b[K\r\n";
const CLEAR_BELOW: &[u8] = b"\x1b[J";
const CLEAR_ALL: &[u8] = b"\x1b[2J";

/// Shows the table until Ctrl-C ends the program, or the terminal is gone.
pub(super) fn watch(
    agency: &mut Agency,
    args: &Args,
    filter: &RunFilter,
    context: &Context,
) -> Result<ExitCode, Problem> {
    if !std::io::stdout().is_terminal() || !can_move_cursor() {
        return Err(Problem::new(ErrorCode::Usage, "--watch needs a terminal that can move its cursor")
            .hint("agency ls prints the table once"));
    }
    let mut shown = vec![];
    let broken = |error: std::io::Error| Problem::output(&error);
    context.print_raw(CLEAR_ALL).map_err(broken)?;
    loop {
        let screen = screen(agency, args, filter)?;
        if screen != shown {
            context.print_raw(&screen).map_err(broken)?;
            shown = screen;
        }
        std::thread::sleep(INTERVAL);
    }
}

/// The table as bytes for the terminal, no higher than that.
fn screen(agency: &mut Agency, args: &Args, filter: &RunFilter) -> Result<Vec<u8>, Problem> {
    let size = own_terminal_size(std::io::stdout());
    let rows = size.map_or(24, |size| usize::from(size.rows.get()));
    let head = header(agency.overview()?).unwrap_or_else(|| "Nothing is running.".to_owned());
    let runs = listed(agency, args, filter)?;
    let table = run_table(&runs, &columns(args), Timestamp::now(), size.map(|size| size.columns.get()));
    let mut lines: Vec<String> = std::iter::once(head).chain(table.lines().map(str::to_owned)).collect();
    let room = rows.saturating_sub(2).max(1);
    if lines.len() > room {
        let hidden = lines.len() - room;
        lines.truncate(room);
        lines.push(format!("{hidden} more: the terminal is too small"));
    } else {
        lines.extend(note_below(agency, args, filter, runs.len())?);
    }
    let mut bytes = TO_TOP.to_vec();
    for line in lines {
        bytes.extend(Surface::stdout().shown(line.as_bytes()));
        bytes.extend(CLEAR_LINE);
    }
    bytes.extend(CLEAR_BELOW);
    Ok(bytes)
}
