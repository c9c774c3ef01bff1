//! `agency doctor` and `agency reconcile` with few and with many finished runs.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::Bench;
use crate::fixture::{BenchFixture, object, succeed, timed};
use crate::row::Row;
use crate::sample::Sample;

const FEW: usize = 20;
const MANY: usize = 2000;
const MOST: f64 = 2.0;
/// How long ago the directories of the runs changed.
const AGE: Duration = Duration::from_secs(3600);

/// Both commands with 20 and with 2,000 runs.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let places = [FEW, MANY].map(|runs| with_files(bench, runs));
    ["doctor", "reconcile"].map(|verb| compare(bench, &places, verb)).into()
}

fn compare(bench: &Bench, places: &[BenchFixture; 2], verb: &str) -> Row {
    let mut samples = [Sample::default(), Sample::default()];
    for round in 0..=bench.rounds(60, 15) {
        for step in 0..2 {
            let side = (round + step) % 2;
            let (time, output) = timed(&mut places[side].world().command(&[verb, "--json"]));
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
            // The first one compares all files, as after an upgrade.
            if round > 0 {
                samples[side].add(time);
            }
        }
    }
    let [few, many] = samples;
    Row {
        what: format!("`agency {verb}`, 2,000 runs"),
        ours: many.to_string(),
        floor: "20 runs",
        theirs: few.to_string(),
        ratio: Some(many.ratio(&few)),
        limit: "≤ 2×",
        met: Some(many.ratio(&few) <= MOST),
    }
}

/// A place with so many finished runs that agrees with itself: each has its directory, and those that were not removed
/// their worktree.
fn with_files(bench: &Bench, runs: usize) -> BenchFixture {
    let place = super::ls::filled(bench, runs);
    let rows: Vec<(String, String, String, Option<String>)> = {
        let connection = Connection::open(place.world().agency_home().join("agency.db")).unwrap();
        let mut statement = connection.prepare("SELECT id, name, worktree_path, removed_at FROM runs").unwrap();
        let read = |row: &rusqlite::Row<'_>| {
            Ok((row.get(0)?, row.get::<_, Option<String>>(1)?.unwrap_or_default(), row.get(2)?, row.get(3)?))
        };
        let rows = statement.query_map([], read).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let model = rows.iter().map(|(id, ..)| id).find(|id| place.run_directory(id).exists()).unwrap().clone();
    for (id, name, worktree, removed_at) in rows.iter().filter(|(id, ..)| *id != model) {
        let directory = place.run_directory(id);
        fs::create_dir_all(directory.join("logs")).unwrap();
        if removed_at.is_none() {
            fs::create_dir_all(worktree).unwrap();
        }
        for file in ["spec.json", "inputs.json", "events.ndjson", "done.json", "exit_code.txt"] {
            let text = fs::read_to_string(place.run_directory(&model).join(file)).unwrap();
            fs::write(directory.join(file), text.replace(&model, id)).unwrap();
        }
        let text = fs::read_to_string(place.run_directory(&model).join("meta.json")).unwrap();
        let mut snapshot: Value = serde_json::from_str(&text.replace(&model, id)).unwrap();
        snapshot["name"] = name.as_str().into();
        snapshot["worktree_path"] = worktree.as_str().into();
        snapshot["removed_at"] = removed_at.as_deref().into();
        fs::write(directory.join("meta.json"), snapshot.to_string()).unwrap();
        for file in ["creator.lock", "supervisor.lock", "logs/runner.log"] {
            fs::write(directory.join(file), "").unwrap();
        }
        // Files that changed within the last seconds are compared again, and these runs ended long ago.
        File::open(&directory).unwrap().set_modified(SystemTime::now() - AGE).unwrap();
    }
    assert_agrees(&place);
    place
}

/// A home that does not agree with itself would be repaired, or examined again and again, while it is measured.
fn assert_agrees(place: &BenchFixture) {
    let plan = object(&succeed(&mut place.world().command(&["reconcile", "--dry-run", "--json"])));
    for list in ["adopted", "runs", "completed", "swept"] {
        assert_eq!(plan["data"][list], json!([]), "{list}");
    }
    let found = plan["data"]["found"].as_object().unwrap();
    assert!(found.values().all(|list| *list == json!([])), "{found:?}");
}
