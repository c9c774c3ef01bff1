//! The world of one test.

use crate::environment::Environment;
use crate::process::{Output, Process};
use crate::{Agent, Repo, Terminal, leftovers, report};
use agency_model::ErrorCode;
use serde_json::Value;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

/// How long the private tmux server may take to end.
const TMUX_LIMIT: Duration = Duration::from_secs(5);

/// A home, a configuration, a tmux server and repositories of a test's own. All of it ends with the value.
#[derive(Debug)]
pub struct World {
    binary: PathBuf,
    environment: Environment,
    // Usually in `/tmp`: the path of a unix socket has less than 108 bytes.
    root: TempDir,
}

impl World {
    /// Makes a world for a program, usually `env!("CARGO_BIN_EXE_agency")`.
    #[track_caller]
    pub fn new(binary: impl AsRef<Path>) -> Self {
        Self::at(binary.as_ref(), tempfile::Builder::new().prefix("agency-").tempdir_in("/tmp").unwrap())
    }

    /// Makes a world in a directory with a short path. Its processes end with the value, its files with the directory.
    #[track_caller]
    pub fn new_in(binary: impl AsRef<Path>, directory: &Path) -> Self {
        let mut builder = tempfile::Builder::new();
        let root = builder.prefix("").disable_cleanup(true).tempdir_in(directory).unwrap();
        Self::at(binary.as_ref(), root)
    }

    #[track_caller]
    fn at(binary: &Path, root: TempDir) -> Self {
        for folder in ["home", "agency", "tmp", "agents", "repos"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        fs::write(root.path().join("home/gitconfig"), "").unwrap();
        let environment = Environment::new(root.path());
        let world = Self { binary: binary.to_owned(), environment, root };
        world.configure(&format!("[tmux]\nsocket = {}\n", quoted(&world.socket())));
        world
    }

    /// The directory that holds everything of this world.
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    /// The program's own directory, `$AGENCY_HOME`.
    pub fn agency_home(&self) -> PathBuf {
        self.root().join("agency")
    }

    /// The socket of the private tmux server.
    pub fn socket(&self) -> PathBuf {
        self.root().join("tmux")
    }

    /// Adds text to the configuration file.
    #[track_caller]
    pub fn configure(&self, text: &str) {
        let path = self.root().join("home/config.toml");
        let mut file = File::options().create(true).append(true).open(path).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }

    /// Sets a key of the top level of the configuration, which stands before all tables.
    #[track_caller]
    pub fn set(&self, key: &str, value: &str) {
        let path = self.root().join("home/config.toml");
        let rest = fs::read_to_string(&path).unwrap();
        fs::write(path, format!("{key} = {value}\n{rest}")).unwrap();
    }

    /// Makes a repository with one commit on `main`.
    #[track_caller]
    pub fn repo(&self, name: &str) -> Repo {
        Repo::create(self.root().join("repos").join(name), self.environment.clone())
    }

    /// Writes a scripted agent, configures it under that name and returns the script's path.
    #[track_caller]
    pub fn agent(&self, name: &str, agent: impl Into<Agent>) -> PathBuf {
        let agent = agent.into();
        let path = self.agent_path(name);
        let draft = self.agent_path(&format!("{name}.draft"));
        fs::write(&draft, format!("#!/bin/sh\n{}\n", agent.script)).unwrap();
        // A program that any process holds open for writing cannot be started, and a process that another test starts at
        // this moment inherits what this one has open. So it is another process that writes the program.
        let installed = self.run(self.environment.command("install").args(["-m", "755"]).args([&draft, &path]));
        assert!(installed.status.success(), "{installed}");
        let mut entry = format!("\n[agents.{name}]\ncommand = {}\n", quoted(&path));
        for (key, word) in [("prompt", agent.prompt), ("stream", agent.stream)] {
            if let Some(word) = word {
                entry.push_str(&format!("{key} = {}\n", Value::from(word)));
            }
        }
        if !agent.resume.is_empty() {
            entry.push_str(&format!("\n[agents.{name}.headless]\nresume = {}\n", Value::from(agent.resume)));
        }
        self.configure(&entry);
        path
    }

    /// Lets every [`waiting`](crate::agent::waiting) agent of that name continue.
    #[track_caller]
    pub fn release(&self, name: &str) {
        File::create(self.agent_path(&format!("{name}.release"))).unwrap();
    }

    /// Gives a variable of every later process another value.
    pub fn set_variable(&mut self, name: &'static str, value: &str) {
        self.environment_mut().set(name, value.into());
    }

    /// Makes a minute of the program shorter, for limits that are counted in minutes.
    pub fn shorten_minutes(&mut self, minute: Duration) {
        self.environment_mut().set("AGENCY_MINUTE_MS", minute.as_millis().to_string().into());
    }

    /// The program with arguments, for a test to change and start. It starts in the world's home.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.environment.command(&self.binary);
        command.args(arguments).current_dir(self.root().join("home"));
        command
    }

    /// Runs a command to its end; panics with everything known when it takes more than a minute.
    #[track_caller]
    pub fn run(&self, command: &mut Command) -> Output {
        Process::start(command).wait()
    }

    /// Starts a command and leaves it running until the value is dropped.
    #[track_caller]
    pub fn start(&self, command: &mut Command) -> Process {
        Process::start(command)
    }

    /// Starts the program and leaves it running until the value is dropped.
    #[track_caller]
    pub fn spawn(&self, arguments: &[&str]) -> Process {
        self.start(&mut self.command(arguments))
    }

    /// Any program, in the world's environment.
    pub fn program(&self, name: &str) -> Command {
        self.environment.command(name)
    }

    /// Kills every process of the world at one moment, as the end of the power would.
    #[track_caller]
    pub fn kill_everything(&self) {
        assert!(leftovers::freeze(&self.agency_home()), "some processes cannot be stopped");
        let left = leftovers::kill(&self.agency_home());
        assert!(left.is_empty(), "these processes could not be killed: {left:?}");
    }

    /// Runs the program to its end, whatever that is.
    #[track_caller]
    pub fn agency(&self, arguments: &[&str]) -> Output {
        self.spawn(arguments).wait()
    }

    /// Runs the program, which must succeed.
    #[track_caller]
    pub fn ok(&self, arguments: &[&str]) -> Output {
        let output = self.agency(arguments);
        assert!(output.status.success(), "agency {arguments:?} failed: {output}");
        output
    }

    /// Runs the program with `--json` and returns its answer, whose `ok` must agree with the exit code.
    #[track_caller]
    pub fn json(&self, arguments: &[&str]) -> Value {
        let output = self.agency(&with_json(arguments));
        let answer = output.object();
        assert_eq!(answer["ok"], output.status.success(), "agency {arguments:?}: {output}");
        answer
    }

    /// Runs the program with `--json`, which must fail with that code, and returns the error.
    #[track_caller]
    pub fn error(&self, arguments: &[&str], code: ErrorCode) -> Value {
        let mut answer = self.json(arguments);
        let expected = (&Value::from(false), &Value::from(code.as_str()));
        assert_eq!((&answer["ok"], &answer["error"]["code"]), expected, "agency {arguments:?}: {answer:#}");
        answer["error"].take()
    }

    /// Runs the program on a real terminal.
    #[track_caller]
    pub fn terminal(&self, arguments: &[&str]) -> Terminal {
        self.terminal_with(&self.command(arguments))
    }

    /// Runs any command on a real terminal, in its directory. Of its environment only the world's is kept.
    #[track_caller]
    pub fn terminal_with(&self, command: &Command) -> Terminal {
        Terminal::open(self.environment(), self.socket(), self.root(), command)
    }

    /// Runs a command of the private tmux server and gives what it prints.
    #[track_caller]
    pub fn tmux(&self, arguments: &[&str]) -> String {
        let mut command = self.environment.command("tmux");
        command.arg("-S").arg(self.socket()).args(["-f", "/dev/null"]).args(arguments);
        let output = Process::start(&mut command).wait();
        assert!(output.status.success(), "tmux {arguments:?}: {output}");
        output.stdout
    }

    /// The names of the sessions of the private tmux server; none if it does not run.
    pub fn tmux_sessions(&self) -> Vec<String> {
        let mut command = self.environment.command("tmux");
        command.arg("-S").arg(self.socket()).args(["list-sessions", "-F", "#{session_name}"]);
        Process::start(&mut command).wait().stdout.lines().map(str::to_owned).collect()
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }

    pub(crate) fn environment_mut(&mut self) -> &mut Environment {
        &mut self.environment
    }

    fn agent_path(&self, name: &str) -> PathBuf {
        self.root().join("agents").join(name)
    }

    fn end_tmux(&self) {
        let mut command = self.environment.command("tmux");
        command.arg("-S").arg(self.socket()).arg("kill-server");
        // A server that does not answer is killed with the other processes of the world.
        let _ = Process::start(&mut command).wait_within(TMUX_LIMIT);
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if thread::panicking() {
            report::print(self.command(&["ls", "--json", "--all"]), &self.agency_home());
        }
        if self.socket().exists() {
            self.end_tmux();
        }
        let left = leftovers::kill(&self.agency_home());
        if !left.is_empty() {
            eprintln!("these processes of the test could not be killed: {left:?}");
        }
    }
}

/// The arguments and `--json`, which goes before a `--`.
fn with_json<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let end = arguments.iter().position(|argument| *argument == "--").unwrap_or(arguments.len());
    [&arguments[..end], &["--json"], &arguments[end..]].concat()
}

/// A path as a TOML string, which JSON strings are too.
fn quoted(path: &Path) -> String {
    Value::from(path.to_str().unwrap()).to_string()
}

mod jj;
mod runs;

pub use jj::JjKind;
#[cfg(test)]
mod tests;
