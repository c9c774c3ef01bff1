//! What must hold for any bytes in any pieces. The property tests and the fuzz targets both call this.

use agency_engine::adapter::{StreamFormat, StreamItem};
use agency_engine::runner::AnsiStripper;

/// `bytes` cut into pieces of these sizes, again and again; as a whole if there are none.
pub(crate) fn pieces<'a>(bytes: &'a [u8], sizes: &[u8]) -> Vec<&'a [u8]> {
    let mut sizes = sizes.iter().map(|size| usize::from(*size).max(1)).cycle();
    let mut rest = bytes;
    let mut pieces = vec![];
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(sizes.next().unwrap_or(rest.len()).min(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces
}

/// What a new parser hears in these pieces; nothing where the format has none.
pub(crate) fn heard<'a>(format: StreamFormat, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<StreamItem> {
    let Some(mut parser) = format.parser() else { return vec![] };
    let mut heard: Vec<StreamItem> = pieces.into_iter().flat_map(|piece| parser.feed(piece)).collect();
    heard.extend(parser.finish());
    assert_eq!(parser.finish(), [], "the end is told once");
    heard
}

/// The text of a stream that comes in these pieces.
pub(crate) fn cleaned<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut cleaner = AnsiStripper::new();
    let mut text: String = pieces.into_iter().map(|piece| cleaner.feed(piece)).collect();
    text.push_str(&cleaner.finish());
    assert_eq!(cleaner.finish(), "", "the end is told once");
    text
}

/// A parser hears the same in both ways to cut the bytes.
pub(crate) fn assert_heard_the_same(format: StreamFormat, bytes: &[u8], sizes: [&[u8]; 2]) {
    let [one, other] = sizes.map(|sizes| heard(format, pieces(bytes, sizes)));
    assert_eq!(one, other, "{format}: {}", bytes.escape_ascii());
}

/// The text is the same in both ways to cut the bytes, cleaning it again changes nothing, and no control character is
/// left in it that a terminal would obey.
pub(crate) fn assert_cleaned_the_same(bytes: &[u8], sizes: [&[u8]; 2]) {
    let [one, other] = sizes.map(|sizes| cleaned(pieces(bytes, sizes)));
    assert_eq!(one, other, "{}", bytes.escape_ascii());
    assert!(!one.chars().any(|letter| letter.is_control() && !"\t\n\r\x0c".contains(letter)), "{one:?}");
    assert_eq!(cleaned([one.as_bytes()]), one, "{}", bytes.escape_ascii());
}
