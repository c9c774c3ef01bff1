//! What a driver says to its supervisor, and hears from it: Claude Code's stream-json, on the standard streams.
//!
//! The one rule: nobody waits for the voice. A supervisor that is gone hears nothing, and the driver notices it by its
//! input.

use std::io::Write;

use agency_model::SessionId;
use agency_model::workflow::{Approval, MergeAnswer};
use serde::Deserialize;
use serde_json::{Value, json};

/// Where a driver speaks.
pub struct Voice {
    out: Box<dyn Write + Send>,
    /// What was said and not heard yet: many words at once are cheaper to hear.
    said: Vec<u8>,
}

impl std::fmt::Debug for Voice {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Voice")
    }
}

/// What a person is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    /// By which the answer is addressed.
    pub(super) key: String,
    /// What for.
    pub(super) subject: Subject,
    /// In a line.
    pub(super) title: String,
    /// All there is to know.
    pub(super) detail: String,
}

/// What a person is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Subject {
    /// An approval.
    Approval,
    /// The review of a merge.
    Merge,
    /// What to do about changes that are in the way of a merge: each answer and what it means.
    Checkout(Vec<(MergeAnswer, String)>),
}

impl Voice {
    /// Speaks there.
    #[must_use]
    pub fn new(out: Box<dyn Write + Send>) -> Self {
        Self { out, said: vec![] }
    }

    /// Says which session this is.
    pub(super) fn introduce(&mut self, session: &SessionId) {
        self.say(&json!({ "type": "system", "subtype": "init", "session_id": session.as_str() }));
    }

    /// Tells people what happens.
    pub(super) fn tell(&mut self, text: &str) {
        let content = json!([{ "type": "text", "text": text }]);
        self.say(&json!({ "type": "assistant", "message": { "role": "assistant", "content": content } }));
    }

    /// Asks a person.
    pub(super) fn ask(&mut self, request: &Request) {
        let (tool, input) = match &request.subject {
            Subject::Approval => ("Approval", json!({ "plan": request.detail })),
            Subject::Merge => ("Merge", json!({ "diff": request.detail })),
            Subject::Checkout(answers) => {
                let option = |(answer, meaning): &(MergeAnswer, String)| json!({ "label": answer.as_str(), "description": meaning });
                let options: Vec<Value> = answers.iter().map(option).collect();
                let question = json!({ "question": request.detail, "header": request.title, "options": options });
                ("AskUserQuestion", json!({ "questions": [question] }))
            }
        };
        let body = json!({
            "subtype": "can_use_tool", "tool_name": tool, "input": input, "description": request.title,
        });
        self.say(&json!({ "type": "control_request", "request_id": request.key, "request": body }));
    }

    /// Asks no more.
    pub(super) fn withdraw(&mut self, key: &str) {
        self.say(&json!({ "type": "control_cancel_request", "request_id": key }));
    }

    /// Says how it ended.
    pub(super) fn finish(&mut self, ended: Result<&str, &str>) {
        self.say(&match ended {
            Ok(text) => json!({ "type": "result", "subtype": "success", "is_error": false, "result": text }),
            Err(why) => {
                json!({ "type": "result", "subtype": "error_during_execution", "is_error": true, "errors": [why] })
            }
        });
    }

    fn say(&mut self, line: &Value) {
        // Writing to memory does not fail.
        let _ = writeln!(self.said, "{line}");
    }

    /// Lets what was said be heard. Before this nothing is.
    pub(super) fn speak(&mut self) {
        if !self.said.is_empty() {
            // Who is gone needs no words; that it is gone is noticed elsewhere.
            let _ = self.out.write_all(&self.said).and_then(|()| self.out.flush());
            self.said.clear();
        }
    }
}

/// What a driver hears.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Heard {
    /// A person answered.
    Answer(HeardAnswer),
    /// Somebody tells the driver something.
    Order(Order),
}

/// What a person answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HeardAnswer {
    /// The key of the question.
    pub(super) key: String,
    pub(super) verdict: Approval,
    /// In the person's own words.
    pub(super) message: Option<String>,
    /// The option that was chosen, where options were offered.
    pub(super) choice: Option<String>,
}

/// What a driver can be told, as a message to its run.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order {
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

/// Understands a line; what is none of ours means nothing.
pub(super) fn understand(line: &str) -> Option<Heard> {
    let Line { kind, response, message } = serde_json::from_str(line).ok()?;
    match kind.as_str() {
        "control_response" => {
            let Response { request_id, response } = response?;
            let Decision { behavior, message, input } = response?;
            let verdict = if behavior == "allow" { Approval::Approved } else { Approval::Rejected };
            let answers = input.get("answers").and_then(Value::as_object);
            let choice = answers.and_then(|answers| answers.values().next()?.as_str()).map(str::to_owned);
            Some(Heard::Answer(HeardAnswer { key: request_id?, verdict, message, choice }))
        }
        "user" => serde_json::from_str(message?.content.as_str()?).ok().map(Heard::Order),
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
            Some(Heard::Answer(HeardAnswer { key: "a#1".to_owned(), verdict, message, choice: None }))
        };
        assert_eq!(understand(allowed), answer(Approval::Approved, None));
        let commented = allowed.replace(r#"{}}}}"#, r#"{},"message":"well"}}}"#);
        assert_eq!(understand(&commented), answer(Approval::Approved, Some("well".to_owned())));
        let denied = allowed.replace(r#""allow","updatedInput":{}"#, r#""deny","message":"no""#);
        assert_eq!(understand(&denied), answer(Approval::Rejected, Some("no".to_owned())));
        let chosen = allowed.replace("{}", r#"{"answers":{"what?":"save"}}"#);
        let Some(Heard::Answer(answer)) = understand(&chosen) else { panic!("{chosen}") };
        assert_eq!(answer.choice.as_deref(), Some("save"));
        let order =
            json!({ "type": "user", "message": { "role": "user", "content": r#"{"complete_task":{"step":"a"}}"# } });
        let expected = Heard::Order(Order::CompleteTask { step: "a".to_owned() });
        assert_eq!(understand(&order.to_string()), Some(expected));
        for other in
            ["", "x", "{}", r#"{"type":"user","message":{"content":"hello"}}"#, r#"{"type":"control_response"}"#]
        {
            assert_eq!(understand(other), None, "{other}");
        }
    }
}
