//! Workflows: what a step costs beside its command, how soon a long file is checked, and what is done twice when
//! drivers are killed.

use crate::Bench;
use crate::fixture::{BenchFixture, LIMIT, object, succeed, timed};
use crate::row::Row;
use crate::sample::Sample;
use agency_testkit::long_way;
use agency_testkit::{Repo, wait_for};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::collections::hash_map::RandomState;
use std::fmt::Write;
use std::fs::{self, File};
use std::hash::BuildHasher;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// Steps of `true`, and a file that is only checked.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let place = BenchFixture::new(bench, 8);
    let repo = place.repo(100);
    vec![steps(bench, &place, &repo), checked(bench, &place, &repo)]
}

fn steps(bench: &Bench, place: &BenchFixture, repo: &Repo) -> Row {
    let count: u32 = if bench.quick { 200 } else { 1000 };
    let file = workflow(place, count);
    let (mut ours, mut theirs) = (Sample::default(), Sample::default());
    for round in 0..=bench.rounds(5, 2) {
        let times = (session(place, repo, &file) / count, spawned(place, count) / count);
        if round > 0 {
            ours.add(times.0);
            theirs.add(times.1);
        }
    }
    let ratio = ours.ratio(&theirs);
    Row {
        what: format!("one of {count} steps `true` of a workflow"),
        ours: ours.to_string(),
        floor: "`sh -c true` from a loop of the same program",
        theirs: theirs.to_string(),
        ratio: Some(ratio),
        limit: "≤ 3×",
        met: Some(ratio <= 3.0),
    }
}

/// A workflow of so many steps.
fn workflow(place: &BenchFixture, count: u32) -> PathBuf {
    let mut text = "name: many\nsteps:\n".to_owned();
    for number in 1..=count {
        let _ = writeln!(text, "  - {{ name: step-{number}, type: script, command: \"true\" }}");
    }
    let path = place.world().root().join(format!("many-{count}.yaml"));
    fs::write(&path, text).unwrap();
    path
}

/// From the beginning of the first step until the end of the session.
fn session(place: &BenchFixture, repo: &Repo, file: &PathBuf) -> Duration {
    let mut run = place.world().command(&["--json", "workflow", "run"]);
    let answer = object(&succeed(run.arg(file).current_dir(&repo.path)));
    assert_eq!(answer["data"]["state"], "completed", "{answer:#}");
    let facts = facts(place, answer["data"]["session"].as_str().unwrap());
    let milliseconds = |fact: &Value| -> u64 {
        let at = fact["at"].as_str().unwrap();
        let (seconds, fraction) = at.trim_end_matches('Z').split_once('.').unwrap_or((at.trim_end_matches('Z'), "0"));
        let clock: Vec<u64> =
            seconds.rsplit('T').next().unwrap().split(':').map(|part| part.parse().unwrap()).collect();
        (clock[0] * 3600 + clock[1] * 60 + clock[2]) * 1000 + format!("{fraction:0<3}")[..3].parse::<u64>().unwrap()
    };
    let (first, last) = (milliseconds(&facts[1]), milliseconds(facts.last().unwrap()));
    // A session may last past midnight.
    Duration::from_millis((last + 24 * 3_600_000 - first) % (24 * 3_600_000))
}

fn facts(place: &BenchFixture, session: &str) -> Vec<Value> {
    let path = place.world().agency_home().join("sessions").join(session).join("history.ndjson");
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The same commands without a workflow, their output kept in a file too.
fn spawned(place: &BenchFixture, count: u32) -> Duration {
    let output = place.world().root().join("output");
    let start = Instant::now();
    for _ in 0..count {
        let file = File::create(&output).unwrap();
        let status = Command::new("sh").args(["-c", "true"]).stdout(file).status().unwrap();
        assert!(status.success());
    }
    start.elapsed()
}

fn checked(bench: &Bench, place: &BenchFixture, repo: &Repo) -> Row {
    let file = workflow(place, 10_000);
    let mut ours = Sample::default();
    for round in 0..=bench.rounds(10, 3) {
        let mut command = place.world().command(&["workflow", "validate"]);
        let (time, _) = timed(command.arg(&file).current_dir(&repo.path));
        if round > 0 {
            ours.add(time);
        }
    }
    Row {
        what: "`agency workflow validate` of 10,000 steps".to_owned(),
        ours: ours.to_string(),
        floor: "",
        theirs: String::new(),
        ratio: None,
        limit: "≤ 1 s",
        met: Some(ours.median() <= Duration::from_secs(1)),
    }
}

/// Sessions whose drivers are killed at random times.
pub(crate) fn kills(bench: &Bench) -> Vec<Row> {
    let wanted = bench.rounds(100, 10);
    let (mut killed, mut sessions, mut wrong) = (0, 0, 0);
    while killed < wanted {
        let place = BenchFixture::new(bench, 8);
        place.world().configure("[limits]\nstop_grace_seconds = 1\n[restart]\npauses_seconds = [0]\n");
        place.world().agent("worker", long_way::worker());
        let repo = place.repo(4);
        let (killed_now, lines) = disturbed(&place, &repo);
        killed += killed_now;
        sessions += 1;
        wrong += usize::from(lines != long_way::LINES);
    }
    vec![Row {
        what: format!("{sessions} sessions of twelve steps, their drivers killed {killed} times at random"),
        ours: format!("{wrong} not as undisturbed"),
        floor: "",
        theirs: String::new(),
        ratio: None,
        limit: "0",
        met: Some(wrong == 0),
    }]
}

/// Brings a session to its end although its driver is killed again and again: how often, and what its steps left.
fn disturbed(place: &BenchFixture, repo: &Repo) -> (usize, Vec<String>) {
    let world = place.world();
    let (log, file) = (world.root().join("log"), world.root().join("long-way.yaml"));
    fs::write(&file, long_way::WORKFLOW.replace("mode: headless }", "mode: headless, host: detached }")).unwrap();
    let workflow = |words: &[&str]| {
        let mut command = world.command(&[&["--json", "workflow"], words].concat());
        command.env("LOG", &log).current_dir(&repo.path);
        command
    };
    let begun = object(&succeed(&mut workflow(&["run", file.to_str().unwrap(), "--detach"])));
    let session = begun["data"]["session"].as_str().unwrap().to_owned();
    let (mut killed, mut next) = (0, Instant::now());
    wait_for("the end of the session", LIMIT, || {
        if Instant::now() >= next {
            next = Instant::now() + Duration::from_millis(RandomState::new().hash_one(killed) % 400);
            killed += usize::from(kill_driver(place, &session));
        }
        let shown = world.run(&mut workflow(&["show", &session])).object();
        let (state, driven) = (shown["data"]["state"].as_str().unwrap(), shown["data"]["driven"] == true);
        match (state, driven) {
            ("completed", false) => return Some(()),
            ("blocked" | "failed" | "cancelled", false) => panic!("{shown:#}"),
            ("waiting" | "pending_merge", true) => drop(world.run(&mut workflow(&["approve", &session]))),
            (_, false) => drop(world.run(&mut workflow(&["resume", &session, "--detach"]))),
            (_, true) => {}
        }
        None
    });
    let mut lines: Vec<String> = fs::read_to_string(log).unwrap().lines().map(str::to_owned).collect();
    lines.sort();
    (killed, lines)
}

/// Kills the process that drives a session, if there is one.
fn kill_driver(place: &BenchFixture, session: &str) -> bool {
    let found = fs::read_dir("/proc").unwrap().filter_map(Result::ok).find_map(|entry| {
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        let pid = entry.file_name().to_str()?.parse().ok()?;
        (line.contains(" drive ")
            && line.contains(session)
            && line.starts_with(place.world().command(&[]).get_program().to_str()?))
        .then_some(pid)
    });
    found.and_then(Pid::from_raw).is_some_and(|pid| kill_process(pid, Signal::KILL).is_ok())
}
