//! Recorded conversations, held again: the agent's lines are heard, and what we say is compared with what was said then.

use std::fmt::Write as _;
use std::path::Path;

use agency_adapters::{Channel, Opening, StreamFormat, StreamItem, ToAgent};
use agency_model::{Answer, Question};
use serde_json::{Value, json};

use super::recorded::{self, Line, lines, rendered};

/// How the conversations of one format are held again.
#[derive(Clone, Copy)]
pub(crate) struct Protocol {
    pub(crate) format: StreamFormat,
    /// The directory of the recorded conversations.
    pub(crate) directory: &'static str,
    /// What the conversation with these lines of ours began with.
    pub(crate) opening: fn(&[Value]) -> Opening,
    /// What leads to this line of ours, when these questions have been asked.
    pub(crate) cause: fn(&Value, &[Question]) -> ToAgent,
}

/// A conversation that was held again.
pub(crate) struct Held {
    /// What was heard and said, a line each.
    pub(crate) text: String,
    /// What was said then, and what was said now.
    pub(crate) said: Vec<(Value, Value)>,
}

impl Protocol {
    /// The recorded conversations by file name, in order.
    pub(crate) fn exchanges(self) -> Vec<(String, Vec<Line>)> {
        let files = recorded::files(self.directory).into_iter();
        let files = files.filter(|(name, _)| name.ends_with(".exchange.ndjson"));
        files.map(|(name, bytes)| (name, lines(&bytes))).collect()
    }

    /// Holds a conversation again. The agent's lines come in pieces of this size.
    pub(crate) fn hold(self, name: &str, exchange: &[Line], size: usize) -> Held {
        let ours: Vec<Value> = exchange.iter().filter(|line| !line.heard).map(|line| line.value.clone()).collect();
        let mut talk = Talk {
            channel: self.format.conversation((self.opening)(&ours)).unwrap(),
            text: String::new(),
            said: vec![],
            questions: vec![],
        };
        let first = talk.channel.open();
        talk.say(&first);
        let mut expected = 0;
        for line in exchange {
            if line.heard {
                talk.hear(&line.bytes(), size);
                continue;
            }
            expected += 1;
            if talk.said.len() < expected {
                let cause = (self.cause)(&line.value, &talk.questions);
                let bytes = talk.channel.encode(&cause).unwrap_or_else(|error| panic!("{name}: {cause:?}: {error}"));
                talk.say(&bytes);
                talk.hear(b"", size);
            }
        }
        assert_eq!(talk.channel.finish(), [], "{name}");
        assert_eq!(talk.said.len(), ours.len(), "{name}:\n{}", talk.text);
        Held { text: talk.text, said: ours.into_iter().zip(talk.said).collect() }
    }

    /// All conversations, as a snapshot.
    pub(crate) fn golden(self) {
        let mut text = String::new();
        for (name, exchange) in self.exchanges() {
            write!(text, "\n== {name}\n{}", self.hold(&name, &exchange, 4096).text).unwrap();
        }
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../snapshots");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(format!("exchange_{}", self.format), text));
    }

    /// Whatever pieces the agent's lines come in, the conversation is the same.
    pub(crate) fn any_pieces(self) {
        for (name, exchange) in self.exchanges() {
            let whole = self.hold(&name, &exchange, usize::MAX).text;
            for size in [1, 7, 64, 1000] {
                assert_eq!(self.hold(&name, &exchange, size).text, whole, "{name} in pieces of {size}");
            }
        }
    }
}

struct Talk {
    channel: Channel,
    text: String,
    said: Vec<Value>,
    questions: Vec<Question>,
}

impl Talk {
    fn hear(&mut self, bytes: &[u8], size: usize) {
        let pieces: Vec<&[u8]> = if bytes.is_empty() { vec![bytes] } else { bytes.chunks(size).collect() };
        for piece in pieces {
            for item in self.channel.feed(piece) {
                match &item {
                    StreamItem::Reply(bytes) => self.say(bytes),
                    StreamItem::Question(question) => self.questions.push(question.clone()),
                    StreamItem::Event(_)
                    | StreamItem::Session(_)
                    | StreamItem::Result(_)
                    | StreamItem::Withdrawn(_)
                    | StreamItem::TurnStarted
                    | StreamItem::MessageTaken
                    | StreamItem::MessageDropped
                    | StreamItem::BackgroundTasks(_) => {}
                }
                if !matches!(item, StreamItem::Reply(_)) {
                    writeln!(self.text, "{}", rendered(&item)).unwrap();
                }
            }
        }
    }

    fn say(&mut self, bytes: &[u8]) {
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            assert!(line.ends_with(b"\n"), "a message ends with its line");
            let value: Value = serde_json::from_slice(line).unwrap();
            writeln!(self.text, "say          {}", shape(&value)).unwrap();
            self.said.push(value);
        }
    }
}

/// What must be the same: the method and the names of the parameters, or the whole of an answer.
pub(crate) fn shape(said: &Value) -> Value {
    match said["method"].as_str() {
        Some(method) => {
            let mut names: Vec<&String> =
                said["params"].as_object().into_iter().flat_map(|params| params.keys()).collect();
            names.sort();
            json!({ "method": method, "is request": said.get("id").is_some(), "params": names })
        }
        None => json!({ "id": said["id"], "result": said["result"], "error": said["error"]["code"] }),
    }
}

/// A conversation that begins with a prompt, or does not, in some directory.
pub(crate) fn opening(directory: &str, prompt: Option<&str>, resume: Option<&str>) -> Opening {
    Opening {
        prompt: prompt.map(str::to_owned),
        directory: Path::new(directory).to_owned(),
        resume: resume.map(str::to_owned),
        mcp_servers: vec![],
    }
}

/// The answer to the question with this key.
pub(crate) fn answer(key: &str, answer: Answer) -> ToAgent {
    ToAgent::Answer { key: key.into(), answer }
}
