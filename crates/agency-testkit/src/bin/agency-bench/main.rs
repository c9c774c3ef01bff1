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
mod compare;
mod fixture;
mod options;
mod row;
mod rows;
mod sample;
mod screen;
mod stamp;

use options::Options;
use rustix::fs::{IFlags, ioctl_getflags, ioctl_setflags};
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::ExitCode;
use tempfile::TempDir;

/// How much is measured, and with what.
pub(crate) struct Bench {
    /// The program under test.
    pub(crate) agency: PathBuf,
    /// Whether few rounds are enough.
    pub(crate) quick: bool,
    /// Whether memory is watched for an hour.
    pub(crate) long: bool,
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
        Some("measure") => match Options::read(arguments) {
            Ok(options) => measure(options),
            Err(wrong) => {
                eprintln!("'{wrong}' is not known; rows: {}", names());
                ExitCode::from(2)
            }
        },
        Some("rows") => {
            println!("{}", names());
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!(
                "usage: agency-bench measure AGENCY [--quick] [--long] [--check] [--peers] [--against AGENCY] \
                 [--keep DIRECTORY] [ROW...]\n       agency-bench rows\nrows: {}",
                names()
            );
            ExitCode::from(2)
        }
    }
}

/// Measures what the options name and prints the table. With `--check`, a miss is an error.
fn measure(options: Options) -> ExitCode {
    let Options { agency, quick, long, check, peers, against, keep, rows: wanted } = options;
    let mut bench = Bench { agency, quick, long, ground: fresh_ground() };
    println!("{}", if against.is_some() { compare::HEADER } else { row::HEADER });
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|wish| wish == name);
    let measures = rows::ALL.iter().filter(|(name, _)| is_wanted(name)).chain(rows::PEERS.iter().filter(|_| peers));
    let mut missed = false;
    for (name, measure) in measures {
        eprintln!("measuring {name} …");
        let lines: Vec<String> = if let Some(other) = &against {
            compare::interleaved(&mut bench, other, *measure).iter().map(ToString::to_string).collect()
        } else {
            let rows = measure(&bench);
            missed |= rows.iter().any(|row| row.met == Some(false));
            rows.iter().map(ToString::to_string).collect()
        };
        for line in &lines {
            println!("{line}");
        }
        if let Some(directory) = &keep {
            fs::write(directory.join(name), lines.join("\n") + "\n").unwrap();
        }
    }
    if check && missed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
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
