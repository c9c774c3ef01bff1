//! Reads the agent's own protocol: events, its session, its result, its questions.
//!
//! The parser works on a copy of what is in the logs already. It cannot break them, and holds them up only when it is
//! far behind.

use std::time::Duration;

use agency_adapters::{Opening, Outcome, StreamFormat, StreamItem};
use agency_model::conversation::{Conversation, Input, Origin};
use agency_model::run::Verdict;
use agency_model::{Activity, Event, Usage};
use ulid::Ulid;

use super::Supervisor;
use super::stream_reader::StreamReader;
use super::timers::Timer;
use crate::runner::Stream;
use crate::store::AgentNote;
use crate::wire::LaunchOrders;

/// How long a flood of output must be over until its memory is given back.
const RELEASE_INTERVAL: Duration = Duration::from_secs(1);
/// A longer answer is in the log, not in every place that shows a run.
const MAX_SUMMARY_BYTES: usize = 16 * 1024;

/// What has been understood of one attempt, and what has added up over all of them.
pub(super) struct ProtocolReader {
    format: StreamFormat,
    opening: Option<Opening>,
    pub(super) reader: Option<StreamReader>,
    outcome: Option<Outcome>,
    pub(super) session: Option<String>,
    usage: Usage,
    /// What its conversation had used before the run.
    spent: Usage,
    /// The last error that it reported, for agents that end without a result.
    last_error: Option<String>,
    /// Whether the snapshot lacks something of what was read.
    snapshot: SnapshotNeed,
}

/// When the snapshot of the row has to be written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum SnapshotNeed {
    /// It lacks nothing.
    #[default]
    None,
    /// What it lacks is in the events too.
    Soon,
    /// No event has what it lacks.
    Now,
}

impl ProtocolReader {
    pub(super) fn new(launch: &LaunchOrders) -> Self {
        let mut reader = Self {
            format: launch.stream,
            opening: launch.start.opening.clone(),
            reader: None,
            outcome: None,
            session: None,
            usage: Usage::default(),
            spent: launch.spent,
            last_error: None,
            snapshot: SnapshotNeed::None,
        };
        reader.listen_anew();
        reader
    }

    /// Whether the agent's stream is understood, so that its raw lines are not shown to users.
    pub(super) fn understands(&self) -> bool {
        self.reader.is_some()
    }

    /// Whether the agent receives messages by its protocol.
    pub(super) const fn is_conversation(&self) -> bool {
        self.opening.is_some()
    }

    /// Whether the agent's protocol reports the beginning of each turn.
    pub(super) const fn reports_turns(&self) -> bool {
        self.format.reports_turns()
    }

    fn listen_anew(&mut self) {
        let channel = match &self.opening {
            Some(opening) => self.format.conversation(opening.clone()),
            None => self.format.parser(),
        };
        self.reader = channel.map(|mut channel| {
            channel.count_from(self.spent.plus(self.usage));
            channel.identify_from(Ulid::generate().0);
            StreamReader::new(channel)
        });
    }

    /// What the agent has used in this run.
    pub(super) const fn usage(&self) -> Usage {
        self.usage
    }

    /// What the agent reported about its work.
    fn verdict(&self, conversation: &Conversation) -> Verdict {
        match &self.outcome {
            None => Verdict::None,
            // Its success was that of a turn, not of all that it had begun.
            Some(Outcome { success: true, .. }) if conversation.is_cut_off() => Verdict::Failure,
            Some(Outcome { success: true, .. }) if conversation.was_terminated() => Verdict::Dismissed,
            Some(Outcome { success: true, .. }) => Verdict::Success,
            Some(Outcome { success: false, .. }) => Verdict::Failure,
        }
    }

    /// Whether the agent reported that its last turn succeeded.
    pub(super) fn has_succeeded(&self) -> bool {
        self.outcome.as_ref().is_some_and(|outcome| outcome.success)
    }

    /// The reason that the agent gave for its failure.
    pub(super) fn complaint(&self) -> Option<&str> {
        match &self.outcome {
            Some(Outcome { success: false, error: Some(error), .. }) => Some(error),
            Some(Outcome { success: true, .. }) => None,
            Some(Outcome { success: false, error: None, .. }) | None => self.last_error.as_deref(),
        }
    }

    /// The agent's last answer.
    pub(super) fn summary(&self) -> Option<String> {
        let text = self.outcome.as_ref()?.text.as_deref()?;
        let end = text.char_indices().map(|(index, letter)| index + letter.len_utf8());
        let end = end.take_while(|end| *end <= MAX_SUMMARY_BYTES).last().unwrap_or(0);
        text.get(..end).map(str::to_owned).filter(|text| !text.is_empty())
    }
}

impl Supervisor<'_> {
    /// Understands what was just written to the logs, now or when the parser has read what came before.
    pub(super) fn understand(&mut self, length: usize) {
        let Some(reader) = &mut self.protocol.reader else { return };
        match reader.feed(self.process.written(Stream::Stdout, length)) {
            Some(items) => self.handle_items(items),
            None => self.timers.arm_once(Timer::ReleaseMemory, RELEASE_INTERVAL),
        }
    }

    /// Gives back the memory of a flood of output, unless the flood continues.
    pub(super) fn release_memory(&mut self) {
        if let Some(reader) = &mut self.protocol.reader
            && !reader.release_memory()
        {
            self.timers.arm(Timer::ReleaseMemory, RELEASE_INTERVAL);
        }
    }

    /// Handles what follows from a message to the agent, such as questions that are withdrawn.
    pub(super) fn handle_pending_items(&mut self) {
        let items = self.protocol.reader.as_mut().and_then(|reader| reader.feed(b""));
        self.handle_items(items.unwrap_or_default());
    }

    /// Understands all that is in the logs.
    pub(super) fn catch_up_with_logs(&mut self) {
        while let Some(items) = self.protocol.reader.as_mut().and_then(StreamReader::finish_next) {
            self.handle_items(items);
        }
    }

    /// Understands the last half line, and is ready for another attempt.
    pub(super) fn stop_understanding(&mut self) -> Verdict {
        self.catch_up_with_logs();
        let items = self.protocol.reader.as_ref().map(|reader| reader.channel().finish());
        self.handle_items(items.unwrap_or_default());
        self.store_agent_note();
        let verdict = self.protocol.verdict(&self.conversation);
        // For an agent that stays, what it finished was one turn of many.
        if verdict == Verdict::Success && self.launch.stays { Verdict::None } else { verdict }
    }

    /// Forgets the result of the last attempt.
    pub(super) fn forget_outcome(&mut self) {
        self.protocol.outcome = None;
        self.protocol.last_error = None;
        self.protocol.opening.clone_from(&self.process.start().opening);
        self.protocol.listen_anew();
    }

    /// Handles what the agent said.
    pub(super) fn handle_items(&mut self, items: Vec<StreamItem>) {
        if items.is_empty() {
            return;
        }
        self.files.hold_events();
        for item in items {
            self.handle_item(item);
        }
        self.files.release_events();
        match std::mem::take(&mut self.protocol.snapshot) {
            SnapshotNeed::None => {}
            SnapshotNeed::Soon => self.write_snapshot_soon(),
            SnapshotNeed::Now => self.write_snapshot(),
        }
    }

    fn handle_item(&mut self, item: StreamItem) {
        match item {
            StreamItem::Event(event) => self.handle_agent_event(event),
            StreamItem::Session(session) => {
                self.protocol.session = Some(session);
                self.store_agent_note();
                // No event has it.
                self.protocol.snapshot = SnapshotNeed::Now;
            }
            StreamItem::Result(outcome) => {
                self.protocol.outcome = Some(outcome);
                self.converse(Input::TurnEnded);
                self.checkpoint_turn();
                self.protocol.snapshot = self.protocol.snapshot.max(SnapshotNeed::Soon);
            }
            StreamItem::TurnStarted => self.converse(Input::TurnStarted),
            StreamItem::MessageTaken => self.converse(Input::MessageTaken),
            StreamItem::MessageDropped => self.converse(Input::MessageDropped),
            StreamItem::BackgroundTasks(count) => self.converse(Input::BackgroundTasks(count)),
            // An agent that asks for something and does not read the reply goes without it.
            StreamItem::Reply(bytes) => drop(self.process.write(&bytes)),
            StreamItem::Question(question) => {
                // The events before a question are on disk before anything follows from it.
                self.files.release_events();
                self.ask(question, Origin::Protocol);
                self.files.hold_events();
            }
            StreamItem::Withdrawn(key) => {
                self.converse(Input::Withdrawn { key, reason: "the agent withdrew it".to_owned() });
            }
        }
    }

    fn handle_agent_event(&mut self, event: Event) {
        if let Event::Error { message } = &event {
            self.protocol.last_error = Some(message.clone());
        }
        if let Event::Usage(usage) = &event {
            self.protocol.usage = self.protocol.usage.plus(*usage);
        }
        self.converse(Input::Event(event));
    }

    /// The row is for users and for resuming; a busy database does not hold up the agent.
    pub(super) fn store_agent_note(&mut self) {
        let activity = self.present_activity();
        let note = AgentNote { session: self.protocol.session.as_deref(), usage: self.protocol.usage, activity };
        match self.store.note_agent(&self.id, &note) {
            Ok(()) => {
                let is_idle = activity.is_some_and(|(activity, _)| activity == Activity::Idle);
                self.row_sync.activity.is_idle_in_row = is_idle;
            }
            Err(error) => self.report_store_error("the agent's conversation and usage could not be stored", &error),
        }
    }
}
