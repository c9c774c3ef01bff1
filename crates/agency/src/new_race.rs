//! A race that is to begin: its prompt, and which agents race with which models, such as `claude_code`, `codex:gpt-5` and
//! `claude_code@opus`. Commands and the MCP server share it.

use agency_engine::config::Config;
use agency_engine::race::RaceRequest;
use agency_engine::runs::create::RunRequest;
use agency_model::ErrorCode;
use agency_model::spec::{LimitsDraft, RunnerDraft, SpecDraft};

use crate::context::Context;
use crate::problem::Problem;

/// What a new race is made of.
pub(crate) struct NewRace {
    pub(crate) prompt: String,
    pub(crate) agents: Vec<String>,
    pub(crate) verify: Option<String>,
    pub(crate) protect: Vec<String>,
    pub(crate) repo: Option<String>,
    pub(crate) base: Option<String>,
    pub(crate) max_minutes: Option<u32>,
}

impl NewRace {
    /// The runs that it starts.
    pub(crate) fn request(self, context: &Context) -> Result<RaceRequest, Problem> {
        let config = context.config()?;
        let mut runs = vec![];
        for text in &self.agents {
            let Racer { agent, args } = Racer::read(text, &config)?;
            let flags = SpecDraft {
                repo: self.repo.clone(),
                base_ref: self.base.clone(),
                runner: Some(RunnerDraft { kind: Some(agent), args: Some(args) }),
                limits: Some(LimitsDraft { max_minutes: self.max_minutes, ..LimitsDraft::default() }),
                ..SpecDraft::default()
            };
            let request = context.run_request(flags)?;
            runs.push(RunRequest { prompt_text: Some(self.prompt.clone()), ..request });
        }
        let mut request = RaceRequest::new(runs);
        (request.verify, request.protect) = (self.verify, self.protect);
        Ok(request)
    }
}

/// An agent that takes part.
#[derive(Debug, PartialEq, Eq)]
struct Racer {
    agent: String,
    /// The arguments that choose its model.
    args: Vec<String>,
}

impl Racer {
    /// Reads a name with a model after a colon or an at sign.
    fn read(text: &str, config: &Config) -> Result<Self, Problem> {
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
