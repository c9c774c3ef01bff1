//! The supervisor's side of the driver protocol: messages of the driver into items, answers into lines.

use std::collections::BTreeSet;

use agency_model::{Answer, Event, Question, QuestionKey, QuestionKind, ToolRequest};
use serde_json::json;

use super::protocol::{DRIVER_PROTOCOL_VERSION, DriverMessage, DriverQuestion, QuestionSubject, SupervisorMessage};
use crate::json_lines::{Dialect, NotUnderstood};
use crate::question_text::first_line;
use crate::{DENIAL_WITHOUT_REASON, EncodeError, Outcome, StreamItem, ToAgent};

/// What must be remembered of a stream.
#[derive(Debug, Default)]
pub(crate) struct DriverStream {
    session: Option<String>,
    /// The keys of the questions that wait for an answer.
    open: BTreeSet<String>,
    /// Whether the driver named a version that is not known here.
    is_foreign: bool,
    /// Whether answers can be sent.
    is_two_way: bool,
}

impl DriverStream {
    /// A conversation in both directions.
    pub(crate) fn two_way() -> Self {
        Self { is_two_way: true, ..Self::default() }
    }

    fn started(&mut self, version: u32, session: String, items: &mut Vec<StreamItem>) {
        if version <= DRIVER_PROTOCOL_VERSION {
            crate::session(&mut self.session, session, items);
            return;
        }
        self.is_foreign = true;
        let message = format!(
            "the driver writes version {version} of its protocol, and its supervisor understands \
             {DRIVER_PROTOCOL_VERSION}"
        );
        failed(message, items);
    }
}

impl Dialect for DriverStream {
    fn parse(&mut self, object: &str, items: &mut Vec<StreamItem>) -> Result<(), NotUnderstood> {
        if self.is_foreign {
            return Err(NotUnderstood);
        }
        match serde_json::from_str(object)? {
            DriverMessage::Started { version, session } => self.started(version, session, items),
            DriverMessage::Progress { text } => {
                items.push(StreamItem::Event(Event::Output { text, parent_tool_id: None }));
            }
            DriverMessage::Question(asked) => {
                self.open.insert(asked.key.clone());
                items.push(StreamItem::Question(question(asked)));
            }
            DriverMessage::Withdrawn { key } => {
                let withdrawn = self.open.take(&key);
                items.extend(withdrawn.map(|key| StreamItem::Withdrawn(QuestionKey::whole(key))));
            }
            DriverMessage::Completed { summary } => items.push(StreamItem::Result(Outcome::success(Some(summary)))),
            DriverMessage::Stopped { reason } => failed(reason, items),
        }
        Ok(())
    }

    fn encode(&mut self, to_agent: &ToAgent) -> Result<Vec<u8>, EncodeError> {
        if !self.is_two_way {
            return Err(EncodeError::OneWay);
        }
        let message = match to_agent {
            ToAgent::Message(text) => SupervisorMessage::Message { text: text.clone() },
            ToAgent::Answer { key, answer } => {
                let key = self.open.take(&key.request).ok_or(EncodeError::UnknownQuestion)?;
                SupervisorMessage::Answer { key, answer: with_reason(answer) }
            }
            // A session has no turns.
            ToAgent::Interrupt => return Ok(vec![]),
        };
        let message = serde_json::to_value(message).map_err(|error| EncodeError::Invalid(error.to_string()))?;
        Ok(crate::line(&message))
    }
}

fn failed(message: String, items: &mut Vec<StreamItem>) {
    items.push(StreamItem::Event(Event::Error { message: message.clone() }));
    items.push(StreamItem::Result(Outcome::failure(message)));
}

/// The question as every supervisor has stored it, also before this protocol.
fn question(asked: DriverQuestion) -> Question {
    let DriverQuestion { key, subject, title, detail } = asked;
    let (tool, options) = match subject {
        QuestionSubject::Approval => (Some(ToolRequest::new("Approval", json!({ "plan": detail }))), vec![]),
        QuestionSubject::Merge => (Some(ToolRequest::new("Merge", json!({ "diff": detail }))), vec![]),
        QuestionSubject::Checkout { options } => (None, options),
    };
    let (kind, title) = match &tool {
        Some(tool) => (QuestionKind::Permission, format!("{}: {}", tool.name, first_line(&title))),
        None => (QuestionKind::Question, title),
    };
    Question {
        key: QuestionKey::whole(key),
        kind,
        title,
        detail,
        options,
        several: false,
        free_text: tool.is_none(),
        only_on_screen: false,
        tool,
    }
}

/// The history of a session has a reason for every rejection.
fn with_reason(answer: &Answer) -> Answer {
    match answer {
        Answer::Deny { message: None } => Answer::Deny { message: Some(DENIAL_WITHOUT_REASON.to_owned()) },
        Answer::Deny { message: Some(_) }
        | Answer::Allow { .. }
        | Answer::AllowAll
        | Answer::Options { .. }
        | Answer::Text { .. } => answer.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Channel, Opening, StreamFormat};

    fn channel() -> Channel {
        let opening = Opening { prompt: None, directory: "/w".into(), resume: None, mcp_servers: vec![] };
        StreamFormat::Driver.conversation(opening).unwrap()
    }

    fn lines(objects: &[serde_json::Value]) -> Vec<u8> {
        objects.iter().flat_map(crate::line).collect()
    }

    #[test]
    fn a_question_is_answered_once_and_a_withdrawn_one_is_not() {
        let mut channel = channel();
        let question = |key: &str| json!({ "type": "question", "key": key, "subject": "approval", "title": "ok?", "detail": "all" });
        let heard =
            channel.feed(&lines(&[question("a#1"), question("b#1"), json!({ "type": "withdrawn", "key": "b#1" })]));
        assert_eq!(heard.len(), 3);
        assert_eq!(heard[2], StreamItem::Withdrawn("b#1".into()));
        let mut answer = |key: &str, answer| channel.encode(&ToAgent::Answer { key: key.into(), answer });
        let allow = Answer::Allow { message: Some("well".to_owned()) };
        assert_eq!(answer("b#1", allow.clone()), Err(EncodeError::UnknownQuestion));
        let sent = String::from_utf8(answer("a#1", allow.clone()).unwrap()).unwrap();
        assert_eq!(
            sent,
            "{\"type\":\"answer\",\"key\":\"a#1\",\"answer\":{\"answer\":\"allow\",\"message\":\"well\"}}\n"
        );
        assert_eq!(answer("a#1", allow), Err(EncodeError::UnknownQuestion));
    }

    #[test]
    fn a_version_that_is_not_known_fails_the_run_and_its_messages_are_kept() {
        let mut channel = channel();
        let started = json!({ "type": "started", "version": DRIVER_PROTOCOL_VERSION + 1, "session": "s" });
        let heard = channel.feed(&lines(&[started, json!({ "type": "progress", "text": "x" })]));
        let message = "the driver writes version 2 of its protocol, and its supervisor understands 1".to_owned();
        assert_eq!(
            heard,
            [
                StreamItem::Event(Event::Error { message: message.clone() }),
                StreamItem::Result(Outcome::failure(message)),
                StreamItem::Event(Event::Unknown { text: r#"{"type":"progress","text":"x"}"#.to_owned() }),
            ]
        );
    }

    #[test]
    fn the_launch_names_the_version_that_is_understood_here() {
        let entry: toml::Table = include_str!("agent.toml").parse().unwrap();
        let headless = &entry["agents"]["workflow"]["headless"];
        assert_eq!(headless["stream"].as_str(), Some("driver"));
        let args: Vec<&str> = headless["args"].as_array().unwrap().iter().filter_map(toml::Value::as_str).collect();
        assert_eq!(args, ["drive", "--protocol", &DRIVER_PROTOCOL_VERSION.to_string()]);
    }
}
