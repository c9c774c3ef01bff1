//! Reads and writes the files of agents, and asks their programs, as their adapters describe.
//!
//! The one rule: agents can write most of these files, so nothing in them is trusted beyond what the description says.

mod conversations;
mod listing;
mod screen_rules;
mod settings;
mod trust;

pub use conversations::{ConversationSearch, find_conversation};
pub use listing::listed_servers;
pub use screen_rules::{ScreenRulesFileError, load_screen_rules};
pub use settings::{AgentSettings, mcp_settings, sandbox_roots};
pub use trust::{grant_trust, revoke_trust};
