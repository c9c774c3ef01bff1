//! Everything that depends on the operating system: processes, terminals, sockets.
//!
//! The one rule: code that would differ on another platform, and every `unsafe`, is in here.

#![expect(unsafe_code, reason = "file descriptors and pre-exec hooks; each use says why it is sound")]

mod ancestry;
mod clock;
mod condition;
mod descriptors;
mod handle;
mod identity;
mod leftovers;
mod memory;
mod output;
mod proc_file;
mod read_order;
mod session;
mod socket;
mod stat;
mod terminal;

pub use ancestry::{Ancestor, ancestry};
pub use clock::monotonic;
pub use condition::{Condition, ProcessState};
pub use descriptors::{close_on_exec, file_in_memory, inherit};
pub use handle::ProcessHandle;
pub use identity::{FoundProcess, Identity, boot_id};
pub use leftovers::{
    carriers, end_found, end_run, kill_by_env, left_children, of_run, of_session, processes_of_run, reap_adopted,
};
pub use memory::release_own_code;
pub use output::output_with_timeout;
pub use read_order::{ReadFirst, ReadOrder};
pub use session::{adopt_orphans, in_new_session, leave_session, lower_priority, signal_group};
pub use socket::{bind_listener, connect};
pub use terminal::{
    RawTerminal, TerminalSize, end_of_input, leave_newlines_alone, newline_needs_return, open_own_terminal,
    own_terminal_name, own_terminal_size, set_terminal_size,
};

/// Names the run on every process of its agent.
pub const RUN_ID_VARIABLE: &str = "AGENCY_RUN_ID";

/// Set for everything that answers a question about sources, which may not ask another.
pub const ASK_VARIABLE: &str = "AGENCY_ASK";

/// Marks supervisors and the tmux server: processes that outlive the agent which happened to start them.
pub const INDEPENDENT_VARIABLE: &str = "AGENCY_INDEPENDENT";

/// Says which diagnostics are recorded. Agents do not get it: what they start would print diagnostics among their output.
pub const LOG_VARIABLE: &str = "AGENCY_LOG";

/// Marks the user's own programs that a supervisor starts for notifications.
pub const NOTIFICATION_VARIABLE: &str = "AGENCY_NOTIFICATION";
