//! The run that an argument names, for all commands.

use agency_engine::agency::Agency;
use agency_engine::store::{Purpose, RunRow, Selected};
use agency_model::ErrorCode;

use crate::context::Context;
use crate::problem::Problem;

impl Context {
    /// The one run that is shown by what the user typed.
    pub(crate) fn select(&self, agency: &mut Agency, text: &str) -> Result<RunRow, Problem> {
        self.select_for(agency, text, Purpose::Read)
    }

    /// The one run that a command is about to act on.
    pub(crate) fn select_for(&self, agency: &mut Agency, text: &str, purpose: Purpose) -> Result<RunRow, Problem> {
        match agency.select_for(text, purpose)? {
            Selected::One(row) => Ok(*row),
            Selected::None => Err(not_found(agency, text)),
            Selected::Several(rows) => Err(ambiguous(&rows, text)),
        }
    }
}

fn not_found(agency: &Agency, text: &str) -> Problem {
    let hint = match agency.nearest_name(text) {
        Ok(Some(name)) => format!("did you mean {name}? agency ls --all lists all runs"),
        Ok(None) | Err(_) => "agency ls --all lists all runs".to_owned(),
    };
    Problem::new(ErrorCode::RunNotFound, format!("no run matches '{text}'")).detail("run", text).hint(hint)
}

fn ambiguous(rows: &[RunRow], text: &str) -> Problem {
    let candidates: Vec<String> = rows.iter().map(|row| row.id.to_string()).collect();
    let names: Vec<&str> = rows.iter().map(RunRow::label).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    let list: String =
        rows.iter().map(|row| format!("\n  {:<width$}  {:<9}  {}", row.label(), row.state, row.id)).collect();
    Problem::new(ErrorCode::AmbiguousRun, format!("'{text}' matches several runs:{list}"))
        .detail("candidates", candidates)
        .detail("names", names)
        .hint("give the whole name, or more of the id")
}
