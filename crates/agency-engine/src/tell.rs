//! Telling a running agent something: a request is a row, the supervisor does it, and says what it saw.

use std::time::{Duration, Instant};

use agency_model::run::State;
use agency_model::{Answer, ErrorCode, QuestionId, RunId, UnfitAnswer};

use crate::agency::Agency;
use crate::door::{Door, ring};
use crate::fault;
use crate::store::{Answering, QuestionRow, QuestionState, Request, RequestOutcome, RunRow, StoreError};

/// How long a supervisor may take to tell its agent something and to see what it does.
const LIMIT: Duration = Duration::from_secs(30);
/// A request that another one's end hid is looked for again after this.
const LOOK_ANYWAY: Duration = Duration::from_secs(1);
/// A door that is shut is asked again after this.
const AGAIN: Duration = Duration::from_millis(20);

/// Why an agent was not told something.
#[derive(Debug, thiserror::Error)]
pub enum TellError {
    /// The run has no agent now.
    #[error("{id} is {state}; only a running agent can be told something")]
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
    /// The supervisor did not say what became of it.
    #[error("{id} did not say in {} s what became of it; it may still do it", LIMIT.as_secs())]
    NoWord {
        /// The run.
        id: RunId,
    },
    /// There is no such question.
    #[error("no question is called '{0}'")]
    NoQuestion(String),
    /// Several questions are called so.
    #[error("'{text}' stands for several questions: {}", ids.join(", "))]
    Ambiguous {
        /// What was given.
        text: String,
        /// What it may mean.
        ids: Vec<String>,
    },
    /// Another answer was first.
    #[error("{} was answered by {} at {}", row.id, row.answered_by.as_deref().unwrap_or("somebody"),
        row.answered_at.map_or_else(|| "some time".to_owned(), |at| at.to_string()))]
    AlreadyAnswered {
        /// The question with its answer.
        row: Box<QuestionRow>,
    },
    /// Nobody waits for the answer.
    #[error("{} has expired: {}", row.id, row.outcome.as_deref().unwrap_or("the run is over"))]
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
    #[error("this process was started by the agent of {run}; agents may not answer questions")]
    NotAllowed {
        /// The run of that agent.
        run: RunId,
    },
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl TellError {
    /// The stable code of this error.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::NotRunning { .. } => ErrorCode::InvalidState,
            Self::Refused { .. } => ErrorCode::NotDelivered,
            Self::NoWord { .. } => ErrorCode::Timeout,
            Self::NoQuestion(_) | Self::Ambiguous { .. } => ErrorCode::QuestionNotFound,
            Self::AlreadyAnswered { .. } => ErrorCode::AlreadyAnswered,
            Self::Expired { .. } => ErrorCode::QuestionExpired,
            Self::Unfit { .. } => ErrorCode::InvalidAnswer,
            Self::NotAllowed { .. } => ErrorCode::NotAllowed,
            Self::Store(error) => error.code(),
        }
    }
}

impl Agency {
    /// Tells the agent of a run something, and waits for what its supervisor saw.
    pub fn send(&mut self, row: &RunRow, text: &str) -> Result<String, TellError> {
        self.tell(&row.id, &Request::Message(text.to_owned()))
    }

    /// Lets the agent of a run stop what it is doing. It stays, and waits for a message.
    pub fn interrupt(&mut self, row: &RunRow) -> Result<String, TellError> {
        self.tell(&row.id, &Request::Interrupt)
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

    /// The label of a run, for those who show its questions.
    #[must_use]
    pub fn run_name(&self, id: &RunId) -> Option<String> {
        self.store.run(id).ok().and_then(|row| row.name)
    }

    /// The one question that an id or its beginning stands for.
    pub fn question(&mut self, text: &str) -> Result<QuestionRow, TellError> {
        self.reconcile_live()?;
        let mut found = match text.parse::<QuestionId>() {
            Ok(id) => self.store.question(&id)?.into_iter().collect(),
            Err(_) => self.store.questions_like(text)?,
        };
        match (found.len(), found.pop()) {
            (1, Some(row)) => Ok(row),
            (_, None) => Err(TellError::NoQuestion(text.to_owned())),
            (_, Some(last)) => {
                let ids = found.iter().chain([&last]).map(|row| row.id.to_string()).collect();
                Err(TellError::Ambiguous { text: text.to_owned(), ids })
            }
        }
    }

    /// Answers a question, once and for all, and waits until the agent has the answer. Agents may not.
    pub fn answer(&mut self, question: &QuestionRow, answer: &Answer, by: &str) -> Result<String, TellError> {
        let id = &question.id;
        let caller = self.permitted_caller()?;
        let agent = caller.run.as_ref().map(|run| format!("the agent of {run}"));
        let by = agent.as_deref().unwrap_or(by);
        question.question.check(answer).map_err(|source| TellError::Unfit { id: id.clone(), source })?;
        fault::point("answer.begin");
        let number = match self.store.answer(id, answer, by, &caller)? {
            Answering::Recorded(number) => number,
            Answering::Unknown => return Err(TellError::NoQuestion(id.to_string())),
            Answering::TooLate(row) if row.state == QuestionState::Expired => return Err(TellError::Expired { row }),
            Answering::TooLate(row) => return Err(TellError::AlreadyAnswered { row }),
        };
        fault::point("answer.recorded");
        let told = self.outcome_of(&question.run_id, number);
        // The agent or its supervisor may have ended on the way: the question itself knows what became of the answer.
        match (told, self.store.question(id)?) {
            (Err(TellError::Refused { .. }), Some(row)) if row.state == QuestionState::Expired => {
                Err(TellError::Expired { row: Box::new(row) })
            }
            (Err(TellError::Refused { .. }), Some(QuestionRow { outcome: Some(outcome), .. })) => Ok(outcome),
            (told, _) => told,
        }
    }

    fn tell(&mut self, id: &RunId, request: &Request) -> Result<String, TellError> {
        let row = self.store.run(id)?;
        self.settle(&row)?;
        let row = self.store.run(id)?;
        if row.state != State::Running {
            return Err(TellError::NotRunning { id: id.clone(), state: row.state });
        }
        let number = self.store.request(id, request)?;
        fault::point("tell.requested");
        self.outcome_of(id, number)
    }

    /// Rings, and waits until the request has an outcome.
    fn outcome_of(&mut self, id: &RunId, number: i64) -> Result<String, TellError> {
        let directory = self.home.run(id);
        let deadline = Instant::now() + LIMIT;
        loop {
            // The place is taken before we ring and look, so that nothing falls between.
            let door = Door::open(&directory);
            ring(&directory);
            let row = self.store.run(id)?;
            self.settle(&row)?;
            // The state is read before the outcome: a run that is over has no outcome left to write.
            let row = self.store.run(id)?;
            match self.store.request_outcome(number)? {
                Some(RequestOutcome { succeeded: true, outcome }) => return Ok(outcome),
                Some(RequestOutcome { outcome, .. }) => {
                    return Err(TellError::Refused { id: id.clone(), why: outcome });
                }
                None => {}
            }
            if row.state.is_terminal() {
                let why = format!("the run is {} now, and the agent was not told", row.state);
                return Err(TellError::Refused { id: id.clone(), why });
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(TellError::NoWord { id: id.clone() });
            }
            // A supervisor that is not at its door, or just leaves it, is given a moment.
            if door.and_then(|door| door.wait(Some(left.min(LOOK_ANYWAY)))).is_err() {
                std::thread::sleep(AGAIN);
            }
        }
    }
}
