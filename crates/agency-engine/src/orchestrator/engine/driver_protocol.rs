//! The protocol between a driver and its supervisor, on the standard streams: Claude Code's stream-json.
//!
//! The one rule: a failed write is ignored. That the supervisor is gone is noticed at the end of the input.

use std::io::Write;

use agency_model::SessionId;
use agency_model::workflow::{Approval, MergeAnswer};
use serde::Deserialize;
use serde_json::{Value, json};

/// What a driver writes to its supervisor.
pub struct DriverStream {
    out: Box<dyn Write + Send>,
    /// Lines that are not written yet: many at once are cheaper to read.
    buffer: Vec<u8>,
}

impl std::fmt::Debug for DriverStream {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("DriverStream")
    }
}

/// What a person is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DriverQuestion {
    /// By which the answer is addressed.
    pub(super) key: String,
    /// What for.
    pub(super) subject: QuestionSubject,
    /// In a line.
    pub(super) title: String,
    /// All there is to know.
    pub(super) detail: String,
}

/// What a person is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum QuestionSubject {
    /// An approval.
    Approval,
    /// The review of a merge.
    Merge,
    /// What to do about changes that are in the way of a merge: each answer and what it means.
    Checkout(Vec<(MergeAnswer, String)>),
}

impl DriverStream {
    /// Writes there.
    #[must_use]
    pub fn new(out: Box<dyn Write + Send>) -> Self {
        Self { out, buffer: vec![] }
    }

    /// Writes which session this is.
    pub(super) fn write_init(&mut self, session: &SessionId) {
        self.write_line(&json!({ "type": "system", "subtype": "init", "session_id": session.as_str() }));
    }

    /// Writes a text for people.
    pub(super) fn write_text(&mut self, text: &str) {
        let content = json!([{ "type": "text", "text": text }]);
        self.write_line(&json!({ "type": "assistant", "message": { "role": "assistant", "content": content } }));
    }

    /// Writes a question for a person.
    pub(super) fn write_question(&mut self, request: &DriverQuestion) {
        let (tool, input) = match &request.subject {
            QuestionSubject::Approval => ("Approval", json!({ "plan": request.detail })),
            QuestionSubject::Merge => ("Merge", json!({ "diff": request.detail })),
            QuestionSubject::Checkout(answers) => {
                let option = |(answer, meaning): &(MergeAnswer, String)| json!({ "label": answer.as_str(), "description": meaning });
                let options: Vec<Value> = answers.iter().map(option).collect();
                let question = json!({ "question": request.detail, "header": request.title, "options": options });
                ("AskUserQuestion", json!({ "questions": [question] }))
            }
        };
        let body = json!({
            "subtype": "can_use_tool", "tool_name": tool, "input": input, "description": request.title,
        });
        self.write_line(&json!({ "type": "control_request", "request_id": request.key, "request": body }));
    }

    /// Withdraws a question.
    pub(super) fn write_withdrawal(&mut self, key: &str) {
        self.write_line(&json!({ "type": "control_cancel_request", "request_id": key }));
    }

    /// Writes how the session ended.
    pub(super) fn write_result(&mut self, ended: Result<&str, &str>) {
        self.write_line(&match ended {
            Ok(text) => json!({ "type": "result", "subtype": "success", "is_error": false, "result": text }),
            Err(why) => {
                json!({ "type": "result", "subtype": "error_during_execution", "is_error": true, "errors": [why] })
            }
        });
    }

    fn write_line(&mut self, line: &Value) {
        // Writing to memory does not fail.
        let _ = writeln!(self.buffer, "{line}");
    }

    /// Writes all lines since the last call.
    pub(super) fn flush(&mut self) {
        if !self.buffer.is_empty() {
            // A supervisor that is gone is noticed at the end of the input.
            let _ = self.out.write_all(&self.buffer).and_then(|()| self.out.flush());
            self.buffer.clear();
        }
    }
}

/// What a driver reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DriverInput {
    /// A person answered.
    Answer(DriverAnswer),
    /// An order for the driver.
    DriverOrder(DriverOrder),
}

/// What a person answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DriverAnswer {
    /// The key of the question.
    pub(super) key: String,
    pub(super) verdict: Approval,
    /// In the person's own words.
    pub(super) message: Option<String>,
    /// The option that was chosen, where options were offered.
    pub(super) choice: Option<String>,
}

/// What a driver can be asked to do, as a message to its run.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DriverOrder {
    /// A task is done, says a person.
    CompleteTask {
        /// The path of its step.
        step: String,
    },
}

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    kind: String,
    response: Option<Response>,
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Response {
    request_id: Option<String>,
    response: Option<Decision>,
}

#[derive(Deserialize)]
struct Decision {
    behavior: String,
    message: Option<String>,
    #[serde(default, rename = "updatedInput")]
    input: Value,
}

#[derive(Deserialize)]
struct Message {
    content: Value,
}

/// Reads a line; `None` for one that is not part of the protocol.
pub(super) fn parse_line(line: &str) -> Option<DriverInput> {
    let Line { kind, response, message } = serde_json::from_str(line).ok()?;
    match kind.as_str() {
        "control_response" => {
            let Response { request_id, response } = response?;
            let Decision { behavior, message, input } = response?;
            let verdict = if behavior == "allow" { Approval::Approved } else { Approval::Rejected };
            let answers = input.get("answers").and_then(Value::as_object);
            let choice = answers.and_then(|answers| answers.values().next()?.as_str()).map(str::to_owned);
            Some(DriverInput::Answer(DriverAnswer { key: request_id?, verdict, message, choice }))
        }
        "user" => serde_json::from_str(message?.content.as_str()?).ok().map(DriverInput::DriverOrder),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_and_orders_are_understood_and_nothing_else() {
        let allowed = r#"{"type":"control_response","response":{"subtype":"success","request_id":"a#1","response":{"behavior":"allow","updatedInput":{}}}}"#;
        let answer = |verdict, message| {
            Some(DriverInput::Answer(DriverAnswer { key: "a#1".to_owned(), verdict, message, choice: None }))
        };
        assert_eq!(parse_line(allowed), answer(Approval::Approved, None));
        let commented = allowed.replace(r#"{}}}}"#, r#"{},"message":"well"}}}"#);
        assert_eq!(parse_line(&commented), answer(Approval::Approved, Some("well".to_owned())));
        let denied = allowed.replace(r#""allow","updatedInput":{}"#, r#""deny","message":"no""#);
        assert_eq!(parse_line(&denied), answer(Approval::Rejected, Some("no".to_owned())));
        let chosen = allowed.replace("{}", r#"{"answers":{"what?":"save"}}"#);
        let Some(DriverInput::Answer(answer)) = parse_line(&chosen) else { panic!("{chosen}") };
        assert_eq!(answer.choice.as_deref(), Some("save"));
        let order =
            json!({ "type": "user", "message": { "role": "user", "content": r#"{"complete_task":{"step":"a"}}"# } });
        let expected = DriverInput::DriverOrder(DriverOrder::CompleteTask { step: "a".to_owned() });
        assert_eq!(parse_line(&order.to_string()), Some(expected));
        for other in
            ["", "x", "{}", r#"{"type":"user","message":{"content":"hello"}}"#, r#"{"type":"control_response"}"#]
        {
            assert_eq!(parse_line(other), None, "{other}");
        }
    }
}
