//! `agency workflow ls`: the sessions.

use std::process::ExitCode;

use agency_model::SessionId;
use agency_model::workflow::SessionState;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::tree::session_word;
use crate::context::Context;
use crate::output::{ago, columns};
use crate::problem::Problem;

/// List the sessions, newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency workflow ls\n  agency workflow ls --state blocked")]
pub(crate) struct Args {
    /// Only sessions in this state
    #[arg(long, value_name = "STATE", value_parser = clap::builder::PossibleValuesParser::new(
        SessionState::ALL.iter().map(|state| state.as_str())))]
    state: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Sessions {
    sessions: Vec<Listed>,
}

/// A session in a list.
#[derive(Debug, Serialize, JsonSchema)]
struct Listed {
    session: SessionId,
    workflow: String,
    state: SessionState,
    /// Why it is not being driven, where it is not completed.
    reason: Option<String>,
    /// Whether a driver executes it now.
    driven: bool,
    /// The title of the task.
    task: String,
    repo: String,
    created_at: Timestamp,
    updated_at: Timestamp,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let orchestrator = super::orchestrator(context)?;
    let wanted = args.state.as_deref().and_then(|text| text.parse::<SessionState>().ok());
    let mut sessions = vec![];
    for agency_engine::orchestrator::ListedSession { id, session } in orchestrator.list()? {
        let session = match session {
            Ok(session) => session,
            Err(error) => {
                context.say(&format!("warning: {id} cannot be read: {error}"));
                continue;
            }
        };
        let state = session.state();
        if wanted.is_some_and(|wanted| wanted != state) {
            continue;
        }
        sessions.push(Listed {
            workflow: session.record.plan.name.clone(),
            state,
            reason: session.flow.reason().map(str::to_owned),
            driven: orchestrator.sessions().is_driven(&id).unwrap_or(false),
            task: session.record.task.title().to_owned(),
            repo: session.record.repo.clone(),
            created_at: session.record.created_at,
            updated_at: session.updated_at(),
            session: id,
        });
    }
    let answer = Sessions { sessions };
    context.answer(&answer, |out| {
        if answer.sessions.is_empty() {
            return writeln!(out, "No sessions. Start one with agency workflow run FILE.");
        }
        write!(out, "{}", table(&answer.sessions))
    })
}

fn table(sessions: &[Listed]) -> String {
    let now = Timestamp::now();
    let row = |listed: &Listed| {
        let state = session_word(listed.state);
        vec![
            listed.session.to_string(),
            if listed.driven || listed.state.is_settled() { state } else { format!("{state} (not driven)") },
            ago(now, listed.created_at),
            listed.workflow.clone(),
            listed.task.chars().take(60).collect(),
        ]
    };
    columns(&["SESSION", "STATE", "AGE", "WORKFLOW", "TASK"], sessions.iter().map(row).collect())
}
