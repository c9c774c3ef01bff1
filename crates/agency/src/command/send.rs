//! `agency send`: sends a message to a running agent.

use std::process::ExitCode;

use agency_engine::store::{Purpose, RunRow};
use agency_model::{ErrorCode, RunId};
use schemars::JsonSchema;
use serde::Serialize;

use super::RUN_HELP;
use crate::context::Context;
use crate::output::Spinner;
use crate::problem::Problem;
use crate::typed_text::given_text;

/// Send a message to a running agent
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    agency send fix \"Use the other parser\"\n  \
    agency send fix - < notes.md\n  \
    agency interrupt fix && agency send fix \"Leave the tests alone\"")]
pub(crate) struct Args {
    #[arg(help = RUN_HELP, allow_negative_numbers = true,
        add = super::completions::run_candidates(Purpose::ChangeLive))]
    run: String,
    /// The message; `-` takes it from standard input
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    text: String,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DeliveryView {
    pub(super) id: RunId,
    /// What the supervisor saw.
    pub(super) outcome: String,
    #[serde(skip)]
    pub(super) label: String,
}

impl DeliveryView {
    pub(super) fn new(row: &RunRow, outcome: String) -> Self {
        Self { id: row.id.clone(), outcome, label: row.label().to_owned() }
    }
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let text = message(&args.text)?;
    let mut agency = context.agency()?;
    let row = context.select_for(&mut agency, &args.run, Purpose::ChangeLive)?;
    let outcome = {
        let _spinner = Spinner::begin(format!("sending to {}", row.label()), context.is_watched());
        agency.send(&row, &text)?
    };
    let told = DeliveryView::new(&row, outcome);
    context.answer(&told, |out| writeln!(out, "{}: {}", told.label, told.outcome))
}

fn message(given: &str) -> Result<String, Problem> {
    let text = given_text(given.to_owned(), "message")?;
    if text.trim().is_empty() {
        return Err(Problem::new(ErrorCode::Usage, "the message is empty").hint("write the message"));
    }
    Ok(text)
}
