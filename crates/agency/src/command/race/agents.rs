//! `claude_code,codex:gpt-5,claude_code@opus`: which agents race, and with which models.

use agency_engine::config::Config;

use crate::problem::Problem;
use agency_model::ErrorCode;

/// An agent that takes part.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Racer {
    pub(super) agent: String,
    /// The arguments that choose its model.
    pub(super) args: Vec<String>,
}

impl Racer {
    /// Reads a name with a model after a colon or an at sign.
    pub(super) fn read(text: &str, config: &Config) -> Result<Self, Problem> {
        let (agent, model) = text.split_once([':', '@']).map_or((text, None), |(agent, model)| (agent, Some(model)));
        if agent.is_empty() || model == Some("") {
            return Err(Problem::new(ErrorCode::Usage, format!("'{text}' is not AGENT, AGENT:MODEL or AGENT@MODEL"))
                .hint("agency config show lists the configured agents"));
        }
        let args = match (model, config.agent(agent)) {
            (None, _) => vec![],
            (Some(model), Some((_, found))) => found.adapter.model_arguments(model),
            // That the agent is unknown is said when the run is planned.
            (Some(_), None) => vec![],
        };
        Ok(Self { agent: agent.to_owned(), args })
    }
}
