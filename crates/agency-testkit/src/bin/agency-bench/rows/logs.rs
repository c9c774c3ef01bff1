//! A gigabyte through a headless run into its logs, beside `tee`.

use crate::Bench;
use crate::agent::{BLOCK, first_block, number_block};
use crate::fixture::{BenchFixture, run_id, succeed, timed};
use crate::row::Row;
use crate::sample::Sample;
use agency_testkit::Repo;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

const GIBIBYTE: usize = 1 << 30;

/// What is in every pane that was too slow.
const SKIPPED: &str = "bytes skipped here";

/// Detached and in tmux.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let place = BenchFixture::new(bench, 8);
    let repo = place.repo(5);
    let expected = expected();
    let mut samples = [Sample::default(), Sample::default(), Sample::default()];
    let mut says_so = true;
    for round in 0..=bench.rounds(7, 2) {
        for step in 0..3 {
            let side = (round + step) % 3;
            // What the last one wrote is not to be written to the disk now.
            rustix::fs::sync();
            let time = match side {
                0 => floor(&place),
                1 => agency(&place, &repo, "detached", &expected).0,
                _ => {
                    let (time, session) = agency(&place, &repo, "tmux", &expected);
                    let mut capture = place.tmux();
                    capture.args(["capture-pane", "-p", "-S", "-", "-t", &format!("={}:", session.unwrap())]);
                    says_so &= String::from_utf8_lossy(&succeed(&mut capture).stdout).contains(SKIPPED);
                    time
                }
            };
            if round > 0 {
                samples[side].add(time);
            }
        }
    }
    let [floor, detached, tmux] = samples;
    let row = |what: &str, ours: &Sample, shown: bool| {
        // Speeds, so the other way round.
        let ratio = floor.ratio(ours);
        Row {
            what: format!("1 GiB through a headless run into its logs, {what}"),
            ours: speeds(ours),
            floor: "`producer \\| tee file > file2`",
            theirs: speeds(&floor),
            ratio: Some(ratio),
            limit: "≥ 1.0×, no byte lost",
            met: Some(ratio >= 1.0 && shown),
        }
    };
    let skips = if says_so { "the pane skips and says so" } else { "THE PANE DOES NOT SAY THAT IT SKIPS" };
    vec![row("detached", &detached, true), row(&format!("in tmux ({skips})"), &tmux, says_so)]
}

fn agency(place: &BenchFixture, repo: &Repo, host: &str, expected: &[u8]) -> (Duration, Option<String>) {
    let blocks = (GIBIBYTE / BLOCK).to_string();
    let options = ["--host", host, "--workspace", "none", "--mode", "headless", "--wait", "--", &blocks];
    let (time, output) = timed(&mut place.run(repo, "produce", &options));
    let id = run_id(&output);
    let logs = place.run_directory(&id).join("logs");
    for name in ["runner.stdout.log", "runner.log"] {
        let log = logs.join(name);
        assert_eq!(digest(&log), expected, "{name} is not what the agent wrote");
        empty(&log);
    }
    let session = (host == "tmux").then(|| format!("agency_{id}"));
    (time, session)
}

fn floor(place: &BenchFixture) -> Duration {
    let (one, two) = (place.world().root().join("tmp/one"), place.world().root().join("tmp/two"));
    let mut command = place.program("sh");
    command.args(["-c", r#""$0" agent produce "$1" | tee "$2" > "$3""#]);
    command.arg(std::env::current_exe().unwrap());
    command.arg((GIBIBYTE / BLOCK).to_string()).arg(&one).arg(&two);
    let (time, _) = timed(&mut command);
    for file in [one, two] {
        assert_eq!(file.metadata().unwrap().len(), GIBIBYTE as u64);
        empty(&file);
    }
    time
}

fn speeds(times: &Sample) -> String {
    let speed = |time: Duration| GIBIBYTE as f64 / 1e6 / time.as_secs_f64();
    format!("{:.0} MB/s ({:.0})", speed(times.median()), speed(times.p90()))
}

fn expected() -> Vec<u8> {
    let mut hasher = Sha256::new();
    let mut block = first_block();
    for number in 0..GIBIBYTE / BLOCK {
        number_block(&mut block, number as u64);
        hasher.update(&block);
    }
    hasher.finalize().to_vec()
}

fn digest(path: &Path) -> Vec<u8> {
    let mut file = File::open(path).unwrap();
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    while let length @ 1.. = file.read(&mut buffer).unwrap() {
        hasher.update(&buffer[..length]);
    }
    hasher.finalize().to_vec()
}

fn empty(path: &Path) {
    File::options().write(true).open(path).unwrap().set_len(0).unwrap();
}
