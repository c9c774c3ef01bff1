//! What the agent says about its work, in its own protocol: events, its session, its result.
//!
//! The parser works on a copy of what is in the logs already and can neither hold up nor break them.

use agency_model::run::Verdict;
use agency_model::{Event, Usage};

use super::render::rendered;
use super::turn::Supervisor;
use crate::adapter::{Channel, Heard, Outcome, StreamFormat};
use crate::runner::Stream;

/// A longer answer is in the log, not in every place that shows a run.
const LONGEST_SUMMARY: usize = 16 * 1024;

/// What has been understood of one attempt, and what has added up over all of them.
pub(super) struct Ear {
    format: StreamFormat,
    parser: Option<Box<dyn Channel>>,
    outcome: Option<Outcome>,
    session: Option<String>,
    usage: Usage,
}

impl Ear {
    pub(super) fn new(format: StreamFormat) -> Self {
        Self { format, parser: format.parser(), outcome: None, session: None, usage: Usage::default() }
    }

    /// Whether the agent's stream is understood, so that its raw lines are not for people.
    pub(super) fn understands(&self) -> bool {
        self.parser.is_some()
    }

    /// What the agent said about its work.
    pub(super) fn verdict(&self) -> Verdict {
        match &self.outcome {
            None => Verdict::None,
            Some(Outcome { success: true, .. }) => Verdict::Success,
            Some(Outcome { success: false, .. }) => Verdict::Failure,
        }
    }

    /// Why the agent says it failed.
    pub(super) fn complaint(&self) -> Option<&str> {
        self.outcome.as_ref().filter(|outcome| !outcome.success).and_then(|outcome| outcome.error.as_deref())
    }

    /// The agent's last answer.
    pub(super) fn summary(&self) -> Option<String> {
        let text = self.outcome.as_ref()?.text.as_deref()?;
        let end = text.char_indices().map(|(index, letter)| index + letter.len_utf8());
        let end = end.take_while(|end| *end <= LONGEST_SUMMARY).last().unwrap_or(0);
        text.get(..end).map(str::to_owned).filter(|text| !text.is_empty())
    }
}

impl Supervisor<'_> {
    /// Understands what was just written to the logs.
    pub(super) fn understand(&mut self, stream: Stream, length: usize) {
        let heard = match (&self.agent, &mut self.ear.parser, stream) {
            (Some(agent), Some(parser), Stream::Stdout) => parser.feed(agent.written(stream, length)),
            (_, _, Stream::Stdout | Stream::Stderr) => return,
        };
        self.take_in(heard);
    }

    /// Understands the last half line, and is ready for another attempt.
    pub(super) fn stop_understanding(&mut self) -> Verdict {
        let heard = self.ear.parser.as_mut().map(|parser| parser.finish()).unwrap_or_default();
        self.take_in(heard);
        self.ear.parser = self.ear.format.parser();
        self.note_agent();
        self.ear.verdict()
    }

    /// A new attempt has said nothing yet.
    pub(super) fn forget_outcome(&mut self) {
        self.ear.outcome = None;
    }

    fn take_in(&mut self, heard: Vec<Heard>) {
        let attempt = self.run.attempt();
        for item in heard {
            match item {
                Heard::Event(event) => {
                    if let Event::Usage(usage) = &event {
                        self.ear.usage = self.ear.usage.plus(*usage);
                    }
                    self.show_event(&event);
                    self.events.append(attempt, event);
                }
                Heard::Session(session) => {
                    self.ear.session = Some(session);
                    self.note_agent();
                }
                Heard::Result(outcome) => self.ear.outcome = Some(outcome),
                Heard::Say(bytes) => {
                    if let Some(agent) = &mut self.agent {
                        agent.type_in(&bytes);
                    }
                }
                Heard::Asked(_) | Heard::Withdrawn(_) => {}
            }
        }
    }

    fn show_event(&mut self, event: &Event) {
        if let Some(text) = rendered(event) {
            self.show(&text);
        }
    }

    /// The row is for people and for resuming; a busy database does not hold up the agent.
    fn note_agent(&mut self) {
        if self.ear.session.is_none() && self.ear.usage.is_empty() {
            return;
        }
        if let Err(error) = self.store.note_agent(&self.id, self.ear.session.as_deref(), &self.ear.usage) {
            let message = format!("what the agent said of itself could not be stored: {error}");
            self.events.append(self.run.attempt(), Event::Error { message });
        }
    }
}
