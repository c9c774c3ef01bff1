//! Takes checkpoints of the worktree at the end of each turn and of the run.
//!
//! The one rule: git works in a thread of its own, so that neither the agent nor the logs wait for it, and a checkpoint
//! that fails is a notice and nothing else.

use std::path::PathBuf;
use std::time::Duration;

use agency_model::{Activity, Event, WorkEvent};
use agency_workspace::{CheckpointCause, CheckpointMoment, GitWorktree, TakenCheckpoint, WorkspaceError};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tracing::debug;

use super::Supervisor;
use crate::forecast::forecast_beside;
use crate::home::Home;
use crate::own_program::own_executable;
use crate::runs::checkpoints::{checkpointed_worktree, event_of};
use crate::store::RunRow;

/// How long the end of a run waits for the checkpoint of its last turn.
const FINISH_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) type Outcome = Result<TakenCheckpoint, WorkspaceError>;

/// The checkpoints of one run.
#[derive(Debug, Default)]
pub(super) struct Checkpoints {
    worktree: Option<GitWorktree>,
    /// How many turns are over.
    turns: u32,
    /// Whether the agent did anything since its last turn.
    has_worked: bool,
    running: Option<oneshot::Receiver<Outcome>>,
    /// A turn that ended while the checkpoint of an earlier one was taken.
    due: Option<CheckpointMoment>,
    /// What was named as left out already.
    left_out: Vec<PathBuf>,
    /// The last failure, which is reported once.
    failure: Option<String>,
    /// A note that goes before the next message to the agent.
    pub(super) note: Option<String>,
}

impl Checkpoints {
    pub(super) fn of(home: &Home, row: &RunRow) -> Self {
        Self { worktree: checkpointed_worktree(home, row), ..Self::default() }
    }

    /// The outcome of the checkpoint that is being taken. Dropping this before it is ready loses nothing.
    pub(super) async fn next(&mut self) -> Option<Outcome> {
        match &mut self.running {
            Some(running) => {
                let outcome = running.await;
                self.running = None;
                // A thread that panicked has none.
                outcome.ok()
            }
            None => std::future::pending().await,
        }
    }

    fn start(&mut self, moment: CheckpointMoment) {
        let Some(worktree) = self.worktree.clone() else { return };
        if self.running.is_some() {
            self.due = Some(moment);
            return;
        }
        let (sender, receiver) = oneshot::channel();
        let work = move || {
            let outcome = worktree.take_checkpoint(&moment);
            let taken = outcome.as_ref().ok().cloned();
            // The supervisor may have ended meanwhile.
            let _ = sender.send(outcome);
            // Only now, so that the run does not wait for the disk; the system writes within half a minute in any case.
            if let Some(Err(error)) = taken.map(|taken| taken.sync()) {
                debug!(%error, "a checkpoint was not brought to the disk");
            }
        };
        if std::thread::Builder::new().name("checkpoint".to_owned()).spawn(work).is_ok() {
            self.running = Some(receiver);
        }
    }
}

impl Supervisor<'_> {
    /// Notes what the agent does: a screen shows the end of a turn only by this.
    pub(super) fn note_work(&mut self, activity: Activity, is_on_screen: bool) {
        match activity {
            Activity::Setup | Activity::Starting | Activity::Unknown => {}
            Activity::Thinking | Activity::Writing | Activity::RunningCommand | Activity::WaitingForUser => {
                self.checkpoints.has_worked = true;
            }
            Activity::Idle if is_on_screen && self.checkpoints.has_worked => self.checkpoint_turn(),
            Activity::Idle => {}
        }
    }

    /// A turn is over.
    pub(super) fn checkpoint_turn(&mut self) {
        self.checkpoints.has_worked = false;
        self.checkpoints.turns = self.checkpoints.turns.saturating_add(1);
        let moment = self.moment(CheckpointCause::Turn);
        self.checkpoints.start(moment);
    }

    fn moment(&self, cause: CheckpointCause) -> CheckpointMoment {
        CheckpointMoment {
            cause,
            run: self.id.clone(),
            turn: Some(self.checkpoints.turns),
            event: Some(self.files.last_seq()),
            conversation: self.protocol.session.clone(),
        }
    }

    /// Records a checkpoint that was taken, and takes the next one that is due.
    pub(super) fn checkpoint_taken(&mut self, outcome: Option<Outcome>) {
        if let Some(outcome) = outcome {
            self.record_checkpoint(outcome);
        }
        if let Some(moment) = self.checkpoints.due.take() {
            self.checkpoints.start(moment);
        }
    }

    fn record_checkpoint(&mut self, outcome: Outcome) {
        let taken = match outcome {
            Ok(taken) => taken,
            Err(error) => return self.report_checkpoint(format!("no checkpoint was taken: {error}")),
        };
        match &taken.complaint {
            Some(complaint) => self.report_checkpoint(format!("the checkpoint lacks some files: {complaint}")),
            None => self.checkpoints.failure = None,
        }
        let Some(checkpoint) = taken.checkpoint.as_ref().filter(|_| taken.is_new) else { return };
        // The same names are not reported again at each turn.
        let named = if taken.left_out == self.checkpoints.left_out { &[][..] } else { &taken.left_out };
        let event = Event::Work(event_of(checkpoint, taken.files, named));
        self.append(event);
        self.checkpoints.left_out = taken.left_out;
        self.request_forecast();
    }

    /// Lets another process find out with what the work conflicts now. Without it, `agency forecast` does.
    fn request_forecast(&self) {
        let Some(worktree) = self.checkpoints.worktree.as_ref() else { return };
        let (home, repository) = (self.home.clone(), worktree.repository.clone());
        let start = move || match own_executable() {
            Ok(executable) => forecast_beside(&home, &executable, &repository),
            Err(error) => debug!(%error, "no forecast was started"),
        };
        // Without a thread there is no forecast.
        let _ = std::thread::Builder::new().name("forecast".to_owned()).spawn(start);
    }

    fn report_checkpoint(&mut self, message: String) {
        if self.checkpoints.failure.as_ref() != Some(&message) {
            self.append(Event::Notice { message: message.clone() });
            self.checkpoints.failure = Some(message);
        }
    }

    /// Begins the checkpoint of the end of the run, after those of its turns.
    pub(super) async fn begin_last_checkpoint(&mut self) {
        while self.checkpoints.running.is_some() {
            match timeout(FINISH_TIMEOUT, self.checkpoints.next()).await {
                Ok(outcome) => self.checkpoint_taken(outcome),
                Err(_) => return self.report_checkpoint("git did not finish the last checkpoint in time".to_owned()),
            }
        }
        let moment = self.moment(CheckpointCause::End);
        self.checkpoints.start(moment);
    }

    /// Waits for the checkpoint of the end of the run.
    pub(super) async fn finish_last_checkpoint(&mut self) {
        match timeout(FINISH_TIMEOUT, self.checkpoints.next_if_any()).await {
            Ok(outcome) => self.checkpoint_taken(outcome),
            Err(_) => self.report_checkpoint("git did not finish the checkpoint of the end in time".to_owned()),
        }
        debug!(turns = self.checkpoints.turns, "last checkpoint taken");
    }

    /// Notes that a user restored the files, for the agent's next message.
    pub(super) fn note_restore(&mut self, event: &WorkEvent) {
        let WorkEvent::Restored { number, .. } = event else { return };
        self.checkpoints.note = Some(restored_note(*number));
    }

    /// A message to the agent, with the note before it if there is one.
    pub(super) fn with_note(&mut self, text: String) -> String {
        match self.checkpoints.note.take() {
            Some(note) => format!("{note}\n\n{text}"),
            None => text,
        }
    }
}

impl Checkpoints {
    async fn next_if_any(&mut self) -> Option<Outcome> {
        match self.running {
            Some(_) => self.next().await,
            None => None,
        }
    }
}

/// The note for an agent whose files a user restored.
pub(crate) fn restored_note(number: u32) -> String {
    let what = match number {
        0 => "what they were at the start".to_owned(),
        number => format!("checkpoint {number}, what they were at the end of an earlier turn"),
    };
    format!(
        "[agency: the user restored the files of this worktree to {what}. What you remember of later changes to files is \
         not true any more; read files again before you change them.]"
    )
}
