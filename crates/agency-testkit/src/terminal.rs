//! A command on a real terminal, which a test can type on and read.

use crate::environment::Environment;
use crate::process::{Output, Process};
use crate::wait::poll;
use crate::wait_for;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// How long a terminal may take to show what is waited for.
const WAIT_LIMIT: Duration = Duration::from_secs(20);

/// Runs the command, records its exit code and keeps the terminal, so that it can still be read.
///
/// tmux could do that too (`remain-on-exit`), but it moves the screen up by a row to say so, and tmux 3.3 at times
/// misses the end of a command that is short.
const KEEPER: &str = r#"trap : INT QUIT
exit_code=$1
shift
"$@"
echo $? >"$exit_code.new"
mv "$exit_code.new" "$exit_code"
exec sleep 3600"#;

/// A terminal of 120 columns and 30 rows, in a session of the world's tmux server.
#[derive(Debug)]
pub struct Terminal {
    socket: PathBuf,
    environment: Environment,
    pane: String,
    exit_code: PathBuf,
}

impl Terminal {
    /// Starts a command on a new terminal of the tmux server at `socket`. It gets the environment of the world whose
    /// directory is `root`, and nothing of tmux's.
    #[track_caller]
    pub(crate) fn open(environment: &Environment, socket: PathBuf, root: &Path, command: &Command) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let session = format!("test-terminal-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let mut terminal = Self {
            socket,
            environment: environment.clone(),
            pane: String::new(),
            exit_code: root.join("tmp").join(&session),
        };
        let directory = command.get_current_dir().unwrap_or(root);
        let mut tmux = terminal.tmux(&["-C", "new-session", "-d", "-x", "120", "-y", "30", "-s", &session]);
        tmux.args(["-P", "-F", "#{pane_id}", "-c"]).arg(directory);
        tmux.args(["--", "sh", "-c", KEEPER, "sh"]).arg(&terminal.exit_code);
        tmux.args(["env", "-i"]).args(environment.assignments());
        tmux.arg(command.get_program()).args(command.get_args());
        tmux.args([";", "attach-session", "-t", &format!("={session}")]);
        terminal.pane = attach_once(&mut tmux);
        terminal
    }

    /// Presses keys, named as tmux names them: `Enter`, `C-c`, `q`.
    #[track_caller]
    pub fn send_keys(&self, keys: &[&str]) {
        succeed(self.tmux(&["send-keys", "-t", &self.pane, "--"]).args(keys));
    }

    /// Types a text as it is.
    #[track_caller]
    pub fn type_text(&self, text: &str) {
        succeed(&mut self.tmux(&["send-keys", "-t", &self.pane, "-l", "--", text]));
    }

    /// What the terminal shows.
    #[track_caller]
    pub fn screen(&self) -> String {
        succeed(&mut self.tmux(&["capture-pane", "-p", "-t", &self.pane])).stdout
    }

    /// What the terminal shows, and before it the lines that have left it at the top.
    #[track_caller]
    pub fn history(&self) -> String {
        succeed(&mut self.tmux(&["capture-pane", "-p", "-S", "-", "-t", &self.pane])).stdout
    }

    /// What the terminal shows, with its colours as escape sequences.
    #[track_caller]
    pub fn coloured_screen(&self) -> String {
        succeed(&mut self.tmux(&["capture-pane", "-e", "-p", "-t", &self.pane])).stdout
    }

    /// Whether the program requests mouse events, and in the newer form.
    #[track_caller]
    pub fn mouse_modes(&self) -> String {
        let modes = "#{mouse_standard_flag} #{mouse_sgr_flag}";
        succeed(&mut self.tmux(&["display-message", "-p", "-t", &self.pane, modes])).stdout.trim().to_owned()
    }

    /// Every mode of the terminal that a program can leave behind: mouse, alternate screen, cursor, keypad, and those of
    /// the line discipline.
    #[track_caller]
    pub fn modes(&self) -> String {
        let flags =
            "#{mouse_any_flag} #{mouse_sgr_flag} #{alternate_on} #{cursor_flag} #{keypad_cursor_flag} #{pane_tty}";
        let flags = succeed(&mut self.tmux(&["display-message", "-p", "-t", &self.pane, flags])).stdout;
        let (flags, tty) = flags.trim().rsplit_once(' ').unwrap();
        let mut stty = self.environment.command("stty");
        format!("{flags} {}", succeed(stty.args(["-g", "-F", tty])).stdout.trim())
    }

    /// Gives the terminal another size.
    #[track_caller]
    pub fn resize(&self, columns: u16, rows: u16) {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        succeed(&mut self.tmux(&["resize-window", "-t", &self.pane, "-x", &columns, "-y", &rows]));
    }

    /// Waits until the screen is as it should be and returns it; panics with the screen when it never is.
    #[track_caller]
    pub fn wait_until(&self, what: &str, enough: impl Fn(&str) -> bool) -> String {
        match poll(WAIT_LIMIT, || Some(self.screen()).filter(|screen| enough(screen))) {
            Some(screen) => screen,
            None => panic!("after {WAIT_LIMIT:?} the terminal still does not show {what}:\n{}", self.screen()),
        }
    }

    /// Waits until the terminal shows a text and returns the screen; panics with the screen when it does not come.
    #[track_caller]
    pub fn wait_for_text(&self, text: &str) -> String {
        self.wait_until(&format!("`{text}`"), |screen| screen.contains(text))
    }

    /// Waits until the command has ended and returns its exit code, as a shell would give it.
    #[track_caller]
    pub fn wait_for_exit(&self) -> u8 {
        let code =
            wait_for("the end of the terminal's command", WAIT_LIMIT, || fs::read_to_string(&self.exit_code).ok());
        code.trim().parse().unwrap()
    }

    fn tmux(&self, arguments: &[&str]) -> Command {
        let mut command = self.environment.command("tmux");
        command.arg("-S").arg(&self.socket).args(["-f", "/dev/null"]).args(arguments);
        command
    }
}

/// Lets a client of tmux's control mode open a session and be attached to it for a moment, as the terminals of users
/// are attached; gives the pane. tmux does both before it serves another client.
#[track_caller]
fn attach_once(tmux: &mut Command) -> String {
    let mut client = tmux.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = vec![];
    for line in BufReader::new(client.stdout.take().unwrap()).lines() {
        said.push(line.unwrap());
        if said.last().is_some_and(|line| line.starts_with("%session-changed")) {
            // It leaves at the end of its input, too, but tmux 3.3 at times misses that.
            client.kill().unwrap();
            break;
        }
    }
    let complaints = client.wait_with_output().unwrap().stderr;
    let is_pane = |line: &&String| line.strip_prefix('%').is_some_and(|number| number.parse::<u32>().is_ok());
    let pane = said.iter().find(is_pane).cloned();
    pane.unwrap_or_else(|| panic!("tmux made no pane: {said:?}: {}", String::from_utf8_lossy(&complaints)))
}

#[track_caller]
fn succeed(command: &mut Command) -> Output {
    let output = Process::start(command).wait();
    assert!(output.status.success(), "tmux failed: {output}");
    output
}
