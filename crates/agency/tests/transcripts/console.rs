//! A repository in a private world, and the transcript of commands that a person enters there.

use std::path::Path;

use agency_testkit::{Agent, Repo, World, agent, conversation};

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
        let output = self.world.run(self.world.command(arguments).current_dir(&self.repo.path));
        let mut text = format!("$ agency {}\n{}{}", arguments.join(" "), output.stdout, output.stderr);
        if !output.status.success() {
            text.push_str(&format!("[{}]", output.status));
        }
        text
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

/// Replaces what differs from one execution to the next.
fn filters(root: &Path) -> insta::internals::SettingsBindDropGuard {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(&regex_of(&root.to_string_lossy()), "{world}");
    settings.add_filter(&regex_of(env!("CARGO_BIN_EXE_agency")), "[agency]");
    for (pattern, replacement) in [
        (r"\br_[0-9A-Z]{26}", "[run]"),
        (r"\bq_[0-9A-Z]{26}", "[question]"),
        (r"(session|sess|wf|s)_[0-9A-Za-z]{26}", "[session]"),
        (r"\b[0-9A-HJKMNP-TV-Z]{26}\b", "[id]"),
        (r"worktrees/[0-9a-f]{16}", "worktrees/[hash]"),
        (r"\b[0-9a-f]{40}\b", "[commit]"),
        (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?", "[time]"),
        (r"\b\d\d:\d\d:\d\d\b", "[time]"),
        (r"\b\d+(\.\d+)? ?(ms|s|m|min|h)\b( ago)?", "[duration]"),
        (r"\bjust now\b", "[duration]"),
        (r"(process|pid) \d+", "$1 [pid]"),
        // What an agent does at this moment depends on timing.
        (r"alice is (idle|running|starting)  ", "alice is [activity]  "),
        (r"(?m)^ +\d+  \[time\]  (starting|unknown|idle): .*\n", ""),
        (r"(?m)^ +\d+  \[time\]", "  [n]  [time]"),
        (r"last seen \w+", "last seen [activity]"),
        (r"because .*", "because [evidence]"),
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
