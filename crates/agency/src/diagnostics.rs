//! Diagnostics: what the program does internally, for finding out what went wrong. Nothing is recorded unless asked for,
//! but for the log of each supervisor.
//!
//! The one rule: only agency's own events are recorded. They have ids, names, times and codes, and no contents; events of
//! libraries may have anything.

mod filter;
mod log_file;

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Mutex;

use agency_engine::home::Home;
use agency_model::RunId;
use agency_system::process::LOG_VARIABLE;
use tracing::Subscriber;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry;

use crate::output::Surface;
use crate::problem::Problem;
use log_file::LogFile;

/// Where diagnostics of a command go.
#[derive(Debug)]
pub(crate) enum Destination {
    /// Standard error.
    StandardError,
    /// A file, for a command whose terminal or standard error belongs to something else.
    File(PathBuf),
}

/// Records the diagnostics of a command, if `-v` or `$AGENCY_LOG` asks for them.
pub(crate) fn install(verbosity: u8, destination: impl FnOnce() -> Option<Destination>) -> Result<(), Problem> {
    let directives = directives();
    let level = match verbosity {
        0 => LevelFilter::OFF,
        1 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    if level == LevelFilter::OFF && directives.is_empty() {
        return Ok(());
    }
    let targets = filter::targets(level, &directives)?;
    match destination() {
        Some(Destination::StandardError) => record(targets, || Diagnosed),
        Some(Destination::File(path)) => record(targets, Mutex::new(LogFile::new(path))),
        None => {}
    }
    Ok(())
}

/// Records what a supervisor does in the log of its run, and where in the source it crashes.
pub(crate) fn install_for_supervisor(home: &Home, id: &RunId) {
    let read = filter::targets(LevelFilter::OFF, &format!("info,{}", directives()));
    let mistake = read.as_ref().err().map(ToString::to_string);
    let targets = read.unwrap_or_else(|_| filter::own(LevelFilter::INFO));
    record(targets, Mutex::new(LogFile::new(home.run(id).supervisor_log())));
    if let Some(mistake) = mistake {
        tracing::warn!(mistake, "AGENCY_LOG is not valid; level info is used");
    }
    std::panic::set_hook(Box::new(|panic| {
        // The message may quote what the agent or a user wrote.
        let place = panic.location().map_or_else(String::new, ToString::to_string);
        tracing::error!(place, "the supervisor crashed");
        // Without a listener there is nothing more to do.
        let _ = writeln!(io::stderr(), "agency: the supervisor crashed at {place}");
    }));
}

fn directives() -> String {
    std::env::var_os(LOG_VARIABLE).unwrap_or_default().to_string_lossy().into_owned()
}

fn record<W>(targets: Targets, writer: W)
where
    W: for<'writer> MakeWriter<'writer> + Send + Sync + 'static,
{
    let lines = fmt::layer().with_ansi(false).log_internal_errors(false).with_writer(writer);
    set(registry().with(targets).with(lines));
}

fn set(subscriber: impl Subscriber + Send + Sync + 'static) {
    // Only a second subscriber is refused, and each process installs one.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

/// Standard error, on which names of files and branches cannot move the cursor.
struct Diagnosed;

impl Write for Diagnosed {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        // A reader that is gone does not stop the command.
        let _ = io::stderr().write_all(&Surface::stderr().shown(line));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
