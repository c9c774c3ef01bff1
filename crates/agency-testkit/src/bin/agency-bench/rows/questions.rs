//! From an agent's question to its row, and from `agency answer` to the bytes at the agent.

use crate::Bench;
use crate::fixture::{BenchFixture, LIMIT, run_id, settle, succeed};
use crate::row::Row;
use crate::sample::{Sample, millis};
use crate::stamp;
use rusqlite::{Connection, OpenFlags};
use std::time::{Duration, Instant};

/// What nine hundred and ninety of a thousand must stay below.
const MOST: Duration = Duration::from_millis(50);

/// One agent that asks again and again, as a script answers.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let place = BenchFixture::new(bench, 8);
    let repo = place.repo(5);
    let rounds = bench.rounds(300, 100);
    let count = (rounds + 1).to_string();
    let options = ["--host", "detached", "--workspace", "none", "--mode", "headless", "--", &count];
    let id = run_id(&succeed(&mut place.run(&repo, "ask", &options)));
    let database = place.world().agency_home().join("agency.db");
    let rows = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let mut report = place.next_report();
    let (mut asked, mut answered) = (Sample::default(), Sample::default());
    for round in 0..=rounds {
        report.release();
        let question = next_question(&rows);
        let stored = stamp::now();
        // What follows from the question is done before it is answered, as when a user answers.
        settle();
        let before = stamp::now();
        succeed(&mut place.world().command(&["answer", "--json", &question, "allow"]));
        let (asked_at, heard_at) = (report.moment(), report.moment());
        if round > 0 {
            asked.add(stored - asked_at);
            answered.add(heard_at - before);
        }
    }
    place.wait_for_end(&id);
    vec![
        row("the agent writes a question until its row is there", &asked),
        row("`agency answer` is started until the agent reads the answer", &answered),
    ]
}

/// Waits for a question as a viewer would see it, and gives its id.
fn next_question(rows: &Connection) -> String {
    let deadline = Instant::now() + LIMIT;
    let mut open = rows.prepare_cached("SELECT id FROM questions WHERE state = 'open'").unwrap();
    loop {
        if let Ok(id) = open.query_row([], |row| row.get(0)) {
            return id;
        }
        assert!(Instant::now() < deadline, "no question came in {LIMIT:?}");
        std::thread::sleep(Duration::from_micros(100));
    }
}

fn row(what: &str, times: &Sample) -> Row {
    Row {
        what: format!("{what}, p50 (p99)"),
        ours: format!("{} ({})", millis(times.median()), millis(times.p99())),
        floor: "",
        theirs: String::new(),
        ratio: None,
        limit: "p99 ≤ 50 ms",
        met: Some(times.p99() <= MOST),
    }
}
