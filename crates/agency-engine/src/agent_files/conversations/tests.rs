use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use agency_adapters::adapter;
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::*;

fn found(
    agent: &str,
    environment: &Variables,
    directory: &str,
    during: (Timestamp, Option<Timestamp>),
) -> Option<String> {
    let directory = Path::new(directory);
    let search = ConversationSearch { program: Path::new("agent"), directory, environment, during };
    find_conversation(adapter(agent), &search)
}

#[test]
fn the_newest_conversation_of_the_directory_is_found_among_codex_files() {
    let home = tempfile::tempdir().unwrap();
    let write = |day: &str, name: &str, id: &str, cwd: &str| {
        let folder = home.path().join("sessions/2026/11").join(day);
        fs::create_dir_all(&folder).unwrap();
        let meta = format!(r#"{{"type":"session_meta","payload":{{"id":"{id}","cwd":"{cwd}"}}}}"#);
        fs::write(folder.join(name), format!("{meta}\n{{}}\n")).unwrap();
    };
    write("15", "rollout-2026-11-15T10-00-00-a.jsonl", "old", "/w");
    write("16", "rollout-2026-11-16T10-00-00-b.jsonl", "new", "/w");
    write("16", "rollout-2026-11-16T11-00-00-c.jsonl", "other", "/elsewhere");
    fs::write(home.path().join("sessions/2026/11/16/rollout-9-torn.jsonl"), "{").unwrap();
    let environment = BTreeMap::from([("CODEX_HOME".into(), home.path().as_os_str().to_owned())]);
    let found = |directory| found("codex", &environment, directory, (Timestamp::UNIX_EPOCH, None));
    assert_eq!(found("/w").as_deref(), Some("new"));
    assert_eq!(found("/nowhere"), None);
    write("17", "rollout-2026-11-17T10-00-00-d.jsonl", "--yolo", "/w");
    assert_eq!(found("/w"), None, "an option is not an id");
}

fn at(minute: i64) -> Timestamp {
    Timestamp::from_second(minute * 60).unwrap()
}

fn hash(directory: &str) -> String {
    Sha256::digest(directory.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_newest_conversation_of_the_run_in_which_something_was_said_is_found_among_geminis_files() {
    let home = tempfile::tempdir().unwrap();
    let chats = home.path().join(".gemini/tmp/w-1/chats");
    fs::create_dir_all(&chats).unwrap();
    let write = |id: &str, directory: &str, minute: i64, rest: &str| {
        let (hash, start) = (hash(directory), at(minute));
        let head = format!(r#"{{"sessionId":"{id}","projectHash":"{hash}","startTime":"{start}","kind":"main"}}"#);
        fs::write(chats.join(format!("session-{minute}-{id}.jsonl")), format!("{head}\n{rest}\n")).unwrap();
    };
    let said = r#"{"id":"m1","type":"user","content":[{"text":"do it"}]}"#;
    write("before", "/w", 5, said);
    write("first", "/w", 11, said);
    write("second", "/w", 12, said);
    // The trust question was answered, and nothing else happened.
    write("empty", "/w", 13, r#"{"$set":{"lastUpdated":"x"}}"#);
    write("other", "/elsewhere", 13, said);
    write("after", "/w", 30, said);
    fs::copy(chats.join("session-30-after.jsonl"), chats.join("session-31-copy.bak")).unwrap();
    fs::write(chats.join("session-99-torn.jsonl"), "{").unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, chats.join("session-98-pipe.jsonl"), rustix::fs::Mode::RUSR).unwrap();
    let environment = BTreeMap::from([("HOME".into(), home.path().as_os_str().to_owned())]);
    let found = |begin, end: Option<i64>| found("gemini", &environment, "/w", (at(begin), end.map(at)));
    assert_eq!(found(10, Some(20)).as_deref(), Some("second"));
    assert_eq!(found(10, None).as_deref(), Some("after"));
    assert_eq!(found(14, Some(20)), None);
}

#[test]
fn names_fit_by_what_stands_around_the_star() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["session-1.jsonl", "session-2.jsonl", "session-.jsonl", "session.jsonl", "session-3.json", "x"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    let names = |levels| -> Vec<String> {
        let files = files_below(folder.path().to_owned(), levels);
        files.map(|file| file.file_name().unwrap().to_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&["session-*.jsonl"]), ["session-2.jsonl", "session-1.jsonl", "session-.jsonl"]);
    assert_eq!(names(&["x"]), ["x"]);
    assert_eq!(names(&["*"]).len(), 6);
}
