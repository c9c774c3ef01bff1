//! Where a row is measured: a world with a configuration, a running tmux server and repositories of a size.

use crate::{Bench, stamp};
use agency_testkit::{Repo, World, wait_for};
use rusqlite::Connection;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Nothing here takes longer, unless it hangs.
pub(crate) const LIMIT: Duration = Duration::from_secs(120);
/// What one measurement left running ends in this time, so that the next one has the machine for itself.
const SETTLE: Duration = Duration::from_millis(40);

/// A world to measure in.
pub(crate) struct BenchFixture {
    world: World,
    reports: UnixListener,
}

impl BenchFixture {
    /// Makes a place with its tmux server running and these agents: `true`, `report`, `produce` with a number of blocks,
    /// `ask` with a number of questions.
    pub(crate) fn new(bench: &Bench, max_agents: u32) -> Self {
        let world = World::new_in(&bench.agency, bench.ground.path());
        let quoted = |path: PathBuf| Value::from(path.to_str().unwrap()).to_string();
        let own = quoted(std::env::current_exe().unwrap());
        let socket = world.root().join("reports");
        let meeting = quoted(socket.clone());
        let config = format!(
            "max_agents = {max_agents}\n[tmux]\nsocket = {}\n\
             [agents.true]\ncommand = \"true\"\n\
             [agents.sleep]\ncommand = \"sh\"\nargs = [\"-c\", \"exec sleep 2\"]\n\
             [agents.report]\ncommand = {own}\nargs = [\"agent\", \"report\", {meeting}]\n\
             [agents.produce]\ncommand = {own}\nargs = [\"agent\", \"produce\"]\n\
             [agents.ask]\ncommand = {own}\nargs = [\"agent\", \"ask\", {meeting}]\nprompt = \"protocol\"\nstream = \"claude\"\n\
             [agents.stream]\ncommand = \"sh\"\nstream = \"claude\"\n\
             [agents.chatter]\ncommand = {own}\nargs = [\"agent\", \"chatter\"]\nstream = \"claude\"\n\
             [agents.lines]\ncommand = {own}\nargs = [\"agent\"]\nstream = \"claude\"\n",
            quoted(world.socket()),
        );
        fs::write(world.root().join("home/config.toml"), config).unwrap();
        let reports = UnixListener::bind(socket).unwrap();
        let place = Self { world, reports };
        succeed(place.tmux().args(["-f", "/dev/null", "new-session", "-d", "-s", "keeper", "sleep", "86400"]));
        place
    }

    /// The world.
    pub(crate) const fn world(&self) -> &World {
        &self.world
    }

    /// Any program, in the environment that agency gets.
    pub(crate) fn program(&self, program: &str) -> Command {
        let model = self.world.command(&[]);
        let mut command = Command::new(program);
        command.env_clear();
        command.envs(model.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.current_dir(self.world.root().join("home"));
        command
    }

    /// tmux on the place's own server.
    pub(crate) fn tmux(&self) -> Command {
        let mut command = self.program("tmux");
        command.arg("-S").arg(self.world.socket());
        command
    }

    /// `agency run` of an agent in a repository.
    pub(crate) fn run(&self, repo: &Repo, agent: &str, options: &[&str]) -> Command {
        let mut command = self.world.command(&["run", "--json", "--prompt", "measure this"]);
        command.arg("--repo").arg(&repo.path);
        command.args(["--runner", agent]).args(options);
        command
    }

    /// A repository with so many files of about a kilobyte, packed as one that was cloned.
    pub(crate) fn repo(&self, files: usize) -> Repo {
        let repo = self.world.repo(&format!("of-{files}"));
        for number in 0..files.saturating_sub(4) {
            let line = format!("line {number} of a file that is as long as files are\n");
            repo.write(format!("folder-{}/file-{number}.txt", number / 50), &line.repeat(20));
        }
        // A commit of so many files begins a gc of its own, which would keep this one from its work.
        repo.git(&["config", "gc.auto", "0"]);
        repo.commit_file("last.txt", "last\n");
        repo.git(&["gc", "--quiet"]);
        repo.git(&["config", "--unset", "gc.auto"]);
        repo
    }

    /// Waits until a run has finished; it must have completed.
    pub(crate) fn wait_for_end(&self, id: &str) {
        let ended = object(&succeed(&mut self.world.command(&["wait", "--json", id])));
        assert_eq!(ended["data"]["state"], "completed", "{ended:#}");
        settle();
    }

    /// Waits until the supervisor of a finished run has written all of the end: `agency wait` returns with the row, and
    /// what follows it takes any time on a busy machine.
    pub(crate) fn wait_for_recorded_end(&self, id: &str) {
        let database = self.world.agency_home().join("agency.db");
        wait_for("the recorded end of a run", LIMIT, || {
            let connection = Connection::open(&database).unwrap();
            let recorded: bool =
                connection.query_row("SELECT end_recorded FROM runs WHERE id = ?1", [id], |row| row.get(0)).unwrap();
            let lock = File::open(self.run_directory(id).join("supervisor.lock")).unwrap();
            (recorded && lock.try_lock().is_ok()).then_some(())
        });
    }

    /// The next agent that reports.
    pub(crate) fn next_report(&self) -> Reporting {
        await_readable(&self.reports);
        let (mut stream, _) = self.reports.accept().unwrap();
        let started = read_moment(&mut stream);
        Reporting { stream, started }
    }

    /// The folder in which agency keeps a run.
    pub(crate) fn run_directory(&self, id: &str) -> PathBuf {
        self.world.agency_home().join("runs").join(id)
    }
}

/// An agent that said when it started and waits to be let go.
pub(crate) struct Reporting {
    stream: UnixStream,
    /// When it started.
    pub(crate) started: Duration,
}

impl Reporting {
    /// Lets the agent end.
    pub(crate) fn release(&mut self) {
        self.stream.write_all(b".").unwrap();
    }

    /// When it was about to exit.
    pub(crate) fn ended(&mut self) -> Duration {
        self.moment()
    }

    /// The next moment that it prints.
    pub(crate) fn moment(&mut self) -> Duration {
        read_moment(&mut self.stream)
    }
}

fn read_moment(stream: &mut UnixStream) -> Duration {
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    let mut bytes = [0; 16];
    stream.read_exact(&mut bytes).unwrap();
    stamp::from_bytes(bytes)
}

/// Waits until a descriptor can be read.
pub(crate) fn await_readable(descriptor: &impl AsFd) {
    let limit = Timespec::try_from(LIMIT).unwrap();
    let mut waited = [PollFd::new(descriptor, PollFlags::IN)];
    assert_eq!(poll(&mut waited, Some(&limit)).unwrap(), 1, "nothing came in {LIMIT:?}");
}

/// Gives what runs in the background the time to end.
pub(crate) fn settle() {
    std::thread::sleep(SETTLE);
}

/// Runs a command to its end and says how long that took, from before its start until its output is read.
pub(crate) fn timed(command: &mut Command) -> (Duration, Output) {
    command.stdin(Stdio::null());
    let before = Instant::now();
    let output = command.output().unwrap();
    let time = before.elapsed();
    check(command, &output);
    (time, output)
}

/// Runs a command that must succeed.
pub(crate) fn succeed(command: &mut Command) -> Output {
    timed(command).1
}

/// The JSON object that a command printed.
pub(crate) fn object(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The id of the run that `agency run --json` made.
pub(crate) fn run_id(output: &Output) -> String {
    object(output)["data"]["id"].as_str().unwrap().to_owned()
}

/// Waits until a process stands at a supervisor's door: then it has begun to wait.
pub(crate) fn wait_until_connected(pid: u32) {
    wait_for("a process at the door", LIMIT, || {
        let descriptors = fs::read_dir(format!("/proc/{pid}/fd")).ok()?;
        let mut targets = descriptors.flatten().filter_map(|entry| fs::read_link(entry.path()).ok());
        targets.any(|target| target.to_string_lossy().starts_with("socket:")).then_some(())
    });
    settle();
}

fn check(command: &Command, output: &Output) {
    assert!(
        output.status.success(),
        "{:?} failed: {}\n{}{}",
        command.get_program(),
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
}
