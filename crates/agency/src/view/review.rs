//! The comments on the work of a run.

use std::io::{self, Write};

use agency_engine::runs::review::{Comment, CommentLocation, WorkReview};
use agency_engine::store::{Approval, RunRow};
use agency_model::review::{CommentState, LineRange, Side};
use agency_model::{RunId, Timestamp, escaped_line, escaped_text};
use schemars::JsonSchema;
use serde::Serialize;

/// A quotation is shown up to this many lines.
const MAX_QUOTED_LINES: usize = 5;

/// The answer of `agency review`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReviewView {
    id: RunId,
    name: Option<String>,
    /// The tree of the files as they are; null where they are gone.
    tree: Option<String>,
    /// Whether exactly these files are approved.
    approved: bool,
    /// The last approval, which may be for other files.
    approval: Option<Approval>,
    comments: Vec<CommentView>,
    /// The numbers of the comments that this call stored.
    added: Vec<i64>,
    /// What sending did, if this call sent comments.
    sent: Option<SentView>,
    #[serde(skip)]
    label: String,
}

/// What sending comments did.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SentView {
    /// The run whose agent received them.
    pub(crate) run_id: RunId,
    /// How many were sent.
    pub(crate) comments: usize,
    /// The outcome that the supervisor reported.
    pub(crate) outcome: String,
}

/// One comment.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CommentView {
    /// Its number.
    id: i64,
    state: CommentState,
    /// The file, as it was called when the comment was written or sent.
    path: String,
    /// The version that the lines are in.
    side: Side,
    /// The first line; null for the whole file.
    first_line: Option<u32>,
    last_line: Option<u32>,
    /// The text of the lines.
    quoted: String,
    body: String,
    author: String,
    created_at: Timestamp,
    sent_at: Option<Timestamp>,
    delivered_at: Option<Timestamp>,
    settled_at: Option<Timestamp>,
    /// The tree that was reviewed.
    tree: String,
    /// Where it is now; null for a settled comment.
    now: Option<CommentLocation>,
}

impl CommentView {
    pub(crate) fn new(comment: Comment) -> Self {
        let Comment { row, now, .. } = comment;
        Self {
            id: row.id,
            state: row.state,
            path: row.path,
            side: row.side,
            first_line: row.lines.map(|lines| lines.first),
            last_line: row.lines.map(|lines| lines.last),
            quoted: row.quoted,
            body: row.body,
            author: row.author,
            created_at: row.created_at,
            sent_at: row.sent_at,
            delivered_at: row.delivered_at,
            settled_at: row.settled_at,
            tree: row.tree,
            now,
        }
    }

    /// `src/main.rs:12-14`, with a minus sign before old lines.
    fn place(&self) -> String {
        let stored = self.first_line.zip(self.last_line).map(|(first, last)| LineRange { first, last });
        let (path, lines) = match &self.now {
            Some(now) => (&now.path, now.lines()),
            None => (&self.path, stored),
        };
        match (lines, self.side) {
            (None, _) => escaped_line(path),
            (Some(lines), Side::New) => format!("{}:{lines}", escaped_line(path)),
            (Some(lines), Side::Old) => format!("{}:-{lines}", escaped_line(path)),
        }
    }

    fn note(&self) -> &'static str {
        match (&self.now, self.state) {
            (Some(now), _) if now.gone => "  the file is gone",
            (Some(now), _) if now.changed => "  changed since",
            (_, CommentState::Sent) if self.delivered_at.is_none() => "  not known to be delivered yet",
            (_, _) => "",
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "#{}  {}  {}{}", self.id, self.state, self.place(), self.note())?;
        let mut quoted = self.quoted.lines();
        for line in quoted.by_ref().take(MAX_QUOTED_LINES) {
            writeln!(out, "    > {}", escaped_text(line))?;
        }
        if quoted.next().is_some() {
            writeln!(out, "    > …")?;
        }
        self.body.lines().try_for_each(|line| writeln!(out, "    {}", escaped_text(line)))
    }
}

impl ReviewView {
    pub(crate) fn new(row: &RunRow, review: WorkReview, added: Vec<i64>, sent: Option<SentView>) -> Self {
        let approved = review.is_approved();
        Self {
            id: row.id.clone(),
            name: row.name.clone(),
            tree: review.tree,
            approved,
            approval: review.approval,
            comments: review.comments.into_iter().map(CommentView::new).collect(),
            added,
            sent,
            label: row.label().to_owned(),
        }
    }

    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let approval = match (&self.approval, self.approved) {
            (Some(approval), true) => format!("approved by {}", approval.approved_by),
            (Some(_), false) => "approved before, and changed since".to_owned(),
            (None, _) => "not approved".to_owned(),
        };
        let tree =
            self.tree.as_ref().map_or_else(|| "the files are gone".to_owned(), |tree| format!("tree {tree:.12}"));
        writeln!(out, "{}: {tree}, {approval}", self.label)?;
        if let Some(sent) = &self.sent {
            let comments = if sent.comments == 1 { "comment" } else { "comments" };
            writeln!(out, "{} {comments} sent: {}", sent.comments, sent.outcome)?;
        }
        if self.comments.is_empty() {
            writeln!(out, "No comments.")?;
        }
        for comment in &self.comments {
            writeln!(out)?;
            comment.write(out)?;
        }
        Ok(())
    }
}
