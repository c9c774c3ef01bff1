//! `agency doctor` and `agency reconcile` with few and with many finished runs.

use std::fs;

use rusqlite::Connection;

use crate::Bench;
use crate::place::{Place, timed};
use crate::row::Row;
use crate::sample::Sample;

const FEW: usize = 20;
const MANY: usize = 2000;
const MOST: f64 = 2.0;

/// Both commands with 20 and with 2,000 runs.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let places = [FEW, MANY].map(|runs| with_files(bench, runs));
    ["doctor", "reconcile"].map(|verb| compare(bench, &places, verb)).into()
}

fn compare(bench: &Bench, places: &[Place; 2], verb: &str) -> Row {
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

/// A place with so many finished runs, each with its directory and a worktree.
fn with_files(bench: &Bench, runs: usize) -> Place {
    let place = super::ls::filled(bench, runs);
    let home = place.world().agency_home();
    let rows: Vec<(String, String)> = {
        let connection = Connection::open(home.join("agency.db")).unwrap();
        let mut statement = connection.prepare("SELECT id, worktree_path FROM runs").unwrap();
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let model = rows.iter().map(|(id, _)| id).find(|id| place.run_directory(id).exists()).unwrap().clone();
    for (id, worktree) in rows.iter().filter(|(id, _)| *id != model) {
        let directory = place.run_directory(id);
        fs::create_dir_all(directory.join("logs")).unwrap();
        fs::create_dir_all(worktree).unwrap();
        for name in ["meta.json", "spec.json", "inputs.json", "events.ndjson", "done.json", "exit_code.txt"] {
            let text = fs::read_to_string(place.run_directory(&model).join(name)).unwrap();
            fs::write(directory.join(name), text.replace(&model, id)).unwrap();
        }
        for name in ["creator.lock", "supervisor.lock", "logs/runner.log"] {
            fs::write(directory.join(name), "").unwrap();
        }
    }
    place
}
