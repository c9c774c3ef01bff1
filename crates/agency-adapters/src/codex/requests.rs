//! What `codex app-server` waits for, and how it is answered.

use std::collections::BTreeMap;

use agency_model::{Answer, Decision, QuestionKey};
use serde_json::{Map, Value, json};

use super::open_tools::OpenTools;
use super::questions::{Asking, Wanted};
use crate::json_lines::NotUnderstood;
use crate::{EncodeError, StreamItem};

/// A request of Codex.
pub(super) struct Request<'a> {
    pub(super) id: &'a Value,
    pub(super) method: &'a str,
    pub(super) params: &'a str,
}

/// The requests that wait for an answer, by Codex' id.
#[derive(Debug, Default)]
pub(super) struct Requests {
    open: BTreeMap<String, Open>,
}

#[derive(Debug)]
struct Open {
    /// The id as Codex wrote it.
    id: Value,
    thread: String,
    wanted: Wanted,
}

/// An answer, ready to be sent.
#[derive(Debug, PartialEq)]
pub(super) struct Reply {
    /// The response to Codex' request.
    pub(super) response: Value,
    /// What the user has to say about it, and to which thread. A denial carries no words.
    pub(super) words: Option<(String, String)>,
}

impl Requests {
    /// Takes a request; an error if agency cannot answer it.
    pub(super) fn asked(
        &mut self,
        request: &Request<'_>,
        open_tools: &OpenTools,
        items: &mut Vec<StreamItem>,
    ) -> Result<(), NotUnderstood> {
        let id = request_id(request.id);
        let Asking { thread, wanted, questions } = Asking::read(&id, request.method, request.params, open_tools)?;
        items.extend(questions.into_iter().map(StreamItem::Question));
        self.open.insert(id, Open { id: request.id.clone(), thread, wanted });
        Ok(())
    }

    /// Codex no longer waits for an answer, or has just received it.
    pub(super) fn resolved(&mut self, id: &Value, items: &mut Vec<StreamItem>) {
        let request = request_id(id);
        match self.open.remove(&request).map(|open| open.wanted) {
            Some(Wanted::Decision | Wanted::Action) => items.push(StreamItem::Withdrawn(QuestionKey::whole(request))),
            Some(Wanted::Input(questions)) => {
                let part = |index| StreamItem::Withdrawn(QuestionKey::part(request.as_str(), index));
                items.extend((0..questions.len()).map(part));
            }
            None => {}
        }
    }

    /// The reply to a request; empty as long as other questions of the same request are open.
    pub(super) fn answered(&mut self, key: &QuestionKey, answer: &Answer) -> Result<Option<Reply>, EncodeError> {
        let open = self.open.get_mut(&key.request).ok_or(EncodeError::UnknownQuestion)?;
        let (result, words) = match (&mut open.wanted, key.part) {
            (Wanted::Decision, None) => {
                // `decline` is taken also where it is not offered, and unlike `cancel` it lets the turn continue.
                let (allowed, words) = permitted(answer)?;
                let decision = if allowed { "accept" } else { "decline" };
                (json!({ "decision": decision }), words)
            }
            (Wanted::Action, None) => {
                let (allowed, words) = permitted(answer)?;
                let (action, content) = if allowed { ("accept", json!({})) } else { ("decline", Value::Null) };
                (json!({ "action": action, "content": content, "_meta": null }), words)
            }
            (Wanted::Input(questions), Some(index)) => {
                let (_, slot) = questions.get_mut(index).ok_or(EncodeError::UnknownQuestion)?;
                if slot.is_some() {
                    return Err(EncodeError::UnknownQuestion);
                }
                let (given, refused) = given(answer)?;
                *slot = Some(given);
                // A denial of one question denies the rest.
                if !refused && questions.iter().any(|(_, given)| given.is_none()) {
                    return Ok(None);
                }
                (answers(questions), None)
            }
            (Wanted::Decision | Wanted::Action, Some(_)) | (Wanted::Input(_), None) => {
                return Err(EncodeError::UnknownQuestion);
            }
        };
        let reply = Reply {
            response: json!({ "id": open.id, "result": result }),
            words: words.map(|words| (open.thread.clone(), words.to_owned())),
        };
        self.open.remove(&key.request);
        Ok(Some(reply))
    }
}

/// The id of a request as text. Codex counts its requests, but may also name them.
fn request_id(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

/// Whether it is allowed, and the text that is sent to Codex with a denial.
fn permitted(answer: &Answer) -> Result<(bool, Option<&str>), EncodeError> {
    match answer.decision() {
        // What Codex would remember itself could reach beyond the run.
        Decision::Allow { .. } => Ok((true, None)),
        Decision::Deny { reason } => Ok((false, reason)),
        Decision::Choose(_) => {
            Err(EncodeError::Invalid("this is a permission without options: allow or deny it".to_owned()))
        }
    }
}

/// The answer to one question as Codex takes it, and whether it was refused.
fn given(answer: &Answer) -> Result<(Vec<String>, bool), EncodeError> {
    // The name under which Codex expects own words.
    let note = |text: &String| format!("user_note: {text}");
    match answer {
        Answer::Options { chosen } => Ok((chosen.clone(), false)),
        Answer::Text { text } => Ok((vec![note(text)], false)),
        Answer::Deny { message } => Ok((message.iter().map(note).collect(), true)),
        Answer::Allow { .. } | Answer::AllowAll => {
            Err(EncodeError::Invalid("this is a question: choose an option or use --text".to_owned()))
        }
    }
}

fn answers(questions: &[(String, Option<Vec<String>>)]) -> Value {
    let given = questions.iter().filter_map(|(id, given)| Some((id.clone(), json!({ "answers": given.as_ref()? }))));
    json!({ "answers": given.collect::<Map<String, Value>>() })
}
