//! Comments on the work of runs.
//!
//! The one rule: a comment is marked as sent in the transaction that makes its message possible, so that it is never sent
//! twice; a comment that was not delivered is open again.

use std::ops::Range;

use agency_model::RunId;
use agency_model::review::{CommentState, LineRange, Side};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, Transaction, params};
use tracing::info;

use super::columns::{optional_parsed, parsed};
use super::requests::Request;
use super::write::now;
use super::{Store, StoreError};

/// One row of the table `comments`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct CommentRow {
    /// Its number.
    pub id: i64,
    /// The run that made the worktree which was reviewed.
    pub run_id: RunId,
    /// The tree of the files that were reviewed.
    pub tree: String,
    /// The file, as it was called then.
    pub path: String,
    /// The version of the file that the lines are in.
    pub side: Side,
    /// The lines, as they were then; `None` for the whole file.
    pub lines: Option<LineRange>,
    /// The text of the lines.
    pub quoted: String,
    /// Its text.
    pub body: String,
    /// Who wrote it.
    pub author: String,
    /// Its state.
    pub state: CommentState,
    /// When it was written.
    pub created_at: Timestamp,
    /// When it was sent.
    pub sent_at: Option<Timestamp>,
    /// When it was known to be delivered.
    pub delivered_at: Option<Timestamp>,
    /// When it was addressed, gone or withdrawn.
    pub settled_at: Option<Timestamp>,
    pub(crate) delivery: Option<Delivery>,
    pub(crate) anchor: Anchor,
}

/// How a comment is brought to its agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// By this request for a message.
    Message(i64),
    /// As the prompt of this run, which continues the one that was reviewed.
    Resumed(RunId),
}

/// The place that is followed: lines of the new version of a file, also for a comment on removed lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Anchor {
    /// The content that the lines are in; `None` if there was no file.
    pub(crate) blob: Option<String>,
    /// The lines, from 0; empty for the place of removed lines, and for a whole file.
    pub(crate) lines: Range<usize>,
}

/// A comment that is to be stored.
#[derive(Debug)]
pub(crate) struct CommentDraft {
    pub(crate) path: String,
    pub(crate) side: Side,
    pub(crate) lines: Option<LineRange>,
    pub(crate) quoted: String,
    pub(crate) body: String,
    pub(crate) anchor: Anchor,
    /// The content of the anchor, if its lines are to be followed.
    pub(crate) content: Option<Vec<u8>>,
}

/// How many comments on the work of a run are not settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenComments {
    pub(crate) run_id: RunId,
    pub(crate) open: u32,
    pub(crate) sent: u32,
}

const COLUMNS: &str = "id, run_id, tree, path, side, first_line, last_line, quoted, body, author, state, created_at, \
    sent_at, delivered_at, settled_at, request_id, resumed_as, anchor_blob, anchor_start, anchor_end";

impl CommentRow {
    fn read(row: &Row<'_>) -> Result<Self, StoreError> {
        let (first, last): (Option<u32>, Option<u32>) = (row.get(5)?, row.get(6)?);
        let message: Option<i64> = row.get(15)?;
        let resumed: Option<RunId> = optional_parsed(row, 16, "resumed_as")?;
        let index = |value: i64| usize::try_from(value).unwrap_or(0);
        Ok(Self {
            id: row.get(0)?,
            run_id: parsed(row, 1, "run_id")?,
            tree: row.get(2)?,
            path: row.get(3)?,
            side: parsed(row, 4, "side")?,
            lines: first.zip(last).map(|(first, last)| LineRange { first, last }),
            quoted: row.get(7)?,
            body: row.get(8)?,
            author: row.get(9)?,
            state: parsed(row, 10, "state")?,
            created_at: parsed(row, 11, "created_at")?,
            sent_at: optional_parsed(row, 12, "sent_at")?,
            delivered_at: optional_parsed(row, 13, "delivered_at")?,
            settled_at: optional_parsed(row, 14, "settled_at")?,
            delivery: resumed.map(Delivery::Resumed).or(message.map(Delivery::Message)),
            anchor: Anchor { blob: row.get(17)?, lines: index(row.get(18)?)..index(row.get(19)?) },
        })
    }
}

impl Store {
    /// Stores comments on the work of a run, all or none, and returns their numbers.
    pub(crate) fn add_comments(
        &mut self,
        run: &RunId,
        tree: &str,
        author: &str,
        drafts: &[CommentDraft],
    ) -> Result<Vec<i64>, StoreError> {
        let transaction = self.begin()?;
        let mut ids = vec![];
        for draft in drafts {
            keep_content(&transaction, &draft.anchor, draft.content.as_deref())?;
            transaction.execute(
                "INSERT INTO comments (run_id, tree, path, side, first_line, last_line, quoted, body, author, state, \
                 created_at, anchor_blob, anchor_start, anchor_end) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 'open', ?10, ?11, ?12, ?13)",
                params![
                    run.as_str(),
                    tree,
                    draft.path,
                    draft.side.as_str(),
                    draft.lines.map(|lines| lines.first),
                    draft.lines.map(|lines| lines.last),
                    draft.quoted,
                    draft.body,
                    author,
                    now().to_string(),
                    draft.anchor.blob,
                    column(draft.anchor.lines.start),
                    column(draft.anchor.lines.end),
                ],
            )?;
            ids.push(transaction.last_insert_rowid());
        }
        transaction.commit()?;
        info!(%run, comments = ids.len(), "comments stored");
        Ok(ids)
    }

    /// All comments on the work of a run, in the order in which they were written.
    pub(crate) fn comments_of(&self, run: &RunId) -> Result<Vec<CommentRow>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM comments WHERE run_id = ?1 ORDER BY id");
        let mut statement = self.connection()?.prepare_cached(&sql)?;
        let mut rows = statement.query([run.as_str()])?;
        let mut found = vec![];
        while let Some(row) = rows.next()? {
            found.push(CommentRow::read(row)?);
        }
        Ok(found)
    }

    /// The runs whose work has comments that are not settled.
    pub(crate) fn open_comments(&self) -> Result<Vec<OpenComments>, StoreError> {
        let sql = "SELECT run_id, sum(state = 'open'), sum(state = 'sent') FROM comments \
            WHERE state IN ('open', 'sent') GROUP BY run_id ORDER BY run_id";
        let mut statement = self.connection()?.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let mut found = vec![];
        while let Some(row) = rows.next()? {
            found.push(OpenComments { run_id: parsed(row, 0, "run_id")?, open: row.get(1)?, sent: row.get(2)? });
        }
        Ok(found)
    }

    /// The content that lines are followed from.
    pub(crate) fn reviewed_content(&self, blob: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let sql = "SELECT content FROM reviewed_files WHERE blob = ?1";
        Ok(self.connection()?.query_row(sql, [blob], |row| row.get(0)).optional()?)
    }

    /// Marks open comments as sent, and in the same transaction leaves the message for the supervisor of a run. Returns the
    /// request; none if another process sent or withdrew one of them.
    pub(crate) fn send_comments(
        &mut self,
        run: &RunId,
        text: &str,
        comments: &[(i64, CommentDraft)],
    ) -> Result<Option<i64>, StoreError> {
        let transaction = self.begin()?;
        let request = Request::Message(text.to_owned());
        transaction.execute(
            "INSERT INTO requests (run_id, kind, content, created_at) VALUES (?1, ?2, ?3, ?4)",
            params![run.as_str(), request.as_str(), request.content(), now().to_string()],
        )?;
        let number = transaction.last_insert_rowid();
        if !mark_sent(&transaction, comments, &Delivery::Message(number))? {
            return Ok(None);
        }
        transaction.commit()?;
        info!(%run, request = number, comments = comments.len(), "comments sent by a message");
        Ok(Some(number))
    }

    /// Marks open comments as sent by the prompt of a run that is about to be created. Returns whether all of them were open.
    pub(crate) fn claim_comments(
        &mut self,
        resumed: &RunId,
        comments: &[(i64, CommentDraft)],
    ) -> Result<bool, StoreError> {
        let transaction = self.begin()?;
        if !mark_sent(&transaction, comments, &Delivery::Resumed(resumed.clone()))? {
            return Ok(false);
        }
        transaction.commit()?;
        info!(run = %resumed, comments = comments.len(), "comments sent by a prompt");
        Ok(true)
    }

    /// Records whether comments that were sent reached the agent; those that did not are open again.
    pub(crate) fn settle_delivery(&mut self, delivery: &Delivery, delivered: bool) -> Result<usize, StoreError> {
        let transaction = self.begin()?;
        let (column, value): (_, rusqlite::types::Value) = match delivery {
            Delivery::Message(number) => ("request_id", (*number).into()),
            Delivery::Resumed(run) => ("resumed_as", run.as_str().to_owned().into()),
        };
        let change = if delivered {
            "delivered_at = ?2"
        } else {
            "state = 'open', sent_at = NULL, request_id = NULL, resumed_as = NULL"
        };
        let sql =
            format!("UPDATE comments SET {change} WHERE {column} = ?1 AND state = 'sent' AND delivered_at IS NULL");
        let changed = if delivered {
            transaction.execute(&sql, params![value, now().to_string()])?
        } else {
            transaction.execute(&sql, params![value])?
        };
        transaction.commit()?;
        info!(?delivery, delivered, comments = changed, "delivery of comments settled");
        Ok(changed)
    }

    /// Settles comments: sent ones that were addressed or whose file is gone, or any that a user withdraws. Returns those
    /// that were not settled before.
    pub(crate) fn settle_comments(&mut self, changes: &[(i64, CommentState)]) -> Result<Vec<i64>, StoreError> {
        if changes.is_empty() {
            return Ok(vec![]);
        }
        let transaction = self.begin()?;
        let mut settled = vec![];
        for (id, state) in changes {
            let from = if *state == CommentState::Withdrawn { "('open', 'sent')" } else { "('sent')" };
            let sql = format!("UPDATE comments SET state = ?2, settled_at = ?3 WHERE id = ?1 AND state IN {from}");
            if transaction.execute(&sql, params![id, state.as_str(), now().to_string()])? > 0 {
                settled.push(*id);
            }
        }
        // Contents are kept as long as lines are followed from them.
        transaction.execute(
            "DELETE FROM reviewed_files WHERE blob NOT IN \
             (SELECT anchor_blob FROM comments WHERE state IN ('open', 'sent') AND anchor_blob IS NOT NULL)",
            [],
        )?;
        transaction.commit()?;
        info!(comments = settled.len(), "comments settled");
        Ok(settled)
    }
}

/// Marks comments as sent, with the places that they have now. Returns whether all of them were open.
fn mark_sent(
    transaction: &Transaction<'_>,
    comments: &[(i64, CommentDraft)],
    delivery: &Delivery,
) -> Result<bool, StoreError> {
    let (request, resumed) = match delivery {
        Delivery::Message(number) => (Some(*number), None),
        Delivery::Resumed(run) => (None, Some(run.as_str())),
    };
    for (id, draft) in comments {
        keep_content(transaction, &draft.anchor, draft.content.as_deref())?;
        let changed = transaction.execute(
            "UPDATE comments SET state = 'sent', sent_at = ?2, request_id = ?3, resumed_as = ?4, path = ?5, \
             first_line = ?6, last_line = ?7, anchor_blob = ?8, anchor_start = ?9, anchor_end = ?10 \
             WHERE id = ?1 AND state = 'open'",
            params![
                id,
                now().to_string(),
                request,
                resumed,
                draft.path,
                draft.lines.map(|lines| lines.first),
                draft.lines.map(|lines| lines.last),
                draft.anchor.blob,
                column(draft.anchor.lines.start),
                column(draft.anchor.lines.end),
            ],
        )?;
        if changed == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

fn keep_content(transaction: &Transaction<'_>, anchor: &Anchor, content: Option<&[u8]>) -> Result<(), StoreError> {
    if let (Some(blob), Some(content)) = (&anchor.blob, content) {
        let sql = "INSERT INTO reviewed_files (blob, content) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        transaction.execute(sql, params![blob, content])?;
    }
    Ok(())
}

fn column(line: usize) -> i64 {
    i64::try_from(line).unwrap_or(i64::MAX)
}
