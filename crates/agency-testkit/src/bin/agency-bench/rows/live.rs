//! Many runs that are live at once: what all of them take together, and what one more of them costs each command.

use super::memory::{megabytes, private_memory, supervisors};
use crate::Bench;
use crate::fixture::{BenchFixture, LIMIT, Reporting, object, run_id, settle, succeed, timed};
use crate::row::Row;
use crate::sample::{Sample, millis};
use crate::screen::Screen;
use agency_testkit::{Repo, wait_for};
use rustix::process::{Resource, getrlimit, setrlimit};
use std::time::{Duration, Instant};

const OPTIONS: [&str; 6] = ["--host", "detached", "--workspace", "none", "--mode", "headless"];
/// How long the TUI is watched while nothing happens.
const WATCHED: Duration = Duration::from_secs(20);

/// What was measured with some number of live runs.
struct Load {
    runs: usize,
    memory: u64,
    start: Sample,
    ls: Sample,
    inbox: Sample,
    reconcile: Sample,
    first_frame: Duration,
    share: f64,
    tui_memory: u64,
}

/// With 100 and with 1,000 live runs, and what each further run adds.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    allow_many_files();
    let [few, many] = [bench.rounds(100, 20), bench.rounds(1000, 100)].map(|runs| load(bench, runs));
    let further = (many.runs - few.runs) as f64;
    let row = |what: &str, ours: String, theirs: String, (more, less): (f64, f64), slope: String| Row {
        what: format!("{} live runs: {what}", many.runs),
        ours,
        floor: if bench.quick { "20 live runs" } else { "100 live runs" },
        theirs: format!("{theirs}; {slope} for each further run"),
        ratio: Some(more / less),
        limit: "",
        met: None,
    };
    let bytes = |what: &str, more: u64, less: u64| {
        let slope = format!("{:.0} kB", (more as f64 - less as f64) / further / 1e3);
        row(what, megabytes(more), megabytes(less), (more as f64, less as f64), slope)
    };
    let time = |what: &str, more: Duration, less: Duration| {
        let (more_s, less_s) = (more.as_secs_f64(), less.as_secs_f64());
        let slope = format!("{:.1} µs", (more_s - less_s) / further * 1e6);
        row(what, millis(more), millis(less), (more_s, less_s), slope)
    };
    vec![
        bytes("private memory of all supervisors", many.memory, few.memory),
        time("`agency run` of one more until it returns", many.start.median(), few.start.median()),
        time("`agency ls --json`", many.ls.median(), few.ls.median()),
        time("`agency inbox --json`", many.inbox.median(), few.inbox.median()),
        time("`agency reconcile --json`", many.reconcile.median(), few.reconcile.median()),
        time("TUI, from its start until it shows them", many.first_frame, few.first_frame),
        row(
            "TUI, processor",
            format!("{:.2} % of a core", many.share * 100.0),
            format!("{:.2} % of a core", few.share * 100.0),
            (many.share, few.share),
            format!("{:.4} %", (many.share - few.share) / further * 100.0),
        ),
        bytes("TUI, memory", many.tui_memory, few.tui_memory),
    ]
}

fn load(bench: &Bench, runs: usize) -> Load {
    let place = BenchFixture::new(bench, u32::try_from(runs + 50).unwrap());
    let repo = place.repo(5);
    let mut agents: Vec<Reporting> = (0..runs).map(|_| started(&place, &repo).1).collect();
    settle();
    let memory = supervisors().into_iter().filter(|(_, run)| place.run_directory(run).exists());
    let memory = memory.map(|(pid, _)| private_memory(pid)).sum();
    let mut start = Sample::default();
    for _ in 0..bench.rounds(15, 3) {
        let (time, agent) = started(&place, &repo);
        start.add(time);
        agents.push(agent);
    }
    let sample = |verb: &str| {
        let mut sample = Sample::default();
        for _ in 0..bench.rounds(30, 5) {
            sample.add(timed(&mut place.world().command(&[verb, "--json"])).0);
        }
        sample
    };
    let (ls, inbox, reconcile) = (sample("ls"), sample("inbox"), sample("reconcile"));
    let before = Instant::now();
    let mut screen = Screen::open(&mut super::tui::tui(&place));
    let live = format!("{} live", agents.len());
    screen.wait("all live runs", |screen| screen.contents().contains(&live));
    let first_frame = before.elapsed();
    screen.rest(WATCHED / 4);
    let (processor, since) = (screen.processor_time(), Instant::now());
    screen.rest(WATCHED);
    let share = (screen.processor_time() - processor).as_secs_f64() / since.elapsed().as_secs_f64();
    let tui_memory = screen.memory();
    screen.press("q");
    assert!(screen.child.wait().unwrap().success());
    // An agent ends when the other end of its socket is closed.
    drop(agents);
    wait_for("the end of all runs", LIMIT, || {
        let left = object(&succeed(&mut place.world().command(&["ls", "--state", "running", "--json"])));
        left["data"]["runs"].as_array().unwrap().is_empty().then_some(())
    });
    Load { runs, memory, start, ls, inbox, reconcile, first_frame, share, tui_memory }
}

/// One more run, and how long it took until the command returned.
fn started(place: &BenchFixture, repo: &Repo) -> (Duration, Reporting) {
    let (time, output) = timed(&mut place.run(repo, "report", &OPTIONS));
    run_id(&output);
    (time, place.next_report())
}

/// Each live run has a connection to the benchmark.
fn allow_many_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).unwrap();
}
