//! The tool `land_run`.
//!
//! The one rule: what is on the user's branch is the user's decision, so that an agent lands work only after an answer in
//! the inbox, or with a setting of the user.

use agency_engine::land::{LandProgress, LandRequest};
use agency_engine::store::Purpose;
use agency_model::escaped_line;
use schemars::JsonSchema;
use serde::Deserialize;

use super::reply::Reply;
use super::tool::Call;
use crate::problem::Problem;

/// What `land_run` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Landing {
    /// The run: its id, the beginning of its id, or its name.
    run: String,
    /// The branch to land on; the one that the run started from, if absent.
    into: Option<String>,
    /// The message of commits; the agent's final answer, or its prompt, if absent.
    message: Option<String>,
}

/// Brings the work of a run into a branch, checked as the project says. The user is asked first.
pub(super) fn land(call: &Call) -> Result<Reply, Problem> {
    let Landing { run, into, message } = call.input()?;
    let mut agency = call.context.agency()?;
    let row = call.context.select_for(&mut agency, &run, Purpose::Land)?;
    let mut request = LandRequest::new();
    request.into = into;
    request.message = message;
    let mut tell = |progress: LandProgress<'_>| {
        if let LandProgress::AsksUser { question } = progress {
            call.tell(format!("waiting for the user to answer {question} (agency inbox)"));
        } else if let LandProgress::CheckBegins { command, .. } = progress {
            call.tell(format!("check: {}", escaped_line(command)));
        }
    };
    Reply::new(&agency.land_for_agent(&row, &request, &mut tell, &call.unwanted)?)
}
