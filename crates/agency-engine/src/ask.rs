//! Questions about sources: a fresh agent reads exactly those sources and answers.
//!
//! The one rule: an ask is an ordinary run that leaves nothing behind but its record. Its agent cannot call agency.
//!
//! ```standalone_crate
//! use std::sync::atomic::AtomicBool;
//!
//! use agency_engine::agency::Agency;
//! use agency_engine::ask::{AskRequest, SubagentRunner};
//! use agency_engine::config::{Config, Environment};
//! use agency_engine::sources::{Source, Sources};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     agency_engine::init();
//!     # let place = tempfile::tempdir()?;
//!     # let place = place.path();
//!     # std::fs::create_dir(place.join("docs"))?;
//!     # std::fs::write(place.join("docs/timeouts.md"), "The timeout is 42 s.\n")?;
//!     // An agent of one's own is started with a command of one's own; those that are built in need none.
//!     let file = place.join("config.toml");
//!     std::fs::write(&file, "[agents.reader]\ncommand = \"cat\"\nask = \"cat docs/timeouts.md\"\n")?;
//!     let config = Config::load(Some(&file), &Environment::default())?;
//!     let agency = Agency::builder().home(place.join("home")).config(config).build()?;
//!
//!     let sources = Sources::beside(&file, &agency.home().sources());
//!     sources.add(&Source::directory("docs", place.join("docs")))?;
//!     let request = AskRequest::new("What is the timeout?").source("docs").agent("reader");
//!     let answer = SubagentRunner::new(agency, sources).ask(&request, &mut |_event| {}, &AtomicBool::new(false))?;
//!     assert_eq!(answer.answer, "The timeout is 42 s.\n");
//!     Ok(())
//! }
//! ```

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
