//! Everything that can happen to the program: one type, one function that answers it.

use agency_engine::runs::changes::RunsNews;
use agency_model::RunId;
use crossterm::event::{KeyEvent, MouseEvent};
use jiff::Timestamp;

use super::detail::Content;
use super::effect::{Failure, JobNumber, JobOutcome, TextFor};
use super::runs::{ChangeCount, Verified};

/// Something happened.
#[derive(Debug)]
pub(super) enum Input {
    Key(KeyEvent),
    Mouse(MouseEvent),
    /// A text was pasted.
    Paste(String),
    /// The terminal has so many columns and rows.
    Resize(u16, u16),
    /// The terminal is in front now, or another window is.
    Focus(bool),
    /// Time went by.
    Tick(Timestamp),
    /// The program was opened to start a run.
    NewRun,
    Background(BackgroundEvent),
}

/// Something that another thread found out.
#[derive(Debug)]
pub(super) enum BackgroundEvent {
    /// Runs and questions changed.
    Runs(RunsNews),
    /// What a run changed in its workspace.
    Changes { run: RunId, changes: ChangeCount },
    /// With what the work of a run conflicts, by names.
    Conflicts { run: RunId, with: Vec<String> },
    /// What verifying the work of a run in a race showed.
    Verified { run: RunId, verified: Verified },
    /// Something about what a tab shows; one of an older generation is stale.
    Detail { generation: u64, content: Content },
    /// Something that was to be done is done, or was refused.
    Done { job: JobNumber, outcome: Result<JobOutcome, Failure> },
    /// A text comes back from the user's editor.
    Written { purpose: TextFor, text: Result<String, Failure> },
    /// Something was done outside; this is what there is to say.
    Said(String),
    /// Something cannot be read; it is tried again.
    Trouble(String),
}
