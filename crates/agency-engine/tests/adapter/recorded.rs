//! The recorded streams, and how what was heard is written down.

use std::fs;
use std::path::Path;

use agency_engine::adapter::{Heard, Outcome, StreamFormat};
use agency_model::{Event, Question, Usage};

pub(crate) const FORMATS: [StreamFormat; 4] =
    [StreamFormat::Claude, StreamFormat::Codex, StreamFormat::Gemini, StreamFormat::Opencode];

/// The streams of an agent by file name, in order.
pub(crate) fn streams(format: StreamFormat) -> Vec<(String, Vec<u8>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agents").join(format.word());
    let mut streams: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect();
    streams.sort();
    assert!(streams.len() > 10, "{format}: the recorded streams are missing");
    streams
}

/// One line.
pub(crate) fn rendered(heard: &Heard) -> String {
    let verdict = |success: &bool| if *success { "ok" } else { "failed" };
    match heard {
        Heard::Session(id) => format!("session      {id}"),
        Heard::Result(Outcome { success, text, error }) => {
            format!("result       {} text={} error={}", verdict(success), optional(text), optional(error))
        }
        Heard::Say(bytes) => format!("say          {}", short(&String::from_utf8_lossy(bytes))),
        Heard::Asked(Question { key, kind, title, detail, options, several, free_text, tool }) => {
            let options: Vec<&str> = options.iter().map(|option| option.id.as_str()).collect();
            let tool = tool.as_ref().map(|tool| tool.name.clone());
            let (title, detail) = (short(title), short(detail));
            format!("asked        {kind} {key} {title} {detail} {options:?} {several} {free_text} {}", optional(&tool))
        }
        Heard::Withdrawn(key) => format!("withdrawn    {key}"),
        Heard::Event(Event::Output { text }) => format!("output       {}", short(text)),
        Heard::Event(Event::ToolUse { tool_name, input, tool_id }) => {
            format!("tool_use     {tool_name} {} {}", optional(tool_id), short(&input.to_string()))
        }
        Heard::Event(Event::ToolResult { tool_name, output, success, tool_id }) => {
            format!("tool_result  {tool_name} {} {} {}", optional(tool_id), verdict(success), short(output))
        }
        Heard::Event(Event::Usage(Usage { input_tokens, output_tokens, cached_tokens, cost_usd })) => {
            format!("usage        in={input_tokens:?} out={output_tokens:?} cached={cached_tokens:?} cost={cost_usd:?}")
        }
        Heard::Event(Event::Notice { message }) => format!("notice       {}", short(message)),
        Heard::Event(Event::Error { message }) => format!("error        {}", short(message)),
        Heard::Event(Event::Unknown { text }) => format!("unknown      {}", short(text)),
        Heard::Event(other) => panic!("no agent says this: {other:?}"),
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
