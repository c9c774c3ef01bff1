//! Any chunking of a stream gives the same items.

use proptest::prelude::*;

use super::any_pieces::{assert_heard_the_same, heard};
use super::recorded::{FORMATS, streams};

#[test]
fn pieces_of_any_one_size_give_the_same_items() {
    for format in FORMATS {
        for (name, bytes) in streams(format) {
            let whole = heard(format, [bytes.as_slice()]);
            for size in [1, 2, 3, 7, 64, 1000, 4096] {
                assert_eq!(heard(format, bytes.chunks(size)), whole, "{name} in pieces of {size}");
            }
            let lines: Vec<u8> = String::from_utf8(bytes).unwrap().replace('\n', "\r\n").into_bytes();
            assert_eq!(heard(format, [lines.as_slice()]), whole, "{name} with CRLF");
            assert_eq!(heard(format, [lines.trim_ascii_end()]), whole, "{name} without its last end");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn pieces_of_any_sizes_give_the_same_items(cuts in proptest::collection::vec(0.0..1.0_f64, 0..20)) {
        for format in FORMATS {
            for (name, bytes) in streams(format) {
                let mut cuts: Vec<usize> = cuts.iter().map(|cut| (cut * bytes.len() as f64) as usize).collect();
                cuts.sort_unstable();
                cuts.push(bytes.len());
                let mut start = 0;
                let pieces = cuts.into_iter().map(|end| &bytes[std::mem::replace(&mut start, end)..end]);
                prop_assert_eq!(heard(format, pieces), heard(format, [bytes.as_slice()]), "{}", name);
            }
        }
    }

    #[test]
    fn any_bytes_are_heard_the_same_in_any_pieces(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        sizes in proptest::collection::vec(1_u8..20, 1..5),
    ) {
        for format in FORMATS {
            assert_heard_the_same(format, &bytes, [&sizes, &[]]);
        }
    }

    /// A recorded stream with some of its bytes changed.
    #[test]
    fn a_damaged_stream_is_heard_to_its_end(
        which in any::<prop::sample::Index>(),
        sizes in proptest::collection::vec(any::<u8>(), 1..5),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..30),
    ) {
        for format in FORMATS {
            let streams = streams(format);
            let mut bytes = which.get(&streams).1.clone();
            for (place, byte) in &damage {
                let place = place.index(bytes.len());
                bytes[place] = *byte;
            }
            assert_heard_the_same(format, &bytes, [&sizes, &[]]);
        }
    }
}
