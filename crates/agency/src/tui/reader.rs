//! Reads what the tabs show, in one thread that follows whatever is selected.
//!
//! The one rule: only what is on the screen is read, and only when it changes.

mod file;
mod info;
mod orders;
mod screen;
mod slow_loads;

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agency_engine::agency::Agency;
use agency_engine::runs::output_form::OutputForm;
use agency_engine::watch::ChangeCallback;

use super::channel::EventSender;
use super::detail::{Content, PageRequest, Subject, Tab};
use super::frame_timer::Presence;
use super::input::BackgroundEvent;
use crate::problem::Problem;
use file::{FileKind, FileReading};
use orders::{Orders, OrdersMailbox, Sleep};
use screen::ScreenReading;
use slow_loads::BackgroundLoads;

/// File system events can be missing on some file systems, so files are also polled.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// The shortest time between two updates of a tab.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);
/// The same while the user is away.
const IDLE_UPDATE_INTERVAL: Duration = Duration::from_secs(1);

/// Opens the home of the runs.
pub(super) type Opener = Arc<dyn Fn() -> Result<Agency, Problem> + Send + Sync>;

/// Controls the reader thread, which ends when this is dropped.
#[derive(Debug)]
pub(super) struct Reader {
    orders: OrdersMailbox,
}

impl Reader {
    /// Reads for this tab from now on, or for none.
    pub(super) fn show(&self, subject: Option<Subject>) {
        self.orders.change(|orders| {
            let same = orders.subject.as_ref().map(|subject| subject.generation)
                == subject.as_ref().map(|subject| subject.generation);
            if !same {
                orders.pages.clear();
            }
            orders.subject = subject;
            orders.changed = true;
        });
    }

    /// Reads another part of a file.
    pub(super) fn page(&self, request: PageRequest) {
        self.orders.change(|orders| orders.pages.push(request));
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.orders.change(|orders| orders.closed = true);
    }
}

/// Starts the thread.
pub(super) fn start(
    open: impl Fn() -> Result<Agency, Problem> + Send + Sync + 'static,
    sender: EventSender,
    presence: Presence,
    signs: bool,
) -> io::Result<Reader> {
    let open: Opener = Arc::new(open);
    let orders = OrdersMailbox::new()?;
    let reader = Reader { orders: orders.clone() };
    std::thread::Builder::new().name("reader".to_owned()).spawn(move || {
        let loads = BackgroundLoads::new(Arc::clone(&open), orders.clone(), sender.clone(), presence.clone());
        Reading { orders, open, agency: None, sender, loads, presence, signs, current: None }.work();
    })?;
    Ok(reader)
}

/// The thread.
struct Reading {
    orders: OrdersMailbox,
    open: Opener,
    agency: Option<Agency>,
    sender: EventSender,
    loads: BackgroundLoads,
    presence: Presence,
    /// Whether events get a sign each.
    signs: bool,
    current: Option<Current>,
}

/// What is being read.
struct Current {
    subject: Subject,
    source: TabSource,
    /// Watches the run's directory.
    _alarm: Option<ChangeCallback>,
}

enum TabSource {
    File(FileReading),
    /// Something that takes a while; since when it is requested, if it is.
    Background(Option<Instant>),
    Screen(Box<ScreenReading>),
}

impl Reading {
    fn work(mut self) {
        loop {
            let orders = self.orders.take();
            if orders.closed {
                return;
            }
            match self.turn(orders) {
                ControlFlow::Continue(sleep) => {
                    let stream = self.current.as_ref().and_then(|current| match &current.source {
                        TabSource::Screen(screen) => screen.stream(),
                        TabSource::File(_) | TabSource::Background(_) => None,
                    });
                    self.orders.wait(sleep, stream);
                }
                ControlFlow::Break(()) => return,
            }
        }
    }

    fn turn(&mut self, orders: Orders) -> ControlFlow<(), Sleep> {
        let Some(subject) = orders.subject else {
            self.current = None;
            return ControlFlow::Continue(Sleep::UNTIL_CHANGE);
        };
        let same = self.current.as_ref().is_some_and(|current| current.subject.generation == subject.generation);
        if !same && let Err(problem) = self.begin(subject.clone()) {
            self.current = None;
            let (message, _) = problem.into_words();
            let sent = self
                .sender
                .report(BackgroundEvent::Detail { generation: subject.generation, content: Content::Nothing(message) });
            return if sent { ControlFlow::Continue(Sleep::UNTIL_CHANGE) } else { ControlFlow::Break(()) };
        }
        let (Some(current), Some(agency)) = (&mut self.current, &self.agency) else {
            return ControlFlow::Continue(Sleep::UNTIL_CHANGE);
        };
        current.subject = subject;
        let subject = &current.subject;
        let mut sent = true;
        let mut send = |content| {
            sent &= self.sender.report(BackgroundEvent::Detail { generation: subject.generation, content });
        };
        let pages = orders.pages.iter().filter(|request| request.generation == subject.generation);
        let over = subject.row.state.is_terminal();
        let pace = self.presence.pause(UPDATE_INTERVAL, IDLE_UPDATE_INTERVAL);
        let sleep = match &mut current.source {
            TabSource::File(file) => {
                pages.for_each(|request| send(file.load(request.ask)));
                file.turn(orders.changed, over, pace, &mut send)
            }
            TabSource::Background(wanted) => {
                if orders.changed || !same {
                    wanted.get_or_insert_with(Instant::now);
                }
                self.loads.turn(subject, wanted)
            }
            TabSource::Screen(screen) => screen.turn(agency, &subject.row, pace, &mut send),
        };
        if sent { ControlFlow::Continue(sleep) } else { ControlFlow::Break(()) }
    }

    /// Begins to read for another tab or run.
    fn begin(&mut self, subject: Subject) -> Result<(), Problem> {
        let agency = match self.agency.take() {
            Some(agency) => self.agency.insert(agency),
            None => self.agency.insert((self.open)()?),
        };
        let directory = agency.home().run(&subject.row.id);
        let logs = directory.combined_log();
        let events = directory.events();
        let form = agency.output_form(&subject.row);
        let source = match (subject.tab, form) {
            (Tab::Output, OutputForm::Screen) => TabSource::Screen(Box::default()),
            (Tab::Output, OutputForm::Events) => TabSource::File(FileReading::new(events, FileKind::Transcript)),
            (Tab::Events, _) => TabSource::File(FileReading::new(events, FileKind::Events { signs: self.signs })),
            (Tab::Logs, _) | (Tab::Output, OutputForm::Text) => {
                TabSource::File(FileReading::new(logs.clone(), FileKind::Logs))
            }
            (Tab::Diff | Tab::Info, _) => TabSource::Background(None),
        };
        let watched = match (subject.tab, form) {
            (Tab::Logs, _) | (Tab::Output, OutputForm::Text) => logs.parent().unwrap_or(directory.path()),
            (Tab::Output | Tab::Diff | Tab::Events | Tab::Info, _) => directory.path(),
        };
        let orders = self.orders.clone();
        // Without it the file is polled.
        let alarm = ChangeCallback::set(&[watched], move || orders.record_change()).ok();
        self.current = Some(Current { subject, source, _alarm: alarm });
        Ok(())
    }
}

#[cfg(test)]
mod tests;
