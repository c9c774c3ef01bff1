//! What `codex app-server` waits for, and how it is answered.

use std::collections::BTreeMap;

use agency_model::Answer;
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
        let key = key(request.id);
        let Asking { thread, wanted, questions } = Asking::read(&key, request.method, request.params, open_tools)?;
        items.extend(questions.into_iter().map(StreamItem::Question));
        self.open.insert(key, Open { id: request.id.clone(), thread, wanted });
        Ok(())
    }

    /// Codex no longer waits for an answer, or has just received it.
    pub(super) fn resolved(&mut self, id: &Value, items: &mut Vec<StreamItem>) {
        let key = key(id);
        match self.open.remove(&key).map(|open| open.wanted) {
            Some(Wanted::Decision | Wanted::Action) => items.push(StreamItem::Withdrawn(key)),
            Some(Wanted::Input(questions)) => {
                items.extend((0..questions.len()).map(|index| StreamItem::Withdrawn(format!("{key}/{index}"))));
            }
            None => {}
        }
    }

    /// The reply to a request; empty as long as other questions of the same request are open.
    pub(super) fn answered(&mut self, key: &str, answer: &Answer) -> Result<Option<Reply>, EncodeError> {
        let (key, index) = self.addressed(key).ok_or(EncodeError::UnknownQuestion)?;
        let open = self.open.get_mut(key).ok_or(EncodeError::UnknownQuestion)?;
        let (result, words) = match (&mut open.wanted, index) {
            (Wanted::Decision, None) => {
                // `decline` is taken also where it is not offered, and unlike `cancel` it lets the turn continue.
                let decision = if allowed(answer)? { "accept" } else { "decline" };
                (json!({ "decision": decision }), words(answer))
            }
            (Wanted::Action, None) => {
                let (action, content) = if allowed(answer)? { ("accept", json!({})) } else { ("decline", Value::Null) };
                (json!({ "action": action, "content": content, "_meta": null }), words(answer))
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
        self.open.remove(key);
        Ok(Some(reply))
    }

    /// The request that a key belongs to, and which of its questions.
    fn addressed<'a>(&self, key: &'a str) -> Option<(&'a str, Option<usize>)> {
        if self.open.contains_key(key) {
            return Some((key, None));
        }
        let (request, index) = key.rsplit_once('/')?;
        Some((request, Some(index.parse().ok()?)))
    }
}

/// The key of a request. Codex counts its requests, but may also name them.
fn key(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

fn allowed(answer: &Answer) -> Result<bool, EncodeError> {
    match answer {
        // What Codex would remember itself could reach beyond the run.
        Answer::Allow { .. } | Answer::AllowAll => Ok(true),
        Answer::Deny { .. } | Answer::Text { .. } => Ok(false),
        Answer::Options { .. } => {
            Err(EncodeError::Invalid("this is a permission without options: allow or deny it".to_owned()))
        }
    }
}

/// The text that is sent to Codex with a denial.
fn words(answer: &Answer) -> Option<&str> {
    match answer {
        Answer::Deny { message } => message.as_deref(),
        Answer::Text { text } => Some(text),
        Answer::Allow { .. } | Answer::AllowAll | Answer::Options { .. } => None,
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
            Err(EncodeError::Invalid("this is a question: choose an option or answer in your own words".to_owned()))
        }
    }
}

fn answers(questions: &[(String, Option<Vec<String>>)]) -> Value {
    let given = questions.iter().filter_map(|(id, given)| Some((id.clone(), json!({ "answers": given.as_ref()? }))));
    json!({ "answers": given.collect::<Map<String, Value>>() })
}
