//! The inbox as it changes: which questions came, and which need no answer any more.
//!
//! Every change is a write to the database, and its log lies in the home: a watcher of the home misses none, whichever
//! process made it. A watcher only reads; it may be killed at any moment.
//!
//! ```standalone_crate
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/runs/example.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (mut agency, run, place) = start(ASKING)?;
//! use agency_engine::runs::inbox::InboxNews;
//! use agency_model::Answer;
//!
//! let mut inbox = agency.watch_inbox()?;
//! // `stop_handle` ends the wait from another thread.
//! let stop = inbox.stop_handle();
//! while !stop.is_stopped() {
//!     for news in inbox.next(&mut agency)? {
//!         match news {
//!             InboxNews::Asked(question) => {
//!                 agency.answer(&question, &Answer::Allow { message: None }, "a program")?;
//!             }
//!             InboxNews::Settled(_) => stop.stop(),
//!             _ => {}
//!         }
//!     }
//! }
//! # agency.wait(&run.id, None, State::is_terminal)?;
//! # Ok(())
//! # }
//! ```

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use agency_model::QuestionId;

use crate::agency::Agency;
use crate::runs::wait::WaitError;
use crate::store::{QuestionRow, StoreError};
use crate::watch::{DirectoryWatch, StopHandle};

/// The minimum interval between two reads of a busy database: each read checks every live run.
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// What happened in the inbox.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum InboxNews {
    /// A question waits for an answer.
    Asked(QuestionRow),
    /// A question that waited was answered, or has expired.
    Settled(QuestionRow),
}

/// A subscriber of the inbox.
#[derive(Debug)]
pub struct InboxWatch {
    watch: DirectoryWatch,
    stop: StopHandle,
    open: BTreeSet<QuestionId>,
    looked: Option<Instant>,
}

impl Agency {
    /// Begins to watch the inbox. The questions that are open now come first.
    pub fn watch_inbox(&self) -> Result<InboxWatch, WaitError> {
        let stop = StopHandle::new();
        let watch = DirectoryWatch::stopped_by(&[self.home.root()], &stop)?;
        Ok(InboxWatch { watch, stop, open: BTreeSet::new(), looked: None })
    }
}

impl InboxWatch {
    /// Ends a wait for news, from any thread.
    #[must_use]
    pub fn stop_handle(&self) -> StopHandle {
        self.stop.clone()
    }

    /// Waits for news. The first look does not wait, and may find none; nor does a look after its
    /// [`stop_handle`](Self::stop_handle) was stopped.
    pub fn next(&mut self, agency: &mut Agency) -> Result<Vec<InboxNews>, WaitError> {
        let Some(mut looked) = self.looked else {
            self.looked = Some(Instant::now());
            return Ok(self.look(agency)?);
        };
        loop {
            std::thread::sleep(MIN_POLL_INTERVAL.saturating_sub(looked.elapsed()));
            if !self.stop.is_stopped() {
                self.watch.wait(Duration::MAX);
            }
            looked = Instant::now();
            self.looked = Some(looked);
            let news = self.look(agency)?;
            if !news.is_empty() || self.stop.is_stopped() {
                return Ok(news);
            }
        }
    }

    fn look(&mut self, agency: &mut Agency) -> Result<Vec<InboxNews>, StoreError> {
        let rows = agency.inbox()?;
        let open: BTreeSet<QuestionId> = rows.iter().map(|row| row.id.clone()).collect();
        let mut news = vec![];
        for gone in self.open.difference(&open) {
            news.extend(agency.store.question(gone)?.map(InboxNews::Settled));
        }
        news.extend(rows.into_iter().filter(|row| !self.open.contains(&row.id)).map(InboxNews::Asked));
        self.open = open;
        Ok(news)
    }
}
