//! The contracts between processes of possibly different versions: orders and reports over `launch.sock`, frames over
//! `control.sock`, and the client of the latter.
//!
//! The one rule: what is here depends on nothing above it, and whatever an earlier version sent is still understood.

mod control;
mod control_client;
mod orders;

pub use control::{
    ATTACH, CONTROL_VERSION, ClientVersion, INPUT, MAX_FRAME_BYTES, RESIZE, VERSION, WAIT, WAKE, WATCH,
    write_first_frame, write_frame,
};
pub use control_client::{StateWait, wait_for_change, wake_supervisor};
pub use orders::{
    Environment, LaunchOrders, Notify, ORDERS_VERSION, Report, RestartPlan, RestartRules, SESSION, Start, WORDS,
    receive_orders, receive_report, send_orders, send_report,
};
