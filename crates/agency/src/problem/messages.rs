//! Problems with messages, answers and attaching.

use agency_engine::runs::attach::AttachError;
use agency_engine::runs::caller::NotAllowed;
use agency_engine::runs::messages::DeliveryError;
use agency_model::{ErrorCode, UnfitAnswer};

use super::{Coded, Problem};

impl Coded for AttachError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            AttachError::NoSession { id, alive: true } => {
                problem.hint(format!("its agent is running: agency attach --direct {id}"))
            }
            AttachError::NotRunning { id, .. } => problem.hint(format!("agency logs {id} shows its output")),
            AttachError::NotAllowed(refusal) => with_refusal(problem, refusal),
            AttachError::NoSession { .. }
            | AttachError::Store(_)
            | AttachError::Unreachable { .. }
            | AttachError::Tmux(_) => problem,
        }
    }
}

impl Coded for DeliveryError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            DeliveryError::NotRunning { id, .. } => {
                problem.hint(format!("agency resume {id} continues the conversation of a finished run"))
            }
            DeliveryError::AlreadyAnswered { row } => problem
                .detail("id", &row.id)
                .detail("answer", &row.answer)
                .detail("answered_by", &row.answered_by)
                .detail("answered_at", row.answered_at),
            DeliveryError::Expired { row } => problem.detail("id", &row.id).detail("outcome", &row.outcome),
            DeliveryError::Ambiguous { ids, .. } => problem.detail("candidates", ids).hint("give more of the id"),
            DeliveryError::NotAllowed(refusal) => with_refusal(problem, refusal),
            DeliveryError::Refused { id, .. } | DeliveryError::NoOutcome { id, .. } => problem.detail("id", id),
            DeliveryError::Unfit { id, source: UnfitAnswer::NoComment } => {
                problem.hint(format!("agency answer {id} allow, then agency send delivers the text as a message"))
            }
            DeliveryError::Unfit { id, source: UnfitAnswer::OnlyOnScreen } => {
                problem.hint(format!("agency inbox show {id} names its run, which agency attach shows"))
            }
            DeliveryError::NoQuestion(_) | DeliveryError::Unfit { .. } | DeliveryError::Store(_) => problem,
        }
    }
}

pub(super) fn with_refusal(problem: Problem, refusal: &NotAllowed) -> Problem {
    match refusal {
        NotAllowed::Agent(run) => problem
            .hint(
                "run the command in your own terminal; allow_self_answer = true in the configuration allows it to \
                 agents of later runs",
            )
            .detail("run_id", run),
        NotAllowed::UnseenSession(session) => problem
            .hint("attach a terminal to that session once, or do it from another terminal of your own")
            .detail("tmux_session", session),
    }
}
