//! How things look on a terminal.

mod activity;
mod cost;
mod event;
mod pager;
mod progress;
mod spinner;
mod style;
mod surface;
mod table;
mod time;

pub(crate) use activity::{ActivityLine, activity_words};
pub(crate) use cost::dollars;
pub(crate) use event::readable;
pub(crate) use pager::Pager;
pub(crate) use progress::{Phases, Progress};
pub(crate) use spinner::Spinner;
pub(crate) use style::styled;
pub(crate) use surface::{Data, Surface, field, plain};
pub(crate) use table::{columns, state_word};
pub(crate) use time::{ago, took};

pub(crate) use agency_model::parse_duration;
