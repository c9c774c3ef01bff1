//! Calls what the property tests call, with input that a fuzzer finds.

#[path = "../../crates/agency-engine/tests/any_pieces/mod.rs"]
mod cleaned_pieces;
#[path = "../../crates/agency-adapters/tests/any_pieces/mod.rs"]
mod parsed_pieces;

use agency_adapters::StreamFormat;

/// Any bytes give the same clean text in two ways to cut them.
pub fn cleaner(input: &[u8]) {
    let (sizes, bytes) = cut(input);
    cleaned_pieces::assert_cleaned_the_same(bytes, sizes);
}

/// Any bytes are heard the same in two ways to cut them.
pub fn parser(format: StreamFormat, input: &[u8]) {
    let (sizes, bytes) = cut(input);
    parsed_pieces::assert_heard_the_same(format, bytes, sizes);
}

/// The first bytes say how the rest is cut, so that a recorded stream is a good beginning for a search.
fn cut(input: &[u8]) -> ([&[u8]; 2], &[u8]) {
    let (one, rest) = input.split_at(input.len().min(2));
    let (other, bytes) = rest.split_at(rest.len().min(2));
    ([one, other], bytes)
}
