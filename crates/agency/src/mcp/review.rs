//! The tool `review_run`.

use agency_engine::store::Purpose;
use agency_model::review::{MisplacedComment, NewComment};
use schemars::JsonSchema;
use serde::Deserialize;

use super::reply::Reply;
use super::tool::Call;
use crate::context::user_name;
use crate::problem::Problem;
use crate::view::{ReviewView, SentView};

/// What `review_run` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Remarks {
    /// The run: its id, the beginning of its id, or its name.
    run: String,
    /// Comments to store, each FILE:LINE:TEXT, FILE:FIRST-LAST:TEXT, or FILE::TEXT for the whole file.
    #[serde(default)]
    comments: Vec<String>,
    /// Whether all open comments are sent to the agent, as one message; a finished run is continued. false if absent.
    #[serde(default)]
    send: bool,
}

/// Stores comments on the work of a run, sends them, and says what became of all of them.
pub(super) fn review(call: &Call) -> Result<Reply, Problem> {
    let Remarks { run, comments, send } = call.input()?;
    let mut agency = call.context.agency()?;
    let row = call.context.select_for(&mut agency, &run, Purpose::Read)?;
    let comments =
        comments.iter().map(|text| text.parse::<NewComment>()).collect::<Result<Vec<_>, MisplacedComment>>()?;
    let added = if comments.is_empty() { vec![] } else { agency.comment(&row, &user_name(), &comments)? };
    let sent = if send {
        call.tell(format!("sending comments to {}", row.id));
        let sent = agency.send_review(&row, &call.unwanted)?;
        Some(SentView { run_id: sent.run.id, comments: sent.comments, outcome: sent.outcome })
    } else {
        None
    };
    Reply::new(&ReviewView::new(&row, agency.review(&row)?, added, sent))
}
