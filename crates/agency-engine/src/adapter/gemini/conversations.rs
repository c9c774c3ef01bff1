//! The conversations of Gemini CLI: `tmp/<project>/chats/session-<minute>-<id>.jsonl` below its folder.
//!
//! A new conversation is not given a name: Gemini CLI starts itself once more when its user trusts a folder or changes
//! some settings, with the same arguments, and refuses a name that the process before has used.

use std::ffi::OsStr;
use std::fmt::Write;
use std::path::Path;

use jiff::Timestamp;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::adapter::conversation_files::{MAX_FILES, lines_of, newest_first};

/// What the first line of a file says.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Head {
    session_id: String,
    project_hash: String,
    start_time: Timestamp,
    /// Conversations of sub-agents have another kind.
    #[serde(default)]
    kind: Option<String>,
}

/// A further line.
#[derive(Deserialize)]
struct Record {
    #[serde(rename = "type")]
    kind: String,
}

/// The id of the newest conversation that was begun in a directory while a run was alive, and in which something was said.
pub(super) fn newest(folder: &Path, directory: &Path, during: (Timestamp, Option<Timestamp>)) -> Option<String> {
    let hashes = [Some(directory.to_owned()), directory.canonicalize().ok()].map(|path| path.map(|path| hash(&path)));
    let (begin, end) = during;
    let chats = newest_first(&folder.join("tmp")).into_iter().map(|project| project.join("chats"));
    let files = chats.flat_map(|chats| newest_first(&chats)).filter(|file| is_conversation(file)).take(MAX_FILES);
    let spoken = files.filter_map(|file| {
        let mut lines = lines_of(&file);
        let head: Head = serde_json::from_str(&lines.next()?).ok()?;
        let here = hashes.iter().flatten().any(|hash| *hash == head.project_hash);
        let then = head.start_time >= begin && end.is_none_or(|end| head.start_time <= end);
        let main = head.kind.as_deref().is_none_or(|kind| kind == "main");
        (here && then && main && lines.any(|line| is_said(&line))).then_some(head)
    });
    spoken.max_by_key(|head| head.start_time).map(|head| head.session_id)
}

fn is_conversation(file: &Path) -> bool {
    let name = file.file_name().and_then(OsStr::to_str).unwrap_or_default();
    name.starts_with("session-") && name.ends_with(".jsonl")
}

/// Only a conversation with at least one message can be resumed.
fn is_said(line: &str) -> bool {
    serde_json::from_str(line).is_ok_and(|Record { kind }| matches!(kind.as_str(), "user" | "gemini"))
}

fn hash(directory: &Path) -> String {
    Sha256::digest(directory.as_os_str().as_encoded_bytes()).iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_second(minute * 60).unwrap()
    }

    #[test]
    fn the_newest_conversation_of_the_run_in_which_something_was_said_is_found() {
        let home = tempfile::tempdir().unwrap();
        let chats = home.path().join("tmp/w-1/chats");
        fs::create_dir_all(&chats).unwrap();
        let write = |id: &str, directory: &str, minute: i64, rest: &str| {
            let (hash, start) = (hash(Path::new(directory)), at(minute));
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
        fs::write(chats.join("session-99-torn.jsonl"), "{").unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, chats.join("session-98-pipe.jsonl"), rustix::fs::Mode::RUSR).unwrap();
        let found = |begin, end: Option<i64>| newest(home.path(), Path::new("/w"), (at(begin), end.map(at)));
        assert_eq!(found(10, Some(20)).as_deref(), Some("second"));
        assert_eq!(found(10, None).as_deref(), Some("after"));
        assert_eq!(found(14, Some(20)), None);
    }
}
