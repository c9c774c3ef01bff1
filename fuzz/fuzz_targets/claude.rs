#![no_main]

use agency_adapters::StreamFormat;

libfuzzer_sys::fuzz_target!(|input: &[u8]| agency_fuzz::parser(StreamFormat::Claude, input));
