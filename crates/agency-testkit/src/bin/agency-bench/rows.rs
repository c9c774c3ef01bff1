//! Every row of the table, by the name that selects it.

mod asks;
mod checkpoint;
mod clean;
mod crowd;
mod end;
mod forecast;
mod land;
mod latency;
mod live;
mod logs;
mod look;
mod ls;
mod memory;
mod parse;
mod peers;
mod questions;
mod recovery;
mod run;
mod scale;
mod start;
mod status;
mod stream;
mod tui;
mod workflow;

use crate::Bench;
use crate::row::Row;

pub(crate) use latency::write_lines;
pub(crate) use memory::private_memory;

/// Measures some rows.
pub(crate) type Measure = fn(&Bench) -> Vec<Row>;

/// All rows, in the order of the table.
pub(crate) const ALL: [(&str, Measure); 25] = [
    ("run-5000", run::large),
    ("run-100", run::small),
    ("ls", ls::measure),
    ("status", status::measure),
    ("recovery", recovery::measure),
    ("start", start::measure),
    ("end", end::measure),
    ("questions", questions::measure),
    ("look", look::measure),
    ("forecast", forecast::measure),
    ("land", land::measure),
    ("checkpoint", checkpoint::measure),
    ("logs", logs::measure),
    ("clean", clean::measure),
    ("parse", parse::measure),
    ("stream", stream::measure),
    ("latency", latency::measure),
    ("memory", memory::measure),
    ("crowd", crowd::measure),
    ("workflow", workflow::measure),
    ("kills", workflow::kills),
    ("asks", asks::measure),
    ("tui", tui::measure),
    ("scale", scale::measure),
    ("live", live::measure),
];

/// Other programs beside agency, measured only when they are asked for.
pub(crate) const PEERS: [(&str, Measure); 1] = [("peers", peers::measure)];
