//! `agency run`: from a spec to a running agent.
//!
//! First a [`Plan`], made and checked without touching anything; then its execution, in steps that
//! can be undone or reconciled wherever they break off.
//!
//! ```standalone_crate
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/runs/example.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (mut agency, run, place) = start(PLAIN)?;
//! # let repository = run.repo_path.clone();
//! // The plan says what would be done: nothing is touched yet.
//! let plan = agency.plan(RunRequest::new(repository, "small").prompt("Count").name("count").mode(Mode::Headless).host(Host::Detached))?;
//! assert!(!plan.worktree(agency.home()).unwrap().exists());
//! let created = agency.create(&plan, &AtomicBool::new(false))?;
//! assert!(std::path::Path::new(created.worktree_path.as_deref().unwrap()).exists());
//! # agency.wait(&created.id, None, State::is_terminal)?;
//! # agency.wait(&run.id, None, State::is_terminal)?;
//! # Ok(())
//! # }
//! ```

mod adapters;
mod ask;
mod asked_from;
mod complete;
mod continuation;
mod environment;
mod error;
mod execute;
mod files;
mod find_agent;
mod launching;
mod materialise;
mod mcp_servers;
mod naming;
mod new_run;
mod notify;
mod origin;
mod plan;
mod recursion;
mod request;
mod resume;
mod run_files;
mod supervisor;
mod uncommitted;
mod validate;
mod vcs;
mod version;
mod worktree_setup;

pub use adapters::{Adapter, Supports};
pub(crate) use ask::AskPlan;
pub use environment::read_environment_file;
pub use error::{CreateError, PathUse};
pub(crate) use find_agent::{SearchPath, find_program};
pub use mcp_servers::read_mcp_config;
pub use naming::RunName;
pub use origin::{Resume, RunOrigin};
pub use plan::{InputFingerprint, Plan, PlannedPrompt};
pub use request::{RunRequest, SetupChoice, WorkflowMember};
pub use resume::{ResumeFallback, ResumeRequest};
pub(crate) use supervisor::{SupervisorStart, SupervisorThread};

/// Where the prompt lies in a worktree when it was given as text.
const PROMPT_IN_WORKTREE: &str = "./.agency/prompt.md";
