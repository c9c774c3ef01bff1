//! `codex exec --json`: a stream in one direction.

use agency_model::{Event, Usage};
use serde::Deserialize;

use super::items::{Item, ItemStage, Items};
use crate::json_lines::{Dialect, Head, NotUnderstood};
use crate::{Outcome, StreamItem};

/// What must be remembered of a stream.
#[derive(Debug, Default)]
pub(crate) struct Codex {
    session: Option<String>,
    items: Items,
    answer: Option<String>,
    /// The last usage, which counts the whole thread.
    total: ExecTokens,
}

#[derive(Deserialize)]
struct Thread {
    thread_id: String,
}

#[derive(Deserialize)]
struct Changed<'a> {
    #[serde(borrow)]
    item: Item<'a>,
}

#[derive(Deserialize)]
struct Completed {
    usage: Option<ExecTokens>,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
struct ExecTokens {
    input_tokens: Option<u64>,
    cached_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct Failed {
    error: ErrorText,
}

#[derive(Deserialize)]
struct ErrorText {
    message: String,
}

impl Dialect for Codex {
    fn parse(&mut self, object: &str, items: &mut Vec<StreamItem>) -> Result<(), NotUnderstood> {
        let head: Head<'_> = serde_json::from_str(object)?;
        match head.kind.as_ref() {
            "thread.started" => {
                let Thread { thread_id } = serde_json::from_str(object)?;
                crate::session(&mut self.session, thread_id, items);
            }
            "turn.started" => {
                self.answer = None;
                items.push(StreamItem::TurnStarted);
            }
            "item.started" => items.extend(self.item(ItemStage::Started, object)?.into_iter().map(StreamItem::Event)),
            "item.updated" => items.extend(self.item(ItemStage::Updated, object)?.into_iter().map(StreamItem::Event)),
            "item.completed" => {
                items.extend(self.item(ItemStage::Completed, object)?.into_iter().map(StreamItem::Event));
            }
            "turn.completed" => self.completed(&serde_json::from_str(object)?, items),
            "turn.failed" => {
                let failed: Failed = serde_json::from_str(object)?;
                items.push(StreamItem::Result(Outcome::failure(failed.error.message)));
            }
            // Also sent for each retry; only `turn.failed` is the end.
            "error" => {
                let ErrorText { message } = serde_json::from_str(object)?;
                items.push(StreamItem::Event(Event::Error { message }));
            }
            _ => return Err(NotUnderstood),
        }
        Ok(())
    }

    /// It counts the whole thread, also what another process said in it.
    fn count_from(&mut self, spent: Usage) {
        self.total = ExecTokens {
            input_tokens: spent.input_tokens,
            cached_input_tokens: spent.cached_tokens,
            output_tokens: spent.output_tokens,
        };
    }
}

impl Codex {
    fn item(&mut self, stage: ItemStage, object: &str) -> Result<Vec<Event>, NotUnderstood> {
        let Changed { item } = serde_json::from_str(object)?;
        let events = self.items.events(stage, item)?;
        if let [Event::Output { text, .. }] = events.as_slice() {
            self.answer = Some(text.clone());
        }
        Ok(events)
    }

    fn completed(&mut self, completed: &Completed, items: &mut Vec<StreamItem>) {
        if let Some(total) = completed.usage {
            let before = std::mem::replace(&mut self.total, total);
            let since = |total: Option<u64>, before: Option<u64>| {
                total.map(|total| total.checked_sub(before.unwrap_or(0)).unwrap_or(total))
            };
            items.push(StreamItem::Event(Event::Usage(Usage {
                input_tokens: since(total.input_tokens, before.input_tokens),
                output_tokens: since(total.output_tokens, before.output_tokens),
                cached_tokens: since(total.cached_input_tokens, before.cached_input_tokens),
                cost_usd: None,
            })));
        }
        items.push(StreamItem::Result(Outcome::success(self.answer.take())));
    }
}
