//! The conversations of Gemini CLI: `tmp/<project>/chats/session-<minute>-<id>.jsonl` below its folder.
//!
//! A new conversation is not given a name: Gemini CLI starts itself once more when its user trusts a folder or changes
//! some settings, with the same arguments, and refuses a name that the process before has used.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::{ConversationFiles, Conversations, FoundConversation, SearchedRun};

/// What the first line of a file says.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ConversationHeader {
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

/// Conversations that were begun in the run's directory while it was alive, and in which something was said.
pub(super) fn files(folder: PathBuf) -> Conversations {
    let levels = &["tmp", "*", "chats", "session-*.jsonl"];
    Conversations::Files(ConversationFiles { root: folder, levels, read })
}

fn read(run: &SearchedRun<'_>, mut lines: &mut dyn Iterator<Item = String>) -> Option<FoundConversation> {
    let head: ConversationHeader = serde_json::from_str(&lines.next()?).ok()?;
    let (begin, end) = run.during;
    let directories = [Some(run.directory), run.resolved_directory];
    let here = directories.into_iter().flatten().any(|directory| hash(directory) == head.project_hash);
    let then = head.start_time >= begin && end.is_none_or(|end| head.start_time <= end);
    let main = head.kind.as_deref().is_none_or(|kind| kind == "main");
    let found = FoundConversation { id: head.session_id, started_at: Some(head.start_time) };
    (here && then && main && Iterator::any(&mut lines, |line| is_said(&line))).then_some(found)
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
