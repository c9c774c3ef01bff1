//! Follows one agent for the manager's channel, in a thread of its own: its events, and its output where that is not
//! parsed into events.

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use agency_model::{Event, RunId};

use super::events::{AgentEvent, AgentEventKind, Queue};
use super::{AgentError, AgentState, NamedAgent};
use crate::agency::Agency;
use crate::home::HomeError;
use crate::runner::AnsiStripper;
use crate::store::StoreError;
use crate::watch::{DirectoryWatch, EventReader, StopHandle, Tail};

/// A thread that reads what one run writes until it has finished.
#[derive(Debug)]
pub(super) struct Follower {
    run: RunId,
    thread: JoinHandle<()>,
    stop: StopHandle,
}

impl Follower {
    /// Begins with the event after number `from`, and with the output after it.
    pub(super) fn start(
        agency: &Agency,
        agent: &NamedAgent,
        from: u64,
        queue: &Arc<Queue>,
    ) -> Result<Self, AgentError> {
        let run = agency.home.run(&agent.run.id);
        let unusable = |source: io::Error| HomeError::new("follow", run.path(), source);
        let own = agency.try_clone().map_err(AgentError::Store)?;
        let stop = StopHandle::new();
        let (events, log) = (run.events(), run.stdout_log());
        let watch = DirectoryWatch::stopped_by(&[run.path(), log.parent().unwrap_or(run.path())], &stop)?;
        let output = if agency.understands(&agent.run) {
            None
        } else {
            let begin = if from == 0 { 0 } else { log.metadata().map_or(0, |metadata| metadata.len()) };
            Some((Tail::at(&log, begin).map_err(unusable)?, AnsiStripper::new()))
        };
        let mut reading = Reading {
            agency: own,
            agent: agent.name.clone(),
            run: agent.run.id.clone(),
            seq: from,
            state: if from == 0 { AgentState::Idle } else { agent.state },
            events: Tail::at(&events, 0).map_err(unusable)?,
            reader: EventReader::default(),
            output,
            queue: Arc::clone(queue),
        };
        let stopped = stop.clone();
        let thread = std::thread::Builder::new()
            .name(format!("events of {}", agent.name))
            // A log that cannot be read any more ends the following; the log itself is still there.
            .spawn(move || drop(reading.read_until_end(&watch, &stopped)))
            .map_err(unusable)?;
        Ok(Self { run: agent.run.id.clone(), thread, stop })
    }

    pub(super) fn is_of(&self, run: &RunId) -> bool {
        self.run == *run
    }

    pub(super) fn is_at_work(&self) -> bool {
        !self.thread.is_finished()
    }

    /// Passes on what their runs have written until now, and ends. They never wait for the consumer.
    pub(super) fn finish(followers: Vec<Self>) {
        for follower in &followers {
            follower.stop.stop();
        }
        for follower in followers {
            // One that panicked has passed on what it could.
            let _ = follower.thread.join();
        }
    }
}

struct Reading {
    agency: Agency,
    agent: String,
    run: RunId,
    /// The number of the last event that was read.
    seq: u64,
    state: AgentState,
    events: Tail,
    reader: EventReader,
    output: Option<(Tail, AnsiStripper)>,
    queue: Arc<Queue>,
}

impl Reading {
    fn read_until_end(&mut self, watch: &DirectoryWatch, stop: &StopHandle) -> io::Result<()> {
        let mut found = false;
        loop {
            // What was written before the stop is read after it.
            let stopped = stop.is_stopped();
            // The state is read first: what was written before the end is read after it.
            let over = match self.is_over() {
                Ok(over) => over,
                // The database was lost since; `agency reconcile` brings the row back.
                Err(error) if found && error.is_lost_row() => false,
                Err(error) => return Err(io::Error::other(error)),
            };
            found = true;
            self.read(over)?;
            if over || stopped {
                return Ok(());
            }
            watch.wait(Duration::MAX);
        }
    }

    fn is_over(&mut self) -> Result<bool, StoreError> {
        let row = self.agency.fresh_row(&self.run)?;
        Ok(row.state.is_terminal() || self.agency.settle(&row)?.is_some())
    }

    /// Output comes after the event of the attempt that wrote it, and before that of the attempt's exit.
    fn read(&mut self, over: bool) -> io::Result<()> {
        let mut arrived = vec![];
        // The output before an event is in the log when the event is read, and the event of an attempt is written before
        // its output: once no event came after the length was read, the attempts of all output up to it are known.
        let end = loop {
            let end = self.output.as_ref().map_or(0, |(log, _)| log.path().metadata().map_or(0, |found| found.len()));
            let (known, reader) = (arrived.len(), &mut self.reader);
            self.events.read(|piece| {
                arrived.extend(reader.feed(piece));
                Ok(())
            })?;
            if arrived.len() == known {
                break end;
            }
        };
        arrived.retain(|read| read.event.seq > self.seq);
        let begins: Vec<Option<u64>> = arrived.iter().map(|read| begin_of_output(&read.event.event)).collect();
        for (index, read) in arrived.into_iter().enumerate() {
            let (seq, event) = (read.event.seq, read.event.event);
            match (begins.get(index), &event) {
                (Some(Some(begin)), _) => self.read_output(*begin)?,
                (_, Event::Exit { .. }) => {
                    let next = begins.iter().skip(index).flatten().next();
                    self.read_output(next.copied().unwrap_or(end))?;
                }
                _ => {}
            }
            self.seq = seq;
            let new = self.state.after(&event);
            self.push(AgentEventKind::Event { seq, event: Box::new(event) });
            if new != self.state {
                let old = std::mem::replace(&mut self.state, new);
                self.push(AgentEventKind::StateChange { old, new });
            }
        }
        self.read_output(end)?;
        if over && let Some((_, stripper)) = &mut self.output {
            let rest = stripper.finish();
            self.push_output(rest);
        }
        Ok(())
    }

    /// Passes the output on up to an offset of its log.
    fn read_output(&mut self, end: u64) -> io::Result<()> {
        let Some((mut tail, mut stripper)) = self.output.take() else { return Ok(()) };
        let read = tail.read_to(end, |piece| {
            self.push_output(stripper.feed(piece));
            Ok(())
        });
        self.output = Some((tail, stripper));
        read
    }

    fn push_output(&self, text: String) {
        if !text.is_empty() {
            self.push(AgentEventKind::Output { seq: self.seq, text });
        }
    }

    fn push(&self, happened: AgentEventKind) {
        self.queue.push(AgentEvent { agent: self.agent.clone(), run: self.run.clone(), happened });
    }
}

/// Where the output of the attempt that an event begins is in the log.
fn begin_of_output(event: &Event) -> Option<u64> {
    if let Event::Attempt { logs_from, .. } = event { Some(logs_from.stdout) } else { None }
}
