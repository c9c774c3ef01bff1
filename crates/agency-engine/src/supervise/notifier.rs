//! Notifies the user of a question or of the end of the run: a bell, the desktop, a command.
//!
//! Nothing waits for it or depends on it. Each program has its time and is killed after it. What the agent
//! wrote goes to the user's own command alone, by its standard input: command lines can be read by all users of the machine.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use agency_model::run::State;
use agency_model::{QuestionKind, ShownQuestion, escaped_line};
use agency_system::process::{
    INDEPENDENT_VARIABLE, NOTIFICATION_VARIABLE, ProcessHandle, RUN_ID_VARIABLE, file_in_memory, signal_group,
};
use rustix::process::Signal;
use schemars::JsonSchema;
use serde::Serialize;
use tracing::debug;

use crate::store::RunRow;
use crate::wire::{Environment, Notify};

/// How long a program may take.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(10);
/// How many may run at once. More would mean that questions come faster than they can be read.
const MAX_PROGRAMS: usize = 32;
/// The version of [`Notification`].
const VERSION: u32 = 1;

/// What the command of `notify.command` reads on its standard input.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Notification {
    schema_version: u32,
    event: NotifiedEvent,
    /// The run, as in `meta.json`.
    run: RunRow,
    /// What is asked; null at the end of a run.
    question: Option<ShownQuestion>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum NotifiedEvent {
    /// An agent asks.
    Question,
    /// A run has finished.
    Ended,
}

impl Notification {
    /// An agent asks.
    pub(super) fn question(run: RunRow, question: ShownQuestion) -> Self {
        Self { schema_version: VERSION, event: NotifiedEvent::Question, run, question: Some(question) }
    }

    /// A run has finished.
    pub(super) fn ended(run: RunRow) -> Self {
        Self { schema_version: VERSION, event: NotifiedEvent::Ended, run, question: None }
    }

    /// Two lines for the desktop, without any text of the agent.
    fn lines(&self) -> (String, &'static str) {
        let run = self.run.name.clone().unwrap_or_else(|| self.run.id.to_string());
        let kind = self.question.as_ref().map(|question| question.kind);
        let what = match (kind, self.run.state) {
            (Some(QuestionKind::Permission), _) => "asks for a permission",
            (Some(QuestionKind::Question), _) => "asks a question",
            (Some(QuestionKind::Plan), _) => "wants a plan approved",
            (Some(QuestionKind::Trust), _) => "asks whether it may trust a directory",
            (Some(QuestionKind::Other), _) => "asks something",
            (None, State::Completed) => "is completed",
            (None, State::Failed) => "has failed",
            (None, State::Killed) => "was stopped",
            (None, State::Queued | State::Running) => "is over",
        };
        (format!("agency: {}", escaped_line(&run)), what)
    }
}

/// Starts programs that notify the user, and waits for them.
pub(super) struct Notifier {
    to: Notify,
    environment: Environment,
    at_work: Vec<AtWork>,
    /// Whether a failure was reported; once is enough.
    reported_failure: bool,
}

struct AtWork {
    child: Child,
    program: String,
    until: Instant,
}

impl Notifier {
    /// `environment` is what the user's programs find.
    pub(super) fn new(to: Notify, environment: &Environment) -> Self {
        let mut environment = environment.clone();
        // They are not the agent's, and must not be taken for processes that it left.
        for name in [RUN_ID_VARIABLE, "AGENCY_RUN_DIR"] {
            environment.remove(Path::new(name).as_os_str());
        }
        for name in [INDEPENDENT_VARIABLE, NOTIFICATION_VARIABLE] {
            environment.insert(name.into(), "1".into());
        }
        Self { to, environment, at_work: vec![], reported_failure: false }
    }

    /// Whether the bell rings.
    pub(super) const fn rings(&self) -> bool {
        self.to.bell
    }

    /// Notifies the user, and returns what could not be started.
    #[expect(clippy::disallowed_methods, reason = "the user's notification programs are started here")]
    pub(super) fn tell(&mut self, notification: &Notification) -> Vec<String> {
        let mut troubles = vec![];
        if let Some(program) = self.to.desktop.clone() {
            let mut command = Command::new(&program);
            command.args(desktop_arguments(notification)).stdin(Stdio::null());
            troubles.extend(self.start(&program, command));
        }
        if let Some((program, args)) = self.to.command.clone() {
            let mut command = Command::new(&program);
            command.args(args);
            // A file, because a pipe would have to be waited for.
            match serde_json::to_vec(notification).map_err(io::Error::from).and_then(|text| file_in_memory(&text)) {
                Ok(text) => troubles.extend(self.start(&program, {
                    command.stdin(text);
                    command
                })),
                Err(error) => troubles.push(format!("{} could not be notified: {error}", program.display())),
            }
        }
        troubles
    }

    fn start(&mut self, program: &Path, mut command: Command) -> Option<String> {
        let program = program.display().to_string();
        if self.at_work.len() >= MAX_PROGRAMS {
            return Some(format!("{program} was not started: {MAX_PROGRAMS} notifications are running"));
        }
        command.env_clear().envs(&self.environment).current_dir("/");
        command.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        match command.spawn() {
            Ok(child) => {
                debug!(program, pid = child.id(), "notification program started");
                self.at_work.push(AtWork { child, program, until: Instant::now() + PROGRAM_TIMEOUT });
                None
            }
            Err(error) => Some(format!("{program} could not be started: {error}")),
        }
    }

    /// The processes at work.
    pub(super) fn pids(&self) -> impl Iterator<Item = u32> {
        self.at_work.iter().map(|at_work| at_work.child.id())
    }

    /// When the time of the first of them is over.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.at_work.iter().map(|at_work| at_work.until).min()
    }

    /// Removes those that have ended, and returns what went wrong.
    pub(super) fn collect(&mut self) -> Vec<String> {
        let mut troubles = vec![];
        self.at_work.retain_mut(|at_work| match at_work.child.try_wait() {
            Ok(None) => true,
            Ok(Some(status)) => {
                troubles.extend(trouble(&at_work.program, status));
                false
            }
            // Another part of this process has waited for it.
            Err(_) => false,
        });
        troubles
    }

    /// Kills those that exceed their time, with all that they started, and returns which.
    pub(super) fn end_overdue(&mut self) -> Vec<String> {
        let now = Instant::now();
        let mut troubles = vec![];
        self.at_work.retain_mut(|at_work| {
            if at_work.until > now {
                return true;
            }
            signal_group(at_work.child.id(), Signal::KILL);
            // It is dead, or about to be.
            let _ = at_work.child.wait();
            troubles.push(format!("{} took more than {} s and was killed", at_work.program, PROGRAM_TIMEOUT.as_secs()));
            false
        });
        troubles
    }

    /// The first failure of the run, which is reported; later ones are not.
    pub(super) fn first_failure(&mut self, troubles: Vec<String>) -> Option<String> {
        let first = troubles.into_iter().next().filter(|_| !self.reported_failure)?;
        self.reported_failure = true;
        Some(first)
    }

    /// Waits for the programs, and kills each that exceeds its time.
    pub(super) fn wait_or_kill(mut self) {
        while let Some(at_work) = self.at_work.first() {
            if let Some(process) = ProcessHandle::open(at_work.child.id()) {
                let _ = process.wait(at_work.until.saturating_duration_since(Instant::now()));
            }
            self.collect();
            self.end_overdue();
        }
    }
}

fn trouble(program: &str, status: ExitStatus) -> Option<String> {
    (!status.success()).then(|| format!("{program} failed: {status}"))
}

/// The same two lines for each desktop, never as a script.
fn desktop_arguments(notification: &Notification) -> Vec<String> {
    let (title, body) = notification.lines();
    let words: &[&str] = if cfg!(target_os = "macos") {
        let show = "display notification (item 2 of argv) with title (item 1 of argv)";
        &["-e", "on run argv", "-e", show, "-e", "end run", "--", &title, body]
    } else {
        &["--app-name=agency", "--", &title, body]
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}
