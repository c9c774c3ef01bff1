//! Every row of the table, by the name that selects it.

mod clean;
mod crowd;
mod end;
mod logs;
mod ls;
mod memory;
mod run;
mod start;

use crate::Bench;
use crate::row::Row;

/// Measures some rows.
type Measure = fn(&Bench) -> Vec<Row>;

/// All rows, in the order of the table.
pub(crate) const ALL: [(&str, Measure); 9] = [
    ("run-5000", run::large),
    ("run-100", run::small),
    ("ls", ls::measure),
    ("start", start::measure),
    ("end", end::measure),
    ("logs", logs::measure),
    ("clean", clean::measure),
    ("memory", memory::measure),
    ("crowd", crowd::measure),
];
