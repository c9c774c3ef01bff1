//! The lines of `events.ndjson` as events, whatever pieces the bytes come in.

use agency_model::EventLine;

/// An event, and the line it was read from: a newer version may have written more than is known here.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ReadEvent {
    /// The part of it that is known.
    pub event: EventLine,
    /// The line in the file.
    pub line: String,
}

/// Turns the bytes of `events.ndjson` into events.
#[derive(Debug, Default)]
pub struct EventReader {
    partial: Vec<u8>,
    seq: u64,
}

impl EventReader {
    /// The events that are complete with these bytes.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<ReadEvent> {
        self.partial.extend_from_slice(bytes);
        let mut events = vec![];
        while let Some(end) = self.partial.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.partial.drain(..=end).collect();
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_end();
            if text.is_empty() {
                continue;
            }
            let event = EventLine::read(text, self.seq);
            self.seq = event.seq;
            events.push(ReadEvent { event, line: text.to_owned() });
        }
        events
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_events(cuts in proptest::collection::vec(0_usize..400, 0..8), junk in ".{0,40}") {
            let good = r#"{"seq":1,"at":"2026-01-01T00:00:00Z","attempt":0,"type":"state_change","to":"queued"}"#;
            let text = format!("{good}\n{junk}\n{good}\nhalf");
            let whole = EventReader::default().feed(text.as_bytes());
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.sort_unstable();
            let mut reader = EventReader::default();
            let mut pieces = vec![];
            let mut start = 0;
            for cut in cuts.into_iter().chain([text.len()]) {
                pieces.extend(reader.feed(&text.as_bytes()[start..cut]));
                start = cut;
            }
            prop_assert_eq!(pieces, whole);
        }
    }
}
