//! The runs of a world.

use crate::{Repo, Run, World};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

impl World {
    /// Starts a run of an agent with `agency run`, which must succeed.
    #[track_caller]
    pub fn begin(&self, repo: &Repo, agent: &str, options: &[&str]) -> Run {
        let answer = self.json(&[&run_words(repo, agent), options].concat());
        assert_eq!(answer["ok"], true, "{answer:#}");
        self.run_with_id(answer["data"]["id"].as_str().unwrap())
    }

    /// `agency run` of an agent, for a test to change and start.
    pub fn run_command(&self, repo: &Repo, agent: &str, options: &[&str]) -> Command {
        self.command(&[&run_words(repo, agent), options].concat())
    }

    /// The run with that id.
    pub fn run_with_id(&self, id: &str) -> Run {
        Run::at(self.agency_home().join("runs").join(id))
    }

    /// Every run that has a directory, oldest first.
    pub fn runs(&self) -> Vec<Run> {
        let entries = fs::read_dir(self.agency_home().join("runs")).into_iter().flatten();
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        paths.into_iter().map(Run::at).collect()
    }

    /// Waits with `agency wait` until a run has finished and returns it, however it ended.
    #[track_caller]
    pub fn ended(&self, run: &Run) -> Value {
        self.agency(&["wait", &run.id, "--json"]).object()["data"].take()
    }

    /// What `agency show` says about a run.
    #[track_caller]
    pub fn show(&self, run: &Run) -> Value {
        self.json(&["show", &run.id])["data"].take()
    }
}

/// The words of `agency run` that every run needs.
fn run_words<'a>(repo: &'a Repo, agent: &'a str) -> [&'a str; 7] {
    let path = repo.path.to_str().unwrap();
    ["run", "--repo", path, "--runner", agent, "--prompt", "do it"]
}
