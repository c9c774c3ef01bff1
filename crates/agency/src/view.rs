//! What answers show: data for JSON, and its text for users. Commands, the TUI and the MCP server share it.
//!
//! The one rule: nothing here prints.

mod ask;
mod checkpoint;
mod forecast;
mod inbox;
mod question;
mod race;
mod reason;
mod restored_checkpoint;
mod review;
mod run;
mod run_details;
mod run_table;
mod source;
mod status;
mod transcript;

pub(crate) use ask::Answered;
pub(crate) use checkpoint::{CheckpointView, Checkpoints};
pub(crate) use forecast::forecast_text;
pub(crate) use inbox::Inbox;
pub(crate) use question::{MAX_OPTION_KEYS, QuestionView, answer_words, chosen_options};
pub(crate) use race::{RaceList, RaceView};
pub(crate) use reason::{Reason, reason};
pub(crate) use restored_checkpoint::{MovedBranch, RestoredCheckpoint};
pub(crate) use review::{ReviewView, SentView};
pub(crate) use run::{RunView, Runs};
pub(crate) use run_details::{Shown, shown};
pub(crate) use run_table::{RunColumn, run_table};
pub(crate) use source::{SourceList, SourceView};
pub(crate) use status::Status;
pub(crate) use transcript::{TranscriptText, usage_line};
