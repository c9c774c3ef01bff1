//! What the reader thread has to do: written by other threads, taken by the reader, which sleeps until it changes.

use std::io;
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::time::Duration;

use crate::tui::detail::{PageRequest, Subject};
use crate::tui::mailbox::{Mailbox, Wake};

/// How the reader sleeps when it has nothing to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sleep {
    /// The longest time.
    pub(super) limit: Option<Duration>,
    /// Whether changes in the run's directory do not end the sleep.
    pub(super) ignore_changes: bool,
}

impl Sleep {
    pub(super) const UNTIL_CHANGE: Self = Self { limit: None, ignore_changes: false };
}

/// What the reader has to do.
#[derive(Debug, Default, Clone)]
pub(super) struct Orders {
    /// What to read; kept until it is replaced.
    pub(super) subject: Option<Subject>,
    pub(super) pages: Vec<PageRequest>,
    /// Whether something changed.
    pub(super) changed: bool,
    pub(super) closed: bool,
    ignore_changes: bool,
}

/// The reader's mailbox.
#[derive(Debug, Clone)]
pub(super) struct OrdersMailbox(pub(super) Arc<Mailbox<Orders>>);

impl OrdersMailbox {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self(Arc::new(Mailbox::new(Orders::default())?)))
    }

    /// Changes the orders and wakes the reader.
    pub(super) fn change(&self, change: impl FnOnce(&mut Orders)) {
        self.0.change(change);
    }

    /// Wakes the reader without new orders.
    pub(super) fn wake(&self) {
        self.0.wake();
    }

    /// Records a change in the run's directory; wakes the reader unless it ignores changes or has one recorded already.
    pub(super) fn record_change(&self) {
        self.0.change_and(|orders| {
            let known = std::mem::replace(&mut orders.changed, true);
            if known || orders.ignore_changes { Wake::No } else { Wake::Yes }
        });
    }

    /// Takes the orders; the subject remains.
    pub(super) fn take(&self) -> Orders {
        self.0.take(|orders| Orders {
            pages: std::mem::take(&mut orders.pages),
            changed: std::mem::take(&mut orders.changed),
            subject: orders.subject.clone(),
            closed: orders.closed,
            ignore_changes: false,
        })
    }

    /// Sleeps until there are orders, until `also` can be read, or until the limit.
    pub(super) fn wait(&self, sleep: Sleep, also: Option<BorrowedFd<'_>>) {
        let mut missed = false;
        self.0.change_and(|orders| {
            orders.ignore_changes = sleep.ignore_changes;
            // A change that came after the orders were taken.
            missed = orders.changed && !sleep.ignore_changes;
            Wake::No
        });
        if !missed {
            self.0.wait(sleep.limit, also);
        }
    }
}
