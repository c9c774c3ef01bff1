//! The tool `inbox`.

use super::reply::Reply;
use super::tool::{Call, Nothing};
use crate::problem::Problem;
use crate::view::Inbox;

/// What agents ask, oldest first.
pub(super) fn list(call: &Call) -> Result<Reply, Problem> {
    let Nothing {} = call.input()?;
    let mut agency = call.context.agency()?;
    Reply::new(&Inbox::read(&mut agency)?)
}
