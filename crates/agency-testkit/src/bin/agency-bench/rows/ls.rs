//! `agency ls --json` with few and with very many runs, beside a process that does nothing.

use crate::Bench;
use crate::fixture::{BenchFixture, object, run_id, settle, succeed, timed};
use crate::row::Row;
use crate::sample::Sample;
use rusqlite::Connection;

const FLOOR: &str = "`/bin/true`";

/// With 100 and with 100,000 runs, and the two beside each other.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let few = filled(bench, 100);
    let many = filled(bench, 100_000);
    let mut samples = [Sample::default(), Sample::default(), Sample::default()];
    for round in 0..=bench.rounds(300, 60) {
        for step in 0..3 {
            let side = (round + step) % 3;
            let mut command = match side {
                0 => few.program("/bin/true"),
                1 => few.world().command(&["ls", "--json"]),
                _ => many.world().command(&["ls", "--json"]),
            };
            let (time, output) = timed(&mut command);
            if side > 0 {
                assert_eq!(object(&output)["data"]["runs"].as_array().unwrap().len(), 50);
            }
            if round > 0 {
                samples[side].add(time);
            }
        }
    }
    let [floor, few, many] = samples;
    let row = |what: &str, ours: &Sample, theirs: &Sample, floor, limit, most| Row {
        what: what.to_owned(),
        ours: ours.to_string(),
        floor,
        theirs: theirs.to_string(),
        ratio: Some(ours.ratio(theirs)),
        limit,
        met: Some(ours.ratio(theirs) <= most),
    };
    vec![
        row("`agency ls --json`, 100 runs", &few, &floor, FLOOR, "≤ 3.5×", 3.5),
        row("`agency ls --json`, 100,000 runs", &many, &floor, FLOOR, "≤ 3.5×", 3.5),
        row("the same, 100,000 runs", &many, &few, "100 runs", "≤ 1.2×", 1.2),
    ]
}

/// A place with so many ended runs, half of them removed; they are copies of a real one.
pub(super) fn filled(bench: &Bench, runs: usize) -> BenchFixture {
    let place = BenchFixture::new(bench, 8);
    let repo = place.repo(5);
    let model = run_id(&succeed(&mut place.run(&repo, "true", &["--host", "detached"])));
    place.wait_for_end(&model);
    // A row that is copied before would be one whose end its files do not record.
    place.wait_for_recorded_end(&model);
    let database = place.world().agency_home().join("agency.db");
    let mut connection = Connection::open(database).unwrap();
    copy(&mut connection, &model, runs);
    drop(connection);
    settle();
    place
}

/// Copies a row; the database requires that a run begins as queued and continues from there.
fn copy(connection: &mut Connection, model: &str, copies: usize) {
    let transaction = connection.transaction().unwrap();
    let columns: Vec<String> = {
        let mut statement = transaction.prepare("SELECT name FROM pragma_table_info('runs')").unwrap();
        let names = statement.query_map([], |row| row.get(0)).unwrap();
        names.map(Result::unwrap).collect()
    };
    let values: Vec<String> = columns
        .iter()
        .map(|column| match column.as_str() {
            "id" => "printf('r_01ARZ3NDEK%016d', n)".to_owned(),
            "name" => "'run ' || n".to_owned(),
            "worktree_path" => "worktree_path || n".to_owned(),
            "state" => "'queued'".to_owned(),
            other => other.to_owned(),
        })
        .collect();
    let fill = format!(
        "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {copies}) \
         INSERT INTO runs ({}) SELECT {} FROM runs, numbers WHERE id = '{model}'",
        columns.join(", "),
        values.join(", "),
    );
    // The model stays: its files say that it was not removed, and its id may end with a digit as well.
    let remove = format!(
        "UPDATE runs SET removed_at = ended_at WHERE substr(id, -1) IN ('1', '3', '5', '7', '9') AND id <> '{model}'"
    );
    for step in [
        fill.as_str(),
        "UPDATE runs SET state = 'running' WHERE state = 'queued'",
        "UPDATE runs SET state = 'completed' WHERE state = 'running'",
        &remove,
    ] {
        transaction.execute(step, []).unwrap();
    }
    transaction.commit().unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
}
