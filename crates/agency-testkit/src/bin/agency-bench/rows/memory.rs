//! What an idle supervisor keeps for itself.

use crate::Bench;
use crate::fixture::{BenchFixture, Reporting, run_id, settle, succeed};
use crate::row::Row;
use agency_testkit::Repo;
use std::fs;

/// What it may keep.
const MOST: u64 = 3_000_000;

/// On a terminal and on pipes; alone, and with nine others that share its program's pages.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let rows = ["interactive", "headless"].map(|mode| {
        let place = BenchFixture::new(bench, 20);
        let repo = place.repo(5);
        let (id, mut first) = start(&place, &repo, mode);
        let alone = private_memory(supervisor_of(&id));
        let mut others: Vec<(String, Reporting)> = (0..9).map(|_| start(&place, &repo, mode)).collect();
        let accompanied = private_memory(supervisor_of(&id));
        first.release();
        place.wait_for_end(&id);
        for (id, report) in &mut others {
            report.release();
            place.wait_for_end(id);
        }
        Row {
            what: format!("private memory of an idle supervisor, {mode}"),
            ours: format!("{} alone, {} with nine others", megabytes(alone), megabytes(accompanied)),
            floor: "",
            theirs: String::new(),
            ratio: None,
            limit: "≤ 3 MB",
            met: Some(alone <= MOST),
        }
    });
    rows.into()
}

fn start(place: &BenchFixture, repo: &Repo, mode: &str) -> (String, Reporting) {
    let options = ["--host", "detached", "--workspace", "none", "--mode", mode];
    let id = run_id(&succeed(&mut place.run(repo, "report", &options)));
    let report = place.next_report();
    settle();
    (id, report)
}

/// The process that supervises a run.
fn supervisor_of(id: &str) -> u32 {
    let found = supervisors().into_iter().find(|(_, run)| run == id);
    found.unwrap_or_else(|| panic!("nobody supervises {id}")).0
}

/// All supervisors, by the command line, with their runs.
pub(super) fn supervisors() -> Vec<(u32, String)> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| {
        let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?;
        let words: Vec<&str> = line.split('\0').collect();
        match words.as_slice() {
            [_, "__agency", "supervise", run, ..] => Some((pid, (*run).to_owned())),
            _ => None,
        }
    })
    .collect()
}

/// The bytes that only this process has; 0 if it is gone.
pub(crate) fn private_memory(pid: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let kilobytes = text.lines().filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        let counts = matches!(name, "Private_Clean" | "Private_Dirty");
        value.trim().strip_suffix(" kB").filter(|_| counts)?.parse::<u64>().ok()
    });
    kilobytes.sum::<u64>() * 1024
}

/// Bytes as text.
pub(super) fn megabytes(bytes: u64) -> String {
    format!("{:.2} MB", bytes as f64 / 1e6)
}
