//! The manager's channel: lossless for what changes an agent's state, bounded for its output.
//!
//! A slow consumer receives how much of an agent's output it missed, and between which events, so that it can read
//! them from the log. The agents never wait for it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use agency_model::{Event, RunId};

use super::AgentState;
use crate::deadline::capped;

/// How many events of output wait for a slow consumer.
const QUEUE_CAPACITY: usize = 1024;

/// Something that happened to an agent.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct AgentEvent {
    /// The agent.
    pub agent: String,
    /// Its run.
    pub run: RunId,
    /// What happened.
    pub happened: AgentEventKind,
}

impl AgentEvent {
    /// An event of an agent: for tests of code that gets one.
    pub fn new(agent: impl Into<String>, run: RunId, happened: AgentEventKind) -> Self {
        Self { agent: agent.into(), run, happened }
    }
}

/// What happened to an agent.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum AgentEventKind {
    /// An event of its run.
    Event {
        /// The event's number in the run.
        seq: u64,
        /// The event.
        event: Box<Event>,
    },
    /// What it printed to its standard output and its standard error, in the order in which both arrived, of an agent whose
    /// output is not parsed: plain text on pipes, or a screen. Control sequences are removed; the log has them.
    Output {
        /// The number of the event before it.
        seq: u64,
        /// The text.
        text: String,
    },
    /// It is about something else now.
    StateChange {
        /// Before.
        old: AgentState,
        /// Now.
        new: AgentState,
    },
    /// The consumer was too slow for these events; `agency events` and the log have them.
    Missed(Missed),
}

/// Events that a slow consumer missed. A piece of output that is not parsed counts with the number of the event before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Missed {
    /// The number of the first.
    pub first: u64,
    /// The number of the last.
    pub last: u64,
    /// How many there were.
    pub events: u64,
    /// How many bytes of text they had.
    pub bytes: u64,
}

/// The consumer's end of the channel. Clones of it share what comes: each event is given to one of them.
///
/// As an iterator it waits for the next event, and ends when its [`AgentManager`](super::AgentManager) is dropped and all
/// was given. The agents continue.
#[derive(Debug, Clone)]
pub struct AgentEvents {
    queue: Arc<Queue>,
}

impl AgentEvents {
    pub(super) fn of(queue: &Arc<Queue>) -> Self {
        queue.lock().heard = true;
        Self { queue: Arc::clone(queue) }
    }

    /// The next event, or nothing if none comes within the limit or before the manager is dropped.
    #[must_use]
    pub fn wait(&self, limit: Duration) -> Option<AgentEvent> {
        let until = Instant::now() + capped(limit);
        let mut waiting = self.queue.lock();
        loop {
            if let Some(event) = waiting.take() {
                return Some(event);
            }
            if waiting.closed {
                return None;
            }
            let left = until.checked_duration_since(Instant::now())?;
            let woken = self.queue.came.wait_timeout(waiting, left);
            waiting = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Iterator for AgentEvents {
    type Item = AgentEvent;

    fn next(&mut self) -> Option<Self::Item> {
        self.wait(Duration::MAX)
    }
}

/// Events that are not delivered yet.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    came: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    events: VecDeque<AgentEvent>,
    /// How many of them are output.
    output: usize,
    missed: BTreeMap<RunId, Missed>,
    heard: bool,
    /// Whether the manager is gone, so that no more will come.
    closed: bool,
}

impl Queue {
    /// A panic of another thread has not left the queue half changed.
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the events have a receiver.
    pub(super) fn is_heard(&self) -> bool {
        self.lock().heard
    }

    /// Ends the channel: what is in it is still given.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.came.notify_all();
    }

    /// Takes an event in, or counts it as missed.
    pub(super) fn push(&self, event: AgentEvent) {
        let mut waiting = self.lock();
        waiting.push(event);
        drop(waiting);
        self.came.notify_all();
    }
}

impl Waiting {
    fn push(&mut self, event: AgentEvent) {
        let may_wait = !is_output(&event.happened);
        let said = match &event.happened {
            AgentEventKind::Event { seq, event } => Some((*seq, text_of(event))),
            AgentEventKind::Output { seq, text } => Some((*seq, text.as_str())),
            AgentEventKind::StateChange { .. } | AgentEventKind::Missed(_) => None,
        };
        if let (false, true, Some((seq, text))) = (may_wait, self.output >= QUEUE_CAPACITY, said) {
            let bytes = text.len() as u64;
            let missed = self.missed.entry(event.run).or_insert(Missed { first: seq, last: seq, events: 0, bytes: 0 });
            *missed = Missed { last: seq, events: missed.events + 1, bytes: missed.bytes + bytes, ..*missed };
            return;
        }
        if let Some(missed) = self.missed.remove(&event.run) {
            let happened = AgentEventKind::Missed(missed);
            self.events.push_back(AgentEvent { agent: event.agent.clone(), run: event.run.clone(), happened });
        }
        self.output += usize::from(!may_wait);
        self.events.push_back(event);
    }

    fn take(&mut self) -> Option<AgentEvent> {
        let event = self.events.pop_front()?;
        self.output -= usize::from(is_output(&event.happened));
        Some(event)
    }
}

/// Whether there may be any number of such events.
fn is_output(happened: &AgentEventKind) -> bool {
    match happened {
        AgentEventKind::StateChange { .. } | AgentEventKind::Missed(_) => false,
        AgentEventKind::Output { .. } => true,
        AgentEventKind::Event { event, .. } => match &**event {
            Event::StateChange { .. }
            | Event::Attempt { .. }
            | Event::Exit { .. }
            | Event::Restart { .. }
            | Event::Completed { .. }
            | Event::Question { .. }
            | Event::Answer { .. } => false,
            Event::Notice { .. }
            | Event::Error { .. }
            | Event::Output { .. }
            | Event::Thinking { .. }
            | Event::Plan { .. }
            | Event::Task { .. }
            | Event::RateLimit { .. }
            | Event::Compaction { .. }
            | Event::ToolUse { .. }
            | Event::ToolResult { .. }
            | Event::Usage(_)
            | Event::Activity { .. }
            | Event::Message { .. }
            | Event::Unknown { .. }
            | Event::Work(_) => true,
        },
    }
}

/// What an event has of the agent's own words.
fn text_of(event: &Event) -> &str {
    match event {
        Event::Output { text, .. } | Event::Thinking { text, .. } | Event::Message { text } => text,
        Event::Plan { text, .. } => text.as_deref().unwrap_or_default(),
        Event::Task { description, .. } => description,
        Event::ToolResult { output, .. } => output,
        Event::Notice { message } | Event::Error { message } => message,
        Event::StateChange { .. }
        | Event::Attempt { .. }
        | Event::Exit { .. }
        | Event::Restart { .. }
        | Event::ToolUse { .. }
        | Event::RateLimit { .. }
        | Event::Compaction { .. }
        | Event::Usage(_)
        | Event::Activity { .. }
        | Event::Question { .. }
        | Event::Answer { .. }
        | Event::Completed { .. }
        | Event::Unknown { .. }
        | Event::Work(_) => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(seq: u64, event: Event) -> AgentEvent {
        let run = "r_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap();
        AgentEvent { agent: "alice".into(), run, happened: AgentEventKind::Event { seq, event: Box::new(event) } }
    }

    fn said(seq: u64) -> AgentEvent {
        event(seq, Event::output("word"))
    }

    fn is(happened: &AgentEventKind, wanted: fn(&Event) -> bool) -> bool {
        matches!(happened, AgentEventKind::Event { event, .. } if wanted(event))
    }

    // proves P9
    #[test]
    fn a_slow_consumer_misses_output_and_is_told_so_but_no_state_change() {
        let queue = Arc::<Queue>::default();
        let events = AgentEvents::of(&queue);
        let room = QUEUE_CAPACITY as u64;
        for seq in 1..=room + 500 {
            queue.push(said(seq));
            if seq % 100 == 0 {
                queue.push(event(seq, Event::Restart { failures: 1, delay_ms: 1 }));
            }
        }
        queue.push(event(room + 501, Event::Exit { exit_code: Some(0), signal: None }));
        let heard: Vec<AgentEvent> = std::iter::from_fn(|| events.wait(Duration::ZERO)).collect();
        let count = |wanted: fn(&AgentEventKind) -> bool| heard.iter().filter(|event| wanted(&event.happened)).count();
        assert_eq!(count(|event| is(event, |event| matches!(event, Event::Output { .. }))), QUEUE_CAPACITY);
        assert_eq!(count(|event| is(event, |event| matches!(event, Event::Restart { .. }))), 15);
        let missed: Vec<Missed> = heard
            .iter()
            .filter_map(|event| if let AgentEventKind::Missed(missed) = event.happened { Some(missed) } else { None })
            .collect();
        assert_eq!(missed.iter().map(|missed| missed.events).sum::<u64>(), 500);
        assert_eq!(missed.iter().map(|missed| missed.bytes).sum::<u64>(), 2000);
        assert_eq!((missed[0].first, missed[missed.len() - 1].last), (room + 1, room + 500));
        assert!(is(&heard.last().unwrap().happened, |event| matches!(event, Event::Exit { .. })));
        // A reader that has caught up misses nothing more.
        queue.push(said(room + 502));
        assert_eq!(events.wait(Duration::ZERO), Some(said(room + 502)));
    }

    #[test]
    fn a_consumer_waits_for_what_comes_later() {
        let queue = Arc::<Queue>::default();
        let events = AgentEvents::of(&queue);
        let late = std::thread::spawn(move || events.wait(Duration::from_secs(20)));
        queue.push(said(1));
        assert_eq!(late.join().unwrap(), Some(said(1)));
    }

    #[test]
    fn the_iteration_ends_with_the_manager_and_after_what_came_before() {
        let queue = Arc::<Queue>::default();
        let events = AgentEvents::of(&queue);
        queue.push(said(1));
        let iterating = std::thread::spawn(move || events.collect::<Vec<_>>());
        queue.push(said(2));
        queue.close();
        assert_eq!(iterating.join().unwrap(), [said(1), said(2)]);
    }
}
