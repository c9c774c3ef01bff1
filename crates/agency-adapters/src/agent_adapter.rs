//! The contract of every adapter: everything that is specific to one agent program.
//!
//! The one rule: each method has a default that is safe for a program of which only the command is known, so an adapter
//! states only in what its agent differs.

use std::any::TypeId;

use super::launch::{Adjusted, LaunchHabits, Program, launch_config};
use super::{
    AdapterError, Conversations, LaunchConfig, LaunchRequest, McpClient, McpSettings, PassServers, ReadOnlyMode,
    SandboxSettings, TrustSettings, Variables,
};

/// Everything that is specific to one agent program.
///
/// ```
/// use agency_adapters::{AgentAdapter, find_adapter, register};
///
/// struct Mine;
///
/// impl AgentAdapter for Mine {
///     fn name(&self) -> &'static str {
///         "mine"
///     }
///
///     fn aliases(&self) -> &'static [&'static str] {
///         &["my_agent"]
///     }
///
///     fn defaults(&self) -> &'static str {
///         "[agents.mine]\ncommand = \"my-agent\"\nprompt = \"stdin\""
///     }
/// }
///
/// // A program gives it to `agency_engine::Init` and to its `AgencyBuilder`, which do this.
/// register("mine", &Mine)?;
/// assert!(find_adapter("mine").is_some());
/// # Ok::<(), agency_adapters::RegisterError>(())
/// ```
pub trait AgentAdapter: Send + Sync {
    /// The agent's name in the configuration.
    fn name(&self) -> &'static str;

    /// Which type this is, so that another one of the same name is noticed.
    #[doc(hidden)]
    fn type_id(&self) -> TypeId
    where
        Self: 'static,
    {
        TypeId::of::<Self>()
    }

    /// Other names that users give it, with `_` for each `-`: that of its program, for example.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// Its entry of the configuration, `[agents.<name>]`, as a TOML document.
    fn defaults(&self) -> &'static str;

    /// Whether the program is agency itself.
    fn is_own_program(&self) -> bool {
        false
    }

    /// The version that agency is tested with.
    fn tested_version(&self) -> Option<&'static str> {
        None
    }

    /// How the program is installed.
    fn install_hint(&self) -> Option<&'static str> {
        None
    }

    /// The rules by which its screen is read, as a TOML document.
    fn screen_rules(&self) -> Option<&'static str> {
        None
    }

    /// The arguments that choose a model.
    fn model_arguments(&self, model: &str) -> Vec<String> {
        vec!["--model".to_owned(), model.to_owned()]
    }

    /// Changes the arguments and variables of one process: trust in its directory, the roots of its sandbox.
    fn adjust_launch(&self, _request: &LaunchRequest<'_>, _user_args: &[&String], _launch: &mut Adjusted) {}

    /// The user's own settings of its sandbox; none for an agent without a sandbox.
    fn sandbox_settings(&self) -> Option<SandboxSettings> {
        None
    }

    /// How it is given MCP servers where its protocol does not carry them; none where that is not known.
    fn mcp_servers(&self) -> Option<PassServers> {
        None
    }

    /// The user's settings that passed MCP servers are added to.
    fn mcp_settings(&self, _environment: &Variables) -> McpSettings {
        McpSettings::None
    }

    /// How it is registered as a client of an MCP server, for all its conversations; none where that is not known.
    fn mcp_client(&self) -> Option<McpClient> {
        None
    }

    /// How it is started so that it can only read; none where that is not known.
    fn read_only(&self) -> Option<ReadOnlyMode> {
        None
    }

    /// The user's own settings in which a directory is marked as trusted; none for agents that learn it in another way.
    fn trust_settings(&self) -> Option<TrustSettings> {
        None
    }

    /// The arguments that name a new conversation on its screen, with `{session}` for the name; none if it takes no
    /// name.
    fn session_args(&self) -> Option<&'static [&'static str]> {
        None
    }

    /// Where it keeps its conversations; none where that is not known. The caller checks the spelling of their ids.
    fn conversations(&self, _environment: &Variables) -> Option<Conversations> {
        None
    }

    /// Whether a conversation is lost if it is resumed within the minute of its last message.
    fn loses_conversation_within_minute(&self) -> bool {
        false
    }

    /// The command line, the variables and the first input of one process.
    fn launch_config(&self, program: &Program<'_>, request: &LaunchRequest<'_>) -> Result<LaunchConfig, AdapterError> {
        let habits = LaunchHabits {
            session_args: self.session_args(),
            mcp_servers: self.mcp_servers(),
            adjust: &|user_args, launch| self.adjust_launch(request, user_args, launch),
        };
        launch_config(&habits, program, request)
    }
}

impl std::fmt::Debug for dyn AgentAdapter {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

impl PartialEq for dyn AgentAdapter {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for dyn AgentAdapter {}
