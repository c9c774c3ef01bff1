//! The final answer of an agent, as far as there is one.

use std::collections::VecDeque;
use std::io;

use agency_model::workflow::{AgentOutput, MAX_ANSWER_BYTES};
use agency_model::{Event, Mode};

use crate::agency::Agency;
use crate::record::finish::read_markers;
use crate::runner::AnsiStripper;
use crate::store::RunRow;
use crate::watch::{EventReader, Tail, last_bytes};

/// The last answer of a run's agent: its result, its last text, or what it printed.
pub(super) fn final_answer(agency: &Agency, row: &RunRow) -> String {
    let summary = read_markers(&agency.home.run(&row.id)).and_then(|ended| ended.summary).unwrap_or_default();
    if AgentOutput::read(&summary).is_ok() {
        return summary;
    }
    let said = Vec::from(said(agency, row).unwrap_or_default());
    // Some agents send a message in pieces, others whole messages.
    let words = [said.concat(), said.join("\n")].into_iter().find(|words| AgentOutput::read(words).is_ok());
    match words {
        Some(words) => words,
        None if !summary.is_empty() => summary,
        None if !said.is_empty() => said.concat(),
        None => printed(agency, row).unwrap_or_default(),
    }
}

/// What the agent wrote since the last message that it received.
fn said(agency: &Agency, row: &RunRow) -> io::Result<VecDeque<String>> {
    let mut reader = EventReader::default();
    let mut said = VecDeque::new();
    let mut length = 0;
    Tail::at(&agency.home.run(&row.id).events(), 0)?.read(|bytes| {
        for read in reader.feed(bytes) {
            if matches!(read.event.event, Event::Message { .. } | Event::Attempt { .. }) {
                said.clear();
                length = 0;
            }
            // The text of a sub-agent is not the answer of the agent.
            if let Event::Output { text, parent_tool_id: None } = read.event.event {
                length += text.len();
                said.push_back(text);
            }
            while length > MAX_ANSWER_BYTES && said.len() > 1 {
                length -= said.pop_front().map_or(0, |text: String| text.len());
            }
        }
        Ok(())
    })?;
    Ok(said)
}

/// The end of what its last process printed, without what is only for terminals.
fn printed(agency: &Agency, row: &RunRow) -> io::Result<String> {
    let from = agency.last_event(&row.id, |line| {
        if let Event::Attempt { logs_from, .. } = line.event { Some(logs_from.stdout) } else { None }
    });
    let log = agency.home.run(&row.id).stdout_log();
    let bytes = last_bytes(&log, from.ok().flatten().unwrap_or_default(), MAX_ANSWER_BYTES as u64)?;
    let mut cleaner = AnsiStripper::new();
    let text = cleaner.feed(&bytes) + &cleaner.finish();
    Ok(match row.mode {
        Mode::Headless => text,
        // A terminal turns every newline into two characters.
        Mode::Interactive => text.replace("\r\n", "\n"),
    })
}
