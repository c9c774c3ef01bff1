//! The ids of the messages to Claude Code, and what it reports about them: a message that comes during a turn becomes part
//! of that turn, or of the next one together with others.
//!
//! The one rule: the outcome of a message is reported once.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::StreamItem;
use crate::json_lines::NotUnderstood;

/// The bits of an id that say that it is a random one: version 4 of variant 1.
const VERSION: (u128, u128) = (0xf << 76, 0x4 << 76);
const VARIANT: (u128, u128) = (0x3 << 62, 0x2 << 62);

/// The ids of the messages to one process.
#[derive(Debug, Default)]
pub(super) struct MessageIds {
    /// Absent where messages have no ids.
    next: Option<u128>,
    /// The ids of the messages that are not known to be part of a turn.
    waiting: BTreeSet<String>,
}

/// What Claude Code reports about a message with an id.
#[derive(Deserialize)]
struct Lifecycle {
    command_uuid: String,
    state: String,
}

impl From<u128> for MessageIds {
    fn from(first: u128) -> Self {
        Self { next: Some(first), waiting: BTreeSet::new() }
    }
}

impl MessageIds {
    /// The id of the next message.
    pub(super) fn next(&mut self) -> Option<String> {
        let number = self.next?;
        self.next = Some(number.wrapping_add(1));
        let id = [VERSION, VARIANT].into_iter().fold(number, |id, (mask, bits)| id & !mask | bits);
        let digits = format!("{id:032x}");
        let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| digits.get(part).unwrap_or_default().to_owned());
        let id = parts.join("-");
        self.waiting.insert(id.clone());
        Some(id)
    }

    /// What a report says about one of the messages.
    pub(super) fn reported(&mut self, object: &str) -> Result<Option<StreamItem>, NotUnderstood> {
        let Lifecycle { command_uuid, state } = serde_json::from_str(object)?;
        let item = match state.as_str() {
            "started" => StreamItem::MessageTaken,
            "completed" | "cancelled" | "discarded" => StreamItem::MessageDropped,
            // It waits for its turn, or something happened to it that is not the end.
            _ => return Ok(None),
        };
        Ok(self.waiting.remove(&command_uuid).then_some(item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(ids: &mut MessageIds, id: &str, state: &str) -> Option<StreamItem> {
        let line = format!(r#"{{"type":"command_lifecycle","command_uuid":"{id}","state":"{state}"}}"#);
        ids.reported(&line).unwrap()
    }

    #[test]
    fn ids_are_different_and_of_the_random_kind() {
        let mut ids = MessageIds::from(u128::MAX);
        assert_eq!(ids.next().unwrap(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert_eq!(ids.next().unwrap(), "00000000-0000-4000-8000-000000000000");
        assert_eq!(MessageIds::default().next(), None);
    }

    #[test]
    fn what_becomes_of_a_message_is_reported_once_and_only_of_our_own() {
        let mut ids = MessageIds::from(1);
        let (first, second) = (ids.next().unwrap(), ids.next().unwrap());
        assert_eq!(report(&mut ids, &first, "queued"), None);
        assert_eq!(report(&mut ids, &first, "started"), Some(StreamItem::MessageTaken));
        assert_eq!(report(&mut ids, &first, "started"), None);
        assert_eq!(report(&mut ids, &first, "completed"), None);
        assert_eq!(report(&mut ids, &second, "cancelled"), Some(StreamItem::MessageDropped));
        assert_eq!(report(&mut ids, "another", "started"), None);
    }
}
