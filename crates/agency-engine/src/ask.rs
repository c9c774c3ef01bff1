//! Questions about sources: a fresh agent reads exactly those sources and answers.
//!
//! The one rule: an ask is an ordinary run that leaves nothing behind but its record. Its agent cannot call agency.

mod answer;
mod chat;
mod command;
mod error;
mod prompt_template;
mod subagent_runner;

pub use chat::{ChatEnd, ChatRequest};
pub use error::AskError;
pub use prompt_template::{DEFAULT_TEMPLATE, PromptTemplate, TEMPLATE_FILE, TemplateError};
pub use subagent_runner::{Answer, AskRequest, SubagentRunner};
