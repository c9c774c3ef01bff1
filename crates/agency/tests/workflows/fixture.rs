//! Where workflows are run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use agency_testkit::{Agent, Repo, Run, World, wait_for};
use serde_json::Value;

/// How long anything may take.
pub(super) const LIMIT: Duration = Duration::from_secs(60);

/// An agent that leaves a line and waits for [`Place::go`] before it ends.
pub(super) const PATIENT: &str = "echo \"$STEP\" >>\"$LOG\"\nuntil [ -e \"$FLAGS/go\" ]; do sleep 0.01; done";

/// A world with a repository, which is quick to stop and to come back. Every step can leave a line in its own log.
pub(super) struct Place {
    pub(super) world: World,
    pub(super) repo: Repo,
}

impl Place {
    pub(super) fn new() -> Self {
        let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
        world.set("host", "\"detached\"");
        world.configure("\n[limits]\nstop_grace_seconds = 1\n\n[restart]\npauses_seconds = [0]\n");
        let repo = world.repo("project");
        Self { world, repo }
    }

    /// The same with an agent.
    pub(super) fn with_agent(self, name: &str, agent: impl Into<Agent>) -> Self {
        self.world.agent(name, agent);
        self
    }

    /// Lets every patient agent end.
    pub(super) fn go(&self) {
        std::fs::write(self.world.root().join("go"), "").unwrap();
    }

    /// The file in which steps leave their lines.
    pub(super) fn log(&self) -> PathBuf {
        self.world.root().join("log")
    }

    /// What steps left there, sorted.
    pub(super) fn lines(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.log()).unwrap_or_default();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    }

    /// Writes a workflow file.
    pub(super) fn workflow(&self, text: &str) -> PathBuf {
        let path = self.world.root().join("workflow.yaml");
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A command with what all of them need.
    pub(super) fn command(&self, words: &[&str]) -> Command {
        let mut command = self.world.command(&[&["--json", "workflow"], words].concat());
        command.env("LOG", self.log()).env("FLAGS", self.world.root()).current_dir(&self.repo.path);
        command
    }

    /// Begins a session, and gives its id.
    #[track_caller]
    pub(super) fn begin(&self, text: &str, options: &[&str]) -> String {
        let file = self.workflow(text);
        let words = [&["run", file.to_str().unwrap(), "--detach"], options].concat();
        let answer = self.answer(&mut self.command(&words));
        answer["session"].as_str().unwrap().to_owned()
    }

    /// Runs a command, which must succeed, and gives its data.
    #[track_caller]
    pub(super) fn answer(&self, command: &mut Command) -> Value {
        let mut answer = self.world.run(command).object();
        assert_eq!(answer["ok"], true, "{answer:#}");
        answer["data"].take()
    }

    /// Does something with a session that must succeed.
    #[track_caller]
    pub(super) fn does(&self, words: &[&str]) -> Value {
        self.answer(&mut self.command(words))
    }

    /// A session as it is now.
    #[track_caller]
    pub(super) fn shown(&self, session: &str) -> Value {
        self.does(&["show", session])
    }

    /// Waits until a session is in a state, and nobody drives it if it stands still there.
    #[track_caller]
    pub(super) fn wait_for_state(&self, session: &str, state: &str) -> Value {
        let is_settled = ["blocked", "completed", "failed", "cancelled"].contains(&state);
        wait_for(&format!("{session} is {state}"), LIMIT, || {
            let shown = self.shown(session);
            (shown["state"] == state && (!is_settled || shown["driven"] == false)).then_some(shown)
        })
    }

    /// Waits until a step is in a state.
    #[track_caller]
    pub(super) fn wait_for_step(&self, session: &str, name: &str, state: &str) -> Value {
        wait_for(&format!("{name} is {state}"), LIMIT, || {
            Some(step(&self.shown(session), name)).filter(|step| step["state"] == state)
        })
    }

    /// The run that drives a session.
    #[track_caller]
    pub(super) fn driver(&self, session: &str) -> Run {
        self.world.run_with_id(self.shown(session)["driver"].as_str().unwrap())
    }

    /// The facts of a session, one name each.
    #[track_caller]
    pub(super) fn facts(&self, session: &str) -> Vec<Value> {
        let path = self.world.agency_home().join("sessions").join(session).join("history.ndjson");
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// A step of a session by its name.
#[track_caller]
pub(super) fn step(session: &Value, name: &str) -> Value {
    let steps = session["steps"].as_array().unwrap();
    let found = steps.iter().find(|step| step["name"] == name);
    found.unwrap_or_else(|| panic!("no step {name} in {session:#}")).clone()
}

/// The state of every step, in order.
pub(super) fn states(session: &Value) -> Vec<(String, String)> {
    let steps = session["steps"].as_array().unwrap().iter();
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    steps.map(|step| (word(&step["name"]), word(&step["state"]))).collect()
}
