//! The lines that drivers wrote before they had a protocol of their own: a part of Claude Code's stream-json.
//!
//! It exists for supervisors that were started by an earlier version of agency. Such a supervisor understands only these
//! lines, and starts its driver again with whatever version is installed by then, without `--protocol`.

use agency_adapters::driver_protocol::{DriverMessage, DriverQuestion, QuestionSubject, SupervisorMessage};
use agency_model::{Answer, QuestionOption};
use serde::Deserialize;
use serde_json::{Value, json};

/// A message of the driver as one of these lines.
pub(super) fn encode(message: &DriverMessage) -> Value {
    match message {
        DriverMessage::Started { session, .. } => json!({ "type": "system", "subtype": "init", "session_id": session }),
        DriverMessage::Progress { text } => {
            let content = json!([{ "type": "text", "text": text }]);
            json!({ "type": "assistant", "message": { "role": "assistant", "content": content } })
        }
        DriverMessage::Question(question) => encode_question(question),
        DriverMessage::Withdrawn { key } => json!({ "type": "control_cancel_request", "request_id": key }),
        DriverMessage::Completed { summary } => {
            json!({ "type": "result", "subtype": "success", "is_error": false, "result": summary })
        }
        DriverMessage::Stopped { reason } => {
            json!({ "type": "result", "subtype": "error_during_execution", "is_error": true, "errors": [reason] })
        }
    }
}

fn encode_question(question: &DriverQuestion) -> Value {
    let DriverQuestion { key, subject, title, detail } = question;
    let (tool, input) = match subject {
        QuestionSubject::Approval => ("Approval", json!({ "plan": detail })),
        QuestionSubject::Merge => ("Merge", json!({ "diff": detail })),
        QuestionSubject::Checkout { options } => {
            let option = |it: &QuestionOption| json!({ "label": it.label, "description": it.description });
            let options: Vec<Value> = options.iter().map(option).collect();
            let question = json!({ "question": detail, "header": title, "options": options });
            ("AskUserQuestion", json!({ "questions": [question] }))
        }
    };
    let body = json!({ "subtype": "can_use_tool", "tool_name": tool, "input": input, "description": title });
    json!({ "type": "control_request", "request_id": key, "request": body })
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
    response: Option<DecisionLine>,
}

#[derive(Deserialize)]
struct DecisionLine {
    behavior: String,
    message: Option<String>,
    #[serde(default, rename = "updatedInput")]
    input: Value,
}

#[derive(Deserialize)]
struct Message {
    content: Value,
}

/// Reads a line of the supervisor; `None` for one that is not part of the protocol.
pub(super) fn parse(line: &str) -> Option<SupervisorMessage> {
    let Line { kind, response, message } = serde_json::from_str(line).ok()?;
    match kind.as_str() {
        "control_response" => {
            let Response { request_id, response } = response?;
            Some(SupervisorMessage::Answer { key: request_id?, answer: answer(response?) })
        }
        "user" => Some(SupervisorMessage::Message { text: message?.content.as_str()?.to_owned() }),
        _ => None,
    }
}

fn answer(DecisionLine { behavior, message, input }: DecisionLine) -> Answer {
    let answers = input.get("answers").and_then(Value::as_object);
    let chosen = answers.and_then(|answers| answers.values().next()?.as_str()).map(str::to_owned);
    match (behavior.as_str(), chosen) {
        ("allow", Some(chosen)) => Answer::Options { chosen: vec![chosen] },
        ("allow", None) => Answer::Allow { message },
        _ => Answer::Deny { message },
    }
}
