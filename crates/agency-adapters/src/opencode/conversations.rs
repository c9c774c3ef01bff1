//! The conversations of opencode: what `opencode session list` prints.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::{ConversationListing, Conversations};

pub(super) const LISTING: Conversations =
    Conversations::Listing(ConversationListing { args: &["session", "list", "--format", "json"], newest });

#[derive(Deserialize)]
struct ListedConversation {
    id: String,
    directory: PathBuf,
    updated: u64,
}

fn newest(output: &[u8], directory: &Path) -> Option<String> {
    let listed: Vec<ListedConversation> = serde_json::from_slice(output).ok()?;
    let here = listed.into_iter().filter(|listed| listed.directory == directory);
    here.max_by_key(|listed| listed.updated).map(|listed| listed.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_conversation_of_the_directory_that_changed_last_is_found() {
        let output = br#"[{"id":"a","directory":"/w","updated":1},{"id":"b","directory":"/w","updated":3},
                          {"id":"c","directory":"/w","updated":2},{"id":"d","directory":"/x","updated":4}]"#;
        assert_eq!(newest(output, Path::new("/w")).as_deref(), Some("b"));
        assert_eq!(newest(output, Path::new("/nowhere")), None);
        assert_eq!(newest(b"no sessions", Path::new("/w")), None);
    }
}
