//! Starts the supervisor of a new run, then waits for it to connect and for its report.

use std::error::Error;
use std::ffi::OsStr;
use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::Child;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use agency_model::{Host, RunId, WorkspaceKind};
use agency_system::process::{LOG_VARIABLE, close_on_exec};
use jiff::Timestamp;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::CreateError;
use super::execute::{Creation, INTERRUPT_POLL_INTERVAL};
use crate::home::{Home, open_for_append, read_text};
use crate::host::{StartingSession, SupervisorCommand, Tmux, start_detached};
use crate::wire::{Report, receive_report};

/// How long a supervisor may take to come for its orders, and then to report.
const SUPERVISOR_LIMIT: Duration = Duration::from_secs(30);
/// How often tmux is asked, which costs more.
const TMUX_POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How many lines of a log an error repeats.
const LOG_LINES_SHOWN: usize = 5;

/// A thread that supervises, with the reason if it could not.
pub(crate) type SupervisorThread = JoinHandle<Result<(), Box<dyn Error + Send + Sync>>>;

/// What supervises a run that is created.
#[derive(Clone, Copy)]
pub(crate) enum SupervisorStart<'a> {
    /// A process of the program that the [`Agency`](crate::agency::Agency) was opened with.
    Program,
    /// A thread of this program.
    Thread(&'a dyn Fn(&Home, &RunId) -> io::Result<SupervisorThread>),
}

/// When the supervisor of a run is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartMoment {
    /// While the files of the run are written.
    WithoutFiles,
    /// While the workspace is made.
    WithFiles,
    /// When all is there.
    WithWorkspace,
}

/// A supervisor that was started, by which its early end is noticed.
pub(super) enum StartedSupervisor {
    /// In a tmux session, which is asked.
    Tmux,
    Process(Child),
    Thread(SupervisorThread),
}

impl StartedSupervisor {
    /// Fails when it has ended.
    fn check(&mut self, creation: &Creation<'_>) -> Result<(), CreateError> {
        match self {
            Self::Process(child) => {
                let Some(status) = child.try_wait().ok().flatten() else { return Ok(()) };
                Err(CreateError::Host(format!("it ended at once ({status}): {}", creation.explanation())))
            }
            Self::Thread(thread) if thread.is_finished() => {
                let ended = match std::mem::replace(self, Self::Tmux) {
                    Self::Thread(thread) => thread.join().unwrap_or_else(|_| Err("it panicked".into())),
                    Self::Tmux | Self::Process(_) => Ok(()),
                };
                let reason = ended.err().map(|error| error.to_string()).unwrap_or_default();
                Err(CreateError::Host(format!("it ended at once: {reason}")))
            }
            Self::Tmux | Self::Thread(_) => Ok(()),
        }
    }
}

impl Creation<'_> {
    /// How early the supervisor starts. A process needs nothing but its socket until it gets its orders; if this command fails
    /// or dies before, the socket is closed, and the supervisor exits.
    fn start_moment(&self) -> StartMoment {
        match (self.supervisor, self.plan.spec.host, self.plan.spec.workspace) {
            // A thread starts at once, and a wrapper may need the workspace.
            (SupervisorStart::Thread(_), _, _) => StartMoment::WithWorkspace,
            (SupervisorStart::Program, Host::Detached, WorkspaceKind::None) => StartMoment::WithoutFiles,
            _ if self.agency.config.wrapper.is_some() => StartMoment::WithWorkspace,
            (SupervisorStart::Program, _, _) => StartMoment::WithFiles,
        }
    }

    /// Starts it if this is its moment.
    pub(super) fn start_supervisor_at(
        &mut self,
        moment: StartMoment,
    ) -> Result<Option<StartedSupervisor>, CreateError> {
        (self.start_moment() == moment).then(|| self.start_supervisor()).transpose()
    }

    /// Waits until tmux has started the session.
    pub(super) fn finish_session(&mut self) -> Result<(), CreateError> {
        Ok(self.starting_session.take().map_or(Ok(()), StartingSession::finish)?)
    }

    /// Starts it in the host of the run.
    fn start_supervisor(&mut self) -> Result<StartedSupervisor, CreateError> {
        let broken = |error: io::Error| CreateError::Host(error.to_string());
        if let SupervisorStart::Thread(start) = self.supervisor {
            return start(&self.agency.home, &self.plan.id).map(StartedSupervisor::Thread).map_err(broken);
        }
        // A tmux server or a supervisor would keep open what our caller left open, for days.
        close_on_exec();
        let home = self.agency.home.root().display().to_string();
        let executable = self.agency.executable.display().to_string();
        let wrapper = self.agency.config.wrapper.as_ref();
        let directives = self.plan.environment.get(OsStr::new(LOG_VARIABLE)).and_then(|value| value.to_str());
        let supervisor = SupervisorCommand::new(&executable, wrapper, &home, &self.plan.id).recording(directives);
        match self.plan.spec.host {
            Host::Tmux => {
                let tmux = Tmux::new(self.plan.tmux_socket(&self.agency.config));
                let session = self.plan.id.tmux_session();
                let place = (self.workspace.directory(), self.plan.size);
                self.starting_session = Some(tmux.start(&session, self.plan.name.as_str(), place, &supervisor)?);
                self.session_started = true;
                Ok(StartedSupervisor::Tmux)
            }
            Host::Detached => {
                let log = open_for_append(&self.directory.supervisor_log())?;
                start_detached(&supervisor, log).map(StartedSupervisor::Process).map_err(broken)
            }
        }
    }

    pub(super) fn wait_for_supervisor(
        &self,
        listener: &UnixListener,
        mut supervisor: Option<StartedSupervisor>,
    ) -> Result<UnixStream, CreateError> {
        let broken = |error: io::Error| CreateError::Host(error.to_string());
        let deadline = Instant::now() + SUPERVISOR_LIMIT;
        let mut ask_tmux = Instant::now() + TMUX_POLL_INTERVAL;
        while Instant::now() < deadline {
            self.check_interrupt()?;
            if ready(listener, INTERRUPT_POLL_INTERVAL).map_err(broken)? {
                return Ok(listener.accept().map_err(broken)?.0);
            }
            if self.session_started && Instant::now() >= ask_tmux {
                self.check_session()?;
                ask_tmux = Instant::now() + TMUX_POLL_INTERVAL;
            }
            supervisor.as_mut().map_or(Ok(()), |supervisor| supervisor.check(self))?;
        }
        Err(CreateError::Host(format!("it did not report within {} s", SUPERVISOR_LIMIT.as_secs())))
    }

    /// tmux does not report the death of a supervisor, so its pane is checked.
    fn check_session(&self) -> Result<(), CreateError> {
        let tmux = Tmux::new(self.plan.tmux_socket(&self.agency.config));
        let session = self.plan.id.tmux_session();
        if tmux.is_over(&session)? {
            return Err(CreateError::Host(format!("it ended at once: {}", self.explanation())));
        }
        Ok(())
    }

    /// What a supervisor that ended left behind: what it printed, else the last lines of its log, and where that is.
    fn explanation(&self) -> String {
        let path = self.directory.supervisor_log();
        let log = read_text(&path).unwrap_or_default();
        let printed = match self.session_started {
            true => Tmux::new(self.plan.tmux_socket(&self.agency.config)).screen(&self.plan.id.tmux_session()),
            false => printed_in(&log),
        };
        let said =
            Some(printed.trim().to_owned()).filter(|printed| !printed.is_empty()).unwrap_or_else(|| last_of(&log));
        match (said.as_str(), path.exists()) {
            ("", true) => format!("it printed nothing; {}; its log is {}", self.requirement(), path.display()),
            ("", false) => format!("it printed nothing, and wrote no log; {}", self.requirement()),
            (said, true) => format!("{said}\nIts log is {}", path.display()),
            (said, false) => format!("{said}\nIt wrote no log"),
        }
    }

    /// What a program that ends without a word may lack.
    fn requirement(&self) -> String {
        let program = self.agency.executable.display();
        format!("{program} must be agency, or a program that calls agency_engine::init() at the top of main")
    }

    pub(super) fn wait_for_report(&self, supervisor: &mut UnixStream) -> Result<Report, CreateError> {
        let broken = |error: io::Error| {
            CreateError::Host(format!("it died before it reported ({error}): {}", self.explanation()))
        };
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

/// The last lines of a log.
fn last_of(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines.get(lines.len().saturating_sub(LOG_LINES_SHOWN)..).unwrap_or_default().join("\n")
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
