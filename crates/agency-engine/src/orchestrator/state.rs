//! The files of a session: readable at any moment, whichever process writes them or dies.

mod directory;
mod error;
mod journal;
mod manager;
mod record;
mod session;
mod tree;

pub use directory::SessionDirectory;
pub use error::SessionError;
pub use journal::Journal;
pub use manager::SessionManager;
pub use record::{KeptSpell, NewSession, SESSION_VERSION, SessionRecord};
pub use session::WorkflowSession;
pub use tree::{StepNode, StepState};
