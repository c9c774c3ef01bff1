//! An agent's stream through a whole run: pipe, logs, parser, events.

use super::parse::{deserialize, stream};
use crate::Bench;
use crate::fixture::{BenchFixture, object, settle, succeed};
use crate::row::Row;
use crate::sample::Sample;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

const MOST: usize = 500 << 20;
const MOST_QUICK: usize = 100 << 20;

/// A headless run whose agent is `cat`.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let place = BenchFixture::new(bench, 8);
    let repo = place.repo(100);
    let bytes = stream(if bench.quick { MOST_QUICK } else { MOST });
    let file = place.world().root().join("stream.ndjson");
    fs::write(&file, &bytes).unwrap();
    let [mut ours, mut parsed, mut copied, mut written] = <[Sample; 4]>::default();
    for round in 0..=bench.rounds(5, 2) {
        let [once, thrice] = ["", "\"$1-2\" \"$1-3\""].map(|more| floor(&place, &file, more));
        let times = (agency(&place, &repo, &file), deserialize(&bytes), once, thrice);
        if round > 0 {
            ours.add(times.0);
            parsed.add(times.1);
            copied.add(times.2);
            written.add(times.3);
        }
    }
    let speed = |time: Duration| bytes.len() as f64 / 1e6 / time.as_secs_f64();
    let speeds = |times: &Sample| format!("{:.0} MB/s ({:.0})", speed(times.median()), speed(times.p90()));
    let row = |theirs: &Sample, floor, limit, met| Row {
        what: format!("the same through a headless run, {} MB", bytes.len() / 1_000_000),
        ours: speeds(&ours),
        floor,
        theirs: speeds(theirs),
        ratio: Some(theirs.ratio(&ours)),
        limit,
        met,
    };
    vec![
        row(&parsed, "`serde_json` into a tagged enum, alone", "≥ 1.0×", Some(parsed.ratio(&ours) >= 1.0)),
        row(&copied, "`cat file \\| tee log > /dev/null`", "", None),
        row(&written, "`cat file \\| tee log log events > /dev/null`, which writes as much", "", None),
    ]
}

fn agency(place: &BenchFixture, repo: &agency_testkit::Repo, file: &Path) -> Duration {
    let file = file.to_str().unwrap();
    let options =
        ["--host", "detached", "--workspace", "none", "--mode", "headless", "--wait", "--", "-c", "cat \"$0\"", file];
    let start = Instant::now();
    let answer = object(&succeed(&mut place.run(repo, "stream", &options)));
    let time = start.elapsed();
    assert_eq!(answer["data"]["state"], "completed", "{answer:#}");
    let events = place.run_directory(answer["data"]["id"].as_str().unwrap()).join("events.ndjson");
    assert!(events.metadata().unwrap().len() > 1 << 20, "the stream was not understood");
    settle();
    time
}

/// Copies the file into a log, and into further ones.
fn floor(place: &BenchFixture, file: &Path, more: &str) -> Duration {
    let log = place.world().root().join("floor.log");
    let start = Instant::now();
    let script = format!("cat \"$0\" | tee \"$1\" {more} > /dev/null");
    succeed(place.program("sh").args(["-c", &script]).arg(file).arg(&log));
    let time = start.elapsed();
    for number in ["", "-2", "-3"] {
        // Not all are always there.
        let _ = fs::remove_file(place.world().root().join(format!("floor.log{number}")));
    }
    settle();
    time
}
