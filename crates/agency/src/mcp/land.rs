//! The tool `land_run`.
//!
//! The one rule: what is on the user's branch is the user's decision, so that only a setting of theirs lets an agent land
//! work.

use agency_engine::land::{LandProgress, LandRequest};
use agency_engine::store::Purpose;
use agency_model::{ErrorCode, escaped_line, shell_quoted};
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

/// Brings the work of a run into a branch, checked as the project says.
pub(super) fn land(call: &Call) -> Result<Reply, Problem> {
    let Landing { run, into, message } = call.input()?;
    let mut agency = call.context.agency()?;
    let row = call.context.select_for(&mut agency, &run, Purpose::Land)?;
    if !agency.config().mcp_allow_land {
        let command = match &into {
            Some(into) => format!("agency land {} --into {}", row.id, shell_quoted(into)),
            None => format!("agency land {}", row.id),
        };
        let message = "agents may not land work through this server, unless its user sets mcp.allow_land";
        return Err(Problem::new(ErrorCode::NotAllowed, message)
            .detail("run", &row.id)
            .hint(format!("the user can: {command}")));
    }
    let mut request = LandRequest::new();
    request.into = into;
    request.message = message;
    let mut tell = |progress: LandProgress<'_>| {
        if let LandProgress::CheckBegins { command, .. } = progress {
            call.tell(format!("check: {}", escaped_line(command)));
        }
    };
    Reply::new(&agency.land(&row, &request, &mut tell, &call.unwanted)?)
}
