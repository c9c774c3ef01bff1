//! Changes of the user that are in the way: on a terminal, the user is asked what to do about them.

use agency_engine::land::{DirtyChoice, LandError};
use agency_model::{ErrorCode, escaped_line};

use crate::context::Context;
use crate::problem::Problem;
use crate::terminal::choose;

/// What the user chooses; `None` to cancel, where there is nothing to choose, and without a terminal.
pub(super) fn ask(error: &LandError, context: &Context) -> Result<Option<DirtyChoice>, Problem> {
    let LandError::Dirty { target, checkouts, .. } = error else { return Ok(None) };
    if context.json() || !context.is_at_terminal() {
        return Ok(None);
    }
    for checkout in checkouts {
        context.say(&format!("{} has uncommitted changes that are in the way:", checkout.path.display()));
        for file in &checkout.files {
            context.say(&format!("  {}", escaped_line(&file.display().to_string())));
        }
    }
    let question = format!(
        "{target} was not changed. [r]etry after you committed or stashed them, [s]ave them to a ref and land, [c]ancel?"
    );
    let chosen = choose(&question, &['r', 's', 'c']);
    match chosen.map_err(|error| Problem::new(ErrorCode::Io, format!("the terminal: {error}")))? {
        Some('r') => Ok(Some(DirtyChoice::Block)),
        Some('s') => Ok(Some(DirtyChoice::Save)),
        Some(_) | None => Ok(None),
    }
}
