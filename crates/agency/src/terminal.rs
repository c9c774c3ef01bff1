//! The user's terminal: single keys, and the connection of it with an agent's terminal.

mod attach;
mod choice;
mod editor;
mod keyboard;
mod leaving_tmux;

pub(crate) use attach::{AttachEnd, attach_terminal};
pub(crate) use choice::choose;
pub(crate) use editor::{edit, editor};
pub(crate) use keyboard::{Key, Keyboard, put_back};
pub(crate) use leaving_tmux::{tell_how_to_leave, tell_how_to_return};
