//! Reads values with their positions into a type of Rust.
//!
//! The one rule: every mistake is found. What is wrong is noted and left out, and the rest is read again without it.

mod error;
mod reader;

use std::collections::BTreeSet;

use serde::Deserialize;

use self::error::DecodeError;
use self::reader::NodeReader;
use super::{Mistake, Node, Source};

/// How many mistakes of a file are reported.
const MAX_MISTAKES: usize = 50;

/// Reads a value, or reports every mistake in it, in the order of the text.
pub fn decode<'node, T: Deserialize<'node>>(root: &'node Node, source: &Source<'_>) -> Result<T, Vec<Mistake>> {
    decode_field(root, "", source)
}

/// The same for the value of a field, given by its dotted path.
pub fn decode_field<'node, T: Deserialize<'node>>(
    node: &'node Node,
    field: &str,
    source: &Source<'_>,
) -> Result<T, Vec<Mistake>> {
    let mut skipped = BTreeSet::new();
    let mut mistakes = vec![];
    loop {
        let reader = NodeReader { node, field: field.to_owned(), skipped: &skipped };
        let error = match T::deserialize(reader) {
            Ok(value) if mistakes.is_empty() => return Ok(value),
            Ok(_) => break,
            Err(error) => error.placed(node, field),
        };
        let skip = error.to_skip().to_owned();
        if !follows(&error, &skipped) {
            mistakes.push(error.into_mistake(source));
        }
        if mistakes.len() >= MAX_MISTAKES || skip == field || !skipped.insert(skip) {
            break;
        }
    }
    mistakes.sort();
    Err(mistakes)
}

/// Whether it may be wrong only because something was left out.
fn follows(error: &DecodeError, skipped: &BTreeSet<String>) -> bool {
    let is_inside = |path: &String| path.strip_prefix(&error.field).is_some_and(|rest| rest.starts_with(['.', '[']));
    skipped.contains(&error.field) || skipped.iter().any(is_inside)
}

#[cfg(test)]
mod tests;
