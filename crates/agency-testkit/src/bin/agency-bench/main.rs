//! The benchmark: agency beside the least that could do the same, in one run, round after round.
//!
//! The one rule: what is compared is measured interleaved on the same machine, the same repository and the same
//! filesystem, and everything that is not part of the claim happens outside of the measured time.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a measurement that cannot be taken ends with a panic, and the table is what this program prints"
)]

mod agent;
mod fixture;
mod row;
mod rows;
mod sample;
mod stamp;

use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};
use std::fs::File;
use std::path::PathBuf;
use std::process::ExitCode;
use tempfile::TempDir;

/// How much is measured, and with what.
pub(crate) struct Bench {
    /// The program under test.
    pub(crate) agency: PathBuf,
    /// Whether few rounds are enough.
    pub(crate) quick: bool,
    /// Where all worlds are. Nothing in it is deleted before the end.
    pub(crate) ground: TempDir,
}

impl Bench {
    /// The number of rounds: all, or those of a quick look.
    pub(crate) const fn rounds(&self, all: usize, quick: usize) -> usize {
        if self.quick { quick } else { all }
    }
}

fn main() -> ExitCode {
    // First of all, because when an agent started is what it reports.
    let started = stamp::now();
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("agent") => agent::act(started, &arguments.collect::<Vec<_>>()),
        Some("measure") => measure(arguments),
        _ => {
            eprintln!("usage: agency-bench measure AGENCY [--quick] [ROW...]\nrows: {}", names());
            ExitCode::from(2)
        }
    }
}

fn measure(mut arguments: impl Iterator<Item = String>) -> ExitCode {
    let agency = PathBuf::from(arguments.next().unwrap());
    let (flags, wanted): (Vec<String>, Vec<String>) = arguments.partition(|argument| argument.starts_with('-'));
    let unknown = wanted.iter().find(|name| rows::ALL.iter().all(|(known, _)| known != name));
    if let Some(wrong) = flags.iter().find(|flag| *flag != "--quick").or(unknown) {
        eprintln!("'{wrong}' is not known; rows: {}", names());
        return ExitCode::from(2);
    }
    let bench = Bench { agency, quick: !flags.is_empty(), ground: fresh_ground() };
    println!("{}", row::HEADER);
    for (name, measure) in rows::ALL {
        if wanted.is_empty() || wanted.iter().any(|wish| wish == name) {
            eprintln!("measuring {name} …");
            for row in measure(&bench) {
                println!("{row}");
            }
        }
    }
    ExitCode::SUCCESS
}

/// A directory whose subdirectories lie apart from each other and from whatever else was made in `/tmp`.
///
/// On ext4 a new file near many that were just deleted takes fifty times as long as elsewhere, and everybody deletes
/// files in `/tmp`.
fn fresh_ground() -> TempDir {
    let ground = tempfile::Builder::new().prefix("agency-bench-").tempdir_in("/tmp").unwrap();
    let directory = File::open(ground.path()).unwrap();
    // Other filesystems know no such flag, and do not need it.
    let _ = ioctl_getflags(&directory).and_then(|flags| ioctl_setflags(&directory, flags | IFlags::TOPDIR));
    ground
}

fn names() -> String {
    rows::ALL.map(|(name, _)| name).join(" ")
}
