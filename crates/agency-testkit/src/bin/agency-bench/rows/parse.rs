//! An agent's stream into events, beside the least program that understands the same lines.

use crate::Bench;
use crate::row::Row;
use crate::sample::Sample;
use agency_adapters::StreamFormat;
use serde::Deserialize;
use serde_json::Value;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const MOST: usize = 500 << 20;
const MOST_QUICK: usize = 100 << 20;
const PIECE: usize = 256 << 10;

/// A parser that only reads the text of Claude Code.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ClaudeLine {
    System { subtype: String, session_id: String },
    Assistant { message: ClaudeMessage },
    User { message: ClaudeMessage },
    Result { subtype: String, result: Option<String>, usage: Option<Value>, total_cost_usd: Option<f64> },
}

#[derive(Deserialize)]
struct ClaudeMessage {
    content: Vec<Block>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text { text: String },
    ToolUse { id: String, name: String, input: Value },
    ToolResult { tool_use_id: String, content: Value, is_error: Option<bool> },
}

/// 500 MB of lines as Claude Code writes them.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let stream = stream(if bench.quick { MOST_QUICK } else { MOST });
    let (mut ours, mut theirs) = (Sample::default(), Sample::default());
    for round in 0..=bench.rounds(7, 3) {
        let times = (understand(&stream), deserialize(&stream));
        if round > 0 {
            ours.add(times.0);
            theirs.add(times.1);
        }
    }
    let ratio = theirs.ratio(&ours);
    let speeds = |times: &Sample| {
        let speed = |time: Duration| stream.len() as f64 / 1e6 / time.as_secs_f64();
        format!("{:.0} MB/s ({:.0})", speed(times.median()), speed(times.p90()))
    };
    vec![Row {
        what: format!("{} MB of stream-json into events", stream.len() / 1_000_000),
        ours: speeds(&ours),
        floor: "`serde_json` into a tagged enum",
        theirs: speeds(&theirs),
        ratio: Some(ratio),
        limit: "≥ 0.8×",
        met: Some(ratio >= 0.8),
    }]
}

fn understand(stream: &[u8]) -> Duration {
    let mut parser = StreamFormat::Claude.parser().unwrap();
    let start = Instant::now();
    for piece in stream.chunks(PIECE) {
        black_box(parser.feed(black_box(piece)));
    }
    black_box(parser.finish());
    start.elapsed()
}

pub(super) fn deserialize(stream: &[u8]) -> Duration {
    let start = Instant::now();
    for line in stream.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        // All of it is used, as an event would use it.
        match serde_json::from_slice::<ClaudeLine>(black_box(line)).unwrap() {
            ClaudeLine::System { subtype, session_id } => drop(black_box((subtype, session_id))),
            ClaudeLine::Assistant { message } | ClaudeLine::User { message } => {
                for block in message.content {
                    match block {
                        Block::Text { text } => drop(black_box(text)),
                        Block::ToolUse { id, name, input } => drop(black_box((id, name, input))),
                        Block::ToolResult { tool_use_id, content, is_error } => {
                            drop(black_box((tool_use_id, content, is_error)));
                        }
                    }
                }
            }
            ClaudeLine::Result { subtype, result, usage, total_cost_usd } => {
                drop(black_box((subtype, result, usage, total_cost_usd)));
            }
        }
    }
    start.elapsed()
}

/// Recorded lines again and again, with results of tools as long as real ones are: files and test reports.
pub(super) fn stream(most: usize) -> Vec<u8> {
    let recorded = recorded();
    let lines = (0..80).map(|line| format!("test module::name_{line} ... ok \"quoted\" \\ tab\t é\n"));
    let report = Value::from(lines.collect::<String>()).to_string();
    let mut stream = Vec::with_capacity(most + recorded.len() + 16 * 1024);
    let mut number = 0_u64;
    while stream.len() < most {
        stream.extend_from_slice(&recorded);
        for _ in 0..4 {
            number += 1;
            let id = format!("toolu_{number:020}");
            let used = format!(
                r#"{{"type":"assistant","message":{{"id":"msg_{number}","role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"Bash","input":{{"command":"cargo test --workspace","description":"Run the tests"}}}}]}},"session_id":"s"}}"#
            );
            let answered = format!(
                r#"{{"type":"user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":[{{"type":"text","text":{report}}}],"is_error":false}}]}},"session_id":"s"}}"#
            );
            for line in [used, answered] {
                stream.extend_from_slice(line.as_bytes());
                stream.push(b'\n');
            }
        }
    }
    stream
}

fn recorded() -> Vec<u8> {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../agency-adapters/tests/fixtures/agents/claude/a2-acceptEdits-stream-json.ndjson");
    let text = fs::read_to_string(path).unwrap();
    // What the other program does not know is nothing to compare.
    let known = text.lines().filter(|line| serde_json::from_str::<ClaudeLine>(line).is_ok());
    let recorded: Vec<u8> = known.flat_map(|line| format!("{line}\n").into_bytes()).collect();
    assert!(recorded.len() > 1000, "the recorded lines are missing");
    recorded
}
