//! Reads YAML, and with it JSON, as values with their places.
//!
//! The one rule: any text gives values or a mistake, in bounded time and space. Files are nested a little, and aliases
//! are copied as often as the limit on values allows.

mod syntax;

use std::collections::{HashMap, HashSet};

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, Span, Tag};
use serde_json::Number;

use super::{Key, Layout, Mistake, Node, NodeKind, NodeText, Reason, Source, dotted_index, dotted_key};
use crate::Position;

/// So deep may lists and maps be nested, as in JSON.
const MAX_DEPTH: usize = 128;
/// How many values a file may have, those of aliases counted as often as they are used.
const MAX_VALUES: usize = 1_000_000;

/// The values of a file, as far as it could be read, and what is wrong with its form.
#[must_use]
pub fn read_yaml(source: &Source<'_>) -> (Option<Node>, Vec<Mistake>) {
    read_with(source, syntax::in_words)
}

/// The same with other words for what the parser refuses.
pub(super) fn read_with(source: &Source<'_>, in_words: fn(&ErrorKind) -> String) -> (Option<Node>, Vec<Mistake>) {
    let mut reading =
        YamlReader { source, open: vec![], anchors: HashMap::new(), values: 0, root: None, mistakes: vec![] };
    for event in Parser::new_from_str(source.text()) {
        let step = match event {
            Ok((event, span)) => reading.take(event, &span),
            Err(error) => {
                let at = Position { line: error.marker().line().max(1), column: error.marker().col() + 1 };
                Err(source.mistake(at, in_words(error.kind())).because(Reason::Syntax))
            }
        };
        if let Err(mistake) = step {
            // What comes after a mistake in the form means nothing.
            reading.mistakes.push(mistake);
            return (None, reading.mistakes);
        }
    }
    (reading.root, reading.mistakes)
}

struct YamlReader<'source, 'text> {
    source: &'source Source<'text>,
    open: Vec<OpenNode>,
    anchors: HashMap<usize, Node>,
    values: usize,
    root: Option<Node>,
    mistakes: Vec<Mistake>,
}

/// A list or map that is not closed yet.
struct OpenNode {
    at: Position,
    anchor: usize,
    inside: Inside,
}

enum Inside {
    List(Vec<Node>),
    Map { entries: Vec<(Key, Node)>, names: HashSet<String>, key: Option<Key>, twice: bool },
}

impl YamlReader<'_, '_> {
    fn take(&mut self, event: Event<'_>, span: &Span) -> Result<(), Mistake> {
        let at = Position { line: span.start.line().max(1), column: span.start.col() + 1 };
        match event {
            Event::StreamStart | Event::StreamEnd | Event::DocumentEnd | Event::Anchor(..) => Ok(()),
            Event::DocumentStart(..) if self.root.is_some() => {
                Err(self.source.mistake(at, "a second document begins here; a file holds one workflow"))
            }
            Event::DocumentStart(..) => Ok(()),
            Event::Alias(anchor) => self.alias(at, anchor),
            Event::UnresolvedAlias(name) => Err(self.source.mistake(at, format!("nothing is named `&{name}`"))),
            Event::Scalar(text, style, anchor, tag) => {
                self.check_tag(at, tag.as_deref())?;
                let kind = scalar(text.into_owned(), style, tag.is_some(), span);
                self.place(Node::new(at, kind), anchor)
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.check_tag(at, tag.as_deref())?;
                self.open(OpenNode { at, anchor, inside: Inside::List(vec![]) })
            }
            Event::MappingStart(_, anchor, tag) => {
                self.check_tag(at, tag.as_deref())?;
                let inside = Inside::Map { entries: vec![], names: HashSet::new(), key: None, twice: false };
                self.open(OpenNode { at, anchor, inside })
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(open) => {
                    let kind = match open.inside {
                        Inside::List(items) => NodeKind::List(items),
                        Inside::Map { entries, .. } => NodeKind::Map(entries),
                    };
                    self.place(Node { at: open.at, end: at, kind }, open.anchor)
                }
                None => Ok(()),
            },
            // Comments, if they were requested, and what later versions of the parser report beside values.
            _ => Ok(()),
        }
    }

    fn check_tag(&self, at: Position, tag: Option<&Tag>) -> Result<(), Mistake> {
        match tag {
            Some(tag) if tag.core_suffix() != Some("str") => {
                Err(self.source.mistake(at, format!("the tag `{}` means nothing here", tag.original())))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn open(&mut self, open: OpenNode) -> Result<(), Mistake> {
        if self.open.len() >= MAX_DEPTH {
            return Err(self.source.mistake(open.at, format!("nested deeper than {MAX_DEPTH} lists and maps")));
        }
        if let Some(OpenNode { inside: Inside::Map { key: None, .. }, .. }) = self.open.last() {
            return Err(self.source.mistake(
                open.at,
                "the name of a field is a text, no list or map; put a template such as `{{.task.title}}` in quotes",
            ));
        }
        self.open.push(open);
        Ok(())
    }

    fn alias(&mut self, at: Position, anchor: usize) -> Result<(), Mistake> {
        let Some(node) = self.anchors.get(&anchor) else {
            return Err(self.source.mistake(at, "this alias names something that is not complete yet"));
        };
        let (values, depth) = extent(node);
        if self.open.len() + depth > MAX_DEPTH {
            return Err(self
                .source
                .mistake(at, format!("with this alias, nested deeper than {MAX_DEPTH} lists and maps")));
        }
        // Counted before it is copied.
        self.count(at, values)?;
        let kind = self.anchors.get(&anchor).map_or(NodeKind::Null, |node| node.kind.clone());
        self.place(Node::new(at, kind), 0)
    }

    fn count(&mut self, at: Position, values: usize) -> Result<(), Mistake> {
        self.values = self.values.saturating_add(values);
        if self.values > MAX_VALUES {
            return Err(self.source.mistake(at, format!("more than {MAX_VALUES} values, counting aliases")));
        }
        Ok(())
    }

    /// Puts a whole value where it belongs.
    fn place(&mut self, node: Node, anchor: usize) -> Result<(), Mistake> {
        self.count(node.at, 1)?;
        if anchor > 0 {
            self.count(node.at, extent(&node).0)?;
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut().map(|open| &mut open.inside) {
            None => self.root = Some(node),
            Some(Inside::List(items)) => items.push(node),
            Some(Inside::Map { entries, names, key, twice }) => match key.take() {
                Some(_) if std::mem::take(twice) => {}
                Some(key) => entries.push((key, node)),
                None => {
                    let name = match node.kind {
                        NodeKind::Text(text) => text.value,
                        NodeKind::Null
                        | NodeKind::Bool(_)
                        | NodeKind::Number(_)
                        | NodeKind::List(_)
                        | NodeKind::Map(_)
                        | NodeKind::Other(_) => {
                            return Err(self.source.mistake(node.at, "the name of a field is a text"));
                        }
                    };
                    *twice = !names.insert(name.clone());
                    let is_twice = *twice;
                    *key = Some(Key { name, at: node.at });
                    if is_twice {
                        let mistake = self.source.mistake(node.at, "duplicate key").about(self.path());
                        self.mistakes.push(mistake.because(Reason::DuplicateKey));
                    }
                }
            },
        }
        Ok(())
    }

    /// The dotted path of what is being read.
    fn path(&self) -> String {
        self.open.iter().fold(String::new(), |path, open| match &open.inside {
            Inside::List(items) => dotted_index(&path, items.len()),
            Inside::Map { key, .. } => key.as_ref().map_or_else(|| path.clone(), |key| dotted_key(&path, &key.name)),
        })
    }
}

/// How many values it is made of, and how deep they are nested. Every value here is nested at most as deep as a file may.
fn extent(node: &Node) -> (usize, usize) {
    let sum = |parts: &mut dyn Iterator<Item = &Node>| {
        parts.map(extent).fold((1, 1), |(values, depth), (more, inner)| (values + more, depth.max(inner + 1)))
    };
    match &node.kind {
        NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::Text(_) | NodeKind::Other(_) => (1, 0),
        NodeKind::List(items) => sum(&mut items.iter()),
        NodeKind::Map(entries) => sum(&mut entries.iter().map(|(_, node)| node)),
    }
}

/// What an unquoted word stands for in YAML 1.2; `yes` and `no` are words.
fn scalar(text: String, style: ScalarStyle, tagged: bool, span: &Span) -> NodeKind {
    let layout = match style {
        ScalarStyle::Literal => Layout::Lines,
        ScalarStyle::Folded => Layout::Folded,
        ScalarStyle::Plain | ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
            if span.start.line() == span.end.line() && !text.contains('\n') { Layout::OneLine } else { Layout::Folded }
        }
    };
    let start = Position { line: span.start.line().max(1), column: span.start.col() + 1 };
    let at = match style {
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Position { column: start.column + 1, ..start },
        ScalarStyle::Plain | ScalarStyle::Literal | ScalarStyle::Folded => start,
    };
    let as_text = |value: String| NodeKind::Text(NodeText { value, at, layout });
    if !matches!(style, ScalarStyle::Plain) || tagged {
        return as_text(text);
    }
    match text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" => NodeKind::Null,
        "true" | "True" | "TRUE" => NodeKind::Bool(true),
        "false" | "False" | "FALSE" => NodeKind::Bool(false),
        _ => match number(&text) {
            Some(number) => NodeKind::Number(number),
            None => as_text(text),
        },
    }
}

fn number(text: &str) -> Option<Number> {
    if !text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '+' | '-' | '.')) {
        return None;
    }
    let unsigned = text.strip_prefix('+').unwrap_or(text);
    if let Ok(number) = unsigned.parse::<i64>() {
        return Some(number.into());
    }
    if let Ok(number) = unsigned.parse::<u64>() {
        return Some(number.into());
    }
    let is_float = unsigned.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    if is_float { unsigned.parse::<f64>().ok().and_then(Number::from_f64) } else { None }
}
