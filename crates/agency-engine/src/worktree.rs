//! What a worktree gets beside the files of its commit: copies, links, the effects of commands, ports.
//!
//! The one rule: only what the user approved is copied, linked or executed, and no path leaves the checkout or the worktree.
//!
//! ```
//! use agency_engine::worktree::port_variable;
//!
//! assert_eq!(port_variable("web"), "AGENCY_PORT_WEB");
//! ```

mod files;
mod ports;
mod preparation;
mod selection;
mod settings;
mod shell;
mod state;

pub(crate) use self::files::{place_files, remove_copies};
pub use self::ports::port_variable;
pub(crate) use self::ports::{FIRST_PORT, PORTS, is_free, port_variables};
pub(crate) use self::preparation::Preparation;
pub use self::preparation::PrepareError;
pub use self::selection::{PlannedFile, PlannedLink};
pub(crate) use self::selection::{Selection, select};
pub use self::settings::WorktreeSettings;
pub(crate) use self::settings::{DEFAULT_MAX_MB, DEFAULT_SETUP_MINUTES, DEFAULT_TEARDOWN_MINUTES, check_path};
pub use self::shell::CommandEnd;
pub(crate) use self::shell::{Marker, OwnChild, SETUP_VARIABLE, ShellCommand, TREE_VARIABLE, end_all};
pub(crate) use self::state::PreparedState;
#[doc(hidden)]
pub use self::state::WorktreeOrders;
