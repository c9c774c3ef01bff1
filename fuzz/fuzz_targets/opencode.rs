#![no_main]

use agency_engine::adapter::StreamFormat;

libfuzzer_sys::fuzz_target!(|input: &[u8]| agency_fuzz::parser(StreamFormat::Opencode, input));
