//! Reads what the tabs show, in one thread that follows whatever is selected.
//!
//! The one rule: nothing is read that nobody looks at, and what is looked at is read only when it changes.

mod desk;
mod errand;
mod file;
mod info;
mod screen;

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agency_engine::agency::Agency;
use agency_engine::watch::Alarm;
use agency_model::Mode;

use super::bell::Bell;
use super::detail::{Content, PageRequest, Subject, Tab};
use super::input::News;
use super::pace::Presence;
use crate::problem::Problem;
use desk::{Desk, Orders, Rest};
use errand::Errands;
use file::{FileKind, FileReading};
use screen::ScreenReading;

/// A watcher may miss what happens on some file systems, so now and then we look all the same.
const LOOK_ANYWAY: Duration = Duration::from_millis(500);
/// No tab is told more often what came.
const PACE: Duration = Duration::from_millis(100);
/// The same while nobody is there.
const CALM_PACE: Duration = Duration::from_secs(1);

/// Opens the place where the runs are.
pub(super) type Opener = Arc<dyn Fn() -> Result<Agency, Problem> + Send + Sync>;

/// Whoever tells the thread what to read. The thread ends with it.
#[derive(Debug)]
pub(super) struct Reader {
    desk: Arc<Desk>,
}

impl Reader {
    /// Reads for this tab from now on, or for none.
    pub(super) fn show(&self, subject: Option<Subject>) {
        self.desk.put(|orders| {
            let same = orders.subject.as_ref().map(|subject| subject.generation)
                == subject.as_ref().map(|subject| subject.generation);
            if !same {
                orders.asks.clear();
            }
            orders.subject = subject;
            orders.touched = true;
        });
    }

    /// Reads another part of a file.
    pub(super) fn page(&self, request: PageRequest) {
        self.desk.put(|orders| orders.asks.push(request));
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.desk.put(|orders| orders.closed = true);
    }
}

/// Starts the thread.
pub(super) fn start(
    open: impl Fn() -> Result<Agency, Problem> + Send + Sync + 'static,
    bell: Bell,
    presence: Presence,
    signs: bool,
) -> io::Result<Reader> {
    let open: Opener = Arc::new(open);
    let desk = Arc::new(Desk::new()?);
    let reader = Reader { desk: Arc::clone(&desk) };
    std::thread::Builder::new().name("reader".to_owned()).spawn(move || {
        let errands = Errands::new(Arc::clone(&open), Arc::clone(&desk), bell.clone(), presence.clone());
        Reading { desk, open, agency: None, bell, errands, presence, signs, current: None }.work();
    })?;
    Ok(reader)
}

/// The thread.
struct Reading {
    desk: Arc<Desk>,
    open: Opener,
    agency: Option<Agency>,
    bell: Bell,
    errands: Errands,
    presence: Presence,
    /// Whether events get a sign each.
    signs: bool,
    current: Option<Current>,
}

/// What is being read.
struct Current {
    subject: Subject,
    source: Source,
    /// Rings when something happens in the directory of the run.
    _alarm: Option<Alarm>,
}

enum Source {
    File(FileReading),
    /// Something that takes a while; since when it is wanted, if it is.
    Errand(Option<Instant>),
    Screen(Box<ScreenReading>),
}

/// What is left to do.
enum Turn {
    /// Nothing for a while.
    Wait(Rest),
    /// Nobody listens any more.
    Leave,
}

impl Reading {
    fn work(mut self) {
        loop {
            let orders = self.desk.take();
            if orders.closed {
                return;
            }
            match self.turn(orders) {
                Turn::Wait(rest) => {
                    let stream = self.current.as_ref().and_then(|current| match &current.source {
                        Source::Screen(screen) => screen.stream(),
                        Source::File(_) | Source::Errand(_) => None,
                    });
                    self.desk.wait(rest, stream);
                }
                Turn::Leave => return,
            }
        }
    }

    fn turn(&mut self, orders: Orders) -> Turn {
        let Some(subject) = orders.subject else {
            self.current = None;
            return Turn::Wait(Rest::UNTIL_TOUCHED);
        };
        let same = self.current.as_ref().is_some_and(|current| current.subject.generation == subject.generation);
        if !same && let Err(problem) = self.begin(subject.clone()) {
            self.current = None;
            let (message, _) = problem.into_words();
            let told =
                self.bell.report(News::Detail { generation: subject.generation, content: Content::Nothing(message) });
            return if told { Turn::Wait(Rest::UNTIL_TOUCHED) } else { Turn::Leave };
        }
        let (Some(current), Some(agency)) = (&mut self.current, &self.agency) else {
            return Turn::Wait(Rest::UNTIL_TOUCHED);
        };
        current.subject = subject;
        let subject = &current.subject;
        let mut told = true;
        let mut tell = |content| {
            told &= self.bell.report(News::Detail { generation: subject.generation, content });
        };
        let asks = orders.asks.iter().filter(|request| request.generation == subject.generation);
        let over = subject.row.state.is_terminal();
        let pace = self.presence.pause(PACE, CALM_PACE);
        let rest = match &mut current.source {
            Source::File(file) => {
                asks.for_each(|request| tell(file.load(request.ask)));
                file.turn(orders.touched, over, pace, &mut tell)
            }
            Source::Errand(wanted) => {
                if orders.touched || !same {
                    wanted.get_or_insert_with(Instant::now);
                }
                self.errands.turn(subject, wanted)
            }
            Source::Screen(screen) => screen.turn(agency, &subject.row, pace, &mut tell),
        };
        if told { Turn::Wait(rest) } else { Turn::Leave }
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
        let source = match (subject.tab, subject.row.mode) {
            (Tab::Output, Mode::Interactive) => Source::Screen(Box::default()),
            (Tab::Output, Mode::Headless) => Source::File(FileReading::new(events, FileKind::Talk)),
            (Tab::Events, _) => Source::File(FileReading::new(events, FileKind::Events { signs: self.signs })),
            (Tab::Logs, _) => Source::File(FileReading::new(logs.clone(), FileKind::Logs)),
            (Tab::Diff | Tab::Info, _) => Source::Errand(None),
        };
        let watched = match subject.tab {
            Tab::Logs => logs.parent().unwrap_or(directory.path()),
            Tab::Output | Tab::Diff | Tab::Events | Tab::Info => directory.path(),
        };
        let desk = Arc::clone(&self.desk);
        // Without it we look now and then all the same.
        let alarm = Alarm::set(&[watched], move || desk.touch()).ok();
        self.current = Some(Current { subject, source, _alarm: alarm });
        Ok(())
    }
}

#[cfg(test)]
mod tests;
