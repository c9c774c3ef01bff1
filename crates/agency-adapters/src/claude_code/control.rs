//! Claude Code's control protocol: what it asks in `control_request`, and how it is answered.

use std::collections::BTreeMap;

use agency_model::{Answer, Decision, Question, QuestionKey, QuestionKind, QuestionOption, ToolRequest};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::plans::{PLAN, Plans};
use crate::question_text::{command_detail, first_line};
use crate::{DENIAL_WITHOUT_REASON, EncodeError, StreamItem};

/// The tool by which Claude Code asks the user something.
const ASK: &str = "AskUserQuestion";

/// The requests that wait for an answer, by Claude Code's id.
#[derive(Debug, Default)]
pub(super) struct Requests {
    open: BTreeMap<String, Open>,
}

#[derive(Debug)]
struct Open {
    /// What the tool would be given, and is given back when it is allowed.
    input: Value,
    /// The questions of one request, with the answers that have come; none for a permission.
    asked: Vec<(String, Option<String>)>,
}

#[derive(Deserialize)]
pub(super) struct ControlRequest {
    request_id: String,
    request: CanUseTool,
}

#[derive(Deserialize)]
struct CanUseTool {
    tool_name: String,
    input: Value,
    description: Option<String>,
    tool_use_id: Option<String>,
    /// The path because of which it asks. The request is answered whatever it contains.
    blocked_path: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct Cancelled {
    request_id: String,
}

#[derive(Deserialize)]
pub(super) struct ControlResponse {
    response: Response,
}

#[derive(Deserialize)]
struct Response {
    subtype: String,
    error: Option<String>,
}

#[derive(Deserialize)]
struct Asked {
    question: String,
    header: Option<String>,
    #[serde(default)]
    options: Vec<Offered>,
    #[serde(default, rename = "multiSelect")]
    several: bool,
}

#[derive(Deserialize)]
struct Offered {
    label: String,
    description: Option<String>,
}

impl Requests {
    /// Claude Code asks.
    pub(super) fn asked(&mut self, request: ControlRequest, plans: &Plans, items: &mut Vec<StreamItem>) {
        let ControlRequest { request_id, request } = request;
        let questions = request.input.get("questions").filter(|_| request.tool_name == ASK);
        let questions: Vec<Asked> = questions.and_then(|list| Vec::<Asked>::deserialize(list).ok()).unwrap_or_default();
        let asked = questions.iter().map(|asked| (asked.question.clone(), None)).collect();
        if questions.is_empty() {
            let question = if request.tool_name == PLAN {
                plan(&request_id, &request, plans)
            } else {
                permission(&request_id, &request)
            };
            items.push(StreamItem::Question(question));
        }
        for (index, asked) in questions.into_iter().enumerate() {
            items.push(StreamItem::Question(question(QuestionKey::part(request_id.as_str(), index), asked)));
        }
        self.open.insert(request_id, Open { input: request.input, asked });
    }

    /// Claude Code withdraws a request.
    pub(super) fn cancelled(&mut self, cancelled: &Cancelled, items: &mut Vec<StreamItem>) {
        if let Some(open) = self.open.remove(&cancelled.request_id) {
            let id = &cancelled.request_id;
            match open.asked.len() {
                0 => items.push(StreamItem::Withdrawn(QuestionKey::whole(id))),
                count => {
                    items.extend((0..count).map(|index| StreamItem::Withdrawn(QuestionKey::part(id, index))));
                }
            }
        }
    }

    /// The response to a request; empty as long as other questions of the same request are open.
    pub(super) fn answered(&mut self, key: &QuestionKey, answer: &Answer) -> Result<Option<Value>, EncodeError> {
        let QuestionKey { request: id, part } = key;
        let open = self.open.get_mut(id).ok_or(EncodeError::UnknownQuestion)?;
        let response = match *part {
            None => Some(permitted(&open.input, answer)),
            Some(index) => {
                let (_, slot) = open.asked.get_mut(index).ok_or(EncodeError::UnknownQuestion)?;
                match words(answer) {
                    Some(words) => {
                        *slot = Some(words);
                        answers(open)
                    }
                    // A denial of one question denies all of them.
                    None => Some(permitted(&open.input, answer)),
                }
            }
        };
        Ok(response.map(|response| {
            self.open.remove(id);
            json!({
                "type": "control_response",
                "response": { "subtype": "success", "request_id": id, "response": response },
            })
        }))
    }
}

/// Why a request of ours was refused, if it was.
pub(super) fn refused(ControlResponse { response }: ControlResponse) -> Option<String> {
    let why = response.error.unwrap_or_else(|| "it did not say why".to_owned());
    (response.subtype == "error").then(|| format!("the agent refused a request: {why}"))
}

fn permission(id: &str, request: &CanUseTool) -> Question {
    let CanUseTool { tool_name, input, description, blocked_path, .. } = request;
    let title = match description {
        Some(description) => format!("{tool_name}: {}", first_line(description)),
        None => tool_name.clone(),
    };
    Question {
        key: QuestionKey::whole(id),
        kind: QuestionKind::Permission,
        title,
        detail: permission_detail(input, blocked_path.as_ref()),
        options: vec![],
        several: false,
        free_text: false,
        only_on_screen: false,
        tool: Some(ToolRequest { blocked_path: blocked_path.clone(), ..ToolRequest::new(tool_name, input.clone()) }),
    }
}

/// What the tool would be given, and the path because of which it asks.
fn permission_detail(input: &Value, blocked_path: Option<&Value>) -> String {
    let detail = command_detail(input);
    match blocked_path {
        None => detail,
        Some(Value::String(path)) => format!("{detail}\n\nblocked path: {path}"),
        Some(other) => format!("{detail}\n\nblocked path: {other}"),
    }
}

/// The plan is in the tool use before the request, and the request does not repeat it.
fn plan(id: &str, request: &CanUseTool, plans: &Plans) -> Question {
    let CanUseTool { tool_name, input, tool_use_id, .. } = request;
    let mut input = input.clone();
    let plan = plans.of_request(tool_use_id.as_deref(), &input);
    if let (Some(fields), Some(plan)) = (input.as_object_mut(), &plan) {
        fields.insert("plan".to_owned(), Value::from(plan.as_str()));
    }
    Question {
        key: QuestionKey::whole(id),
        kind: QuestionKind::Plan,
        title: "Is this plan right?".to_owned(),
        detail: plan.unwrap_or_else(|| "Claude Code did not report its plan.".to_owned()),
        options: vec![],
        several: false,
        free_text: false,
        only_on_screen: false,
        tool: Some(ToolRequest::new(tool_name, input)),
    }
}

fn question(key: QuestionKey, asked: Asked) -> Question {
    let option = |Offered { label, description }| QuestionOption { id: label.clone(), label, description };
    Question {
        key,
        kind: QuestionKind::Question,
        title: asked.header.unwrap_or_else(|| first_line(&asked.question)),
        detail: asked.question,
        options: asked.options.into_iter().map(option).collect(),
        several: asked.several,
        free_text: true,
        only_on_screen: false,
        tool: None,
    }
}

fn permitted(input: &Value, answer: &Answer) -> Value {
    match answer.decision() {
        // Claude Code's own suggestions for "always" would be written into the repository: none is sent back.
        Decision::Allow { message: None } | Decision::Choose(_) => {
            json!({ "behavior": "allow", "updatedInput": input })
        }
        // Only a workflow driver that was started before it had a protocol of its own gets one.
        Decision::Allow { message: Some(message) } => {
            json!({ "behavior": "allow", "updatedInput": input, "message": message })
        }
        Decision::Deny { reason } => {
            json!({ "behavior": "deny", "message": reason.unwrap_or(DENIAL_WITHOUT_REASON) })
        }
    }
}

/// The answer to a question as Claude Code takes it; nothing if it was declined.
fn words(answer: &Answer) -> Option<String> {
    match answer {
        Answer::Options { chosen } => Some(chosen.join(", ")),
        Answer::Text { text } => Some(text.clone()),
        Answer::Allow { .. } | Answer::AllowAll | Answer::Deny { .. } => None,
    }
}

/// The response to all questions of a request, when the last answer has come.
fn answers(open: &Open) -> Option<Value> {
    let given: Option<Map<String, Value>> =
        open.asked.iter().map(|(question, answer)| Some((question.clone(), Value::from(answer.clone()?)))).collect();
    let mut input = open.input.clone();
    if let Some(fields) = input.as_object_mut() {
        fields.insert("answers".to_owned(), Value::Object(given?));
    }
    Some(json!({ "behavior": "allow", "updatedInput": input }))
}
