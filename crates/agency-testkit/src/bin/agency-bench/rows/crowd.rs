//! A hundred runs at once.

use super::memory::{megabytes, private_memory, supervisors};
use crate::Bench;
use crate::fixture::{BenchFixture, LIMIT, object};
use crate::row::Row;
use std::process::{Child, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const RUNS: usize = 100;

/// How often the memory of all supervisors is added up.
const LOOK: Duration = Duration::from_millis(200);

/// Of an agent that takes two seconds, detached, each in a worktree of its own.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let place = BenchFixture::new(bench, 100);
    let repo = place.repo(100);
    let over = AtomicBool::new(false);
    let (time, failures, (most, together)) = thread::scope(|scope| {
        let memory = scope.spawn(|| peak_memory(&place, &over));
        let before = Instant::now();
        let runs: Vec<Child> = (0..RUNS)
            .map(|_| {
                let mut command = place.run(&repo, "sleep", &["--host", "detached", "--wait"]);
                command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
                command.spawn().unwrap()
            })
            .collect();
        let outputs: Vec<Output> = runs.into_iter().map(|run| run.wait_with_output().unwrap()).collect();
        let time = before.elapsed();
        over.store(true, Ordering::Relaxed);
        (time, outputs.iter().filter(|output| failed(output)).count(), memory.join().unwrap())
    });
    assert!(time < LIMIT, "{RUNS} runs took {time:?}");
    vec![Row {
        what: format!(
            "{RUNS} runs at once of a 2-second agent, detached: {:.1} s, at most {together} supervisors at once with {}",
            time.as_secs_f64(),
            megabytes(most)
        ),
        ours: format!("{failures} failed"),
        floor: "",
        theirs: String::new(),
        ratio: None,
        limit: "0 failed",
        met: Some(failures == 0),
    }]
}

/// Says what went wrong with a run, if anything did.
fn failed(output: &Output) -> bool {
    let completed = output.status.success() && object(output)["data"]["state"] == "completed";
    if !completed {
        eprintln!(
            "a run failed: {}\n{}{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    !completed
}

/// The most that all supervisors of the place had for themselves at one moment, and the most supervisors at one.
fn peak_memory(place: &BenchFixture, over: &AtomicBool) -> (u64, usize) {
    let (mut most, mut together) = (0, 0);
    while !over.load(Ordering::Relaxed) {
        let mut supervisors = supervisors();
        supervisors.retain(|(_, run)| place.run_directory(run).exists());
        most = most.max(supervisors.iter().map(|(pid, _)| private_memory(*pid)).sum());
        together = together.max(supervisors.len());
        thread::sleep(LOOK);
    }
    (most, together)
}
