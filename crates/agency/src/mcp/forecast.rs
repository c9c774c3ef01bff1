//! The tool `forecast`.

use std::path::PathBuf;

use agency_engine::forecast::ForecastRequest;
use schemars::JsonSchema;
use serde::Deserialize;

use super::reply::Reply;
use super::tool::Call;
use crate::problem::Problem;

/// What `forecast` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ForecastPlace {
    /// The repository; the one that the server was started in if absent.
    repo: Option<String>,
    /// The branch to merge into; for each run the one that it started from if absent.
    into: Option<String>,
}

/// Which runs would conflict.
pub(super) fn forecast(call: &Call) -> Result<Reply, Problem> {
    let ForecastPlace { repo, into } = call.input()?;
    let mut agency = call.context.agency()?;
    let place = call.context.current_directory()?.join(repo.map(PathBuf::from).unwrap_or_default());
    let root = agency.repository_at(&place)?.root().to_owned();
    Reply::new(&agency.forecast(&ForecastRequest::new(root).into(into))?)
}
