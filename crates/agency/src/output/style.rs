//! Our own colours, which text from outside cannot imitate.
//!
//! The one rule: a style carries a number that only this process knows. What shows text on a terminal takes the number
//! out of our styles, and escapes every other sequence.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

use anstyle::Style;

/// A text in a style.
pub(crate) fn styled(style: Style, text: &str) -> String {
    let marked = |sequences: String| sequences.replace('m', &format!(";{}m", key()));
    format!("{}{text}{}", marked(style.render().to_string()), marked(style.render_reset().to_string()))
}

/// The sequence of one of our styles as a terminal understands it; `None` for any other.
pub(super) fn coloured(parameters: &str) -> Option<String> {
    own(parameters).map(|parameters| format!("\x1b[{parameters}m"))
}

/// Takes one of our styles out.
pub(super) fn colourless(parameters: &str) -> Option<String> {
    own(parameters).map(|_| String::new())
}

/// Leaves one of our styles as it is.
pub(super) fn unchanged(parameters: &str) -> Option<String> {
    own(parameters).map(|own| format!("\x1b[{own};{}m", key()))
}

/// What ends each of our sequences.
pub(super) fn mark() -> String {
    format!(";{}m", key())
}

fn own(parameters: &str) -> Option<&str> {
    let (parameters, last) = parameters.rsplit_once(';')?;
    (last.parse() == Ok(key())).then_some(parameters)
}

fn key() -> u64 {
    static KEY: OnceLock<u64> = OnceLock::new();
    *KEY.get_or_init(|| RandomState::new().hash_one(0))
}
