//! Messages, interrupts and answers for a running agent. A request is a row; the supervisor carries it out and records
//! the outcome.
//!
//! ```standalone_crate
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/runs/example.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (mut agency, run, place) = start(ASKING)?;
//! use agency_model::Answer;
//!
//! # let mut inbox = agency.watch_inbox()?;
//! # while agency.inbox()?.is_empty() {
//! #     inbox.next(&mut agency)?;
//! # }
//! for question in agency.inbox()? {
//!     agency.answer(&question, &Answer::Deny { message: Some("not now".to_owned()) }, "a program")?;
//! }
//! let ended = agency.wait(&run.id, None, State::is_terminal)?;
//! assert_eq!(ended.state, State::Failed);
//! assert!(agency.send(&ended, "Are you there?").is_err());
//! # Ok(())
//! # }
//! ```

use std::time::{Duration, Instant};

use agency_model::run::{Phase, State};
use agency_model::{Answer, ErrorCode, QuestionId, RunId, RunKind, UnfitAnswer};
use agency_system::fault;
use tracing::warn;

use crate::agency::Agency;
use crate::runs::caller::{CallerError, NotAllowed};
use crate::store::{Answering, Interrupt, QuestionRow, QuestionState, Request, RequestOutcome, RunRow, StoreError};
use crate::wire::{StateWait, wake_supervisor};

/// How long a supervisor may take to carry out a request and to see what the agent does.
const OUTCOME_TIMEOUT: Duration = Duration::from_secs(30);
/// The same, while an agent that crashed is started again.
const OUTCOME_TIMEOUT_AFTER_CRASH: Duration = Duration::from_secs(180);
/// A change of the state may hide the outcome of a request, so it is read again after this.
const OUTCOME_POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The pause before the next attempt to connect to a supervisor that does not listen.
const RECONNECT_DELAY: Duration = Duration::from_millis(20);

/// Why a message, an interrupt or an answer was not delivered.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum DeliveryError {
    /// The run has no agent now.
    #[error("{id} is {state}; only a running agent can receive messages")]
    NotRunning {
        /// The run.
        id: RunId,
        /// Its state.
        state: State,
    },
    /// The supervisor could not do it.
    #[error("{id}: {why}")]
    Refused {
        /// The run.
        id: RunId,
        /// Why.
        why: String,
    },
    /// The supervisor did not report the outcome.
    #[error("{id} did not confirm within {} s; it may still carry out the request", limit.as_secs())]
    NoOutcome {
        /// The run.
        id: RunId,
        /// How long was waited.
        limit: Duration,
    },
    /// There is no such question.
    #[error("no question matches '{0}'")]
    NoQuestion(String),
    /// Several questions are called so.
    #[error("'{text}' matches several questions: {}", ids.join(", "))]
    Ambiguous {
        /// What was given.
        text: String,
        /// What it may mean.
        ids: Vec<String>,
    },
    /// Another answer was first.
    #[error("{} was answered by {} at {}", row.id, row.answered_by.as_deref().unwrap_or("an unknown user"),
        row.answered_at.map_or_else(|| "some time".to_owned(), |at| at.to_string()))]
    AlreadyAnswered {
        /// The question with its answer.
        row: Box<QuestionRow>,
    },
    /// The agent does not wait for the answer any more.
    #[error("{} has expired: {}", row.id, row.outcome.as_deref().unwrap_or("the run has finished"))]
    Expired {
        /// The question.
        row: Box<QuestionRow>,
    },
    /// The answer does not fit.
    #[error("{id}: {source}")]
    Unfit {
        /// The question.
        id: QuestionId,
        /// Why not.
        #[source]
        source: UnfitAnswer,
    },
    /// The caller is an agent, or was started by one.
    #[error("{0}; agents may not answer questions")]
    NotAllowed(#[from] NotAllowed),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<CallerError> for DeliveryError {
    fn from(error: CallerError) -> Self {
        match error {
            CallerError::NotAllowed(refusal) => Self::NotAllowed(refusal),
            CallerError::Store(error) => Self::Store(error),
        }
    }
}

impl DeliveryError {
    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::NotRunning { .. } => ErrorCode::InvalidState,
            Self::Refused { .. } => ErrorCode::NotDelivered,
            Self::NoOutcome { .. } => ErrorCode::Timeout,
            Self::NoQuestion(_) | Self::Ambiguous { .. } => ErrorCode::QuestionNotFound,
            Self::AlreadyAnswered { .. } => ErrorCode::AlreadyAnswered,
            Self::Expired { .. } => ErrorCode::QuestionExpired,
            Self::Unfit { .. } => ErrorCode::InvalidAnswer,
            Self::NotAllowed(_) => ErrorCode::NotAllowed,
            Self::Store(error) => error.code(),
        }
    }
}

impl Agency {
    /// Refuses agents: they do not answer questions, so they are not shown how.
    pub fn check_answering(&self) -> Result<(), DeliveryError> {
        Ok(self.permitted_caller().map(|_| ())?)
    }

    /// Sends a message to the agent of a run, and waits for the outcome that its supervisor reports.
    pub fn send(&mut self, row: &RunRow, text: &str) -> Result<String, DeliveryError> {
        self.tell(&row.id, &Request::Message(text.to_owned()))
    }

    /// Lets the agent of a run stop what it is doing. It stays, and waits for a message. Agents may not do it to one that
    /// waits for an answer, because that withdraws the question.
    pub fn interrupt(&mut self, row: &RunRow) -> Result<String, DeliveryError> {
        let refusal = match self.permitted_caller() {
            Ok(_) => return self.tell(&row.id, &Request::Interrupt(Interrupt::Always)),
            Err(CallerError::NotAllowed(refusal)) => refusal,
            Err(CallerError::Store(error)) => return Err(error.into()),
        };
        self.reconcile_live()?;
        if self.store.has_open_question(&row.id)? {
            return Err(refusal.into());
        }
        // A question may come before the supervisor is there, so it looks too.
        self.tell(&row.id, &Request::Interrupt(Interrupt::UnlessAsked))
    }

    /// The open questions of all live runs, oldest first.
    pub fn inbox(&mut self) -> Result<Vec<QuestionRow>, StoreError> {
        self.reconcile_live()?;
        self.store.open_questions()
    }

    /// All questions that a run ever asked, oldest first.
    pub fn questions_of(&self, id: &RunId) -> Result<Vec<QuestionRow>, StoreError> {
        self.store.questions_of(id)
    }

    /// The label of a run, to show with its questions.
    #[must_use]
    pub fn run_name(&self, id: &RunId) -> Option<String> {
        self.store.run(id).ok().and_then(|row| row.name)
    }

    /// The one question that an id or its beginning stands for.
    pub fn question(&mut self, text: &str) -> Result<QuestionRow, DeliveryError> {
        self.reconcile_live()?;
        let mut found = match text.parse::<QuestionId>() {
            Ok(id) => self.store.question(&id)?.into_iter().collect(),
            Err(_) => self.store.questions_like(text)?,
        };
        match (found.len(), found.pop()) {
            (1, Some(row)) => Ok(row),
            (_, None) => Err(DeliveryError::NoQuestion(text.to_owned())),
            (_, Some(last)) => {
                let ids = found.iter().chain([&last]).map(|row| row.id.to_string()).collect();
                Err(DeliveryError::Ambiguous { text: text.to_owned(), ids })
            }
        }
    }

    /// Answers a question, once and for all, and waits until the agent has the answer. Agents may not.
    pub fn answer(&mut self, question: &QuestionRow, answer: &Answer, by: &str) -> Result<String, DeliveryError> {
        let id = &question.id;
        let caller = self.permitted_caller()?;
        let agent = caller.run.as_ref().map(|run| format!("the agent of {run}"));
        let by = agent.as_deref().unwrap_or(by);
        let unfit = |source| DeliveryError::Unfit { id: id.clone(), source };
        question.question.check(answer).map_err(unfit)?;
        if matches!(answer, Answer::Allow { message: Some(_) })
            && self.store.run(&question.run_id)?.kind != RunKind::Workflow
        {
            return Err(unfit(UnfitAnswer::NoComment));
        }
        if question.is_of_agency() {
            return self.answer_own_question(question, answer, (by, &caller));
        }
        fault::point("answer.begin");
        let number = match self.store.answer(id, answer, by, &caller)? {
            Answering::Recorded(number) => number,
            Answering::Unknown => return Err(DeliveryError::NoQuestion(id.to_string())),
            Answering::TooLate(row) if row.state == QuestionState::Expired => {
                return Err(DeliveryError::Expired { row });
            }
            Answering::TooLate(row) => return Err(DeliveryError::AlreadyAnswered { row }),
        };
        fault::point("answer.recorded");
        let told = self.outcome_of(&question.run_id, number);
        // The agent or its supervisor may have ended on the way: the row of the question has the outcome of the answer.
        match (told, self.store.question(id)?) {
            (Err(DeliveryError::Refused { .. }), Some(row)) if row.state == QuestionState::Expired => {
                Err(DeliveryError::Expired { row: Box::new(row) })
            }
            (Err(DeliveryError::Refused { id, .. }), Some(QuestionRow { state, outcome: Some(outcome), .. })) => {
                if state == QuestionState::Delivered {
                    Ok(outcome)
                } else {
                    Err(DeliveryError::Refused { id, why: outcome })
                }
            }
            (told, _) => told,
        }
    }

    pub(crate) fn tell(&mut self, id: &RunId, request: &Request) -> Result<String, DeliveryError> {
        let row = self.store.run(id)?;
        self.settle(&row)?;
        let row = self.store.run(id)?;
        if row.state != State::Running {
            return Err(DeliveryError::NotRunning { id: id.clone(), state: row.state });
        }
        let number = self.store.request(id, request)?;
        fault::point("tell.requested");
        self.outcome_of(id, number)
    }

    /// Rings, and waits until the request has an outcome.
    pub(crate) fn outcome_of(&mut self, id: &RunId, number: i64) -> Result<String, DeliveryError> {
        let directory = self.home.run(id);
        let (mut limit, mut since) = (OUTCOME_TIMEOUT, Instant::now());
        loop {
            // The wait begins before the supervisor is woken, so that no change is missed.
            let wait = StateWait::open(&directory);
            wake_supervisor(&directory);
            let row = self.store.run(id)?;
            self.settle(&row)?;
            // The state is read before the outcome: a finished run has no outcome left to write.
            let row = self.store.run(id)?;
            match self.store.request_outcome(number)? {
                Some(RequestOutcome { succeeded: true, outcome }) => return Ok(outcome),
                Some(RequestOutcome { outcome, .. }) => {
                    return Err(DeliveryError::Refused { id: id.clone(), why: outcome });
                }
                None => {}
            }
            if row.state.is_terminal() {
                let mut why = format!("the run is {} now, and the message was not delivered", row.state);
                if row.kind == RunKind::Agent && self.store.is_message(number)? {
                    why.push_str("; the agent gets it when it is restarted (agency agent restart)");
                }
                return Err(DeliveryError::Refused { id: id.clone(), why });
            }
            // A message in the pause after a crash waits for the next process.
            if row.phase.as_deref() == Some(Phase::BackingOff.as_str()) {
                (limit, since) = (OUTCOME_TIMEOUT_AFTER_CRASH, Instant::now());
            }
            let left = limit.saturating_sub(since.elapsed());
            if left.is_zero() {
                warn!(run = %id, request = number, "no outcome of the request in time");
                return Err(DeliveryError::NoOutcome { id: id.clone(), limit });
            }
            // A supervisor that does not listen yet, or no longer, is given a moment.
            if wait.and_then(|wait| wait.wait(Some(left.min(OUTCOME_POLL_INTERVAL)))).is_err() {
                std::thread::sleep(RECONNECT_DELAY);
            }
        }
    }
}
