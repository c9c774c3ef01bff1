//! What must hold for the text of a terminal, for any bytes in any pieces. The property tests and the fuzz targets both
//! call this.

use agency_engine::runner::AnsiStripper;

#[path = "../../../agency-adapters/tests/any_pieces/pieces.rs"]
mod cutting;

pub(crate) use self::cutting::pieces;

/// The text of a stream that comes in these pieces.
pub(crate) fn cleaned<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut cleaner = AnsiStripper::new();
    let mut text: String = pieces.into_iter().map(|piece| cleaner.feed(piece)).collect();
    text.push_str(&cleaner.finish());
    assert_eq!(cleaner.finish(), "", "the end is told once");
    text
}

/// The text is the same in both ways to cut the bytes, cleaning it again changes nothing, and no control character is
/// left in it that a terminal would obey.
pub(crate) fn assert_cleaned_the_same(bytes: &[u8], sizes: [&[u8]; 2]) {
    let [one, other] = sizes.map(|sizes| cleaned(pieces(bytes, sizes)));
    assert_eq!(one, other, "{}", bytes.escape_ascii());
    assert!(!one.chars().any(|letter| letter.is_control() && !"\t\n\r\x0c".contains(letter)), "{one:?}");
    assert_eq!(cleaned([one.as_bytes()]), one, "{}", bytes.escape_ascii());
}
