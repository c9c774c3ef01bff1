//! Agents write and commit while forecasts are made.
//!
//! The suite plays it small; `AGENCY_FORECAST_AGENTS`, `_FILES` and `_TIMES` set other sizes.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use agency_testkit::{Repo, World, wait_for};
use serde_json::Value;

use super::{data, world};

/// How many agents, files and forecasts there are unless the environment says otherwise.
const USUAL: [usize; 3] = [6, 500, 8];
const LIMIT: Duration = Duration::from_secs(120);

/// Edits files that others edit as well, and some of its own; commits now and then. A git that fails ends it with an error.
fn agent() -> String {
    let work = "number=$AGENT; round=0\n\
        while [ ! -e \"$STOP\" ] && [ $round -lt 200 ]; do\n\
        round=$((round + 1))\n\
        echo \"$number $round\" > \"dir$((round % 7))/file$((number % 4))\"\n\
        echo \"$number $round\" > \"own-$number-$((round % 5))\"\n\
        rm -f \"own-$number-$(((round + 2) % 5))\"\n\
        if [ $((round % 4)) = 0 ]; then git add -A && git commit -qm \"$number $round\" || exit 9; fi\n\
        git status --porcelain > /dev/null || exit 8\n\
        done\n\
        git add -A && { git diff --cached --quiet || git commit -qm last; } || exit 7";
    work.to_owned()
}

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

/// Whether git itself merges two trees with these histories.
fn merges(world: &World, repo: &Repo, one: &Value, other: &Value) -> bool {
    let commit = |of: &Value| {
        let (tree, parent) = (of["tree"].as_str().unwrap(), of["commit"].as_str().unwrap());
        repo.git(&["commit-tree", "-m", "state", "-p", parent, tree]).trim().to_owned()
    };
    let mut git = world.program("git");
    git.args(["merge-tree", "--write-tree", &commit(one), &commit(other)]).current_dir(&repo.path);
    world.run(&mut git).status.success()
}

#[test]
fn no_git_of_any_agent_fails_and_no_verdict_is_wrong() {
    let (world, repo) = world();
    let [agents, files, forecasts] = sizes();
    world.set("max_agents", "40");
    filled(&repo, files);
    let stop = world.root().join("stop");
    let runs: Vec<String> = (0..agents).map(|number| start(&world, &repo, number, &stop)).collect();
    for _ in 0..forecasts {
        data(&world, &repo, &["forecast", "--fresh"]);
    }
    fs::write(&stop, "").unwrap();
    for id in &runs {
        let ended = wait_for("the end of an agent", LIMIT, || {
            let shown = data(&world, &repo, &["show", id]);
            (shown["ended_at"] != Value::Null).then_some(shown)
        });
        assert_eq!((&ended["state"], &ended["exit_code"]), (&"completed".into(), &0.into()), "{ended}");
    }
    // The trees of a forecast of committed works are in the repository, where git can merge them again.
    let forecast = data(&world, &repo, &["forecast", "--fresh"]);
    assert_eq!(forecast["runs"].as_array().unwrap().len(), agents);
    check(&world, &repo, &forecast);
}

fn start(world: &World, repo: &Repo, number: usize, stop: &Path) -> String {
    let name = format!("agent{number}");
    world.agent(&name, format!("AGENT={number}\nSTOP='{}'\n{}", stop.display(), agent()));
    let run = data(world, repo, &["run", "-a", &name, "--mode", "headless", "--name", &name, "-p", "work"]);
    run["id"].as_str().unwrap().to_owned()
}

/// Compares every verdict with git's own.
fn check(world: &World, repo: &Repo, forecast: &Value) {
    let runs = forecast["runs"].as_array().unwrap();
    let pairs: HashMap<(&str, &str), &str> = forecast["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| {
            let text = |name: &str| pair[name].as_str().unwrap();
            ((text("first"), text("second")), text("verdict"))
        })
        .collect();
    for (position, one) in runs.iter().enumerate() {
        assert_eq!(one["verdict"], "clean", "main did not move: {one}");
        for other in &runs[position + 1..] {
            let ids = (one["id"].as_str().unwrap(), other["id"].as_str().unwrap());
            let verdict = pairs.get(&ids).copied().unwrap_or("clean");
            assert_eq!(verdict == "clean", merges(world, repo, one, other), "{ids:?} {verdict}");
        }
    }
    assert!(pairs.values().any(|verdict| *verdict == "conflict"));
}
