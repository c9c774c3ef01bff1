//! The tools: their names, what they take and give, and what each does.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use agency_engine::forecast::Forecast;
use agency_engine::land::Landed;
use agency_model::ErrorCode;
use rmcp::model::{Tool as Definition, ToolAnnotations};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use super::reply::Reply;
use super::schema::{plain, plain_input};
use super::{checkpoints, forecast, inbox, land, race, review, run_agent, runs, sources};
use crate::context::Context;
use crate::problem::Problem;
use crate::view::{
    Answered, Checkpoints, Inbox, RaceView, RestoredCheckpoint, ReviewView, RunView, Runs, Shown, SourceList,
};

/// Something that a client can call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    ListSources,
    AskSources,
    RunAgent,
    ListRuns,
    ShowRun,
    RunOutput,
    StopRun,
    LandRun,
    Forecast,
    ReviewRun,
    ListCheckpoints,
    RestoreCheckpoint,
    StartRace,
    ShowRace,
    Inbox,
}

/// One call of a tool.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) context: Context,
    pub(super) arguments: Value,
    /// Takes what is of interest to a waiting client.
    pub(super) news: mpsc::Sender<String>,
    /// Set once the answer is not needed any more.
    pub(super) unwanted: Arc<AtomicBool>,
}

impl Call {
    /// What the tool was given.
    pub(super) fn input<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        serde_path_to_error::deserialize(&self.arguments).map_err(|error| {
            let (path, message) = (error.path().to_string(), error.inner().to_string());
            let message = if path == "." { message } else { format!("{path}: {message}") };
            Problem::new(ErrorCode::Usage, message)
                .detail("field", path)
                .hint("the tool's input schema says what it takes")
        })
    }

    /// Says what happens now.
    pub(super) fn tell(&self, message: String) {
        // A slow client gets fewer notifications.
        let _ = self.news.try_send(message);
    }
}

/// For tools that take nothing.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

/// What a tool does to the world, as clients show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ToolEffect {
    Reads,
    Adds,
    Ends,
}

impl Tool {
    /// All tools.
    pub(crate) const ALL: &[Self] = &[
        Self::ListSources,
        Self::AskSources,
        Self::RunAgent,
        Self::ListRuns,
        Self::ShowRun,
        Self::RunOutput,
        Self::StopRun,
        Self::LandRun,
        Self::Forecast,
        Self::ReviewRun,
        Self::ListCheckpoints,
        Self::RestoreCheckpoint,
        Self::StartRace,
        Self::ShowRace,
        Self::Inbox,
    ];

    /// Its name.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::ListSources => "list_sources",
            Self::AskSources => "ask_sources",
            Self::RunAgent => "run_agent",
            Self::ListRuns => "list_runs",
            Self::ShowRun => "show_run",
            Self::RunOutput => "run_output",
            Self::StopRun => "stop_run",
            Self::LandRun => "land_run",
            Self::Forecast => "forecast",
            Self::ReviewRun => "review_run",
            Self::ListCheckpoints => "list_checkpoints",
            Self::RestoreCheckpoint => "restore_checkpoint",
            Self::StartRace => "start_race",
            Self::ShowRace => "show_race",
            Self::Inbox => "inbox",
        }
    }

    /// The tool with that name.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|tool| tool.as_str() == name)
    }

    /// Whether its work is useless once the client is gone.
    pub(super) const fn is_for_its_client(self) -> bool {
        match self {
            // A check or a verification without a waiting client is ended; what has landed or was verified stays.
            Self::AskSources | Self::LandRun | Self::ShowRace => true,
            Self::ListSources
            | Self::RunAgent
            | Self::ListRuns
            | Self::ShowRun
            | Self::RunOutput
            | Self::StopRun
            | Self::Forecast
            | Self::ReviewRun
            | Self::ListCheckpoints
            | Self::RestoreCheckpoint
            | Self::StartRace
            | Self::Inbox => false,
        }
    }

    /// What it is for, as a model reads it.
    const fn description(self) -> &'static str {
        match self {
            Self::ListSources => {
                "List the sources that ask_sources can be asked about: repositories, directories and files on this \
                 machine, each with its name, description and groups. A source with a problem cannot be asked about."
            }
            Self::AskSources => {
                "Ask a question about one or more sources. A fresh agent, which knows nothing of this conversation, \
                 reads exactly those sources and answers; so the question must say everything that matters. Takes \
                 seconds to minutes. Cancelling the call stops the agent."
            }
            Self::RunAgent => {
                "Start a coding agent on a task, in a worktree and branch of its own, and return at once with the new \
                 run. The run continues on its own: show_run shows its state, run_output its output."
            }
            Self::ListRuns => "List runs of agents, newest first.",
            Self::ShowRun => {
                "Show everything about one run: its state, its branch, its last answer and the files it changed."
            }
            Self::RunOutput => "Read the last lines of what the agent of a run printed, as plain text.",
            Self::StopRun => "Stop a run: the agent is ended, its worktree and its work stay.",
            Self::LandRun => {
                "Bring the work of a finished or idle run into a branch: commit it, merge it, run the checks of the \
                 project on the merged files, and move the branch. The user is asked in the inbox first and waited for; \
                 if the call ends before the answer, call again later: the answer is kept."
            }
            Self::Forecast => {
                "Find out which runs of a repository would conflict with their target branch or with each other, and in \
                 which files, before any of them is merged. Nothing is changed."
            }
            Self::ReviewRun => {
                "Comment on lines of what a run changed, send all open comments to its agent as one message, and see which \
                 comments were addressed. Without comments and send, only the list."
            }
            Self::ListCheckpoints => {
                "List the checkpoints of a run: the state of its files at the end of each turn, the last one first."
            }
            Self::RestoreCheckpoint => {
                "Change the files of a run whose agent is idle or has ended to what a checkpoint has. What they are before is \
                 in another checkpoint, so this can be taken back."
            }
            Self::StartRace => {
                "Give two or more agents or models the same prompt, each in a worktree of its own, and return at once. \
                 show_race compares the results; land_run lands one."
            }
            Self::ShowRace => {
                "Show the runs of a race, the best first: verified or not, files, lines, cost, time, conflicts. With wait, wait \
                 for all of them and verify each in turn, which takes as long as they do."
            }
            Self::Inbox => {
                "List what agents ask their user and wait for, oldest first. The user answers with agency answer."
            }
        }
    }

    const fn effect(self) -> ToolEffect {
        match self {
            Self::ListSources
            | Self::AskSources
            | Self::ListRuns
            | Self::ShowRun
            | Self::RunOutput
            | Self::Forecast
            | Self::ListCheckpoints
            | Self::Inbox => ToolEffect::Reads,
            // To verify is to execute what agents wrote.
            Self::RunAgent | Self::LandRun | Self::ReviewRun | Self::StartRace | Self::ShowRace => ToolEffect::Adds,
            Self::StopRun | Self::RestoreCheckpoint => ToolEffect::Ends,
        }
    }

    fn input(self) -> Map<String, Value> {
        match self {
            Self::ListSources | Self::Inbox => plain_input::<Nothing>(),
            Self::AskSources => plain_input::<sources::Question>(),
            Self::RunAgent => plain_input::<run_agent::Task>(),
            Self::ListRuns => plain_input::<runs::Which>(),
            Self::ShowRun | Self::StopRun | Self::ListCheckpoints => plain_input::<runs::One>(),
            Self::ReviewRun => plain_input::<review::Remarks>(),
            Self::RestoreCheckpoint => plain_input::<checkpoints::Restoring>(),
            Self::StartRace => plain_input::<race::Racing>(),
            Self::ShowRace => plain_input::<race::WhichRace>(),
            Self::LandRun => plain_input::<land::Landing>(),
            Self::RunOutput => plain_input::<runs::Lines>(),
            Self::Forecast => plain_input::<forecast::ForecastPlace>(),
        }
    }

    fn output(self) -> Map<String, Value> {
        match self {
            Self::ListSources => plain::<SourceList>(),
            Self::AskSources => plain::<Answered>(),
            Self::RunAgent => plain::<run_agent::Started>(),
            Self::ListRuns => plain::<Runs>(),
            Self::ShowRun => plain::<Shown>(),
            Self::RunOutput => plain::<runs::Output>(),
            Self::StopRun => plain::<RunView>(),
            Self::LandRun => plain::<Landed>(),
            Self::Forecast => plain::<Forecast>(),
            Self::ReviewRun => plain::<ReviewView>(),
            Self::ListCheckpoints => plain::<Checkpoints>(),
            Self::RestoreCheckpoint => plain::<RestoredCheckpoint>(),
            Self::StartRace | Self::ShowRace => plain::<RaceView>(),
            Self::Inbox => plain::<Inbox>(),
        }
    }

    /// The tool as clients see it.
    pub(super) fn definition(self) -> Definition {
        let effect = self.effect();
        let annotations =
            ToolAnnotations::new().read_only(effect == ToolEffect::Reads).destructive(effect == ToolEffect::Ends);
        Definition::new(self.as_str(), self.description(), Arc::new(self.input()))
            .with_raw_output_schema(Arc::new(self.output()))
            .with_annotations(annotations)
    }

    /// Does it. Blocks.
    pub(super) fn call(self, call: &Call) -> Result<Reply, Problem> {
        match self {
            Self::ListSources => sources::list(call),
            Self::AskSources => sources::ask(call),
            Self::RunAgent => run_agent::start(call),
            Self::ListRuns => runs::list(call),
            Self::ShowRun => runs::show(call),
            Self::RunOutput => runs::output(call),
            Self::StopRun => runs::stop(call),
            Self::LandRun => land::land(call),
            Self::Forecast => forecast::forecast(call),
            Self::ReviewRun => review::review(call),
            Self::ListCheckpoints => checkpoints::list(call),
            Self::RestoreCheckpoint => checkpoints::restore(call),
            Self::StartRace => race::start(call),
            Self::ShowRace => race::show(call),
            Self::Inbox => inbox::list(call),
        }
    }
}
