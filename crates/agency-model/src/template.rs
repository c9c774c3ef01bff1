//! Go's template syntax, as spells, prompts and conditions are written in it.
//!
//! The one rule: a template renders as it stands there or is refused with its file, line and column. Nothing that is
//! missing becomes an empty text, no text is dropped, and no template runs for ever or grows without limit.

mod functions;
mod guard;
mod optional;
mod references;
mod render;
mod single;
mod spellbook;
mod values;

use gotmpl::parse::{DefineNode, ListNode};

pub use functions::FUNCTIONS;
pub use references::{Include, Reference, References};
pub use render::{MAX_INCLUDE_DEPTH, MAX_RENDERED_BYTES};
pub use spellbook::{Spell, Spellbook};
pub use values::TemplateValues;

use crate::Position;
use crate::document::Mistake;

/// The largest template that is read.
pub const MAX_TEMPLATE_BYTES: usize = 1024 * 1024;

/// A template whose syntax is right.
#[derive(Debug, Clone)]
pub struct Template {
    file: String,
    source: String,
    tree: ListNode,
    defines: Vec<DefineNode>,
}

impl Template {
    /// Reads a template; `file` is its name in mistakes.
    pub fn parse(file: &str, source: &str) -> Result<Self, Mistake> {
        let refuse = |at, message: String| Mistake::at(file, at, message);
        if source.len() > MAX_TEMPLATE_BYTES {
            let message = format!("it is {} bytes; a template has at most {MAX_TEMPLATE_BYTES}", source.len());
            return Err(refuse(Position::START, message));
        }
        let (tree, defines) = guard::parse(source).map_err(|(at, message)| refuse(at, message))?;
        Ok(Self { file: file.to_owned(), source: source.to_owned(), tree, defines })
    }

    /// The name of its file.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// What it takes from its context, what it includes, and what it does not know.
    #[must_use]
    pub fn references(&self) -> References {
        references::of(self)
    }

    /// Where an offset is in the template.
    fn position(&self, offset: usize) -> Position {
        position(&self.source, offset)
    }
}

/// Whether a text has anything to render; most commands have not.
#[must_use]
pub fn is_template(text: &str) -> bool {
    text.contains("{{")
}

fn position(source: &str, offset: usize) -> Position {
    let before = source.get(..offset).unwrap_or(source);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Position {
        line: before.matches('\n').count() + 1,
        column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
    }
}

#[cfg(test)]
mod tests;
