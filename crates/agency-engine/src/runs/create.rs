//! `agency run`: from a spec to a running agent.
//!
//! First a [`Plan`], made and checked without touching anything; then its execution, in steps that
//! can be undone or reconciled wherever they break off.

mod adapters;
mod ask;
mod environment;
mod error;
mod execute;
mod files;
mod launching;
mod mcp_servers;
mod notify;
mod plan;
mod recursion;
mod resume;
mod supervisor;
mod uncommitted;
mod validate;
mod vcs;
mod version;

pub use adapters::{Adapter, Supports};
pub(crate) use ask::AskPlan;
pub use environment::read_environment_file;
pub use error::{CreateError, PathUse};
pub use mcp_servers::read_mcp_config;
pub use plan::{InputFingerprint, Plan, Resume, RunRequest, WorkflowMember};
pub use resume::{ResumeFallback, ResumeRequest};
pub(crate) use validate::{SearchPath, find_program};
