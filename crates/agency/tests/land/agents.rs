//! What is left to users is refused to agents, and to the commands that execute what an agent wrote.

use std::fs;

use agency_testkit::{Repo, Run, World, wait_for};

use super::{events, finished, on, world};

const LIMIT: std::time::Duration = std::time::Duration::from_secs(60);

/// Commands that only a user may give, about another run. Each prints `refused` with its number if it is not allowed.
fn forbidden(world: &World, repo: &Repo, other: &Run) -> String {
    let (binary, path) = (env!("CARGO_BIN_EXE_agency"), repo.path.display());
    let own_home = world.agency_home();
    let commands = [
        format!("{binary} land {}", other.id),
        format!("{binary} land --no-check --all-ready {}", other.id),
        format!("{binary} review {} --approve", other.id),
        format!("{binary} trust --yes --repo '{path}'"),
        format!("{binary} trust revoke --repo '{path}'"),
        format!("env -i HOME=/ PATH=\"$PATH\" AGENCY_HOME='{}' {binary} land {}", own_home.display(), other.id),
        format!(
            "env -i HOME=/ PATH=\"$PATH\" AGENCY_HOME='{}' {binary} trust --yes --repo '{path}'",
            own_home.display()
        ),
    ];
    let numbered = commands.iter().enumerate();
    let one = |(number, command): (usize, &String)| {
        format!("cd '{path}'; {command} </dev/null 2>&1; test $? = 8 && echo refused {number}")
    };
    numbered.map(one).collect::<Vec<_>>().join("; ") + "; echo all"
}

#[track_caller]
fn all_refused(said: &str) {
    for number in 0..7 {
        assert!(said.contains(&format!("refused {number}\n")), "{number}: {said}");
    }
}

/// A repository that proposes a check, and a finished run that could land.
fn scene() -> (World, Repo, Run) {
    let (world, repo) = world();
    repo.commit_file(".agency/project.toml", "[land]\ncheck = [\"true\"]\nrequire_approval = false\n");
    let other = finished(&world, &repo, "echo other >other.txt");
    (world, repo, other)
}

#[track_caller]
fn nothing_was_done(world: &World, other: &Run) {
    assert_eq!(events(other, &["landing", "landed", "approved"]), Vec::<String>::new());
    assert_eq!(world.json(&["trust", "ls"])["data"]["projects"].as_array().unwrap().len(), 0);
}

#[test]
fn an_agent_lands_and_approves_nothing() {
    let (world, repo, other) = scene();
    let sly = finished(&world, &repo, &forbidden(&world, &repo, &other));
    all_refused(&world.ok(&["logs", "--stdout", &sly.id]).stdout);
    nothing_was_done(&world, &other);
}

// What `docs/safety.md` promises of checks.
#[test]
fn a_check_counts_as_started_by_the_agent() {
    let (world, repo, other) = scene();
    let run = finished(&world, &repo, "echo 1 >one");
    let check = format!("{}; test ! -t 0 && test ! -t 1 && ! (: </dev/tty)", forbidden(&world, &repo, &other));
    world.ok(&["land", &run.id, "--check", &check]);
    all_refused(&fs::read_to_string(run.file("land/check-1.log")).unwrap());
    nothing_was_done(&world, &other);
    assert_eq!(on(&repo, "main", "one").trim(), "1");
}

#[test]
fn the_command_that_verifies_a_race_counts_as_started_by_the_agent() {
    let (world, repo, other) = scene();
    world.agent("a", "echo a >work");
    world.agent("b", "echo b >work");
    let verify = forbidden(&world, &repo, &other);
    let race = ["race", "do it", "--repo", repo.path.to_str().unwrap(), "--agents", "a,b", "--verify", &verify];
    let shown = world.json(&race)["data"].take();
    for run in shown["runs"].as_array().unwrap() {
        let run = world.run_with_id(run["id"].as_str().unwrap());
        all_refused(&fs::read_to_string(run.file("race/verify.log")).unwrap());
    }
    nothing_was_done(&world, &other);
}

/// An agent may write the files of another run anyway; what it restores can be taken back.
#[test]
fn what_an_agent_restores_is_recorded_and_can_be_taken_back() {
    let (world, repo, other) = scene();
    let binary = env!("CARGO_BIN_EXE_agency");
    finished(&world, &repo, &format!("{binary} checkpoint restore {} 0", other.id));
    let worktree = world.show(&other)["worktree_path"].as_str().unwrap().to_owned();
    let restored =
        wait_for("the restore", LIMIT, || other.events().into_iter().find(|event| event["type"] == "restored"));
    assert!(!fs::exists(format!("{worktree}/other.txt")).unwrap());
    world.ok(&["checkpoint", "restore", &other.id, &restored["before"].to_string()]);
    assert_eq!(fs::read_to_string(format!("{worktree}/other.txt")).unwrap(), "other\n");
}
