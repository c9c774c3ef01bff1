//! The user's terminal: single keys, and the connection of it with an agent's terminal.

mod attach;
mod editor;
mod keyboard;

pub(crate) use attach::{AttachEnd, attach_terminal};
pub(crate) use editor::{edit, editor};
pub(crate) use keyboard::{Key, Keyboard};
