//! `agency checkpoint show`: one checkpoint, and the turn that it is the end of.

use std::process::ExitCode;

use agency_engine::store::Purpose;
use agency_model::Usage;
use agency_model::run::ChangedPath;
use agency_workspace::{ChangedFile, CheckpointError};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::command::{RUN_HELP, completions};
use crate::context::Context;
use crate::output::{ago, dollars, field};
use crate::problem::Problem;
use crate::view::CheckpointView;

/// Show one checkpoint: when it was taken, what the agent was asked, what it used, and the files that changed
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency checkpoint show fix\n  agency checkpoint show fix 3 --json")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, allow_negative_numbers = true,
        add = completions::run_candidates(Purpose::Read))]
    run: String,
    /// Which checkpoint [default: the last one]
    number: Option<u32>,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ShownCheckpoint {
    id: agency_model::RunId,
    #[serde(flatten)]
    checkpoint: CheckpointView,
    /// What the agent was sent since the checkpoint before; for the first one the prompt, too.
    messages: Vec<String>,
    /// What the agent used since the checkpoint before.
    usage: Usage,
    /// The files that differ from the checkpoint before.
    changed_files: Vec<ChangedPath>,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = context.select(&mut agency, &args.run)?;
    let all = agency.checkpoint_sizes(&row)?;
    let last = all.first().map(|(last, _)| last.number);
    let number = args.number.or(last).unwrap_or(1);
    let at = all.iter().position(|(checkpoint, _)| checkpoint.number == number);
    let at = at.ok_or(CheckpointError::Missing { number, last })?;
    let before = all.get(at + 1).map(|(before, _)| &before.moment);
    let turn = agency.turn_of_checkpoint(&all[at].0.moment, before)?;
    let compared = agency.compared_checkpoints(&row, None, Some(number))?;
    let changed = agency.checkpoint_changes(&row, &compared)?;
    let (checkpoint, size) = all[at].clone();
    let shown = ShownCheckpoint {
        id: row.id,
        checkpoint: CheckpointView::new(checkpoint, size),
        messages: turn.messages,
        usage: turn.usage,
        changed_files: changed.iter().map(ChangedFile::noted).collect(),
    };
    context.answer(&shown, |out| {
        for (label, value) in shown.lines() {
            writeln!(out, "{label:<14}{}", field(&value))?;
        }
        Ok(())
    })
}

impl ShownCheckpoint {
    fn lines(&self) -> Vec<(&'static str, String)> {
        let checkpoint = &self.checkpoint;
        let taken_at = checkpoint.taken_at;
        let mut lines = vec![
            ("checkpoint", format!("{}, {}", checkpoint.number, checkpoint.cause_words())),
            ("taken", format!("{taken_at} ({} ago)", ago(Timestamp::now(), taken_at))),
            ("commit", checkpoint.commit.clone()),
        ];
        lines.extend(checkpoint.head.clone().map(|head| ("checked out", head)));
        lines.extend(checkpoint.conversation.clone().map(|conversation| ("conversation", conversation)));
        for (index, message) in self.messages.iter().flat_map(|message| message.lines()).enumerate() {
            lines.push((if index == 0 { "asked" } else { "" }, message.to_owned()));
        }
        lines.extend(self.usage.cost_usd.map(|cost| ("cost", dollars(cost))));
        lines.push(("changed", checkpoint.size_words()));
        for file in &self.changed_files {
            let count = match (file.added, file.removed) {
                (Some(added), Some(removed)) => format!("+{added} -{removed}"),
                (_, _) => "binary".to_owned(),
            };
            lines.push(("", format!("{} ({}, {count})", String::from_utf8_lossy(&file.bytes()), file.status)));
        }
        lines
    }
}
