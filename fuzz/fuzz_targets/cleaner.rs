#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| agency_fuzz::cleaner(input));
