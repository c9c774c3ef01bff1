//! The updates of a working agent, as events.

use agency_model::{Event, PlanStep, StepStatus};
use agent_client_protocol_schema::v1::{
    ContentBlock, NoticeSeverity, Plan, PlanEntryStatus, SessionUpdate, ToolCallStatus, ToolCallUpdate,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::calls::UpdateKind;
use super::{Acp, content, wire};
use crate::StreamItem;
use crate::json_lines::{NotUnderstood, unknown};
use crate::lines::MAX_LINE_BYTES;

/// The parameters of `session/update`. What is in the update is read only when its kind is known.
#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    update: &'a RawValue,
}

/// What the protocol's types skip when they do not know it.
#[derive(Deserialize)]
struct Skipped<'a> {
    #[serde(borrow)]
    status: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    entries: Option<Vec<&'a RawValue>>,
}

impl Acp {
    /// Handles `session/update`.
    pub(super) fn updated(
        &mut self,
        params: Option<&RawValue>,
        object: &str,
        items: &mut Vec<StreamItem>,
    ) -> Result<(), NotUnderstood> {
        let Params { update } = wire::read(params)?;
        let read: Result<SessionUpdate, _> = serde_json::from_str(update.get());
        if self.replays() {
            // The history was reported when it happened; only the cost of the session until then is new.
            if let Ok(SessionUpdate::UsageUpdate(usage)) = read {
                usage.cost.iter().for_each(|cost| self.spent.report_cost(cost));
            }
            return Ok(());
        }
        let skipped = || serde_json::from_str::<Skipped<'_>>(update.get());
        let mut new_items = vec![];
        match read? {
            SessionUpdate::AgentThoughtChunk(chunk) => self.thought(&chunk.content),
            SessionUpdate::AgentMessageChunk(chunk) => new_items.extend(self.said(&chunk.content)),
            SessionUpdate::ToolCall(call) => {
                let update = ToolCallUpdate::from(call);
                let whole = is_whole(&update, &skipped()?)?;
                new_items.extend(self.used(update, UpdateKind::Announced));
                new_items.extend((!whole).then(|| unknown(object.to_owned())));
            }
            SessionUpdate::ToolCallUpdate(update) => {
                let whole = is_whole(&update, &skipped()?)?;
                new_items.extend(self.used(update, UpdateKind::Changed));
                new_items.extend((!whole).then(|| unknown(object.to_owned())));
            }
            SessionUpdate::Plan(plan) => {
                let entries = skipped()?.entries.unwrap_or_default();
                let whole = entries.len() == plan.entries.len();
                new_items.push(StreamItem::Event(planned(plan)));
                new_items.extend((!whole).then(|| unknown(object.to_owned())));
            }
            SessionUpdate::CurrentModeUpdate(update) => {
                new_items.push(notice(format!("the agent's mode is now {}", update.current_mode_id)));
            }
            SessionUpdate::UsageUpdate(usage) => usage.cost.iter().for_each(|cost| self.spent.report_cost(cost)),
            SessionUpdate::Notice(said) => {
                let message = [Some(said.title), said.description].into_iter().flatten().collect::<Vec<_>>().join("\n");
                new_items.push(match said.severity {
                    NoticeSeverity::Error => StreamItem::Event(Event::Error { message }),
                    NoticeSeverity::Info | NoticeSeverity::Warning | NoticeSeverity::Other(_) | _ => notice(message),
                });
            }
            // An echo of the prompt, and what is for menus and title bars.
            SessionUpdate::UserMessageChunk(_)
            | SessionUpdate::AvailableCommandsUpdate(_)
            | SessionUpdate::ConfigOptionUpdate(_)
            | SessionUpdate::SessionInfoUpdate(_)
            | SessionUpdate::CompactionUpdate(_)
            | SessionUpdate::CompactionSummaryChunk(_) => {}
            _ => return Err(NotUnderstood),
        }
        if !new_items.is_empty() {
            self.flush_thought(items);
        }
        items.extend(new_items);
        Ok(())
    }

    /// Some agents send a thought word by word: it is reported as a whole, before the next item.
    pub(super) fn flush_thought(&mut self, items: &mut Vec<StreamItem>) {
        let thought = std::mem::take(&mut self.thought);
        if !thought.trim().is_empty() {
            items.push(StreamItem::Event(Event::thinking(thought)));
        }
    }

    /// The events of a tool's update.
    fn used(&mut self, update: ToolCallUpdate, kind: UpdateKind) -> Vec<StreamItem> {
        let events = self.calls.update(update, kind);
        if !events.is_empty() {
            self.answer.clear();
        }
        events.into_iter().map(StreamItem::Event).collect()
    }

    fn thought(&mut self, block: &ContentBlock) {
        let text = content::text(block);
        if self.thought.len() + text.len() <= MAX_LINE_BYTES {
            self.thought.push_str(&text);
        }
    }

    fn said(&mut self, block: &ContentBlock) -> Option<StreamItem> {
        let text = content::text(block);
        if self.answer.len() + text.len() <= MAX_LINE_BYTES {
            self.answer.push_str(&text);
        }
        (!text.is_empty()).then_some(StreamItem::Event(Event::output(text)))
    }
}

/// The whole of what an agent asks permission for, if a part of it is of no known kind.
pub(super) fn hidden(params: Option<&RawValue>, known: &ToolCallUpdate) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Asked<'a> {
        #[serde(borrow)]
        tool_call: &'a RawValue,
    }
    let Asked { tool_call } = wire::read(params).ok()?;
    let skipped = serde_json::from_str(tool_call.get());
    let whole = skipped.is_ok_and(|skipped| is_whole(known, &skipped).is_ok_and(|whole| whole));
    (!whole).then(|| tool_call.get().to_owned())
}

/// Whether all that the agent shows was understood. An unknown status is not enough to continue.
fn is_whole(update: &ToolCallUpdate, skipped: &Skipped<'_>) -> Result<bool, NotUnderstood> {
    if skipped.status.is_some_and(|status| !is_state(status)) {
        return Err(NotUnderstood);
    }
    let known = update.fields.content.as_ref().map_or(0, Vec::len);
    Ok(skipped.content.as_ref().map_or(0, Vec::len) == known)
}

fn is_state(status: &RawValue) -> bool {
    serde_json::from_str::<ToolCallStatus>(status.get()).is_ok()
}

fn planned(plan: Plan) -> Event {
    let steps = plan.entries.into_iter().map(|entry| {
        let status = match entry.status {
            PlanEntryStatus::Completed => StepStatus::Completed,
            PlanEntryStatus::InProgress => StepStatus::InProgress,
            PlanEntryStatus::Pending | _ => StepStatus::Pending,
        };
        PlanStep { text: entry.content, status }
    });
    Event::Plan { steps: steps.collect(), text: None }
}

fn notice(message: String) -> StreamItem {
    StreamItem::Event(Event::Notice { message })
}
