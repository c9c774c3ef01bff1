//! Waiting for a slot: first come, first served, across all agency processes.

use std::time::Duration;

use agency_model::RunId;
use agency_system::lock::is_held;
use notify::{RecursiveMode, Watcher};
use tokio::sync::mpsc;

use super::control::{ControlMessage, ControlServer};
use crate::home::Home;
use crate::store::{RunRow, SlotAnswer, Store, StoreError};
use crate::wire::LaunchOrders;

/// A supervisor that is killed does not signal that its slot is free, so slots are also polled.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How the wait ended.
pub(super) enum SlotOutcome {
    /// The row is `running`.
    Granted(Box<RunRow>),
    /// There is no slot, and the run may not wait for one.
    Refused,
    /// It was stopped.
    Over(Box<RunRow>),
}

/// A run that needs a slot.
pub(super) struct Waiting<'a> {
    pub(super) home: &'a Home,
    pub(super) id: &'a RunId,
    pub(super) launch: &'a LaunchOrders,
}

impl Waiting<'_> {
    pub(super) async fn wait(
        &self,
        store: &mut Store,
        control: &mut ControlServer,
        mut when_queued: impl FnMut(),
    ) -> Result<SlotOutcome, StoreError> {
        if let Some(outcome) = self.claim(store)? {
            return Ok(outcome);
        }
        if !self.launch.may_wait {
            return Ok(SlotOutcome::Refused);
        }
        when_queued();
        let (_watcher, mut changes) = self.watch_slots();
        // They are woken when this returns.
        let mut waiters = vec![];
        loop {
            if let Some(outcome) = self.claim(store)? {
                return Ok(outcome);
            }
            tokio::select! {
                Some(message) = control.next() => {
                    if let ControlMessage::Waiting(waiter) = message {
                        waiters.push(waiter);
                    }
                }
                Some(()) = changes.recv() => {}
                () = tokio::time::sleep(POLL_INTERVAL) => {}
            }
        }
    }

    fn claim(&self, store: &mut Store) -> Result<Option<SlotOutcome>, StoreError> {
        // A run whose lock cannot be probed is counted.
        let is_owned = |other: &RunId| is_held(&self.home.run(other).supervisor_lock()).unwrap_or(true);
        match store.claim_slot(self.id, self.launch.max_agents, is_owned) {
            Ok(SlotAnswer::Granted(row)) => Ok(Some(SlotOutcome::Granted(row))),
            Ok(SlotAnswer::Over(row)) => Ok(Some(SlotOutcome::Over(row))),
            Ok(SlotAnswer::Wait) => Ok(None),
            // The row is rebuilt from the files before long.
            Err(error) if error.is_lost_row() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Without a watcher, slots are polled every second.
    fn watch_slots(&self) -> (Option<notify::RecommendedWatcher>, mpsc::Receiver<()>) {
        let (sender, receiver) = mpsc::channel(1);
        let ring = move |_| {
            // One unread signal is enough.
            let _ = sender.try_send(());
        };
        let watcher = notify::recommended_watcher(ring).ok().and_then(|mut watcher| {
            let signal = self.home.slot_signal();
            let slots = signal.parent()?;
            watcher.watch(slots, RecursiveMode::NonRecursive).ok()?;
            Some(watcher)
        });
        (watcher, receiver)
    }
}
