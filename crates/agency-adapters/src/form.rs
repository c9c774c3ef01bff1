//! One form in which an agent is started.

use super::{PromptDelivery, StreamFormat};

/// One form in which an agent is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// Arguments, put before the user's.
    pub args: Vec<String>,
    /// How the prompt reaches the agent.
    pub prompt: PromptDelivery,
    /// What it prints.
    pub stream: StreamFormat,
    /// The arguments instead of `args` that resume a conversation; `{session}` stands for its id. Absent if the agent
    /// cannot do that in this form.
    pub resume: Option<Vec<String>>,
}

impl Form {
    /// Whether the agent takes messages while it runs on pipes.
    #[must_use]
    pub fn is_two_way(&self) -> bool {
        self.prompt == PromptDelivery::Protocol
    }

    /// Whether the protocol itself carries MCP servers.
    #[must_use]
    pub fn carries_mcp_servers(&self) -> bool {
        self.is_two_way() && self.stream == StreamFormat::Acp
    }
}
