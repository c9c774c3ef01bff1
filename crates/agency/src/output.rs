//! How things look to people.

mod activity;
mod spinner;
mod table;
mod time;

pub(crate) use activity::{ActivityLine, activity_words};
pub(crate) use spinner::Spinner;
pub(crate) use table::{columns, run_table, state_word};
pub(crate) use time::{ago, parse_duration};
