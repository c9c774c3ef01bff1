//! The tools of a turn. Agents report one use in many pieces and in different orders; it is passed on as one use and
//! one result.

use std::collections::HashMap;

use agency_model::{Event, JsonText};
use agent_client_protocol_schema::v1::{ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields, ToolKind};
use serde_json::{Value, json};

use super::content;
use crate::question_text::command_detail;

/// No turn has this many tools at work; what a broken agent leaves open must not grow without end.
const MAX_OPEN_CALLS: usize = 1024;

/// An input or an output that is longer is reported if it comes when it is needed, and is not kept for later.
const MAX_KEPT_BYTES: usize = 64 * 1024;

/// The tools of a turn by the agent's id.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: HashMap<String, Call>,
}

/// What is known of one use.
#[derive(Debug, Default)]
struct Call {
    name: Option<String>,
    kind: ToolKind,
    title: String,
    input: Option<Value>,
    /// What the agent shows of it: what it is about to do, and later the result.
    shown: String,
    state: CallState,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum CallState {
    /// Its input may still be incomplete.
    #[default]
    Announced,
    Used,
    Done,
}

/// Where an update comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UpdateKind {
    /// The first words on a use.
    Announced,
    /// More words.
    Changed,
}

/// What the agent asks permission for.
#[derive(Debug)]
pub(super) struct PermissionTarget {
    pub(super) name: String,
    pub(super) kind: ToolKind,
    pub(super) title: String,
    pub(super) detail: String,
    pub(super) input: Value,
}

impl Calls {
    /// The events of an update.
    pub(super) fn update(&mut self, update: ToolCallUpdate, kind: UpdateKind) -> Vec<Event> {
        let (id, call) = self.call(&update);
        if call.state == CallState::Done {
            return vec![];
        }
        let success = match update.fields.status {
            Some(ToolCallStatus::Completed) => Some(true),
            Some(ToolCallStatus::Failed) => Some(false),
            Some(ToolCallStatus::Pending | ToolCallStatus::InProgress | _) | None => None,
        };
        let begins = success.is_some() || begins(&update.fields, kind);
        let output = update.fields.raw_output.clone();
        call.merge(update);
        let mut events: Vec<Event> = if begins { call.used(&id).into_iter().collect() } else { vec![] };
        if let Some(success) = success {
            let output = content::output(output.as_ref(), &call.shown);
            events.push(Event::ToolResult {
                tool_name: call.name(),
                output: output.into(),
                success,
                tool_id: Some(id),
                parent_tool_id: None,
            });
            // Only that it was there is needed from now on.
            *call = Call { state: CallState::Done, ..Call::default() };
        }
        call.forget_long();
        events
    }

    /// What the agent asks permission for, and the event of its use if that was not reported yet.
    pub(super) fn wanted(&mut self, update: ToolCallUpdate) -> (Option<Event>, PermissionTarget) {
        let (id, call) = self.call(&update);
        if call.state == CallState::Done {
            *call = Call::default();
        }
        call.merge(update);
        let used = call.used(&id);
        let asked = match &call.input {
            // Some agents give a change twice, here and as what they show.
            Some(input) if call.shown.is_empty() || input.get("diff").is_none() => command_detail(input),
            Some(_) | None => call.title.clone(),
        };
        let detail: Vec<&str> = match call.shown.starts_with(&asked) {
            true => vec![&call.shown],
            false => [asked.as_str(), &call.shown].into_iter().filter(|part| !part.is_empty()).collect(),
        };
        let wanted = PermissionTarget {
            name: call.name(),
            kind: call.kind,
            title: call.title.clone(),
            detail: detail.join("\n\n"),
            input: call.input(),
        };
        call.forget_long();
        (used, wanted)
    }

    fn call(&mut self, update: &ToolCallUpdate) -> (String, &mut Call) {
        self.make_room();
        let id = update.tool_call_id.to_string();
        let call = self.calls.entry(id.clone()).or_default();
        (id, call)
    }

    /// The results of what was used and never came to an end. Some agents say no more of a use that was denied.
    pub(super) fn abandoned(&mut self) -> Vec<Event> {
        let mut left: Vec<_> = self.calls.drain().filter(|(_, call)| call.state == CallState::Used).collect();
        left.sort_by(|(one, _), (other, _)| one.cmp(other));
        let result = |(id, call): (String, Call)| Event::ToolResult {
            tool_name: call.name(),
            output: JsonText::default(),
            success: false,
            tool_id: Some(id),
            parent_tool_id: None,
        };
        left.into_iter().map(result).collect()
    }

    fn make_room(&mut self) {
        if self.calls.len() >= MAX_OPEN_CALLS {
            self.calls.retain(|_, call| call.state != CallState::Done);
        }
        if self.calls.len() >= MAX_OPEN_CALLS {
            self.calls.clear();
        }
    }
}

/// Whether the input is complete now. An announcement comes while the model still writes the input.
fn begins(fields: &ToolCallUpdateFields, kind: UpdateKind) -> bool {
    let at_work = fields.status == Some(ToolCallStatus::InProgress);
    match kind {
        UpdateKind::Announced => at_work,
        UpdateKind::Changed => {
            at_work || (fields.status.is_none() && fields.raw_input.as_ref().is_some_and(has_content))
        }
    }
}

impl Call {
    /// A field that is left out is as it was.
    fn merge(&mut self, update: ToolCallUpdate) {
        let ToolCallUpdate { fields, meta, .. } = update;
        let beside = meta.iter().flat_map(|meta| meta.values()).find_map(|of_agent| of_agent.get("toolName")?.as_str());
        self.name = fields.name.or(beside.map(str::to_owned)).or(self.name.take());
        self.kind = fields.kind.unwrap_or(self.kind);
        // The first title is the nearest to a name for a tool of no kind; later ones describe what it does.
        if self.name.is_none() && self.kind == ToolKind::Other {
            self.name.clone_from(&fields.title);
        }
        self.title = fields.title.unwrap_or(std::mem::take(&mut self.title));
        self.input = fields.raw_input.filter(has_content).or(self.input.take());
        if let Some(content) = fields.content {
            self.shown = content::shown(&content);
        }
    }

    /// The event of a use that was not reported yet.
    fn used(&mut self, id: &str) -> Option<Event> {
        let is_new = self.state == CallState::Announced;
        self.state = CallState::Used;
        is_new.then(|| Event::ToolUse {
            tool_name: self.name(),
            input: self.input(),
            tool_id: Some(id.to_owned()),
            parent_tool_id: None,
        })
    }

    /// The protocol's word for the kind of tool is the name of one that has none of its own.
    fn name(&self) -> String {
        let kind = || serde_json::to_value(self.kind).ok().and_then(|kind| kind.as_str().map(str::to_owned));
        self.name.clone().or_else(kind).unwrap_or_else(crate::unnamed)
    }

    fn input(&self) -> Value {
        self.input.clone().unwrap_or_else(|| json!({ "title": self.title }))
    }

    fn forget_long(&mut self) {
        if self.shown.len() > MAX_KEPT_BYTES {
            self.shown.clear();
        }
        if self.input.as_ref().is_some_and(|input| input.to_string().len() > MAX_KEPT_BYTES) {
            self.input = None;
        }
    }
}

fn has_content(input: &Value) -> bool {
    match input {
        Value::Null => false,
        Value::Object(fields) => !fields.is_empty(),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Bool(_) | Value::Number(_) => true,
    }
}
