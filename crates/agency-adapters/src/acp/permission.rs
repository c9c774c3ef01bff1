//! What an agent asks before it uses a tool, and how it is answered: by one of the options that it offers.

use std::collections::BTreeMap;

use agency_model::{Answer, Decision, Question, QuestionKey, QuestionKind, QuestionOption, ToolRequest};
use agent_client_protocol_schema::v1::{
    Error, PermissionOption, PermissionOptionKind, RequestId, RequestPermissionOutcome, RequestPermissionResponse,
    SelectedPermissionOutcome, ToolKind,
};

use super::calls::PermissionTarget;
use super::wire;
use crate::question_text::first_line;
use crate::{EncodeError, StreamItem};

/// The requests that wait for an answer, by the key of their question.
#[derive(Debug, Default)]
pub(super) struct Permissions {
    open: BTreeMap<QuestionKey, Open>,
}

#[derive(Debug)]
struct Open {
    id: RequestId,
    options: Vec<PermissionOption>,
}

impl Permissions {
    /// The agent asks.
    pub(super) fn asked(
        &mut self,
        id: RequestId,
        options: Vec<PermissionOption>,
        wanted: PermissionTarget,
    ) -> StreamItem {
        let key = key(&id);
        let question = question(key.clone(), &options, wanted);
        self.open.insert(key, Open { id, options });
        StreamItem::Question(question)
    }

    /// The answer for the agent. An answer that does not fit leaves the question open.
    pub(super) fn answered(&mut self, key: &QuestionKey, answer: &Answer) -> Result<Vec<u8>, EncodeError> {
        let open = self.open.get(key).ok_or(EncodeError::UnknownQuestion)?;
        let outcome = outcome(&open.options, answer)?;
        let Open { id, .. } = self.open.remove(key).ok_or(EncodeError::UnknownQuestion)?;
        Ok(reply(id, outcome))
    }

    /// The agent withdrew the request, but still needs a reply.
    pub(super) fn withdrawn(&mut self, id: &RequestId) -> Option<(StreamItem, Vec<u8>)> {
        let (key, open) = self.open.remove_entry(&key(id))?;
        Some((StreamItem::Withdrawn(key), wire::refusal(open.id, Error::request_cancelled())))
    }

    /// Closes all requests at the end of a turn: the withdrawn questions, and the replies to the agent.
    pub(super) fn cancelled(&mut self) -> (Vec<StreamItem>, Vec<u8>) {
        let open = std::mem::take(&mut self.open);
        let (withdrawn, replies): (_, Vec<_>) =
            open.into_iter().map(|(key, open)| (StreamItem::Withdrawn(key), cancelled(open.id))).unzip();
        (withdrawn, replies.concat())
    }
}

/// The id as JSON, which distinguishes the number 1 from the text "1".
fn key(id: &RequestId) -> QuestionKey {
    QuestionKey::whole(match id {
        RequestId::Null => "null".to_owned(),
        RequestId::Number(number) => number.to_string(),
        RequestId::Str(text) => format!("{text:?}"),
    })
}

fn question(key: QuestionKey, options: &[PermissionOption], wanted: PermissionTarget) -> Question {
    let option = |option: &PermissionOption| QuestionOption {
        id: option.option_id.to_string(),
        label: option.name.clone(),
        description: None,
    };
    let PermissionTarget { name, kind, title, detail, input } = wanted;
    let (kind, title) = match (kind, first_line(&title)) {
        (ToolKind::SwitchMode, _) => (QuestionKind::Plan, "Is this plan right?".to_owned()),
        (_, title) if title.is_empty() || title == name => (QuestionKind::Permission, name.clone()),
        (_, title) => (QuestionKind::Permission, format!("{name}: {title}")),
    };
    Question {
        key,
        kind,
        title,
        detail,
        options: options.iter().map(option).collect(),
        several: false,
        free_text: false,
        only_on_screen: false,
        tool: Some(ToolRequest::new(name, input)),
    }
}

fn outcome(options: &[PermissionOption], answer: &Answer) -> Result<RequestPermissionOutcome, EncodeError> {
    let of_kind = |kind| options.iter().find(|option| option.kind == kind);
    let unfit = |why: &str| EncodeError::Invalid(why.to_owned());
    if let Answer::Text { .. } = answer {
        return Err(unfit("this question does not accept free text: choose an option"));
    }
    let option = match answer.decision() {
        // Some agents keep "always" for good: only a user chooses that, and by its name.
        Decision::Allow { .. } => of_kind(PermissionOptionKind::AllowOnce)
            .ok_or_else(|| unfit("the agent offers no way to allow this once: choose one of its options"))?,
        Decision::Deny { .. } => match of_kind(PermissionOptionKind::RejectOnce) {
            Some(option) => option,
            None => return Ok(RequestPermissionOutcome::Cancelled),
        },
        Decision::Choose(chosen) => match chosen {
            [one] => options
                .iter()
                .find(|option| *option.option_id.0 == **one)
                .ok_or_else(|| EncodeError::Invalid(format!("the agent does not offer the option '{one}'")))?,
            [] | [_, _, ..] => return Err(unfit("the agent takes exactly one of its options")),
        },
    };
    Ok(RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option.option_id.clone())))
}

/// The answer to a request of a turn that is being stopped.
pub(super) fn cancelled(id: RequestId) -> Vec<u8> {
    reply(id, RequestPermissionOutcome::Cancelled)
}

fn reply(id: RequestId, outcome: RequestPermissionOutcome) -> Vec<u8> {
    wire::answer(id, RequestPermissionResponse::new(outcome))
}
