//! The workflows of a project: its files, its spells, and the task they are run over.
//!
//! The one rule: everything is read before anything is done, and nothing that is read is executed here.
//!
//! ```
//! use agency_engine::config::Config;
//! use agency_engine::workflow::{Project, init, load, render};
//! use agency_model::workflow::Task;
//!
//! # let place = tempfile::tempdir()?;
//! # let directory = place.path();
//! init(directory)?;
//! let project = Project::around(directory);
//! let file = project.workflow_file("implement-test-merge".as_ref())?;
//! let workflow = load(&project, &file, &Config::default(), None)?;
//! let step = workflow.plan.all_steps().next().map(|step| step.name.clone()).unwrap_or_default();
//! let prompt = render(&workflow, &step, &Task::new("Fix the login test", ""), None)?;
//! assert!(prompt.text.contains("Fix the login test"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod load;
mod project;
mod project_file;
mod render;
mod starter;
mod task;

pub use error::WorkflowError;
pub use load::{Loaded, load};
pub use project::{BUILT_IN_SYSTEM_PROMPT, Project};
pub use render::{Rendered, render};
pub use starter::{Written, WrittenFile, init};
pub use task::{TaskFrom, read_task};
