//! From an agent's line to the event that `agency events -f` prints, beside `tail -f` of a file.

use crate::Bench;
use crate::fixture::{BenchFixture, run_id, settle, succeed};
use crate::row::Row;
use crate::sample::{Sample, millis};
use crate::stamp;
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::time::Duration;

/// Between two lines, so that each is a thing of its own.
const PAUSE: Duration = Duration::from_millis(15);

/// One line after the other, each with the moment at which it was written.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let place = BenchFixture::new(bench, 8);
    let lines = bench.rounds(400, 60);
    let (ours, theirs) = (agency(&place, lines), floor(&place, lines));
    let times = |sample: &Sample| format!("{} (p99 {})", millis(sample.median()), millis(sample.p99()));
    let quick = ours.median() <= Duration::from_millis(3) && ours.p99() <= Duration::from_millis(20);
    vec![Row {
        what: "an agent's line until `agency events -f` prints its event".to_owned(),
        ours: times(&ours),
        floor: "`tail -f`",
        theirs: times(&theirs),
        ratio: Some(ours.ratio(&theirs)),
        limit: "≤ 3 ms, p99 ≤ 20 ms",
        met: Some(quick),
    }]
}

fn agency(place: &BenchFixture, lines: usize) -> Sample {
    let repo = place.repo(100);
    let count = lines.to_string();
    let options = ["--host", "detached", "--workspace", "none", "--mode", "headless", "--", "lines", &count];
    let id = run_id(&succeed(&mut place.run(&repo, "lines", &options)));
    let mut command = place.world().command(&["events", "-f", "--json", &id]);
    let mut following = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let sample = arrivals(&mut following, |line| {
        let event: Value = serde_json::from_str(line).unwrap();
        (event["type"] == "output").then(|| event["text"].as_str().unwrap().parse().unwrap())
    });
    following.wait().unwrap();
    settle();
    sample
}

fn floor(place: &BenchFixture, lines: usize) -> Sample {
    let path = place.world().root().join("floor.txt");
    let mut file = File::create(&path).unwrap();
    let mut command = place.program("tail");
    let mut tail = command.args(["-f", "-n", "+1"]).arg(&path).stdout(Stdio::piped()).spawn().unwrap();
    let writer = std::thread::spawn(move || {
        for _ in 0..lines {
            writeln!(file, "{}", stamp::now().as_nanos()).unwrap();
            std::thread::sleep(PAUSE);
        }
        writeln!(file, "end").unwrap();
    });
    let sample = arrivals(&mut tail, |line| line.parse().ok());
    writer.join().unwrap();
    tail.kill().unwrap();
    tail.wait().unwrap();
    fs::remove_file(path).unwrap();
    sample
}

/// How long each line took, by the moment in it. Earlier lines do not count.
fn arrivals(printer: &mut Child, moment: impl Fn(&str) -> Option<u128>) -> Sample {
    let began = stamp::now().as_nanos();
    let mut sample = Sample::default();
    for line in BufReader::new(printer.stdout.take().unwrap()).lines() {
        let (line, now) = (line.unwrap(), stamp::now().as_nanos());
        if line == "end" {
            break;
        }
        if let Some(written) = moment(&line).filter(|written| *written > began + 200_000_000) {
            sample.add(Duration::from_nanos(u64::try_from(now - written).unwrap()));
        }
    }
    sample
}

/// The agent: so many lines, each with the moment at which it was written.
pub(crate) fn write_lines(count: usize) {
    let mut out = std::io::stdout().lock();
    for _ in 0..count {
        let text = stamp::now().as_nanos();
        let content = format!(r#"{{"role":"assistant","content":[{{"type":"text","text":"{text}"}}]}}"#);
        writeln!(out, r#"{{"type":"assistant","message":{content},"session_id":"s"}}"#).unwrap();
        out.flush().unwrap();
        std::thread::sleep(PAUSE);
    }
}
