use std::fs;

use super::*;

const LIMIT: Duration = Duration::from_secs(30);

#[test]
fn after_a_checkpoint_the_next_writer_continues_a_log_that_was_begun() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agency.db");
    let log = || fs::read(directory.path().join("agency.db-wal")).unwrap();
    let store = Store::open(&path, LIMIT).unwrap();
    let before = (log(), schema_version(store.connection().unwrap()).unwrap());
    store.tidy();
    let begun = log();
    assert!((1..before.0.len()).contains(&begun.len()), "{} of {} bytes", begun.len(), before.0.len());
    let store = Store::open(&path, LIMIT).unwrap();
    assert_eq!(schema_version(store.connection().unwrap()).unwrap(), before.1);
    store.connection().unwrap().execute("INSERT INTO facts VALUES ('a', 'b')", []).unwrap();
    assert!(log().len() > begun.len() && log().starts_with(&begun), "the log was begun anew");
}

#[test]
fn a_log_that_another_connection_reads_stays() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agency.db");
    let store = Store::open(&path, LIMIT).unwrap();
    let reader = Store::open(&path, LIMIT).unwrap();
    let reading = reader.connection().unwrap().unchecked_transaction().unwrap();
    reading.query_row("SELECT count(*) FROM runs", [], |_| Ok(())).unwrap();
    let length = || fs::metadata(directory.path().join("agency.db-wal")).unwrap().len();
    let before = length();
    store.tidy();
    assert_eq!(length(), before);
}
