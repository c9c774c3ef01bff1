//! Questions that agency itself asks about a run, in the inbox like those of agents.
//!
//! The one rule: what an answer allows is exactly what the question showed. If that changed meanwhile, the question has
//! expired.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use agency_model::{Answer, Caller, Decision, Question, QuestionKey, QuestionKind};

use super::messages::DeliveryError;
use crate::agency::Agency;
use crate::runs::wait::WaitError;
use crate::store::{AgencyAnswer, QuestionRow, QuestionState};
use crate::watch::DirectoryWatch;

/// How often a question is looked at that waits for the user, at least.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);

impl Agency {
    /// Waits until such a question is settled; `None` if the wait was ended first.
    pub(crate) fn wait_for_user(
        &self,
        asked: QuestionRow,
        stop: &AtomicBool,
    ) -> Result<Option<QuestionRow>, WaitError> {
        let watch = DirectoryWatch::begin(&[self.home.root()])?;
        let mut row = asked;
        while row.state == QuestionState::Open {
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            watch.wait(LOOK_INTERVAL);
            row = self.store.question(&row.id)?.unwrap_or(row);
        }
        Ok(Some(row))
    }

    /// Answers such a question, and says what that means.
    pub(super) fn answer_own_question(
        &mut self,
        question: &QuestionRow,
        answer: &Answer,
        (by, from): (&str, &Caller),
    ) -> Result<String, DeliveryError> {
        let allows = matches!(answer.decision(), Decision::Allow { .. });
        let approves = match (question.question.kind, allows) {
            (QuestionKind::Trust, true) => Some(self.content_asked_about(question)?),
            (_, _) => None,
        };
        let outcome = match (question.question.kind, answer) {
            (QuestionKind::Trust, _) if allows => "the project file is approved as it is now",
            (QuestionKind::Trust, _) => "the project file is not approved; agency trust approves it later",
            (_, Answer::AllowAll) => "agents may land the work of this run",
            (_, _) if allows => {
                "it lands while the agent waits, else when the agent asks again; agency land lands it now"
            }
            (_, _) => "it does not land",
        };
        let given = AgencyAnswer { answer, by, from, outcome, approves };
        if self.store.answer_agency(&question.id, &given)? {
            return Ok(outcome.to_owned());
        }
        match self.store.question(&question.id)? {
            None => Err(DeliveryError::NoQuestion(question.id.to_string())),
            Some(row) if row.state == QuestionState::Expired => Err(DeliveryError::Expired { row: Box::new(row) }),
            Some(row) => Err(DeliveryError::AlreadyAnswered { row: Box::new(row) }),
        }
    }
}

/// A question that is answered by allow or deny.
pub(crate) const fn question(key: QuestionKey, kind: QuestionKind, title: String, detail: String) -> Question {
    Question {
        key,
        kind,
        title,
        detail,
        options: vec![],
        several: false,
        free_text: false,
        only_on_screen: false,
        tool: None,
    }
}
