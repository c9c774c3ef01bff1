//! The TUI, with fifty runs that write all the time: how soon it answers a key, and what it takes while the user is
//! inactive.

use crate::Bench;
use crate::fixture::{BenchFixture, LIMIT, run_id, succeed};
use crate::row::Row;
use crate::sample::{Sample, millis};
use crate::screen::{SIZE, Screen};
use std::process::Command;
use std::time::{Duration, Instant};

use super::memory::megabytes;

/// How many runs talk.
const RUNS: usize = 50;
/// A key is answered within this.
const SOON: Duration = Duration::from_millis(33);
/// After so long without a key the user is inactive.
const ALONE: Duration = Duration::from_secs(25);
/// What is looked at for flatness may grow by so much: allocators keep a little.
const GROWTH: f64 = 1.1;

/// How soon a key is answered, and what an idle screen takes of the processor and the memory.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let place = BenchFixture::new(bench, 100);
    let repo = place.repo(100);
    let options = ["--host", "detached", "--mode", "headless"];
    let runs: Vec<String> = (0..RUNS).map(|_| run_id(&succeed(&mut place.run(&repo, "chatter", &options)))).collect();
    let mut screen = Screen::open(&mut tui(&place));
    screen.wait("the runs", |screen| screen.contents().contains(&format!("{RUNS} live")));
    let (ours, floor) = (keys(&mut screen, bench), echoes(&place, bench));
    screen.rest(ALONE);
    let before = screen.processor_time();
    let minutes = if bench.long { 60 } else { bench.rounds(10, 1) };
    let (mut first, mut most) = (screen.memory(), 0);
    let began = Instant::now();
    for minute in 0..minutes {
        screen.rest(Duration::from_secs(60));
        let now = screen.memory();
        // What the TUI allocates at the beginning is not growth.
        first = if minute == 0 { now } else { first };
        most = now.max(most);
    }
    let share = (screen.processor_time() - before).as_secs_f64() / began.elapsed().as_secs_f64();
    screen.press("q");
    assert!(screen.child.wait().unwrap().success());
    for run in runs {
        succeed(&mut place.world().command(&["stop", "--json", &run]));
    }
    let growth = most as f64 / first as f64;
    let long = scrolling(bench);
    vec![
        Row {
            what: format!("screen, {RUNS} runs that talk: key to frame"),
            ours: format!("{}, p99 {}", millis(ours.median()), millis(ours.p99())),
            floor: "`cat` echoes the key",
            theirs: millis(floor.median()),
            ratio: Some(ours.ratio(&floor)),
            limit: "p99 ≤ 33 ms",
            met: Some(ours.p99() <= SOON),
        },
        Row {
            what: format!("screen, {RUNS} runs that talk, nobody there: processor"),
            ours: format!("{:.2} % of a core", share * 100.0),
            floor: "",
            theirs: String::new(),
            ratio: None,
            limit: "≤ 1 %",
            met: Some(share <= 0.01),
        },
        Row {
            what: format!("screen, {RUNS} runs that talk: memory over {minutes} min"),
            ours: format!("{} after 1 min, {} at most", megabytes(first), megabytes(most)),
            floor: "",
            theirs: String::new(),
            ratio: Some(growth),
            limit: "≤ 1.1× of minute one",
            met: Some(growth <= GROWTH),
        },
        Row {
            what: "screen, 10,000 finished runs, unfolded: key to frame".to_owned(),
            ours: format!("{}, p99 {}", millis(long.median()), millis(long.p99())),
            floor: "`cat` echoes the key",
            theirs: millis(floor.median()),
            ratio: Some(long.ratio(&floor)),
            limit: "p99 ≤ 33 ms",
            met: Some(long.p99() <= SOON),
        },
    ]
}

/// Goes through a long list, line by line and page by page.
fn scrolling(bench: &Bench) -> Sample {
    let place = super::ls::filled(bench, 20_000);
    let mut screen = Screen::open(&mut tui(&place));
    screen.wait("the runs", |screen| screen.contents().contains("1000"));
    screen.press("f");
    screen.wait("an unfolded list", |screen| screen.contents().contains('▾'));
    screen.press("jj");
    screen.rest(Duration::from_secs(1));
    let mut sample = Sample::default();
    for round in 0..bench.rounds(250, 50) {
        for key in ["j", "\x06"] {
            let key = if round / 50 % 2 == 0 { key } else { ["k", "\x02"][usize::from(key != "j")] };
            let before = selected(screen.shown());
            sample.add(screen.time(key, |screen| selected(screen) != before));
            screen.rest(Duration::from_millis(20));
        }
    }
    screen.press("q");
    assert!(screen.child.wait().unwrap().success());
    sample
}

pub(super) fn tui(place: &BenchFixture) -> Command {
    let mut command = place.world().command(&["tui"]);
    command.env("TERM", "xterm-256color").env("LANG", "C.UTF-8");
    command
}

/// Moves through the list, looks into the help and comes back.
fn keys(screen: &mut Screen, bench: &Bench) -> Sample {
    let mut sample = Sample::default();
    for round in 0..bench.rounds(250, 50) {
        let before = selected(screen.shown());
        let down = round / 40 % 2 == 0;
        sample.add(screen.time(if down { "j" } else { "k" }, |screen| selected(screen) != before));
        screen.rest(Duration::from_millis(20));
        sample.add(screen.time("?", |screen| screen.contents().contains("List of runs")));
        screen.rest(Duration::from_millis(20));
        sample.add(screen.time("q", |screen| !screen.contents().contains("List of runs")));
        screen.rest(Duration::from_millis(20));
    }
    sample
}

/// What a terminal takes to bring a key to a program and its answer back.
fn echoes(place: &BenchFixture, bench: &Bench) -> Sample {
    let mut sample = Sample::default();
    let mut screen = Screen::open(&mut place.program("cat"));
    for _ in 0..bench.rounds(250, 50) {
        let before = Instant::now();
        // The terminal itself echoes the line, and then cat prints it.
        let all = screen.received + "x\r\nx\r\n".len();
        screen.press("x\r");
        while screen.received < all {
            screen.read(LIMIT);
        }
        sample.add(before.elapsed());
        screen.rest(Duration::from_millis(20));
    }
    // The end of the input ends it.
    screen.press("\x04");
    assert!(screen.child.wait().unwrap().success());
    sample
}

/// The line that is marked in the list.
fn selected(screen: &vt100::Screen) -> Option<String> {
    let marked = |row: &u16| screen.cell(*row, 4).is_some_and(vt100::Cell::inverse);
    let row = (1..SIZE.0 - 1).find(marked)?;
    Some(format!("{row}: {}", screen.contents_between(row, 0, row, SIZE.1)))
}
