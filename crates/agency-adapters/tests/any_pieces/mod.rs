//! What must hold for the streams of agents, for any bytes in any pieces. The property tests and the fuzz targets both
//! call this.

#[path = "pieces.rs"]
mod cutting;

use agency_adapters::{StreamFormat, StreamItem};

pub(crate) use self::cutting::pieces;

/// What a new parser hears in these pieces; nothing where the format has none.
pub(crate) fn heard<'a>(format: StreamFormat, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<StreamItem> {
    let Some(mut parser) = format.parser() else { return vec![] };
    let mut heard: Vec<StreamItem> = pieces.into_iter().flat_map(|piece| parser.feed(piece)).collect();
    heard.extend(parser.finish());
    assert_eq!(parser.finish(), [], "finish returns each item once");
    heard
}

/// A parser hears the same in both ways to cut the bytes.
pub(crate) fn assert_heard_the_same(format: StreamFormat, bytes: &[u8], sizes: [&[u8]; 2]) {
    let [one, other] = sizes.map(|sizes| heard(format, pieces(bytes, sizes)));
    assert_eq!(one, other, "{format}: {}", bytes.escape_ascii());
}
