//! Agents write and commit while forecasts are made.
//!
//! The suite plays it small; `AGENCY_FORECAST_AGENTS`, `_FILES` and `_TIMES` set other sizes.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use agency_testkit::{Repo, World, conversation, wait_for};
use serde_json::Value;

use super::{data, world};

/// How many agents, files and forecasts there are unless the environment says otherwise.
const USUAL: [usize; 3] = [6, 500, 8];
const LIMIT: Duration = Duration::from_secs(120);

/// With each message, edits files that others edit as well, and some of its own; commits now and then. A git that fails
/// leaves a line.
const WORK: &str = "git_works() { git \"$@\" || { echo \"$number: git $*\" >>\"$failed\"; exit 9; }; }\n\
    round=0\n\
    while hear_message; do\n\
    edits=0\n\
    while [ $edits -lt 6 ]; do\n\
    edits=$((edits + 1)); round=$((round + 1))\n\
    echo \"$number $round\" > \"dir$((round % 7))/file$((number % 4))\"\n\
    echo \"$number $round\" > \"own-$number-$((round % 5))\"\n\
    rm -f \"own-$number-$(((round + 2) % 5))\"\n\
    if [ $((round % 4)) = 0 ]; then git_works add -A && git_works commit -qm \"$number $round\"; fi\n\
    git_works status --porcelain > /dev/null\n\
    done\n\
    finish \"round $round\"\n\
    done";

/// How many agents, files and forecasts there are.
fn sizes() -> [usize; 3] {
    let set = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let names = ["AGENCY_FORECAST_AGENTS", "AGENCY_FORECAST_FILES", "AGENCY_FORECAST_TIMES"];
    std::array::from_fn(|index| set(names[index]).unwrap_or(USUAL[index]))
}

fn filled(repo: &Repo, files: usize) {
    for number in 0..files {
        repo.write(format!("dir{}/file{}", number % 50, number / 50), &format!("{number}\n"));
    }
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-q", "-m", "many files"]);
}

#[test]
fn no_git_of_any_agent_fails_and_no_verdict_is_wrong() {
    let (world, repo) = world();
    let [agents, files, forecasts] = sizes();
    world.set("max_agents", "40");
    filled(&repo, files);
    let failed = world.root().join("failed");
    let names: Vec<String> = (0..agents).map(|number| start(&world, &repo, number, &failed)).collect();
    let mut judge = Judge { world: &world, repo: &repo, commits: HashMap::new() };
    let mut compared = 0;
    for round in 0..forecasts {
        let messages: Vec<_> =
            names.iter().map(|name| world.start(&mut world.command(&["send", name, "more"]))).collect();
        // The files of turns that have ended, and those of this moment.
        let options: &[&str] = if round % 2 == 0 { &["forecast"] } else { &["forecast", "--fresh"] };
        compared += judge.check(&data(&world, &repo, options)).0;
        messages.into_iter().for_each(|message| drop(message.wait()));
    }
    assert!(compared > 0, "no forecast named trees that are still there");
    // At rest, everything is in checkpoints.
    let (compared, conflicts) = wait_for("a checkpoint of each agent", LIMIT, || {
        let forecast = data(&world, &repo, &["forecast"]);
        let runs = forecast["runs"].as_array().unwrap();
        let is_known = |run: &Value| run["source"] == "checkpoint" && run["verdict"] == "clean";
        (runs.len() == agents && runs.iter().all(is_known)).then(|| judge.check(&forecast))
    });
    assert!(compared == agents * (agents - 1) / 2 && conflicts > 0, "{compared} compared, {conflicts} conflicts");
    let failed = std::fs::read_to_string(&failed).unwrap_or_default();
    assert_eq!(failed, "", "a git of an agent failed");
    for name in &names {
        world.ok(&["agent", "stop", name]);
    }
}

fn start(world: &World, repo: &Repo, number: usize, failed: &Path) -> String {
    let name = format!("agent{number}");
    let script = format!("number={number}\nfailed='{}'\n{WORK}", failed.display());
    world.agent(&name, conversation::speaking(&script));
    let path = repo.path.to_str().unwrap();
    let spawn = ["agent", "spawn", &name, "--repo", path, "--runner", &name, "--prompt", "begin", "--mode", "headless"];
    world.ok(&spawn);
    name
}

/// Compares verdicts with those of git itself.
struct Judge<'a> {
    world: &'a World,
    repo: &'a Repo,
    /// A commit for each state.
    commits: HashMap<(String, String), Option<String>>,
}

impl Judge<'_> {
    /// Checks every verdict about trees that are in the repository; how many, and how many of them were conflicts.
    fn check(&mut self, forecast: &Value) -> (usize, usize) {
        assert!(forecast["computed_at"].is_string(), "{forecast}");
        let verdicts: HashMap<(&str, &str), &str> = forecast["pairs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|pair| {
                let text = |name: &str| pair[name].as_str().unwrap();
                ((text("first"), text("second")), text("verdict"))
            })
            .collect();
        let runs = forecast["runs"].as_array().unwrap();
        let states: Vec<(&str, String)> =
            runs.iter().filter_map(|run| Some((run["id"].as_str().unwrap(), self.commit(run)?))).collect();
        let (mut compared, mut conflicts) = (0, 0);
        for (position, (one, state)) in states.iter().enumerate() {
            for (other, state_of_other) in &states[position + 1..] {
                let verdict = verdicts.get(&(*one, *other)).copied().unwrap_or("clean");
                // A file vanished while it was read.
                if verdict != "unknown" {
                    let merges = self.merges(state, state_of_other);
                    assert_eq!(verdict == "clean", merges, "{one} {other}: {verdict} in {forecast:#}");
                    compared += 1;
                    conflicts += usize::from(!merges);
                }
            }
        }
        (compared, conflicts)
    }

    /// A commit of the files of a run on top of its history; nothing if its tree was only there for the forecast.
    fn commit(&mut self, run: &Value) -> Option<String> {
        let (tree, parent) = (run["tree"].as_str()?.to_owned(), run["commit"].as_str()?.to_owned());
        let (world, repo) = (self.world, self.repo);
        let make = |(tree, parent): &(String, String)| {
            let mut look = world.program("git");
            look.args(["cat-file", "-e", &format!("{tree}^{{tree}}")]).current_dir(&repo.path);
            let is_there = world.run(&mut look).status.success();
            is_there.then(|| repo.git(&["commit-tree", "-m", "state", "-p", parent, tree]).trim().to_owned())
        };
        let known = self.commits.get(&(tree.clone(), parent.clone())).cloned().flatten();
        known.or_else(|| {
            let state = (tree, parent);
            let made = make(&state);
            self.commits.insert(state, made.clone());
            made
        })
    }

    fn merges(&self, one: &str, other: &str) -> bool {
        let mut git = self.world.program("git");
        git.args(["merge-tree", "--write-tree", one, other]).current_dir(&self.repo.path);
        self.world.run(&mut git).status.success()
    }
}
