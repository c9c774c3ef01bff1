use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use agency_engine::config::Config;
use agency_engine::home::Home;
use agency_model::Mode;
use agency_model::run::State as RunState;

use super::*;
use crate::tui::channel::{EventReceiver, channel};
use crate::tui::detail::fixture::row;
use crate::tui::detail::{Ask, DiffPart};

/// How long anything may take.
const LIMIT: Duration = Duration::from_secs(30);

/// A reader of a home with the directory of one run.
struct Fixture {
    directory: tempfile::TempDir,
    reader: Reader,
    receiver: EventReceiver,
}

impl Fixture {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().to_owned();
        let home = Home::new(root.clone());
        home.ensure().unwrap();
        home.run(&row(Mode::Headless).id).create().unwrap();
        let (sender, receiver) = channel().unwrap();
        let open = move || Ok(Agency::open(Home::new(root.clone()), Config::default(), "/bin/false".into())?);
        let reader = start(open, sender, Presence::new(), false).unwrap();
        Self { directory, reader, receiver }
    }

    fn run(&self) -> agency_engine::home::RunDirectory {
        Home::new(self.directory.path().to_owned()).run(&row(Mode::Headless).id)
    }

    fn show(&self, generation: u64, tab: Tab, state: RunState) {
        self.reader.show(Some(Subject {
            generation,
            row: agency_engine::store::RunRow { state, ..row(Mode::Headless) },
            tab,
            part: DiffPart::Whole,
        }));
    }

    /// What comes next that `find` recognises.
    fn wait<T>(&mut self, what: &str, mut find: impl FnMut(u64, Content) -> Option<T>) -> T {
        let deadline = Instant::now() + LIMIT;
        while Instant::now() < deadline {
            for news in self.receiver.drain() {
                if let BackgroundEvent::Detail { generation, content } = news
                    && let Some(found) = find(generation, content)
                {
                    return found;
                }
            }
            let mut waited = [rustix::event::PollFd::new(&self.receiver, rustix::event::PollFlags::IN)];
            let limit = rustix::event::Timespec { tv_sec: 1, tv_nsec: 0 };
            rustix::event::poll(&mut waited, Some(&limit)).unwrap();
        }
        panic!("{what}: nothing came");
    }
}

fn append(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = fs::File::options().create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn lines(content: Content) -> Option<(Vec<String>, u64)> {
    let Content::Lines(load) = content else { return None };
    let half = load.half.map(|line| format!("{line}(half)"));
    Some((load.pieces.iter().map(|piece| piece.item.to_string()).chain(half).collect(), load.end))
}

/// Why there is nothing.
fn nothing(content: Content) -> Option<String> {
    let Content::Nothing(why) = content else { return None };
    Some(why)
}

#[test]
fn a_log_is_told_while_it_grows_and_half_a_line_too() {
    let mut home = Fixture::new();
    let log = home.run().combined_log();
    append(&log, "one\ntw");
    home.show(1, Tab::Logs, RunState::Running);
    let first = home.wait("the first lines", |generation, content| (generation == 1).then(|| lines(content)).flatten());
    assert_eq!(first, (vec!["one".to_owned(), "tw(half)".to_owned()], 4));
    append(&log, "o\nthree\n");
    let mut seen = vec![];
    home.wait("the rest", |_, content| {
        seen.extend(lines(content)?.0);
        seen.ends_with(&["two".to_owned(), "three".to_owned()]).then_some(())
    });
}

#[test]
fn the_last_word_counts_and_pages_are_served() {
    let mut home = Fixture::new();
    let events = home.run().events();
    let event = |seq: u64| {
        format!(
            "{{\"seq\":{seq},\"at\":\"2026-01-01T00:00:00Z\",\"attempt\":1,\"type\":\"notice\",\"message\":\"m{seq}\"}}\n"
        )
    };
    // More than one page.
    let all: String = (1..=20_000).map(event).collect();
    append(&events, &all);
    for generation in 1..=50 {
        home.show(generation, Tab::Diff, RunState::Running);
    }
    home.show(51, Tab::Events, RunState::Completed);
    let (end, last) = home.wait("the end", |generation, content| {
        let (lines, end) = lines(content)?;
        (generation == 51).then_some((end, lines.last()?.clone()))
    });
    assert_eq!(end, all.len() as u64);
    assert!(last.ends_with("m20000"), "{last}");
    home.reader.page(PageRequest { generation: 50, ask: Ask::First });
    home.reader.page(PageRequest { generation: 51, ask: Ask::First });
    let first = home.wait("the beginning", |_, content| {
        let Content::Lines(load) = content else { return None };
        (load.ask == Ask::First).then(|| (load.start, load.more, load.pieces[0].item.to_string()))
    });
    assert_eq!((first.0, first.1), (0, true));
    assert!(first.2.ends_with("m1"), "{}", first.2);
}

#[test]
fn what_cannot_be_compared_is_said_in_words() {
    let mut home = Fixture::new();
    home.show(1, Tab::Diff, RunState::Running);
    let why = home.wait("a reason", |_, content| nothing(content));
    assert!(!why.is_empty());
    let removed = agency_engine::store::RunRow { removed_at: Some(jiff::Timestamp::UNIX_EPOCH), ..row(Mode::Headless) };
    home.reader.show(Some(Subject { generation: 2, row: removed, tab: Tab::Diff, part: DiffPart::Whole }));
    let why = home.wait("another reason", |generation, content| nothing(content).filter(|_| generation == 2));
    assert!(why.contains("was removed") && why.contains("git -C"), "{why}");
}

#[test]
fn the_thread_ends_with_the_reader() {
    let home = Fixture::new();
    home.show(1, Tab::Logs, RunState::Running);
    let orders = Arc::downgrade(&home.reader.orders.0);
    drop(home);
    let deadline = Instant::now() + LIMIT;
    while orders.strong_count() > 0 && Instant::now() < deadline {
        std::thread::yield_now();
    }
    assert_eq!(orders.strong_count(), 0);
}
