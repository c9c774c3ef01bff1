//! Follows one agent's events for the manager's channel, in a thread of its own.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use agency_model::RunId;

use super::events::{AgentEvent, AgentEventKind, Queue};
use super::{AgentError, AgentState, NamedAgent};
use crate::agency::Agency;
use crate::home::HomeError;
use crate::store::Store;
use crate::watch::{EventReader, Tail};

/// A thread that reads the events of one run until it has finished.
#[derive(Debug)]
pub(super) struct Follower {
    thread: JoinHandle<()>,
    leave: Arc<AtomicBool>,
}

impl Follower {
    /// Begins with the event after number `from`.
    pub(super) fn start(
        agency: &Agency,
        agent: &NamedAgent,
        from: u64,
        queue: &Arc<Queue>,
    ) -> Result<Self, AgentError> {
        let path = agency.home.run(&agent.run.id).events();
        let unusable = |source: io::Error| HomeError::new("follow", &path, source);
        let mut own = Agency {
            home: agency.home.clone(),
            config: agency.config.clone(),
            store: Store::open(&agency.home.database(), agency.config.lock_timeout).map_err(AgentError::Store)?,
            executable: agency.executable.clone(),
        };
        let mut cursor = Tail::at(&path, 0).map_err(unusable)?;
        let leave = Arc::new(AtomicBool::new(false));
        let state = if from == 0 { AgentState::Idle } else { agent.state };
        let mut telling = Telling {
            agent: agent.name.clone(),
            run: agent.run.id.clone(),
            from,
            state,
            reader: EventReader::default(),
            queue: Arc::clone(queue),
        };
        let left = Arc::clone(&leave);
        let thread = std::thread::Builder::new()
            .name(format!("events of {}", agent.name))
            .spawn(move || {
                let run = telling.run.clone();
                // A log that cannot be read any more ends the following; the log itself is still there.
                let stays = || !left.load(Ordering::Relaxed);
                let _ = own.follow_while(stays, &run, &mut cursor, |piece| telling.tell(piece));
            })
            .map_err(unusable)?;
        Ok(Self { thread, leave })
    }

    pub(super) fn is_at_work(&self) -> bool {
        !self.thread.is_finished()
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.leave.store(true, Ordering::Relaxed);
    }
}

struct Telling {
    agent: String,
    run: RunId,
    from: u64,
    state: AgentState,
    reader: EventReader,
    queue: Arc<Queue>,
}

impl Telling {
    fn tell(&mut self, piece: &[u8]) -> io::Result<()> {
        for read in self.reader.feed(piece) {
            let (seq, event) = (read.event.seq, read.event.event);
            if seq <= self.from {
                continue;
            }
            let new = self.state.after(&event);
            self.push(AgentEventKind::Event { seq, event: Box::new(event) });
            if new != self.state {
                let old = std::mem::replace(&mut self.state, new);
                self.push(AgentEventKind::StateChange { old, new });
            }
        }
        Ok(())
    }

    fn push(&self, happened: AgentEventKind) {
        self.queue.push(AgentEvent { agent: self.agent.clone(), run: self.run.clone(), happened });
    }
}
