//! `agency status`, which a status bar calls every few seconds, beside a process that does nothing.

use crate::Bench;
use crate::fixture::timed;
use crate::row::Row;
use crate::sample::Sample;

const RUNS: usize = 100_000;

/// The line for tmux, with as many ended runs as `ls` has at most.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let place = super::ls::filled(bench, RUNS);
    let (mut ours, mut theirs) = (Sample::default(), Sample::default());
    for round in 0..=bench.rounds(300, 60) {
        let times = [
            timed(&mut place.world().command(&["status", "--format", "tmux"])).0,
            timed(&mut place.program("/bin/true")).0,
        ];
        if round > 0 {
            ours.add(times[0]);
            theirs.add(times[1]);
        }
    }
    let ratio = ours.ratio(&theirs);
    vec![Row {
        what: "`agency status --format tmux`, 100,000 runs".to_owned(),
        ours: ours.to_string(),
        floor: "`/bin/true`",
        theirs: theirs.to_string(),
        ratio: Some(ratio),
        limit: "≤ 4×",
        met: Some(ratio <= 4.0),
    }]
}
