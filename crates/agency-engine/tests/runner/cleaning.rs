//! Any bytes in any pieces give the same text.

use proptest::prelude::*;

use super::any_pieces::{assert_cleaned_the_same, cleaned, pieces};

/// The bytes that mean something to a terminal, and a few that do not.
const MEANINGFUL: &[u8] = b"\x1b\x1b\x1b[]P_^X\\\x07\n\n\r\t;?31m (\x18\x1a\x7f\x00\x9b\x9c\xc2\xc3\xa9\xe2\x82\xacx";

/// Complete sequences of every kind.
fn sequence() -> impl Strategy<Value = String> {
    prop_oneof![
        "\x1b\\[[0-9;:?<=>]{0,8}[ -/]{0,2}[@-~]",
        "\x1b\\][0-9]{1,3};[ -~é€]{0,20}(\x07|\x1b\\\\)",
        "\x1bP[ -~\n]{0,20}\x1b\\\\",
        "\x1b[X^_][ -~]{0,20}\x1b\\\\",
        "\x1b[ -/]{1,2}[0-~]",
        "\x1b[0-9=>@A-OQ-WYZ`-~]",
        "[\x00-\x08\x0e-\x17\x7f]",
    ]
}

proptest! {
    // proves P4
    #[test]
    fn any_bytes_give_the_same_text_in_any_pieces(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        sizes in proptest::collection::vec(1_u8..20, 1..5),
    ) {
        assert_cleaned_the_same(&bytes, [&sizes, &[]]);
    }

    // proves P4
    #[test]
    fn broken_sequences_give_the_same_text_in_any_pieces(
        bytes in proptest::collection::vec(proptest::sample::select(MEANINGFUL), 0..60),
        sizes in proptest::collection::vec(1_u8..5, 1..5),
    ) {
        assert_cleaned_the_same(&bytes, [&sizes, &[]]);
    }

    // proves P4
    #[test]
    fn whole_sequences_vanish_from_between_the_words(
        parts in proptest::collection::vec(("[ -~éß€日😀\t\r\n]{0,10}", sequence()), 0..20),
        sizes in proptest::collection::vec(1_u8..20, 1..5),
    ) {
        let words: String = parts.iter().map(|(word, _)| word.as_str()).collect();
        let stream: String = parts.iter().flat_map(|(word, sequence)| [word.as_str(), sequence]).collect();
        prop_assert_eq!(&cleaned(pieces(stream.as_bytes(), &sizes)), &words);
        // Where nothing is broken, others read it the same way.
        let theirs = anstream::adapter::strip_bytes(stream.as_bytes()).into_vec();
        prop_assert_eq!(theirs.escape_ascii().to_string(), words.as_bytes().escape_ascii().to_string());
    }

    #[test]
    fn text_stays_as_it_is(text in "[^\\p{Cc}]*[\t\n\r]?[^\\p{Cc}]*") {
        prop_assert_eq!(cleaned([text.as_bytes()]), text);
    }
}
