//! Everything the program can do outside itself. The state only says what; `effects.rs` does it.

use agency_engine::orchestrator::Overview;
use agency_engine::store::{QuestionRow, RunRow};
use agency_model::{Answer, RunId, SessionId};
use agency_workspace::DeleteBranch;

use super::detail::{Commented, PageRequest, Subject};
use super::editor::EditPurpose;
use super::form::{Agents, Field, RunSettings};
use super::memory::Memory;

/// Something to be done.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Effect {
    /// Leave; every run continues.
    Quit,
    /// Stop as a shell's job, and come back by `fg`.
    Suspend,
    /// Draw everything anew.
    Redraw,
    /// Read what a tab shows, instead of what was read before; nothing if there is nothing to show.
    Show(Option<Box<Subject>>),
    /// Read another part of what the tab shows.
    Page(PageRequest),
    /// Do something in the background; `BackgroundEvent::Done` has the result.
    Do(JobNumber, Box<Job>),
    /// Give the terminal to another program, and take it back when it ends.
    RunForeground(ForegroundProgram),
    /// Write down what is remembered of this home.
    Remember(Box<Memory>),
    /// Put a text where the terminal keeps copied things.
    Copy(String),
    /// Draw the user's attention to the terminal, which is not in front, with a line about why.
    Notify(String),
}

/// Counts what was done; a late word about a job finds it by this.
pub(super) type JobNumber = u64;

/// Something that takes a while.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Job {
    Stop(RunRow),
    Interrupt(RunRow),
    Answer {
        question: Box<QuestionRow>,
        answer: Answer,
    },
    /// Give the same answer to several questions.
    AnswerAll {
        questions: Vec<QuestionRow>,
        answer: Answer,
    },
    /// Send a message to a running agent.
    Send {
        row: RunRow,
        text: String,
    },
    /// Continue a finished run.
    Resume {
        row: RunRow,
        text: String,
    },
    /// Comment on what a run changed.
    Comment {
        row: RunRow,
        about: Commented,
        text: String,
    },
    /// Send all open comments on what a run changed to its agent.
    SendComments(RunRow),
    /// End it if it runs, and start it again.
    Restart(RunRow),
    /// Bring its work into the branch that it started from.
    Land(RunRow),
    /// Find out what a removal would keep and save.
    PlanRemoval {
        row: RunRow,
        branch: DeleteBranch,
    },
    Remove {
        row: RunRow,
        branch: DeleteBranch,
    },
    /// Find the run that was removed last of those with work to restore.
    FindRemoved,
    /// Make a branch of what a removal saved.
    Restore(RunRow),
    /// Stop several runs, one after the other.
    StopAll(Vec<RunRow>),
    /// Remove several finished runs; what is nowhere else is saved first.
    RemoveAll(Vec<RunRow>),
    /// Read which agents there are.
    Agents,
    Create(Box<RunSettings>),
    /// Read how a workflow session stands.
    Session(SessionId),
    Approve(SessionId),
    Reject {
        session: SessionId,
        reason: String,
    },
    /// From what failed, or from this step.
    Retry {
        session: SessionId,
        from: Option<String>,
    },
}

impl Job {
    /// What is said while it is done.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Stop(row) => format!("stopping {}", label(row)),
            Self::Interrupt(row) => format!("interrupting {}", label(row)),
            Self::Answer { question, .. } => format!("answering {}", question.id),
            Self::AnswerAll { questions, .. } => format!("answering {} questions", questions.len()),
            Self::Send { row, .. } => format!("sending to {}", label(row)),
            Self::Resume { row, .. } => format!("resuming {}", label(row)),
            Self::Comment { row, .. } => format!("commenting on {}", label(row)),
            Self::SendComments(row) => format!("sending comments to {}", label(row)),
            Self::Restart(row) => format!("restarting {}", label(row)),
            Self::Land(row) => format!("landing {}", label(row)),
            Self::PlanRemoval { row, .. } => format!("looking at what {} holds", label(row)),
            Self::Remove { row, .. } => format!("removing {}", label(row)),
            Self::Restore(row) => format!("restoring {}", label(row)),
            Self::StopAll(rows) => format!("stopping {} runs", rows.len()),
            Self::RemoveAll(rows) => format!("removing {} runs", rows.len()),
            Self::FindRemoved => "looking for removed work".to_owned(),
            Self::Agents => "reading the agents".to_owned(),
            Self::Create(settings) => {
                let what = settings.name.as_deref().or(settings.runner.as_deref()).unwrap_or("a run");
                format!("creating {what}")
            }
            Self::Session(session) => format!("reading {session}"),
            Self::Approve(session) => format!("approving {session}"),
            Self::Reject { session, .. } => format!("rejecting {session}"),
            Self::Retry { session, .. } => format!("retrying {session}"),
        }
    }

    /// What it is done with.
    fn subject(&self) -> &str {
        match self {
            Self::Stop(row)
            | Self::Interrupt(row)
            | Self::Send { row, .. }
            | Self::Resume { row, .. }
            | Self::Comment { row, .. }
            | Self::SendComments(row)
            | Self::Restart(row)
            | Self::Land(row)
            | Self::PlanRemoval { row, .. }
            | Self::Restore(row)
            | Self::Remove { row, .. } => row.id.as_str(),
            Self::Answer { question, .. } => question.id.as_str(),
            Self::Session(session)
            | Self::Approve(session)
            | Self::Reject { session, .. }
            | Self::Retry { session, .. } => session.as_str(),
            Self::AnswerAll { .. }
            | Self::FindRemoved
            | Self::StopAll(_)
            | Self::RemoveAll(_)
            | Self::Agents
            | Self::Create(_) => "",
        }
    }

    /// Whether the other one does the same with the same.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other) && self.subject() == other.subject()
    }

    /// What was written for it, and for what.
    pub(super) fn written(&self) -> Option<(EditPurpose, &str)> {
        match self {
            Self::Answer { question, answer: Answer::Text { text } | Answer::Deny { message: Some(text) } } => {
                Some((EditPurpose::Answer(question.clone()), text))
            }
            Self::Send { row, text } | Self::Resume { row, text } => {
                Some((EditPurpose::Message(Box::new(row.clone())), text))
            }
            Self::Comment { row, about, text } => {
                Some((EditPurpose::Comment(Box::new(row.clone()), about.clone()), text))
            }
            Self::Stop(_)
            | Self::Interrupt(_)
            | Self::SendComments(_)
            | Self::Answer { .. }
            | Self::AnswerAll { .. }
            | Self::Restart(_)
            | Self::Land(_)
            | Self::PlanRemoval { .. }
            | Self::Remove { .. }
            | Self::FindRemoved
            | Self::Restore(_)
            | Self::StopAll(_)
            | Self::RemoveAll(_)
            | Self::Agents
            | Self::Create(_)
            | Self::Session(_)
            | Self::Approve(_)
            | Self::Reject { .. }
            | Self::Retry { .. } => None,
        }
    }
}

/// A run by its name, else its id.
pub(super) fn label(row: &RunRow) -> String {
    row.name.clone().unwrap_or_else(|| row.id.to_string())
}

/// The outcome of a job.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum JobOutcome {
    /// It is done; this is what there is to say.
    Said(String),
    /// What a removal would keep and save.
    Removal { run: RunId, branch: DeleteBranch, notes: Vec<String> },
    /// The run whose saved work can be restored; none if there is none.
    Removed(Option<Box<RunRow>>),
    /// The agents that there are.
    Agents(Agents),
    /// A run was created; this is what there is to say.
    Created { id: RunId, said: String },
    /// It was not, for something in this field.
    NotCreated { field: Option<Field>, failure: Failure },
    /// How a workflow session stands.
    Session(Box<Overview>),
}

/// Why something was not done, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) message: String,
    pub(super) hint: Option<String>,
}

/// Which program the terminal is given to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ForegroundProgram {
    /// The agent's own terminal.
    Attach(RunId),
    /// The user's shell in a directory.
    Shell(String),
    /// The user's editor in a directory.
    Editor(String),
    /// The user's editor, for a text.
    Text { purpose: TextFor, text: String },
}

/// What a text is for that is written in the user's editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextFor {
    /// Whatever is being written in front.
    Overlay,
}
