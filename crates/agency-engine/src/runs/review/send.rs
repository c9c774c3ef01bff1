//! Sends open comments to the agent as one message: to a live one as it is, to a finished one by continuing its
//! conversation.
//!
//! The one rule: comments are marked as sent before their message can be delivered, and by one process at a time. What a
//! process that ended left unfinished is settled by the outcome of the message or by the state of the run.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use agency_model::review::{CommentPlace, CommentState, SentComment, review_message};
use agency_model::run::State;
use agency_model::{RunId, RunKind, WorkEvent};
use agency_system::fault;
use agency_system::lock::Lock;
use agency_workspace::{FileNow, FilesNow};
use tracing::warn;

use super::ReviewError;
use super::comment::followed_paths;
use super::location::{locate, moved};
use crate::agency::Agency;
use crate::runs::create::ResumeRequest;
use crate::runs::messages::DeliveryError;
use crate::store::{CommentDraft, CommentRow, Delivery, RequestOutcome, RunRow, StoreError};

/// What sending comments did.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SentReview {
    /// The run whose agent received them: the live one, or a new one that continues the conversation.
    pub run: RunRow,
    /// How many were sent.
    pub comments: usize,
    /// The outcome that the supervisor reported.
    pub outcome: String,
}

/// Open comments, as they are sent.
struct Outgoing {
    text: String,
    comments: Vec<(i64, CommentDraft)>,
}

impl Agency {
    /// Sends all open comments on the work of a run as one message.
    pub fn send_review(&mut self, row: &RunRow, interrupted: &AtomicBool) -> Result<SentReview, ReviewError> {
        let owner = self.work_owner(row)?;
        let busy = || ReviewError::Busy { run: row.id.clone() };
        let _sending = self.sending_lock(&owner)?.ok_or_else(busy)?;
        self.settle_unknown(&owner)?;
        self.settle(row)?;
        let current = self.current_run(row)?;
        let outgoing = self.outgoing(&current, &owner)?;
        let count = outgoing.comments.len();
        let (run, outcome) = if current.state.is_terminal() {
            self.send_by_prompt(current, &outgoing, interrupted)?
        } else {
            self.send_by_message(current, &outgoing)?
        };
        fault::point("review.delivered");
        let event = WorkEvent::CommentsSent { comments: u32::try_from(count).unwrap_or(u32::MAX) };
        if let Err(error) = self.record_work(&run.id, event) {
            // The state of the comments shows it.
            warn!(run = %run.id, %error, "no event about the comments that were sent");
        }
        Ok(SentReview { run, comments: count, outcome })
    }

    /// The open comments with the places that they have now, and their message.
    fn outgoing(&self, row: &RunRow, owner: &RunId) -> Result<Outgoing, ReviewError> {
        let mut rows = self.store.comments_of(owner)?;
        rows.retain(|row| row.state == CommentState::Open);
        if rows.is_empty() {
            return Err(ReviewError::NothingToSend { run: row.id.clone() });
        }
        let paths = followed_paths(&rows);
        let FilesNow { files, .. } = self.files_of(row, &paths)?;
        let mut comments = vec![];
        let mut sent = vec![];
        for row in &rows {
            let Some(file) = paths.iter().position(|path| *path == row.path).and_then(|at| files.get(at)) else {
                continue;
            };
            let content = self.anchored_content(row)?;
            comments.push((row.id, moved(row, file, content.as_deref())));
            sent.push(sent_comment(row, file, content.as_deref()));
        }
        Ok(Outgoing { text: review_message(&sent), comments })
    }

    /// Leaves the message for the supervisor in the transaction that marks the comments, and waits for the outcome.
    fn send_by_message(&mut self, run: RunRow, outgoing: &Outgoing) -> Result<(RunRow, String), ReviewError> {
        if run.state != State::Running {
            return Err(DeliveryError::NotRunning { id: run.id, state: run.state }.into());
        }
        let number = self.store.send_comments(&run.id, &outgoing.text, &outgoing.comments)?;
        let number = number.ok_or_else(|| ReviewError::Busy { run: run.id.clone() })?;
        fault::point("review.sent");
        let delivery = Delivery::Message(number);
        let outcome = self.outcome_of(&run.id, number);
        self.settle_one(&delivery)?;
        Ok((run, outcome?))
    }

    /// Marks the comments with the id of a run that is then created with the message as its prompt.
    fn send_by_prompt(
        &mut self,
        parent: RunRow,
        outgoing: &Outgoing,
        interrupted: &AtomicBool,
    ) -> Result<(RunRow, String), ReviewError> {
        let run = parent.id.clone();
        let plan = self.plan_resume(ResumeRequest::new(parent).prompt(outgoing.text.as_str()))?;
        if !self.store.claim_comments(&plan.id, &outgoing.comments)? {
            return Err(ReviewError::Busy { run });
        }
        fault::point("review.claimed");
        let delivery = Delivery::Resumed(plan.id.clone());
        let created = self.create(&plan, interrupted);
        // A run that waits for a slot has not received them yet.
        self.settle_one(&delivery)?;
        let created = created?;
        let outcome = format!("continued as {}", created.label());
        Ok((created, outcome))
    }

    /// Settles what processes that ended left in between; nothing while another process sends.
    pub(super) fn settle_deliveries(&mut self, owner: &RunId) -> Result<(), ReviewError> {
        let is_unknown = |row: &CommentRow| row.state == CommentState::Sent && row.delivered_at.is_none();
        if !self.store.comments_of(owner)?.iter().any(is_unknown) {
            return Ok(());
        }
        match self.sending_lock(owner)? {
            Some(_sending) => self.settle_unknown(owner),
            None => Ok(()),
        }
    }

    fn settle_unknown(&mut self, owner: &RunId) -> Result<(), ReviewError> {
        let mut rows = self.store.comments_of(owner)?;
        rows.retain(|row| row.state == CommentState::Sent && row.delivered_at.is_none());
        let mut deliveries: Vec<Delivery> = rows.into_iter().filter_map(|row| row.delivery).collect();
        deliveries.dedup();
        deliveries.iter().try_for_each(|delivery| self.settle_one(delivery))
    }

    /// Settles one delivery, as far as it can be known now.
    fn settle_one(&mut self, delivery: &Delivery) -> Result<(), ReviewError> {
        let delivered = match delivery {
            Delivery::Message(number) => self.is_message_delivered(*number)?,
            Delivery::Resumed(run) => self.is_prompt_delivered(run)?,
        };
        if let Some(delivered) = delivered {
            self.store.settle_delivery(delivery, delivered)?;
        }
        Ok(())
    }

    /// Whether a message reached its agent; `None` as long as it may.
    fn is_message_delivered(&mut self, number: i64) -> Result<Option<bool>, ReviewError> {
        if let Some(RequestOutcome { succeeded, .. }) = self.store.request_outcome(number)? {
            return Ok(Some(succeeded));
        }
        let Some(run) = self.store.run_of_request(number)? else { return Ok(Some(false)) };
        let row = self.store.run(&run)?;
        self.settle(&row)?;
        let row = self.store.run(&run)?;
        // A named agent gets its messages when it is restarted. The outcome may have come before the end.
        let outcome = self.store.request_outcome(number)?.map(|outcome| outcome.succeeded);
        Ok(outcome.or((row.state.is_terminal() && row.kind != RunKind::Agent).then_some(false)))
    }

    /// Whether a run that has the comments as its prompt was started; `None` as long as it may be.
    fn is_prompt_delivered(&mut self, run: &RunId) -> Result<Option<bool>, ReviewError> {
        let row = match self.store.run(run) {
            Ok(row) => row,
            Err(StoreError::NotFound(_)) => return Ok(Some(false)),
            Err(error) => return Err(error.into()),
        };
        self.settle(&row)?;
        let row = self.store.run(run)?;
        Ok(match row.state {
            State::Queued => None,
            State::Running | State::Completed => Some(true),
            State::Failed | State::Killed => Some(row.started_at.is_some()),
        })
    }

    fn sending_lock(&self, owner: &RunId) -> Result<Option<Lock>, ReviewError> {
        let path = self.home.run(owner).file("review.lock");
        Ok(Lock::take(&path, Duration::ZERO)?)
    }
}

fn sent_comment<'a>(row: &'a CommentRow, file: &FileNow, content: Option<&[u8]>) -> SentComment<'a> {
    let location = locate(row, file, content);
    let note = match (location.gone, location.changed) {
        (true, _) => Some("the file is gone since"),
        (false, true) if row.lines.is_some() => Some("these lines changed since the review"),
        (false, _) => None,
    };
    let place = CommentPlace { lines: location.lines(), path: location.path, side: row.side };
    SentComment { place, note, quoted: &row.quoted, body: &row.body }
}
