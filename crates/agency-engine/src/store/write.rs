//! Writes runs and requests, each in one short transaction.

use std::time::{Duration, Instant};

use agency_model::run::{Effect, Ending, Input, Progress, Run, State, Transition, step};
use agency_model::{Activity, QuestionKind, RunId, RunKind, Usage};
use jiff::{Timestamp, Unit};
use rusqlite::{Transaction, TransactionBehavior, params};
use tracing::{debug, info};

use super::agency_questions::expire_about_run;
use super::columns::{self, COLUMNS};
use super::names::{MustBeFree, is_taken};
use super::{RunRow, Store, StoreError};

/// A wait for another process's write that is worth a diagnostic.
const SLOW_LOCK: Duration = Duration::from_millis(100);

/// What an input did to a stored run.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub enum Applied {
    /// The row moved.
    Moved {
        /// The state before.
        from: State,
        /// The row now.
        row: Box<RunRow>,
        /// What follows.
        effects: Vec<Effect>,
    },
    /// The input came too late; the row is this.
    Stale(Box<RunRow>),
}

/// Whether a run may start.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub enum SlotAnswer {
    /// It is `running` now.
    Granted(Box<RunRow>),
    /// As many agents are live as are allowed, or others came first.
    Wait,
    /// It is queued no longer: it was stopped.
    Over(Box<RunRow>),
}

/// What is known about a running agent.
#[derive(Debug, Clone, Default)]
pub struct AgentNote<'a> {
    /// Its own name for the conversation.
    pub session: Option<&'a str>,
    /// What it has used.
    pub usage: Usage,
    /// What it is doing, and since when.
    pub activity: Option<(Activity, Timestamp)>,
}

/// Now, to the millisecond.
pub(crate) fn now() -> Timestamp {
    let now = agency_system::fault::shifted(Timestamp::now());
    now.round(Unit::Millisecond).unwrap_or(now)
}

/// Who starts a run, and what its agent may do because of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StartedBy {
    /// Whether an agent may have started it, rather than the user.
    pub agent: bool,
    /// Whether its own agent may answer questions.
    pub allow_self_answer: bool,
}

impl Store {
    /// Inserts a run as `queued`, and who starts it.
    pub fn insert(&mut self, row: &RunRow, by: StartedBy) -> Result<RunRow, StoreError> {
        let inserted = self.insert_if_free(row, by, MustBeFree::default())?;
        inserted.ok_or(StoreError::NameTaken)
    }

    /// The same, unless another run has what must be free; then nothing is inserted.
    pub fn insert_if_free(
        &mut self,
        row: &RunRow,
        by: StartedBy,
        free: MustBeFree,
    ) -> Result<Option<RunRow>, StoreError> {
        let transaction = self.begin()?;
        if is_taken(&transaction, row, free)? {
            return Ok(None);
        }
        let mut values = row.values();
        values.push(("allow_self_answer", by.allow_self_answer.into()));
        values.push(("started_by_agent", by.agent.into()));
        columns::insert(&transaction, &values)?;
        let row = read(&transaction, &row.id)?;
        transaction.commit()?;
        Ok(Some(row))
    }

    /// Feeds an input to the stored run. `details` explains a bad end in words.
    pub fn apply(&mut self, id: &RunId, input: &Input, details: Option<&str>) -> Result<Applied, StoreError> {
        self.apply_at(id, input, details, now())
    }

    /// Feeds an input to the stored run that happened at another time than now.
    pub fn apply_at(
        &mut self,
        id: &RunId,
        input: &Input,
        details: Option<&str>,
        at: Timestamp,
    ) -> Result<Applied, StoreError> {
        let transaction = self.begin()?;
        let row = read(&transaction, id)?;
        match step(&row.machine(), input) {
            Transition::Stale => Ok(Applied::Stale(Box::new(row))),
            Transition::Refused(refusal) => Err(StoreError::Refused { id: id.clone(), refusal }),
            Transition::Moved(run, effects) => {
                write_state(&transaction, id, row.state, &run, ChangeNote { details, at })?;
                let from = row.state;
                let row = Box::new(read(&transaction, id)?);
                transaction.commit()?;
                info!(run = %id, %from, to = %row.state, "state stored");
                Ok(Applied::Moved { from, row, effects })
            }
        }
    }

    /// Stores what the supervisor's own copy of the run has become. Only the holder of the run's lock calls it.
    pub fn save(&mut self, id: &RunId, run: &Run, details: Option<&str>) -> Result<RunRow, StoreError> {
        let transaction = self.begin()?;
        let row = read(&transaction, id)?;
        if row.state.is_terminal() {
            return Ok(row);
        }
        write_state(&transaction, id, row.state, run, ChangeNote { details, at: now() })?;
        let row = read(&transaction, id)?;
        transaction.commit()?;
        debug!(run = %id, state = %row.state, phase = row.phase.as_deref(), "run stored");
        Ok(row)
    }

    /// Moves a queued run to `running` if fewer than `max_agents` runs are, and no other queued run came first.
    /// `is_owned` checks the lock of another run: a dead one holds no slot. The driver of a workflow takes none, since
    /// it would keep its own tasks from theirs.
    pub fn claim_slot(
        &mut self,
        id: &RunId,
        max_agents: u32,
        is_owned: impl Fn(&RunId) -> bool,
    ) -> Result<SlotAnswer, StoreError> {
        let transaction = self.begin()?;
        let row = read(&transaction, id)?;
        if row.state != State::Queued {
            return Ok(SlotAnswer::Over(Box::new(row)));
        }
        let mut ahead = 0_u32;
        let others = if row.kind == RunKind::Workflow { vec![] } else { live_states(&transaction)? };
        for (other, state) in others {
            let comes_first = state == State::Running || other < *id;
            if other != *id && comes_first && is_owned(&other) {
                ahead += 1;
            }
        }
        if ahead >= max_agents {
            debug!(run = %id, ahead, max_agents, "waiting for a slot");
            return Ok(SlotAnswer::Wait);
        }
        match step(&row.machine(), &Input::SlotGranted) {
            Transition::Moved(run, _) => {
                write_state(&transaction, id, State::Queued, &run, ChangeNote { details: None, at: now() })?;
                let row = read(&transaction, id)?;
                transaction.commit()?;
                info!(run = %id, ahead, max_agents, "slot granted");
                Ok(SlotAnswer::Granted(Box::new(row)))
            }
            Transition::Stale | Transition::Refused(_) => Ok(SlotAnswer::Over(Box::new(row))),
        }
    }

    /// How many runs are live, by the same count as [`Self::claim_slot`].
    pub fn live_count(&self, is_owned: impl Fn(&RunId) -> bool) -> Result<u32, StoreError> {
        let owned = live_states(self.connection()?)?.into_iter().filter(|(id, _)| is_owned(id)).count();
        Ok(u32::try_from(owned).unwrap_or(u32::MAX))
    }

    /// Stores what the agent reports about itself. Only the holder of the run's lock calls it.
    pub fn note_agent(&mut self, id: &RunId, note: &AgentNote<'_>) -> Result<(), StoreError> {
        let count = |tokens: Option<u64>| tokens.map(|tokens| i64::try_from(tokens).unwrap_or(i64::MAX));
        let AgentNote { session, usage, activity } = note;
        let transaction = self.begin()?;
        // An agent whose turns are short has many of them.
        let mut statement = transaction.prepare_cached(
            "UPDATE runs SET agent_session = coalesce(?2, agent_session), input_tokens = ?3, output_tokens = ?4, \
             cached_tokens = ?5, cost_usd = ?6, updated_at = ?7, activity = ?8, activity_at = ?9 WHERE id = ?1",
        )?;
        statement.execute(params![
            id.as_str(),
            session,
            count(usage.input_tokens),
            count(usage.output_tokens),
            count(usage.cached_tokens),
            usage.cost_usd,
            now().to_string(),
            activity.map(|(activity, _)| activity.as_str()),
            activity.map(|(_, since)| since.to_string()),
        ])?;
        drop(statement);
        transaction.commit()?;
        Ok(())
    }

    /// Records that the run's resources are gone. The first call wins.
    pub fn mark_removed(&mut self, id: &RunId, saved_ref: Option<&str>) -> Result<RunRow, StoreError> {
        let transaction = self.begin()?;
        let at = now().to_string();
        transaction.execute(
            "UPDATE runs SET removed_at = ?2, updated_at = ?2, saved_ref = coalesce(?3, saved_ref) \
             WHERE id = ?1 AND removed_at IS NULL",
            params![id.as_str(), at, saved_ref],
        )?;
        expire_about_run(&transaction, id, None, "the run was removed")?;
        let row = read(&transaction, id)?;
        transaction.commit()?;
        Ok(row)
    }

    /// Records where the work of a run was brought. A later landing of the same run replaces it.
    pub fn mark_landed(&mut self, id: &RunId, into: &str, commit: &str) -> Result<RunRow, StoreError> {
        let transaction = self.begin()?;
        transaction.execute(
            "UPDATE runs SET landed_at = ?2, updated_at = ?2, landed_into = ?3, landed_commit = ?4 WHERE id = ?1",
            params![id.as_str(), now().to_string(), into, commit],
        )?;
        expire_about_run(&transaction, id, Some(QuestionKind::Permission), "the work has landed")?;
        let row = read(&transaction, id)?;
        transaction.commit()?;
        info!(run = %id, into, commit, "landing stored");
        Ok(row)
    }

    /// Records that the saved work of a run is at another ref now.
    pub fn set_saved_ref(&mut self, id: &RunId, saved_ref: &str) -> Result<(), StoreError> {
        let transaction = self.begin()?;
        transaction.execute("UPDATE runs SET saved_ref = ?2 WHERE id = ?1", params![id.as_str(), saved_ref])?;
        transaction.commit()?;
        Ok(())
    }

    pub(super) fn begin(&mut self) -> Result<Transaction<'_>, StoreError> {
        // What is written into a file that was replaced is read by no other process.
        self.refresh()?;
        let started = Instant::now();
        let transaction = self.connection_mut()?.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if started.elapsed() > SLOW_LOCK {
            debug!(ms = started.elapsed().as_millis(), "the database was locked by another process");
        }
        Ok(transaction)
    }
}

fn read(transaction: &Transaction<'_>, id: &RunId) -> Result<RunRow, StoreError> {
    let mut statement = transaction.prepare_cached(&format!("SELECT {COLUMNS} FROM runs WHERE id = ?1"))?;
    let mut rows = statement.query([id.as_str()])?;
    match rows.next()? {
        Some(row) => RunRow::read(row),
        None => Err(StoreError::NotFound(id.clone())),
    }
}

/// The live runs that need a slot.
fn live_states(connection: &rusqlite::Connection) -> Result<Vec<(RunId, State)>, StoreError> {
    let mut statement = connection.prepare(
        "SELECT id, state FROM runs WHERE state IN ('queued', 'running') AND kind <> 'workflow' ORDER BY id",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    let mut live = vec![];
    for row in rows {
        let (id, state) = row?;
        if let (Ok(id), Some(state)) = (id.parse(), state.parse::<State>().ok()) {
            live.push((id, state));
        }
    }
    Ok(live)
}

/// What is known about a change beside the change.
#[derive(Clone, Copy)]
struct ChangeNote<'a> {
    details: Option<&'a str>,
    at: Timestamp,
}

fn write_state(
    transaction: &Transaction<'_>,
    id: &RunId,
    from: State,
    run: &Run,
    note: ChangeNote<'_>,
) -> Result<(), StoreError> {
    let at = note.at.to_string();
    match &run.progress {
        Progress::Queued => {}
        Progress::Running { attempt, phase, .. } => {
            transaction.execute(
                "UPDATE runs SET state = 'running', phase = ?2, attempt = ?3, updated_at = ?4, \
                 started_at = coalesce(started_at, ?4) WHERE id = ?1",
                params![id.as_str(), phase.as_str(), attempt, at],
            )?;
        }
        Progress::Ended(ending) => {
            // The marker of a run whose `running` was lost with the power: it was running all the same.
            if from == State::Queued && ending.state == State::Completed {
                transaction.execute("UPDATE runs SET state = 'running' WHERE id = ?1", [id.as_str()])?;
            }
            transaction.execute(
                "UPDATE runs SET state = ?2, phase = NULL, activity = NULL, activity_at = NULL, attempt = ?3, updated_at = ?4, ended_at = ?4, \
                 exit_code = ?5, signal = ?6, reason = ?7, error = ?8, end_recorded = 0 WHERE id = ?1",
                params![
                    id.as_str(),
                    ending.state.as_str(),
                    ending.attempts,
                    at,
                    ending.exit.and_then(|exit| exit.exit_code),
                    ending.exit.and_then(|exit| exit.signal),
                    ending.reason.as_str(),
                    error_text(ending, note.details),
                ],
            )?;
            super::questions::expire_all(transaction, id, &at)?;
        }
    }
    Ok(())
}

/// The stored error: its code, then what is known about it.
pub(crate) fn error_text(ending: &Ending, details: Option<&str>) -> Option<String> {
    match (ending.code, details) {
        (Some(code), Some(details)) => Some(format!("{code}: {details}")),
        (Some(code), None) => Some(code.to_string()),
        (None, details) => details.map(str::to_owned),
    }
}
