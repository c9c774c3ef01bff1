//! The conversations of Codex: one file each below `$CODEX_HOME/sessions`.

use std::path::PathBuf;

use serde::Deserialize;

use crate::{ConversationFiles, Conversations, FoundConversation, SearchedRun};

#[derive(Deserialize)]
struct Rollout {
    payload: Meta,
}

#[derive(Deserialize)]
struct Meta {
    id: String,
    cwd: PathBuf,
}

/// The files lie in folders by year, month and day, and their names begin with the time.
pub(super) fn files(sessions: PathBuf) -> Conversations {
    Conversations::Files(ConversationFiles { root: sessions, levels: &["*", "*", "*", "*"], read })
}

fn read(run: &SearchedRun<'_>, lines: &mut dyn Iterator<Item = String>) -> Option<FoundConversation> {
    let Rollout { payload } = serde_json::from_str(&lines.next()?).ok()?;
    (payload.cwd == run.directory).then_some(FoundConversation { id: payload.id, started_at: None })
}
