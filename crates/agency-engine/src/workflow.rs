//! The workflows of a project: its files, its spells, and the task they are run over.
//!
//! The one rule: everything is read before anything is done, and nothing that is read is executed here.

mod error;
mod load;
mod project;
mod render;
mod starter;
mod task;

pub use error::WorkflowError;
pub use load::{Loaded, load};
pub use project::{BUILT_IN_SYSTEM_PROMPT, Project};
pub use render::{Rendered, render};
pub use starter::{Written, WrittenFile, init};
pub use task::{TaskFrom, read_task};
