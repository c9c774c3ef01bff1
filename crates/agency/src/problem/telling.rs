//! Why an agent was not told something, and why its screen was not shown.

use agency_engine::attach::AttachError;
use agency_engine::caller::NotAllowed;
use agency_engine::messages::DeliveryError;
use agency_model::UnfitAnswer;

use super::Problem;

impl From<AttachError> for Problem {
    fn from(error: AttachError) -> Self {
        let problem = Self::new(error.code(), error.to_string());
        match error {
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

impl From<DeliveryError> for Problem {
    fn from(error: DeliveryError) -> Self {
        let problem = Self::new(error.code(), error.to_string());
        match error {
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
            DeliveryError::Unfit { source: UnfitAnswer::OnlyOnScreen, .. } => {
                problem.hint("agency attach <run> shows it")
            }
            DeliveryError::NoQuestion(_) | DeliveryError::Unfit { .. } | DeliveryError::Store(_) => problem,
        }
    }
}

fn with_refusal(problem: Problem, refusal: NotAllowed) -> Problem {
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
