//! Control sequences taken out of an agent's output, beside the crate that is commonly used for it.

use crate::Bench;
use crate::row::Row;
use crate::sample::Sample;
use agency_engine::runner::AnsiStripper;
use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

const MOST: usize = 64 << 20;
const PIECE: usize = 64 << 10;

/// What an agent wrote, and what of it is text.
struct Stream {
    what: &'static str,
    bytes: String,
    text: String,
}

/// Lines of a log, and a screen.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    [coloured_lines(), painted_screen()].into_iter().map(|stream| row(bench, &stream)).collect()
}

fn row(bench: &Bench, stream: &Stream) -> Row {
    let (mut ours, mut theirs) = (Sample::default(), Sample::default());
    for round in 0..=bench.rounds(15, 3) {
        let times = (clean(stream), strip(stream));
        if round > 0 {
            ours.add(times.0);
            theirs.add(times.1);
        }
    }
    // Speeds, so the other way round.
    let ratio = theirs.ratio(&ours);
    Row {
        what: format!("clean text from 64 MiB, {}", stream.what),
        ours: speeds(stream, &ours),
        floor: "`strip-ansi-escapes`",
        theirs: speeds(stream, &theirs),
        ratio: Some(ratio),
        limit: "≥ 1.0×, exact in any pieces",
        met: Some(ratio >= 1.0),
    }
}

fn clean(stream: &Stream) -> Duration {
    let mut cleaner = AnsiStripper::new();
    let mut rest = stream.text.as_str();
    let mut time = Duration::ZERO;
    for piece in stream.bytes.as_bytes().chunks(PIECE) {
        let start = Instant::now();
        let text = cleaner.feed(black_box(piece));
        time += start.elapsed();
        rest = rest.strip_prefix(text.as_str()).unwrap();
    }
    assert_eq!(rest, "", "some text is missing");
    time
}

fn strip(stream: &Stream) -> Duration {
    let mut time = Duration::ZERO;
    for piece in stream.bytes.as_bytes().chunks(PIECE) {
        let start = Instant::now();
        black_box(strip_ansi_escapes::strip(black_box(piece)));
        time += start.elapsed();
    }
    time
}

fn coloured_lines() -> Stream {
    let mut stream = Stream { what: "coloured lines", bytes: String::new(), text: String::new() };
    for number in 0.. {
        if stream.bytes.len() > MOST {
            break;
        }
        let words = "read the file, changed three lines – and ran the tests again";
        let _ = writeln!(stream.bytes, "\x1b[32m{number:>8}\x1b[0m \x1b[1mstep\x1b[0m {words}");
        let _ = writeln!(stream.text, "{number:>8} step {words}");
    }
    stream
}

fn painted_screen() -> Stream {
    let mut stream = Stream { what: "a painted screen", bytes: String::new(), text: String::new() };
    for number in 0.. {
        if stream.bytes.len() > MOST {
            break;
        }
        let (row, colour) = (number % 40 + 1, number % 256);
        let _ = write!(stream.bytes, "\x1b[{row};1H\x1b[38;5;{colour}m│\x1b[39m some words ✓\x1b[K\x1b]0;{number}\x07");
        stream.text.push_str("│ some words ✓");
    }
    stream
}

fn speeds(stream: &Stream, times: &Sample) -> String {
    let speed = |time: Duration| stream.bytes.len() as f64 / 1e6 / time.as_secs_f64();
    format!("{:.0} MB/s ({:.0})", speed(times.median()), speed(times.p90()))
}
