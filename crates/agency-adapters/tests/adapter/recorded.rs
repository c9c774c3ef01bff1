//! The recorded streams, and how what was heard is written down.

use std::fs;
use std::path::Path;

use agency_adapters::{Outcome, StreamFormat, StreamItem};
use agency_model::{Event, Question, Usage};
use serde_json::Value;

pub(crate) const FORMATS: [StreamFormat; 5] =
    [StreamFormat::Claude, StreamFormat::Codex, StreamFormat::Gemini, StreamFormat::Opencode, StreamFormat::Acp];

/// One line of a recorded conversation.
pub(crate) struct Line {
    /// Whether the agent said it.
    pub(crate) heard: bool,
    pub(crate) value: Value,
}

impl Line {
    /// The line as it was on the stream.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        format!("{}\n", self.value).into_bytes()
    }
}

/// The lines of a recorded conversation.
pub(crate) fn lines(exchange: &[u8]) -> Vec<Line> {
    let values = serde_json::Deserializer::from_slice(exchange).into_iter::<Value>();
    values.map(Result::unwrap).map(|line| Line { heard: line["dir"] == "<<", value: line["line"].clone() }).collect()
}

/// The streams of an agent by file name, in order; of a conversation what the agent said.
pub(crate) fn streams(format: StreamFormat) -> Vec<(String, Vec<u8>)> {
    let said = |exchange: Vec<u8>| lines(&exchange).iter().filter(|line| line.heard).flat_map(Line::bytes).collect();
    let stream = |(name, bytes): (String, Vec<u8>)| match name.ends_with(".exchange.ndjson") {
        true => (name, said(bytes)),
        false => (name, bytes),
    };
    files(format.as_str()).into_iter().map(stream).collect()
}

/// The recorded files of a directory by name, in order.
pub(crate) fn files(directory: &str) -> Vec<(String, Vec<u8>)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agents").join(directory);
    let mut files: Vec<_> = fs::read_dir(path)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    assert!(files.len() > 10, "{directory}: the recorded files are missing");
    files
}

/// One line.
pub(crate) fn rendered(heard: &StreamItem) -> String {
    let verdict = |success: &bool| if *success { "ok" } else { "failed" };
    match heard {
        StreamItem::Session(id) => format!("session      {id}"),
        StreamItem::Result(Outcome { success, text, error }) => {
            format!("result       {} text={} error={}", verdict(success), optional(text), optional(error))
        }
        StreamItem::Reply(bytes) => format!("say          {}", short(&String::from_utf8_lossy(bytes))),
        StreamItem::Question(Question {
            key,
            kind,
            title,
            detail,
            options,
            several,
            free_text,
            tool,
            only_on_screen: _,
        }) => {
            let options: Vec<&str> = options.iter().map(|option| option.id.as_str()).collect();
            let tool = tool.as_ref().map(|tool| tool.name.clone());
            let (title, detail) = (short(title), short(detail));
            format!("asked        {kind} {key} {title} {detail} {options:?} {several} {free_text} {}", optional(&tool))
        }
        StreamItem::Withdrawn(key) => format!("withdrawn    {key}"),
        StreamItem::TurnStarted => "turn".to_owned(),
        StreamItem::MessageTaken => "message taken".to_owned(),
        StreamItem::MessageDropped => "message dropped".to_owned(),
        StreamItem::BackgroundTasks(count) => format!("background   {count}"),
        StreamItem::Event(event) if event.parent_tool_id().is_some() => {
            let parent = event.parent_tool_id().unwrap_or_default();
            format!("{} below {parent}", rendered_event(event))
        }
        StreamItem::Event(event) => rendered_event(event),
    }
}

fn rendered_event(event: &Event) -> String {
    let verdict = |success: &bool| if *success { "ok" } else { "failed" };
    match event {
        Event::Output { text, .. } => format!("output       {}", short(text)),
        Event::ToolUse { tool_name, input, tool_id, .. } => {
            format!("tool_use     {tool_name} {} {}", optional(tool_id), short(&input.to_string()))
        }
        Event::ToolResult { tool_name, output, success, tool_id, .. } => {
            format!("tool_result  {tool_name} {} {} {}", optional(tool_id), verdict(success), short(output))
        }
        Event::Thinking { text, .. } => format!("thinking     {}", short(text)),
        Event::Plan { .. } => format!("plan         {}", optional(&event.plan_text())),
        Event::Task { task_id, status, description, tool_id } => {
            format!("task         {task_id} {status} {} {}", optional(tool_id), short(description))
        }
        Event::RateLimit { status, limit, used, resets_at } => {
            format!("rate_limit   {status} {} {used:?} {resets_at:?}", optional(limit))
        }
        Event::Compaction { trigger, tokens_before } => {
            format!("compaction   {} {tokens_before:?}", optional(trigger))
        }
        Event::Usage(Usage { input_tokens, output_tokens, cached_tokens, cost_usd }) => {
            format!("usage        in={input_tokens:?} out={output_tokens:?} cached={cached_tokens:?} cost={cost_usd:?}")
        }
        Event::Notice { message } => format!("notice       {}", short(message)),
        Event::Error { message } => format!("error        {}", short(message)),
        Event::Unknown { text } => format!("unknown      {}", short(text)),
        Event::StateChange { .. }
        | Event::Attempt { .. }
        | Event::Exit { .. }
        | Event::Restart { .. }
        | Event::Message { .. }
        | Event::Activity { .. }
        | Event::Question { .. }
        | Event::Answer { .. }
        | Event::Work(_)
        | Event::Completed { .. } => panic!("no agent says this: {event:?}"),
    }
}

fn optional(text: &Option<String>) -> String {
    text.as_ref().map_or_else(|| "-".to_owned(), |text| short(text))
}

fn short(text: &str) -> String {
    let text = format!("{text:?}");
    match text.char_indices().nth(110) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}
