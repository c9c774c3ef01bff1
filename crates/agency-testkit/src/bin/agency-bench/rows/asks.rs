//! Two hundred questions, sixteen at a time, of which half of the askers are killed.

use crate::Bench;
use crate::fixture::{BenchFixture, LIMIT, object, settle, succeed};
use crate::row::Row;
use agency_testkit::{ProcessTable, wait_for};
use std::fs;
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const ASKS: usize = 200;
const AT_ONCE: usize = 16;
/// How long the last supervisors may take to leave.
const LEAVING: Duration = Duration::from_secs(20);
/// The moments at which askers are killed are this far apart: before, while and after the agent works.
const STEP: Duration = Duration::from_millis(4);

/// The outcomes of the questions.
#[derive(Default)]
struct Tally {
    answers: Mutex<Vec<Duration>>,
    wrong: AtomicUsize,
    killed: AtomicUsize,
}

/// Every answer is right, no directory and no process is left, and the sources are as they were.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let place = BenchFixture::new(bench, 16);
    let source = place.world().root().join("source");
    fs::create_dir(&source).unwrap();
    for number in 0..100 {
        fs::write(source.join(format!("file-{number}")), number.to_string()).unwrap();
    }
    let own = "\n[agents.reader]\ncommand = \"cat\"\nask = \"cat docs/file-42\"\n";
    place.world().configure(own);
    succeed(place.world().command(&["source", "add", "docs", "--dir"]).arg(&source));
    let others = processes(&place);
    let asks = bench.rounds(ASKS, ASKS / 4);
    let (tally, next, before) = (Tally::default(), AtomicUsize::new(0), Instant::now());
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= asks {
                        return;
                    }
                    ask(&place, number, &tally);
                }
            });
        }
    });
    let time = before.elapsed();
    let (directories, processes) = what_is_left(&place, others);
    let harmed = (0..100).filter(|number| {
        fs::read_to_string(source.join(format!("file-{number}"))).is_ok_and(|text| text != number.to_string())
    });
    let harmed = harmed.count() + 100 - fs::read_dir(&source).unwrap().count();
    let mut answers = tally.answers.into_inner().unwrap();
    answers.sort_unstable();
    let median = answers.get(answers.len() / 2).copied().unwrap_or_default();
    let wrong = tally.wrong.into_inner();
    vec![Row {
        what: format!(
            "{asks} × `agency ask`, {AT_ONCE} at a time, {} askers killed: {:.1} s, {} answers with a median of {} ms",
            tally.killed.into_inner(),
            time.as_secs_f64(),
            answers.len(),
            median.as_millis()
        ),
        ours: format!("{wrong} wrong, {directories} directories and {processes} processes left, {harmed} files harmed"),
        floor: "",
        theirs: String::new(),
        ratio: None,
        limit: "all 0",
        met: Some(wrong + directories + processes + harmed == 0),
    }]
}

fn ask(place: &BenchFixture, number: usize, tally: &Tally) {
    let mut command = place.world().command(&["ask", "-s", "docs", "--runner", "reader", "--json", "What is it?"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let before = Instant::now();
    let child = command.spawn().unwrap();
    if number.is_multiple_of(2) {
        kill(child, STEP * u32::try_from(number / 2 % 50).unwrap());
        tally.killed.fetch_add(1, Ordering::Relaxed);
        return;
    }
    let output = child.wait_with_output().unwrap();
    if output.status.success() && object(&output)["data"]["answer"] == "42" {
        tally.answers.lock().unwrap().push(before.elapsed());
    } else {
        eprintln!("{}", String::from_utf8_lossy(&output.stdout));
        tally.wrong.fetch_add(1, Ordering::Relaxed);
    }
}

fn kill(mut child: Child, after: Duration) {
    thread::sleep(after);
    // It may have answered already.
    let _ = child.kill();
    let _ = child.wait();
}

/// How many scratch directories and processes there are once all runs have finished and one more command has run.
fn what_is_left(place: &BenchFixture, before: usize) -> (usize, usize) {
    wait_for("the end of all runs", LIMIT, || {
        succeed(&mut place.world().command(&["reconcile"]));
        let runs = object(&succeed(&mut place.world().command(&["ls", "--all", "--json"])));
        let live = |run: &serde_json::Value| run["state"] == "running" || run["state"] == "queued";
        (!runs["data"]["runs"].as_array().unwrap().iter().any(live)).then_some(())
    });
    // The last supervisors are just leaving.
    let deadline = Instant::now() + LEAVING;
    while processes(place) > before && Instant::now() < deadline {
        settle();
    }
    succeed(&mut place.world().command(&["reconcile"]));
    let entries = fs::read_dir(place.world().root().join("tmp")).unwrap().flatten();
    let scratch = entries.filter(|entry| entry.file_name().to_string_lossy().contains("lctx-"));
    // A process that was killed while it made its directory leaves one that the sweep takes a minute later.
    let whole = scratch.filter(|entry| !entry.file_name().to_string_lossy().ends_with(".new"));
    (whole.count(), processes(place) - before)
}

/// How many processes the place has; its tmux server is one.
fn processes(place: &BenchFixture) -> usize {
    ProcessTable::read().carrying("AGENCY_HOME", place.world().agency_home().as_os_str()).len()
}
