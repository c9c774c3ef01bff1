//! Lines of JSON into items: what the dialects of all agents have in common.

use std::borrow::Cow;

use agency_model::{Event, Usage};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::lines::{LONGEST, Line, Lines};
use super::{CannotSay, Channel, Heard, StreamParser, ToAgent};

/// On one line at most this many objects are told apart.
const MOST_ON_A_LINE: usize = 1000;

/// What one agent means by its objects.
pub(super) trait Dialect: Send {
    /// Adds what an object says. A dialect changes itself only when it has understood the whole of it.
    fn hear(&mut self, object: &str, heard: &mut Vec<Heard>) -> Result<(), NotUnderstood>;

    /// The first words of a conversation.
    fn open(&mut self) -> Vec<u8> {
        vec![]
    }

    /// The conversation has used so much before.
    fn count_from(&mut self, _: Usage) {}

    /// The bytes that tell the agent something.
    fn encode(&mut self, _: &ToAgent) -> Result<Vec<u8>, CannotSay> {
        Err(CannotSay::OneWay)
    }

    /// Whether a denial can say why.
    fn denial_takes_words(&self) -> bool {
        true
    }

    /// What followed from what the agent was told, and comes before what it says next.
    fn late(&mut self) -> Vec<Heard> {
        vec![]
    }

    /// Adds what is left to tell when the agent says no more.
    fn last(&mut self, _: &mut Vec<Heard>) {}
}

/// An object is of an unknown kind, or of a known kind with an unknown shape.
#[derive(Debug)]
pub(super) struct NotUnderstood;

impl From<serde_json::Error> for NotUnderstood {
    fn from(_: serde_json::Error) -> Self {
        Self
    }
}

/// The first pass: what kind of object this is.
#[derive(Debug, Deserialize)]
pub(super) struct Head<'a> {
    /// The kind.
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    /// The kind within the kind, for agents that have one.
    #[serde(borrow, default)]
    pub(super) subtype: Option<Cow<'a, str>>,
}

/// A parser for streams of JSON objects in some dialect.
#[derive(Debug)]
pub(super) struct Objects<D> {
    lines: Lines,
    dialect: D,
}

impl<D: Dialect> Objects<D> {
    pub(super) fn new(dialect: D) -> Self {
        Self { lines: Lines::default(), dialect }
    }
}

impl<D: Dialect> StreamParser for Objects<D> {
    fn feed(&mut self, bytes: &[u8]) -> Vec<Heard> {
        let Self { lines, dialect } = self;
        let mut heard = dialect.late();
        lines.feed(bytes, |line| hear_line(dialect, line, &mut heard));
        heard
    }

    fn finish(&mut self) -> Vec<Heard> {
        let Self { lines, dialect } = self;
        let mut heard = dialect.late();
        lines.finish(|line| hear_line(dialect, line, &mut heard));
        dialect.last(&mut heard);
        heard
    }
}

impl<D: Dialect> Channel for Objects<D> {
    fn open(&mut self) -> Vec<u8> {
        self.dialect.open()
    }

    fn encode(&mut self, message: &ToAgent) -> Result<Vec<u8>, CannotSay> {
        self.dialect.encode(message)
    }

    fn denial_takes_words(&self) -> bool {
        self.dialect.denial_takes_words()
    }

    fn count_from(&mut self, spent: Usage) {
        self.dialect.count_from(spent);
    }
}

fn hear_line(dialect: &mut impl Dialect, line: &Line<'_>, heard: &mut Vec<Heard>) {
    if let Some(length) = line.cut_from {
        let text = &line.text;
        heard.push(unknown(format!("{text}… [a line of {length} bytes; only the first {LONGEST} are kept]")));
        return;
    }
    let text = line.text.trim();
    if text.is_empty() || understood(dialect, text, heard) {
        return;
    }
    let pieces = pieces(text);
    if pieces.len() < 2 {
        heard.push(unknown(text.to_owned()));
        return;
    }
    for piece in pieces {
        if !understood(dialect, piece, heard) {
            heard.push(unknown(piece.to_owned()));
        }
    }
}

/// What is not understood.
pub(super) fn unknown(text: String) -> Heard {
    Heard::Event(Event::Unknown { text })
}

fn understood(dialect: &mut impl Dialect, text: &str, heard: &mut Vec<Heard>) -> bool {
    // serde would also read a struct from a list of its fields.
    if !text.starts_with('{') {
        return false;
    }
    let before = heard.len();
    if dialect.hear(text, heard).is_ok() {
        return true;
    }
    heard.truncate(before);
    let Some(mended) = without_lone_surrogates(text) else {
        return false;
    };
    let ok = dialect.hear(&mended, heard).is_ok();
    if !ok {
        heard.truncate(before);
    }
    ok
}

/// The objects of a line that holds several, and then what follows them and is none.
fn pieces(text: &str) -> Vec<&str> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let mut pieces = vec![];
    let mut end = 0;
    while pieces.len() < MOST_ON_A_LINE
        && let Some(Ok(piece)) = stream.next()
        && piece.get().starts_with('{')
    {
        pieces.push(piece.get());
        end = stream.byte_offset();
    }
    let rest = text.get(end..).unwrap_or_default().trim();
    if !rest.is_empty() {
        pieces.push(rest);
    }
    pieces
}

/// JavaScript cuts strings between the halves of a character and prints what is left as `\ud83d`, which is no
/// character. Replaces such halves; nothing if there is none.
pub(super) fn without_lone_surrogates(text: &str) -> Option<String> {
    let mut mended = String::new();
    let mut done = 0;
    let mut at = 0;
    while let Some(found) = text.get(at..)?.find('\\') {
        let escape = at + found;
        at = match (unit(text, escape), unit(text, escape + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => escape + 12,
            (Some(0xd800..=0xdfff), _) => {
                mended.push_str(text.get(done..escape)?);
                mended.push_str("\\ufffd");
                done = escape + 6;
                done
            }
            (Some(_), _) => escape + 6,
            (None, _) => escape + 1 + text.get(escape + 1..)?.chars().next()?.len_utf8(),
        };
    }
    mended.push_str(text.get(done..)?);
    (done > 0).then_some(mended)
}

/// The number of the escape `\uXXXX` at this place.
fn unit(text: &str, at: usize) -> Option<u32> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_are_replaced_and_nothing_else() {
        let mended = |text| without_lone_surrogates(text);
        assert_eq!(mended(r#""\ud83d""#).as_deref(), Some(r#""\ufffd""#));
        assert_eq!(mended(r#""\uDE00x\ud83d\ud83d\ude00""#).as_deref(), Some(r#""\ufffdx\ufffd\ud83d\ude00""#));
        assert_eq!(mended(r#""\ud83d\u00e4\n""#).as_deref(), Some(r#""\ufffd\u00e4\n""#));
        for fine in [r#""\\ud83d""#, r#""\ud83d\ude00""#, r#""\u00e4""#, "\"ä\"", r"\", r"\u12", "\\ä"] {
            assert_eq!(mended(fine), None, "{fine}");
        }
    }

    #[test]
    fn a_line_is_told_apart_only_into_objects() {
        assert_eq!(pieces(r#"{"a":"}{"} {"b":1}{}"#), [r#"{"a":"}{"}"#, r#"{"b":1}"#, "{}"]);
        assert_eq!(pieces(r#"{"a":1} and text"#), [r#"{"a":1}"#, "and text"]);
        assert_eq!(pieces("1 2 3"), ["1 2 3"]);
        assert_eq!(pieces(&"{}".repeat(MOST_ON_A_LINE + 5)).len(), MOST_ON_A_LINE + 1);
    }
}
