//! A repository in a private world, and the transcript of commands that a person enters there.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use agency_testkit::{Agent, Output, Repo, World, agent, conversation, wait_for};
use rustix::process::Signal;
use serde_json::Value;

/// The time limit for any fact that a transcript waits for.
const LIMIT: Duration = Duration::from_secs(30);

/// A place to enter commands. Agents: `quick` writes a file and exits, `failing` exits with 3, `waiting` waits until it is
/// released, `asking` asks for a permission, `chatty` reads messages.
pub(super) struct Console {
    pub(super) world: World,
    pub(super) repo: Repo,
    _filters: insta::internals::SettingsBindDropGuard,
}

impl Console {
    pub(super) fn new() -> Self {
        let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
        world.set("host", "\"detached\"");
        world.set("default_agent", "\"quick\"");
        world.configure("\n[limits]\nstop_grace_seconds = 1\n");
        world.agent("quick", Agent::new("echo done; echo new > new.txt"));
        world.agent("failing", agent::failing(3));
        world.agent("waiting", agent::waiting());
        world.agent("asking", conversation::asking(1));
        world.agent("chatty", conversation::echoing());
        let repo = world.repo("project");
        let filters = filters(world.root());
        Self { world, repo, _filters: filters }
    }

    /// The transcript of one command in the repository.
    #[track_caller]
    pub(super) fn enter(&self, arguments: &[&str]) -> String {
        transcript(arguments, &self.world.run(&mut self.with_one_output(arguments)))
    }

    /// The transcript of a command that is ended with TERM as soon as it has printed a text.
    #[track_caller]
    pub(super) fn enter_until(&self, text: &str, arguments: &[&str]) -> String {
        let process = self.world.start(&mut self.with_one_output(arguments));
        wait_for(text, LIMIT, || process.stdout().contains(text).then_some(()));
        process.signal(Signal::TERM);
        transcript(arguments, &process.wait())
    }

    /// The transcript of a command on a terminal: the screen as soon as it contains a text. The keys end the command.
    #[track_caller]
    pub(super) fn enter_on_terminal(&self, text: &str, keys: &[&str], arguments: &[&str]) -> String {
        let terminal = self.world.terminal_with(&self.command(arguments));
        let screen = terminal.wait_for_text(text);
        terminal.send_keys(keys);
        assert_eq!(terminal.wait_for_exit(), 0, "{}", terminal.screen());
        format!("$ agency {}\n{}", arguments.join(" "), screen.trim_end())
    }

    /// The transcript of a command with a text on its standard input.
    #[track_caller]
    pub(super) fn enter_with_input(&self, input: &str, arguments: &[&str]) -> String {
        let path = self.world.root().join("input");
        fs::write(&path, input).unwrap();
        let output = self.command(arguments).stdin(File::open(path).unwrap()).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let output = Output { status: output.status, stdout: text(output.stdout), stderr: text(output.stderr) };
        transcript(arguments, &output)
    }

    /// The command with standard output and standard error in one pipe, in the order in which a terminal shows them.
    fn with_one_output(&self, arguments: &[&str]) -> Command {
        let mut command = self.world.program("sh");
        command.args(["-c", "exec \"$@\" 2>&1", "sh", env!("CARGO_BIN_EXE_agency")]).args(arguments);
        command.current_dir(&self.repo.path);
        command
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.world.command(arguments);
        command.current_dir(&self.repo.path);
        command
    }

    /// Waits until a fact of a JSON answer has a value.
    #[track_caller]
    pub(super) fn wait_for_fact(&self, arguments: &[&str], pointer: &str, value: impl Into<Value>) {
        let value = value.into();
        wait_for(&format!("{pointer} is {value}"), LIMIT, || {
            let answer = self.world.json(arguments);
            (answer["data"].pointer(pointer) == Some(&value)).then_some(())
        });
    }

    /// Starts a headless run with a name, without a transcript.
    #[track_caller]
    pub(super) fn start(&self, runner: &str, name: &str) {
        let arguments = ["run", "--runner", runner, "--mode", "headless", "--prompt", "Do it", "--name", name];
        let output = self.world.run(self.world.command(&arguments).current_dir(&self.repo.path));
        assert!(output.status.success(), "{output}");
    }

    /// The same, and waits until the run has finished.
    #[track_caller]
    pub(super) fn finish(&self, runner: &str, name: &str) {
        self.start(runner, name);
        self.world.agency(&["wait", name]);
    }
}

/// A command, its output, and how it ended unless it succeeded.
fn transcript(arguments: &[&str], output: &Output) -> String {
    let mut text = format!("$ agency {}\n{}{}", arguments.join(" "), output.stdout, output.stderr);
    if !output.status.success() {
        text.push_str(&format!("[{}]", output.status));
    }
    text
}

/// Replaces what differs from one execution to the next.
fn filters(root: &Path) -> insta::internals::SettingsBindDropGuard {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(&regex_of(&root.to_string_lossy()), "{world}");
    settings.add_filter(&regex_of(env!("CARGO_BIN_EXE_agency")), "[agency]");
    for (pattern, replacement) in [
        (r"\br_[0-9A-Z]{26}", "[run]"),
        (r"\brace_[0-9A-Z]{26}", "[race]"),
        (r"\bq_[0-9A-Z]{26}", "[question]"),
        (r"(session|sess|wf|s)_[0-9A-Za-z]{26}", "[session]"),
        (r"\b[0-9A-HJKMNP-TV-Z]{26}\b", "[id]"),
        (r"worktrees/[0-9a-f]{16}", "worktrees/[hash]"),
        (r"\b([0-9a-f]{40}|[0-9a-f]{12})\b", "[commit]"),
        (r"Committed [0-9a-f]{7}\b", "Committed [commit]"),
        (r"agency-demo-\w{6}\b", "agency-demo-[random]"),
        (r"git version .*", "git version [version]"),
        (r"tmux: tmux .*", "tmux: tmux [version]"),
        // The driver of a session exits a moment after the session has ended.
        (r"(?m)^(  driver  +\S+) \(gone\)$", "$1"),
        (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?", "[time]"),
        (r"\b\d\d:\d\d:\d\d\b", "[time]"),
        (r"\b\d+(\.\d+)? ?(ms|s|m|min|h)\b( ago)?", "[duration]"),
        (r"\bjust now\b", "[duration]"),
        (r"(process|pid|kill-orphan) \d+", "$1 [pid]"),
        (r"(?m)^\d+  /bin/sh", "[pid]  /bin/sh"),
        // What an agent does at this moment depends on timing.
        (r"alice is (idle|running|starting)\b", "alice is [activity]"),
        (r"alice  (idle|running|starting)  +\w+", "alice  [activity]  [activity]"),
        (r"(?m)^(activity|  doing)  +\w+", "$1  [activity]"),
        (r"(?m)^(state +running) \(\w+\)", "$1 ([status])"),
        (r"(?m)^conversation .*\n", ""),
        (r"(?m)^ +\d+  \[time\]  (starting|unknown|idle): .*\n", ""),
        (r"(?m)^ +\d+  \[time\]", "  [n]  [time]"),
        (r"last seen \w+", "last seen [activity]"),
        (r"because .*", "because [evidence]"),
        // Empty rows of a screen.
        (r"(?m)^ +│\n", ""),
        (r"[ \t]+\n", "\n"),
        (r"(\S)  +", "$1  "),
    ] {
        settings.add_filter(pattern, replacement);
    }
    settings.bind_to_scope()
}

fn regex_of(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_alphanumeric() { letter.to_string() } else { format!("\\{letter}") })
        .collect()
}

/// Compares the transcript of a command with the one in the test.
macro_rules! sees {
    ($console:expr, $arguments:expr, @$expected:literal) => {
        insta::assert_snapshot!($console.enter(&$arguments), @$expected)
    };
}
pub(super) use sees;
