//! Many agents ask at once, while somebody answers and everybody who looks is killed again and again.
//!
//! The suite plays it small. `AGENCY_STRESS_AGENTS=50 AGENCY_STRESS_QUESTIONS=20 cargo test -p agency --features
//! fault-points --test conversation many_agents -- --nocapture` plays it in full.

use std::os::unix::process::ExitStatusExt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use agency_testkit::{Run, World, conversation, wait_for};
use rustix::process::Signal;
use serde_json::Value;

use super::fixture::{TALK, rows, text, world};

/// So many answer at once, each question as often as they see it.
const ANSWERERS: usize = 2;
/// Of so many who answer one is killed on the way, at each of the steps in turn.
const KILLED: usize = 10;
const POINTS: [&str; 2] = ["answer.begin", "answer.recorded"];
/// How long all of it may take.
const LONGEST: Duration = Duration::from_secs(600);

/// A number that the caller may choose.
fn chosen(variable: &str, otherwise: u32) -> u32 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// What happened beside the agents.
#[derive(Debug, Default)]
struct Tally {
    over: AtomicBool,
    answers: AtomicUsize,
    too_late: AtomicUsize,
    killed_answers: AtomicUsize,
    killed_viewers: AtomicUsize,
}

// proves I3, I5
#[test]
fn many_agents_ask_at_once_and_every_answer_arrives_once_whoever_is_killed() {
    let (agents, questions) = (chosen("AGENCY_STRESS_AGENTS", 6), chosen("AGENCY_STRESS_QUESTIONS", 5));
    let (world, repo) = world(conversation::asking(questions));
    world.set("max_agents", &agents.to_string());
    let began = Instant::now();
    let options = [&TALK[..], &["--workspace", "none"]].concat();
    let runs: Vec<Run> = (0..agents).map(|_| world.begin(&repo, "agent", &options)).collect();
    let started = began.elapsed();
    let tally = Tally::default();
    thread::scope(|scope| {
        for _ in 0..ANSWERERS {
            scope.spawn(|| answer_until_over(&world, &tally));
        }
        scope.spawn(|| kill_viewers_until_over(&world, &runs, &tally));
        let is_over = |run: &Run| run.file("done.json").exists();
        let over = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            wait_for("the end of all runs", LONGEST, || runs.iter().all(is_over).then_some(()));
        }));
        tally.over.store(true, Ordering::Relaxed);
        over.unwrap();
    });
    let took = began.elapsed() - started;
    let expected: Vec<String> = (1..=questions).map(|number| format!("ask-{number}")).collect();
    let mut delivered = 0;
    for run in &runs {
        assert_eq!(world.ended(run)["state"], "completed");
        let got: Vec<String> = run.replies().into_iter().map(|(id, _)| id).collect();
        assert_eq!(got, expected, "{} got each answer once, in order", run.id);
        let rows = rows(&world, run);
        assert_eq!(rows.len(), expected.len());
        assert!(rows.iter().all(|(state, _)| state == "delivered"), "{rows:?}");
        delivered += got.len();
    }
    let count = |number: &AtomicUsize| number.load(Ordering::Relaxed);
    println!(
        "{agents} agents asked {} questions, {delivered} answers were delivered once, none was lost, in {:.1} s (the \
         start took {:.1} s); {} answers were accepted, {} came second, {} answerers and {} viewers were killed",
        agents * questions,
        took.as_secs_f64(),
        started.as_secs_f64(),
        count(&tally.answers),
        count(&tally.too_late),
        count(&tally.killed_answers),
        count(&tally.killed_viewers),
    );
    assert!(count(&tally.killed_viewers) > 0 && count(&tally.killed_answers) > 0, "{tally:?}");
}

/// Answers whatever is open, and now and then dies on the way.
fn answer_until_over(world: &World, tally: &Tally) {
    let mut number = 0;
    while !tally.over.load(Ordering::Relaxed) {
        let inbox = world.json(&["inbox"]);
        for question in inbox["data"]["questions"].as_array().into_iter().flatten() {
            let mut command = world.command(&["answer", text(question, "id"), "allow", "--json"]);
            number += 1;
            if number % KILLED == 0 {
                let point = POINTS[number / KILLED % POINTS.len()];
                let output = world.run(command.env("AGENCY_FAULT_POINT", point));
                // One that came second never got there.
                if output.status.signal() == Some(9) {
                    tally.killed_answers.fetch_add(1, Ordering::Relaxed);
                }
                continue;
            }
            let answer: Value = world.run(&mut command).object();
            let counted = if answer["ok"] == true { &tally.answers } else { &tally.too_late };
            counted.fetch_add(1, Ordering::Relaxed);
            let code = &answer["error"]["code"];
            assert!(answer["ok"] == true || code == "E_ALREADY_ANSWERED", "{answer:#}");
        }
    }
}

/// Everybody who looks is killed as soon as he has seen something, and begins anew.
fn kill_viewers_until_over(world: &World, runs: &[Run], tally: &Tally) {
    for run in runs.iter().cycle() {
        if tally.over.load(Ordering::Relaxed) {
            return;
        }
        let viewers = [world.spawn(&["inbox", "--json"]), world.spawn(&["events", "-f", &run.id, "--json"])];
        wait_for("something to see", LONGEST, || (!viewers[1].stdout().is_empty()).then_some(()));
        for viewer in viewers {
            // It may have ended by itself.
            if viewer.is_running() {
                viewer.signal(Signal::KILL);
            }
            tally.killed_viewers.fetch_add(1, Ordering::Relaxed);
        }
    }
}
