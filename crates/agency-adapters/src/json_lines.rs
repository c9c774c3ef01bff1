//! Lines of JSON into items: the part that all dialects share.

use std::borrow::Cow;

use agency_model::{Event, Usage};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::lines::{Line, MAX_LINE_BYTES};
use super::{EncodeError, StreamItem, ToAgent};

/// At most this many objects on one line are read one by one.
const MAX_OBJECTS_PER_LINE: usize = 1000;

/// How one agent's JSON objects are read, and how it is written to.
pub(super) trait Dialect: Send {
    /// Adds the items of an object. A dialect changes its state only after it has understood the whole object.
    fn parse(&mut self, object: &str, items: &mut Vec<StreamItem>) -> Result<(), NotUnderstood>;

    /// The first bytes of a conversation.
    fn open(&mut self) -> Vec<u8> {
        vec![]
    }

    /// Sets what the conversation used before this process.
    fn count_from(&mut self, _: Usage) {}

    /// Sets the first of the ids of the messages to this process, for agents that report on messages by id.
    fn identify_from(&mut self, _: u128) {}

    /// The bytes of a message to the agent.
    fn encode(&mut self, _: &ToAgent) -> Result<Vec<u8>, EncodeError> {
        Err(EncodeError::OneWay)
    }

    /// Whether a denial can carry its reason.
    fn denial_takes_words(&self) -> bool {
        true
    }

    /// Takes the items that follow from encoded messages; they come before those of the next object.
    fn take_pending(&mut self) -> Vec<StreamItem> {
        vec![]
    }

    /// Adds the items that are left at the end of the stream.
    fn finish(&mut self, _: &mut Vec<StreamItem>) {}
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

/// Adds the items of one line: an object, several objects, or text that is not understood.
pub(super) fn parse_line(dialect: &mut dyn Dialect, line: &Line<'_>, items: &mut Vec<StreamItem>) {
    if let Some(length) = line.cut_from {
        let text = &line.text;
        items.push(unknown(format!("{text}… [a line of {length} bytes; only the first {MAX_LINE_BYTES} are kept]")));
        return;
    }
    let text = line.text.trim();
    if text.is_empty() || parse_object(dialect, text, items) {
        return;
    }
    let pieces = pieces(text);
    if pieces.len() < 2 {
        items.push(unknown(text.to_owned()));
        return;
    }
    for piece in pieces {
        if !parse_object(dialect, piece, items) {
            items.push(unknown(piece.to_owned()));
        }
    }
}

/// An item for text that is not understood.
pub(super) fn unknown(text: String) -> StreamItem {
    StreamItem::Event(Event::Unknown { text })
}

fn parse_object(dialect: &mut dyn Dialect, text: &str, items: &mut Vec<StreamItem>) -> bool {
    // serde would also read a struct from a list of its fields.
    if !text.starts_with('{') {
        return false;
    }
    let before = items.len();
    if dialect.parse(text, items).is_ok() {
        return true;
    }
    items.truncate(before);
    let Some(mended) = without_lone_surrogates(text) else {
        return false;
    };
    let ok = dialect.parse(&mended, items).is_ok();
    if !ok {
        items.truncate(before);
    }
    ok
}

/// The objects of a line that holds several, and then what follows them and is none.
fn pieces(text: &str) -> Vec<&str> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let mut pieces = vec![];
    let mut end = 0;
    while pieces.len() < MAX_OBJECTS_PER_LINE
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

/// JavaScript cuts strings between the halves of a character and prints what is left as `\ud83d`, which is not
/// a character. Replaces such halves; nothing if there is none.
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
        assert_eq!(pieces(&"{}".repeat(MAX_OBJECTS_PER_LINE + 5)).len(), MAX_OBJECTS_PER_LINE + 1);
    }
}
