//! Two programs in turns: what a change costs or gains, row by row.

use crate::Bench;
use crate::row::Row;
use crate::rows::Measure;
use std::fmt;
use std::path::Path;

/// The head of the table.
pub(crate) const HEADER: &str = "\
| what | before | now | change |
| --- | --- | --- | --- |";

/// How often each program is measured.
const PASSES: usize = 3;
const PASSES_QUICK: usize = 1;

/// One row of both programs.
#[derive(Debug)]
pub(crate) struct Change {
    what: String,
    before: String,
    now: String,
}

/// Measures some rows with both programs, in turns: this one, the other, the other, this one, …
pub(crate) fn interleaved(bench: &mut Bench, other: &Path, measure: Measure) -> Vec<Change> {
    let programs = [other.to_owned(), bench.agency.clone()];
    let mut passes: [Vec<Vec<Row>>; 2] = [vec![], vec![]];
    for pass in 0..bench.rounds(PASSES, PASSES_QUICK) {
        for side in [1 - pass % 2, pass % 2] {
            bench.agency.clone_from(&programs[side]);
            passes[side].push(measure(bench));
        }
    }
    let [_, own] = programs;
    bench.agency = own;
    let [before, now] = passes.map(|passes| middle(&passes));
    before
        .into_iter()
        .zip(now)
        .map(|(before, now)| Change { what: now.what, before: before.ours, now: now.ours })
        .collect()
}

/// Of each row the pass whose figure is the median.
fn middle(passes: &[Vec<Row>]) -> Vec<Row> {
    let count = passes.iter().map(Vec::len).min().unwrap_or(0);
    (0..count)
        .map(|index| {
            let mut rows: Vec<&Row> = passes.iter().map(|rows| &rows[index]).collect();
            rows.sort_by(|one, other| value(&one.ours).total_cmp(&value(&other.ours)));
            rows[(rows.len() - 1) / 2].clone()
        })
        .collect()
}

/// The first number of a cell, which is what the row is about.
fn value(cell: &str) -> f64 {
    let end = cell.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(cell.len());
    cell[..end].parse().unwrap_or(0.0)
}

impl fmt::Display for Change {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, now) = (value(&self.before), value(&self.now));
        let change = match before {
            0.0 => "–".to_owned(),
            _ => format!("{:+.1} %", (now / before - 1.0) * 100.0),
        };
        write!(formatter, "| {} | {} | {} | {change} |", self.what, self.before, self.now)
    }
}

#[cfg(test)]
mod tests {
    use super::{Change, value};

    #[test]
    fn a_change_is_that_of_the_first_number() {
        let change = |before: &str, now: &str| {
            Change { what: "w".to_owned(), before: before.to_owned(), now: now.to_owned() }.to_string()
        };
        assert_eq!(
            change("4.00 ms (9.00 ms)", "3.00 ms (8.00 ms)"),
            "| w | 4.00 ms (9.00 ms) | 3.00 ms (8.00 ms) | -25.0 % |"
        );
        assert_eq!(change("0 failed", "0 failed"), "| w | 0 failed | 0 failed | – |");
        assert_eq!(value("1.88 MB alone, 0.67 MB with nine others"), 1.88);
    }
}
