//! What can happen to a driver. Everything that waits does so on a thread of its own and sends one of these.

use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::Sender;

use agency_model::workflow::{BlockedCheckout, StepPath, StepResult};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::driver_protocol::{DriverInput, DriverProtocol};
use super::merge::MergePreview;
use crate::home::HomeError;

/// A longer line does not come from a supervisor.
const MAX_LINE_BYTES: u64 = 16 * 1024 * 1024;

/// Something that happened.
#[derive(Debug)]
pub(super) enum DriverEvent {
    /// A message of the supervisor.
    DriverInput(DriverInput),
    /// The supervisor is gone, and what it would record is not recorded.
    Deserted,
    /// An end was requested.
    Terminated,
    /// An agent or a command ended, or a merge was made or was not.
    Ended { path: StepPath, attempt: u32, result: Box<StepResult> },
    /// A merge found changes of the user in its way.
    MergeBlocked { path: StepPath, attempt: u32, checkouts: Vec<BlockedCheckout> },
    /// An agent never began, for an unknown reason.
    Lost { path: StepPath, attempt: u32 },
    /// What a merge would bring was looked at.
    MergePreview { path: StepPath, attempt: u32, looked: Result<Box<MergePreview>, Box<StepResult>> },
}

/// Listens to the supervisor until it is gone.
pub(super) fn listen(input: impl Read + Send + 'static, protocol: DriverProtocol, arrivals: Sender<DriverEvent>) {
    std::thread::spawn(move || {
        let mut input = BufReader::new(input);
        let mut line = vec![];
        loop {
            line.clear();
            match input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
            if let Some(heard) = protocol.parse(&String::from_utf8_lossy(&line))
                && arrivals.send(DriverEvent::DriverInput(heard)).is_err()
            {
                return;
            }
        }
        // If this fails, the receiver is gone and the driver is shutting down.
        let _ = arrivals.send(DriverEvent::Deserted);
    });
}

/// Listens for signals from now on.
pub(super) fn catch_signals(arrivals: Sender<DriverEvent>) -> Result<(), HomeError> {
    let mut signals =
        Signals::new([SIGTERM, SIGINT]).map_err(|source| HomeError::new("catch signals in", "/proc/self", source))?;
    std::thread::spawn(move || {
        for _ in signals.forever() {
            if arrivals.send(DriverEvent::Terminated).is_err() {
                return;
            }
        }
    });
    Ok(())
}
