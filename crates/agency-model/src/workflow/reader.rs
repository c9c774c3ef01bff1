//! Takes the fields of an object one by one, and notes what is wrong with each.
//!
//! The one rule: a mistake is noted and reading continues, so that all of them are reported at once.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::Duration;

use super::fields::{Field, Holds, Need, Shape};
use super::{Located, TemplateText, parse_duration};
use crate::document::{Format, Key, Layout, Mistake, Node, NodeKind, Source};
use crate::{Position, nearest};

/// What is wrong with a file, as far as it is read.
pub(super) struct Notes<'source, 'text> {
    pub(super) source: &'source Source<'text>,
    pub(super) mistakes: Vec<Mistake>,
    /// The names that steps and variables were given, whatever else is wrong with them.
    pub(super) names: Vec<Declared>,
}

/// A name that something was given.
pub(super) struct Declared {
    pub(super) name: Located<String>,
    pub(super) of: Named,
}

/// What has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Named {
    /// A step that templates can name.
    Step,
    /// Steps at the same time; they may be named like one of them.
    Group,
    /// A variable that holds a result.
    Variable,
}

impl Notes<'_, '_> {
    /// Notes that something is wrong.
    pub(super) fn note(&mut self, at: Position, message: impl Into<String>) {
        self.mistakes.push(self.source.mistake(at, message));
    }

    /// Notes a word that is not known.
    pub(super) fn unknown<'known>(
        &mut self,
        at: Position,
        message: String,
        word: &str,
        known: impl Iterator<Item = &'known str>,
    ) {
        self.mistakes.push(self.source.mistake(at, message).meant(nearest(word, known)));
    }

    /// Notes a name that something was given.
    pub(super) fn declare(&mut self, name: Option<&Located<String>>, of: Named) {
        self.names.extend(name.map(|name| Declared { name: name.clone(), of }));
    }

    fn wrong(&mut self, node: &Node, expected: &str, name: &str) {
        self.note(node.at, format!("`{name}`: expected {expected}, found {}", node.described(Format::Yaml)));
    }
}

/// An object whose fields are all known.
pub(super) struct Object<'node> {
    pub(super) at: Position,
    shape: Shape,
    entries: &'node [(Key, Node)],
}

impl<'node> Object<'node> {
    /// Takes an object; its unknown fields and the missing ones are noted.
    pub(super) fn take(node: &'node Node, shape: Shape, notes: &mut Notes<'_, '_>) -> Option<Self> {
        let NodeKind::Map(entries) = &node.kind else {
            notes.note(
                node.at,
                format!("expected {} with its fields, found {}", shape.described(), node.described(Format::Yaml)),
            );
            return None;
        };
        let object = Self { at: node.at, shape, entries };
        for (key, _) in entries {
            if !shape.fields().any(|field| field.name == key.name) {
                let message = format!("{} has no field `{}`", shape.described(), key.name);
                notes.unknown(key.at, message, &key.name, shape.fields().map(|field| field.name));
            }
        }
        for field in shape.fields().filter(|field| object.node(field.name).is_none()) {
            object.note_missing(field, notes);
        }
        Some(object)
    }

    fn note_missing(&self, field: &Field, notes: &mut Notes<'_, '_>) {
        match field.need {
            Need::Required => {
                let words = if let Holds::Word(words) = field.holds { words } else { &[] };
                let hint = if words.is_empty() { String::new() } else { format!(": one of {}", listed(words)) };
                notes.note(self.at, format!("{} needs `{}`{hint}", self.shape.described(), field.name));
            }
            // Reported once, for the first of the two.
            Need::OneOf(other) if self.node(other).is_none() && self.comes_first(field.name, other) => {
                notes.note(self.at, format!("{} needs `{}` or `{other}`", self.shape.described(), field.name));
            }
            Need::OneOf(_) | Need::Optional => {}
        }
    }

    fn comes_first(&self, name: &str, other: &str) -> bool {
        self.shape
            .fields()
            .find(|field| field.name == name || field.name == other)
            .is_some_and(|field| field.name == name)
    }

    /// The value of a field; a field that holds nothing is as good as none.
    pub(super) fn node(&self, name: &str) -> Option<&'node Node> {
        let (_, node) = self.entries.iter().find(|(key, _)| key.name == name)?;
        if node.kind == NodeKind::Null { None } else { Some(node) }
    }

    /// Notes that two fields are there of which only one makes sense.
    pub(super) fn not_both(&self, one: &str, other: &str, notes: &mut Notes<'_, '_>) {
        if self.node(one).is_some() && self.node(other).is_some() {
            notes.note(self.key_at(other), format!("{} has `{one}` or `{other}`, not both", self.shape.described()));
        }
    }

    /// The place of a field's name.
    pub(super) fn key_at(&self, name: &str) -> Position {
        self.entries.iter().find(|(key, _)| key.name == name).map_or(self.at, |(key, _)| key.at)
    }

    /// A text that is not empty.
    pub(super) fn text(&self, name: &str, notes: &mut Notes<'_, '_>) -> Option<Located<String>> {
        let node = self.node(name)?;
        match node.text() {
            Some(text) if !text.trim().is_empty() => return Some(Located::new(text.to_owned(), node.at)),
            Some(_) => notes.note(node.at, format!("`{name}` is empty")),
            None => notes.wrong(node, "a text", name),
        }
        None
    }

    /// A name that can be part of a path and of a template.
    pub(super) fn name(&self, name: &str, notes: &mut Notes<'_, '_>) -> Option<Located<String>> {
        let text = match self.node(name)? {
            // `name: 1` means the word.
            Node { at, kind: NodeKind::Number(number), .. } => Located::new(number.to_string(), *at),
            _ => self.text(name, notes)?,
        };
        let legal = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
        if text.value.chars().count() > 100 || !text.value.chars().all(legal) {
            let message =
                format!("`{}` is not a valid name: use letters, digits, `-` and `_`", text.value.escape_debug());
            notes.note(text.at, message);
            return None;
        }
        Some(text)
    }

    /// A template. Numbers and truth values are read as they are written.
    pub(super) fn template(&self, name: &str, notes: &mut Notes<'_, '_>) -> Option<TemplateText> {
        let node = self.node(name)?;
        let template = template(node);
        if template.is_none() {
            notes.wrong(node, "a text", name);
        }
        template
    }

    pub(super) fn duration(&self, name: &str, notes: &mut Notes<'_, '_>) -> Option<Duration> {
        let node = self.node(name)?;
        let Some(text) = node.text() else {
            notes.wrong(node, "a duration such as 90s, 15m or 1h30m", name);
            return None;
        };
        parse_duration(text).map_err(|error| notes.note(node.at, format!("`{name}`: {error}"))).ok()
    }

    pub(super) fn count(&self, name: &str, notes: &mut Notes<'_, '_>) -> Option<NonZeroU32> {
        let node = self.node(name)?;
        let number = if let NodeKind::Number(number) = &node.kind { number.as_u64() } else { None };
        let count = number.and_then(|number| u32::try_from(number).ok()).and_then(NonZeroU32::new);
        if count.is_none() {
            notes.wrong(node, "a whole number from 1", name);
        }
        count
    }

    pub(super) fn flag(&self, name: &str, notes: &mut Notes<'_, '_>) -> Option<bool> {
        let node = self.node(name)?;
        let NodeKind::Bool(flag) = node.kind else {
            notes.wrong(node, "`true` or `false`", name);
            return None;
        };
        Some(flag)
    }

    /// One of the values of the field.
    pub(super) fn choice<T: FromStr>(&self, name: &str, notes: &mut Notes<'_, '_>) -> Option<T> {
        let node = self.node(name)?;
        let choices = self.choices_of(name);
        let Some(text) = node.text() else {
            notes.wrong(node, &format!("one of {}", listed(choices)), name);
            return None;
        };
        let choice = text.parse().ok().filter(|_| choices.contains(&text));
        if choice.is_none() {
            let message = format!("`{name}`: \"{}\" is not one of {}", text.escape_debug(), listed(choices));
            notes.unknown(node.at, message, text, choices.iter().copied());
        }
        choice
    }

    fn choices_of(&self, name: &str) -> &'static [&'static str] {
        match self.shape.fields().find(|field| field.name == name).map(|field| field.holds) {
            Some(Holds::Word(words)) => words,
            Some(_) | None => &[],
        }
    }

    /// A list of texts; every element that is none is noted.
    pub(super) fn texts(&self, name: &str, notes: &mut Notes<'_, '_>) -> Vec<String> {
        let Some(node) = self.node(name) else { return vec![] };
        let NodeKind::List(items) = &node.kind else {
            notes.wrong(node, "a list of texts", name);
            return vec![];
        };
        let mut texts = vec![];
        for (index, item) in items.iter().enumerate() {
            match item.text() {
                Some(text) => texts.push(text.to_owned()),
                None => notes.wrong(item, "a text (put it in quotes)", &format!("{name}[{index}]")),
            }
        }
        texts
    }

    /// A map of templates by the names of variables.
    pub(super) fn environment(&self, name: &str, notes: &mut Notes<'_, '_>) -> BTreeMap<String, TemplateText> {
        let mut environment = BTreeMap::new();
        for (key, node) in self.entries_of(name, "a map of texts", notes) {
            if name == "env" && (key.name.is_empty() || key.name.contains(['=', '\0'])) {
                notes.note(key.at, format!("`{}` is not a valid variable name", key.name.escape_debug()));
            }
            match template(node) {
                Some(template) => {
                    environment.insert(key.name.clone(), template);
                }
                None => notes.wrong(node, "a text", &format!("{name}.{}", key.name)),
            }
        }
        environment
    }

    /// The entries of a map.
    pub(super) fn entries_of(&self, name: &str, expected: &str, notes: &mut Notes<'_, '_>) -> &'node [(Key, Node)] {
        match self.node(name) {
            Some(Node { kind: NodeKind::Map(entries), .. }) => entries,
            Some(node) => {
                notes.wrong(node, expected, name);
                &[]
            }
            None => &[],
        }
    }

    /// The elements of a list, of which there has to be one.
    pub(super) fn list(&self, name: &str, notes: &mut Notes<'_, '_>) -> &'node [Node] {
        match self.node(name) {
            Some(Node { kind: NodeKind::List(items), at, .. }) => {
                if items.is_empty() {
                    notes.note(*at, format!("`{name}` is empty"));
                }
                items
            }
            Some(node) => {
                notes.wrong(node, "a list", name);
                &[]
            }
            None => &[],
        }
    }
}

/// A value as a template; lists and maps are none.
pub(super) fn template(node: &Node) -> Option<TemplateText> {
    let plain = |value: String| Some(TemplateText { value, at: node.at, layout: Layout::OneLine });
    match &node.kind {
        NodeKind::Text(text) => Some(TemplateText { value: text.value.clone(), at: text.at, layout: text.layout }),
        NodeKind::Bool(value) => plain(value.to_string()),
        NodeKind::Number(value) => plain(value.to_string()),
        NodeKind::Null => plain(String::new()),
        NodeKind::List(_) | NodeKind::Map(_) | NodeKind::Other(_) => None,
    }
}

fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
