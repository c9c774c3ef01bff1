//! The user's tmux server, driven by its own command.
//!
//! A session is always addressed exactly (`=name`): tmux would otherwise take a prefix, or read
//! `a:b` as window b of session a.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Instant;

use agency_model::shell_quoted;
use agency_system::process::{INDEPENDENT_VARIABLE, LOG_VARIABLE, RUN_ID_VARIABLE, TerminalSize};
use tracing::debug;

use super::SupervisorCommand;

/// The option of a session that names the home to which its run belongs.
const HOME_OPTION: &str = "@agency_home";

/// A session of a tmux server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TmuxSession {
    /// Its name.
    pub name: String,
    /// The home to which its run belongs; earlier versions did not note it.
    pub home: Option<PathBuf>,
}

impl TmuxSession {
    fn read(line: &str) -> Self {
        let (name, home) = line.split_once('\t').unwrap_or((line, ""));
        Self { name: name.to_owned(), home: (!home.is_empty()).then(|| home.into()) }
    }
}

/// A pane of a tmux server, as one of the sessions that share its window lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TmuxPane {
    /// The process that it was opened for.
    pub pid: u32,
    /// The server itself.
    pub server_pid: u32,
    /// Whether a client is attached to the session, or was.
    pub was_seen: bool,
    /// The session.
    pub session: String,
}

impl TmuxPane {
    const FORMAT: &str = "#{pane_pid}\t#{pid}\t#{session_attached}\t#{session_last_attached}\t#{session_name}";

    fn read(line: &str) -> Option<Self> {
        let mut fields = line.splitn(5, '\t');
        let (pid, server_pid) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        let (attached, last_attached) = (fields.next()?, fields.next()?);
        let was_seen = [attached, last_attached].iter().any(|value| !matches!(*value, "" | "0"));
        Some(Self { pid, server_pid, was_seen, session: fields.next()?.to_owned() })
    }
}

/// A session that tmux was asked to start.
#[derive(Debug)]
#[must_use]
pub struct StartingSession {
    client: Child,
    started: Instant,
}

impl StartingSession {
    /// Waits until tmux has started the session.
    pub fn finish(self) -> Result<(), TmuxError> {
        let output = self.client.wait_with_output().map_err(TmuxError::Broken)?;
        let ms = self.started.elapsed().as_millis();
        debug!(command = "new-session", exit_code = output.status.code(), ms, "tmux command");
        // tmux exits with zero even when it could not start a server; then it names no session.
        if output.status.success() && !output.stdout.is_empty() { Ok(()) } else { Err(refused(&output)) }
    }
}

/// A tmux server.
#[derive(Debug, Clone)]
pub struct Tmux {
    socket: Option<String>,
}

/// Why tmux did not do what was asked.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum TmuxError {
    /// tmux is not installed.
    #[error("tmux is not installed")]
    Missing,
    /// tmux refused.
    #[error("tmux: {0}")]
    Refused(String),
    /// tmux could not be started.
    #[error("tmux could not be started: {0}")]
    Broken(#[source] io::Error),
}

impl Tmux {
    /// The server at `socket`: a name as for `tmux -L`, or a path as for `tmux -S`. `None`: the user's own.
    #[must_use]
    pub const fn new(socket: Option<String>) -> Self {
        Self { socket }
    }

    /// Starts a session of one window, which has this title, with one pane in which the supervisor runs. The session stays when it ends.
    /// The directory may not be there yet: then it is that of later windows, and the supervisor changes to it.
    pub fn start(
        &self,
        session: &str,
        title: &str,
        (directory, size): (&Path, TerminalSize),
        supervisor: &SupervisorCommand,
    ) -> Result<StartingSession, TmuxError> {
        let mut command = self.command();
        command.args(["new-session", "-d", "-P", "-F", "#{session_id}", "-s", session, "-n", &window_name(title)]);
        command.args(["-x", &size.columns.to_string(), "-y", &size.rows.to_string()]);
        command.arg("-c").arg(directory);
        // Through env, because not every tmux can set variables for a new session.
        command.args(["--", "env", "-u", RUN_ID_VARIABLE]);
        command.args(supervisor.environment.iter().map(|(name, value)| format!("{name}={value}")));
        command.args(&supervisor.argv);
        command.args([";", "set-option", "-w", "-t", &format!("={session}:"), "remain-on-exit", "on"]);
        command.args([";", "set-option", "-t", &format!("={session}:"), HOME_OPTION, &supervisor.home]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = Instant::now();
        let client = command.spawn().map_err(not_started)?;
        Ok(StartingSession { client, started })
    }

    /// Whether the session exists.
    pub fn has_session(&self, session: &str) -> Result<bool, TmuxError> {
        let mut command = self.command();
        command.args(["has-session", "-t", &format!("={session}")]);
        match self.run(command) {
            Ok(_) => Ok(true),
            Err(TmuxError::Refused(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether the session's program has ended, or the session itself is gone.
    pub fn is_over(&self, session: &str) -> Result<bool, TmuxError> {
        let mut command = self.command();
        command.args(["list-panes", "-t", &format!("={session}:"), "-F", "#{pane_dead}"]);
        match self.run(command) {
            Ok(output) => Ok(output.stdout.starts_with(b"1")),
            Err(TmuxError::Refused(_)) => Ok(true),
            Err(error) => Err(error),
        }
    }

    /// What the session's terminal showed, as text.
    #[must_use]
    pub fn screen(&self, session: &str) -> String {
        let mut command = self.command();
        // From the beginning: tmux moves the screen up to say that the program has ended.
        command.args(["capture-pane", "-p", "-S", "-", "-t", &format!("={session}:")]);
        // A screen that is gone shows nothing.
        self.run(command)
            .map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Ends the session; one that does not exist needs no ending.
    pub fn kill_session(&self, session: &str) -> Result<(), TmuxError> {
        let mut command = self.command();
        command.args(["kill-session", "-t", &format!("={session}")]);
        match self.run(command) {
            Ok(_) => Ok(()),
            Err(TmuxError::Refused(message)) => {
                if self.has_session(session)? {
                    Err(TmuxError::Refused(message))
                } else {
                    Ok(())
                }
            }
            Err(error) => Err(error),
        }
    }

    /// All sessions; none if no server runs.
    pub fn sessions(&self) -> Result<Vec<TmuxSession>, TmuxError> {
        let mut command = self.command();
        command.args(["list-sessions", "-F", &format!("#{{session_name}}\t#{{{HOME_OPTION}}}")]);
        match self.run(command) {
            Ok(output) => Ok(String::from_utf8_lossy(&output.stdout).lines().map(TmuxSession::read).collect()),
            Err(TmuxError::Refused(_)) => Ok(vec![]),
            Err(error) => Err(error),
        }
    }

    /// All panes, once for each session that their windows are in; none if no server runs.
    pub fn panes(&self) -> Result<Vec<TmuxPane>, TmuxError> {
        let mut command = self.command();
        command.args(["list-panes", "-a", "-F", TmuxPane::FORMAT]);
        match self.run(command) {
            Ok(output) => Ok(String::from_utf8_lossy(&output.stdout).lines().filter_map(TmuxPane::read).collect()),
            Err(TmuxError::Refused(_)) => Ok(vec![]),
            Err(error) => Err(error),
        }
    }

    /// The version, such as `tmux 3.3a`.
    pub fn version(&self) -> Result<String, TmuxError> {
        let mut command = self.command();
        command.arg("-V");
        self.run(command).map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// The command that shows the session in the user's terminal. A client of the same server, by `$TMUX`, is
    /// switched; one of another server gets this one inside.
    #[must_use]
    pub fn attach_command(&self, session: &str, tmux_variable: Option<&OsStr>) -> Command {
        let mut command = self.command();
        let inside = self.is_around(tmux_variable);
        let verb = if inside { "switch-client" } else { "attach-session" };
        command.args([verb, "-t", &format!("={session}")]);
        if !inside {
            command.env_remove("TMUX");
        }
        command
    }

    /// Whether the server is the one we are in, according to `$TMUX`.
    #[must_use]
    pub fn is_around(&self, tmux_variable: Option<&OsStr>) -> bool {
        tmux_variable.and_then(socket_in).is_some_and(|outer| same_file(&outer, &self.socket_path()))
    }

    /// The command that shows a line to the clients of a session; the line is its last argument.
    #[must_use]
    pub fn message_command(&self, session: &str) -> Command {
        let mut command = self.command();
        command.args(["display-message", "-d", "5000", "-t", &format!("={session}:")]);
        command
    }

    /// Where the server listens.
    #[expect(clippy::disallowed_methods, reason = "the place of tmux's sockets is in the environment")]
    fn socket_path(&self) -> PathBuf {
        let directory = || {
            let parent = std::env::var_os("TMUX_TMPDIR").filter(|value| !value.is_empty());
            let parent = parent.map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
            parent.join(format!("tmux-{}", rustix::process::getuid().as_raw()))
        };
        match &self.socket {
            Some(path) if path.contains('/') => path.into(),
            Some(name) => directory().join(name),
            None => directory().join("default"),
        }
    }

    /// The same command as a user would type it.
    #[must_use]
    pub fn typed(&self, words: &str) -> String {
        match &self.socket {
            Some(path) if path.contains('/') => format!("tmux -S {} {words}", shell_quoted(path)),
            Some(name) => format!("tmux -L {} {words}", shell_quoted(name)),
            None => format!("tmux {words}"),
        }
    }

    #[expect(clippy::disallowed_methods, reason = "tmux is started here")]
    fn command(&self) -> Command {
        let mut command = Command::new("tmux");
        match &self.socket {
            Some(path) if path.contains('/') => command.args([OsStr::new("-S"), OsStr::new(path)]),
            Some(name) => command.args([OsStr::new("-L"), OsStr::new(name)]),
            None => &mut command,
        };
        command.env(INDEPENDENT_VARIABLE, "1").env_remove(RUN_ID_VARIABLE);
        // A server would hand it to all later sessions.
        command.env_remove(LOG_VARIABLE);
        command
    }

    fn run(&self, mut command: Command) -> Result<Output, TmuxError> {
        let started = Instant::now();
        let output = command.stdin(Stdio::null()).output().map_err(not_started)?;
        let ms = started.elapsed().as_millis();
        debug!(command = verb_of(&command), exit_code = output.status.code(), ms, "tmux command");
        if output.status.success() {
            return Ok(output);
        }
        Err(refused(&output))
    }
}

/// The name of a run as the name of a window. tmux reads formats in it, and `:` and `.` where windows are addressed.
fn window_name(title: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | ' ');
    let name: String = title.chars().map(|letter| if plain(letter) { letter } else { '-' }).take(40).collect();
    if name.starts_with('-') { format!("_{name}") } else { name }
}

/// What tmux is asked to do, without the arguments.
fn verb_of(command: &Command) -> Option<&str> {
    let mut words = command.get_args().filter_map(OsStr::to_str);
    let first = words.next()?;
    if matches!(first, "-S" | "-L") { words.nth(1) } else { Some(first) }
}

/// The socket of the server that `$TMUX` names.
pub fn socket_in(tmux_variable: &OsStr) -> Option<PathBuf> {
    let path = tmux_variable.to_str()?.split(',').next()?;
    (!path.is_empty()).then(|| path.into())
}

fn same_file(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

fn not_started(error: io::Error) -> TmuxError {
    if error.kind() == io::ErrorKind::NotFound { TmuxError::Missing } else { TmuxError::Broken(error) }
}

fn refused(output: &Output) -> TmuxError {
    TmuxError::Refused(String::from_utf8_lossy(&output.stderr).trim().to_owned())
}
