//! What a failed test prints about its world. It runs while a panic unwinds, so nothing here may panic.

use crate::process::Process;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How many of the last lines of an event log are printed.
const LINES: usize = 200;

/// How long the program may take to list its runs.
const WAIT_LIMIT: Duration = Duration::from_secs(10);

/// Prints the runs, as `list` lists them, and the event logs below a home.
pub(crate) fn print(mut list: Command, home: &Path) {
    eprintln!("--- agency ls --json --all");
    if Path::new(list.get_program()).is_file() {
        match Process::start(&mut list).wait_within(WAIT_LIMIT) {
            Ok(output) => eprintln!("{output}"),
            Err(known) => eprintln!("{known}"),
        }
    }
    for path in event_logs(home) {
        eprintln!("--- {}", path.display());
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).into_owned();
        let lines: Vec<_> = text.lines().collect();
        for line in &lines[lines.len().saturating_sub(LINES)..] {
            eprintln!("{line}");
        }
    }
}

fn event_logs(directory: &Path) -> Vec<PathBuf> {
    let mut logs = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            logs.extend(event_logs(&path));
        } else if path.ends_with("events.ndjson") {
            logs.push(path);
        }
    }
    logs.sort();
    logs
}
