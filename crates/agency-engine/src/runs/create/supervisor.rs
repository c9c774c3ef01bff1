//! Waiting for a supervisor that was just started: for its coming, and for its report.

use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::Child;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::CreateError;
use super::execute::{Creation, INTERRUPT_POLL_INTERVAL};
use crate::home::read_text;
use crate::host::Tmux;
use crate::wire::{Report, receive_report};

/// How long a supervisor may take to come for its orders, and then to report.
const SUPERVISOR_LIMIT: Duration = Duration::from_secs(30);
/// How often we ask tmux, which costs more.
const ASK_TMUX: Duration = Duration::from_secs(1);

impl Creation<'_> {
    pub(super) fn wait_for_supervisor(
        &self,
        listener: &UnixListener,
        mut child: Option<&mut Child>,
    ) -> Result<UnixStream, CreateError> {
        let broken = |error: io::Error| CreateError::Host(error.to_string());
        let deadline = Instant::now() + SUPERVISOR_LIMIT;
        let mut ask_tmux = Instant::now() + ASK_TMUX;
        while Instant::now() < deadline {
            self.check_interrupt()?;
            if ready(listener, INTERRUPT_POLL_INTERVAL).map_err(broken)? {
                return Ok(listener.accept().map_err(broken)?.0);
            }
            if self.session_started && Instant::now() >= ask_tmux {
                self.check_session()?;
                ask_tmux = Instant::now() + ASK_TMUX;
            }
            if let Some(status) = child.as_mut().and_then(|child| child.try_wait().ok().flatten()) {
                let log = read_text(&self.directory.supervisor_log()).unwrap_or_default();
                return Err(CreateError::Host(format!("it ended at once ({status}): {}", printed_in(&log))));
            }
        }
        Err(CreateError::Host(format!("it did not report within {} s", SUPERVISOR_LIMIT.as_secs())))
    }

    /// tmux does not tell us when a supervisor dies; its pane does.
    fn check_session(&self) -> Result<(), CreateError> {
        let tmux = Tmux::new(self.plan.tmux_socket(&self.agency.config));
        let session = self.plan.id.tmux_session();
        if tmux.is_over(&session)? {
            let said = tmux.screen(&session);
            return Err(CreateError::Host(format!("it ended at once: {said}")));
        }
        Ok(())
    }

    pub(super) fn wait_for_report(&self, supervisor: &mut UnixStream) -> Result<Report, CreateError> {
        let broken = |error: io::Error| CreateError::Host(format!("it died before it reported: {error}"));
        let deadline = Instant::now() + SUPERVISOR_LIMIT;
        while Instant::now() < deadline {
            // From here on the run is the supervisor's: an interrupt no longer takes it back.
            if ready(&*supervisor, INTERRUPT_POLL_INTERVAL).map_err(broken)? {
                return receive_report(supervisor).map_err(broken);
            }
        }
        Err(CreateError::Host(format!("it did not report within {} s", SUPERVISOR_LIMIT.as_secs())))
    }
}

/// What the supervisor, or the wrapper, printed to standard error, without the diagnostics around it, which begin with a time.
fn printed_in(log: &str) -> String {
    let is_diagnostic = |line: &&str| line.split(' ').next().is_some_and(|word| word.parse::<Timestamp>().is_ok());
    let printed: Vec<&str> = log.lines().filter(|line| !is_diagnostic(line)).collect();
    printed.join("\n").trim().to_owned()
}

fn ready(descriptor: impl std::os::fd::AsFd, limit: Duration) -> io::Result<bool> {
    let limit = Timespec::try_from(limit).map_err(io::Error::other)?;
    let mut waited = [PollFd::new(&descriptor, PollFlags::IN)];
    match poll(&mut waited, Some(&limit)) {
        Ok(count) => Ok(count > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
