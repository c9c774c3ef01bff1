//! Looking at the screen of a run without any effect on it, by the library.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use agency_engine::agency::Agency;
use agency_engine::config::{Config, Environment};
use agency_engine::home::Home;
use agency_engine::runs::attach::AttachError;
use agency_engine::store::{RunRow, Selected};
use agency_engine::watch::{ScreenWatch, WatchedScreen};
use agency_engine::wire::{ATTACH, write_frame};
use agency_model::run::State;
use agency_system::process::TerminalSize;
use agency_testkit::{Run, World, agent, wait_for};

use super::world;

const LIMIT: Duration = Duration::from_secs(30);

/// Tells the size of its terminal at the beginning, at each change, and when it is released.
const SIZES: &str = r#"trap 'echo "now $(stty size)"' WINCH
echo "first $(stty size)"
until [ -e "$0.release" ]; do sleep 0.01; done
echo "last $(stty size)""#;

fn library(world: &World) -> Agency {
    let config = Config::load(Some(&world.root().join("home/config.toml")), &Environment::default()).unwrap();
    Agency::open(Home::new(world.agency_home()), config, env!("CARGO_BIN_EXE_agency").into()).unwrap()
}

fn row(agency: &mut Agency, run: &Run) -> RunRow {
    match agency.select(&run.id).unwrap() {
        Selected::One(row) => *row,
        other @ (Selected::None | Selected::Several(_)) => panic!("{} is {other:?}", run.id),
    }
}

/// Somebody who watches, with the screen that they see.
struct Watcher {
    watch: ScreenWatch,
    screen: WatchedScreen,
    bytes: Vec<u8>,
}

impl Watcher {
    fn begin(world: &World, run: &Run) -> Self {
        let mut agency = library(world);
        let row = row(&mut agency, run);
        let screen = WatchedScreen::new(TerminalSize::new(5, 5).unwrap(), 1000);
        Self { watch: agency.watch_screen(&row).unwrap(), screen, bytes: vec![] }
    }

    /// Looks until the screen is as wanted.
    #[track_caller]
    fn until(&mut self, what: &str, wanted: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + LIMIT;
        while !wanted(self) {
            assert!(Instant::now() < deadline, "there was still not: {what} on\n{}", self.text());
            match self.watch.next(Duration::from_secs(1)).unwrap() {
                Some(bytes) => self.take(&bytes),
                None => panic!("the supervisor left before there was: {what} on\n{}", self.text()),
            }
        }
    }

    #[track_caller]
    fn until_text(&mut self, text: &str) {
        self.until(text, |watcher| watcher.text().contains(text));
    }

    /// Looks until the supervisor is gone.
    #[track_caller]
    fn until_the_end(&mut self) {
        let deadline = Instant::now() + LIMIT;
        while let Some(bytes) = self.watch.next(Duration::from_secs(1)).unwrap() {
            assert!(Instant::now() < deadline, "the supervisor does not leave");
            self.take(&bytes);
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.screen.feed(bytes);
    }

    fn text(&self) -> String {
        self.screen.screen().contents()
    }

    fn size(&self) -> (u16, u16) {
        let (rows, columns) = self.screen.screen().size();
        (rows.get(), columns.get())
    }
}

#[test]
fn a_watcher_sees_everything_and_changes_nothing() {
    let world = world();
    let repo = world.repo("project");
    world.agent("sizes", SIZES);
    let run = world.begin(&repo, "sizes", &["--host", "detached"]);
    run.wait_for_output("first");
    let mut watcher = Watcher::begin(&world, &run);
    watcher.until_text("first 40 120");
    assert!(watcher.bytes.starts_with(b"\x1b[8;40;120t"), "{:?}", String::from_utf8_lossy(&watcher.bytes));
    assert_eq!(watcher.size(), (40, 120), "the screen has the agent's size, not the agent the screen's");
    world.release("sizes");
    watcher.until_text("last 40 120");
    watcher.until_the_end();
    assert_eq!(world.ended(&run)["state"], "completed");
    assert_eq!(run.log("runner.stdout.log"), b"first 40 120\nlast 40 120\n", "nobody told it of a size");
}

#[test]
fn a_watcher_follows_the_size_that_somebody_else_gives_the_agent() {
    let world = world();
    let repo = world.repo("project");
    world.agent("sizes", SIZES);
    let run = world.begin(&repo, "sizes", &["--host", "detached"]);
    run.wait_for_output("first");
    let mut watcher = Watcher::begin(&world, &run);
    watcher.until_text("first 40 120");
    let mut attached = UnixStream::connect(run.file("control.sock")).unwrap();
    attached.set_read_timeout(Some(LIMIT)).unwrap();
    write_frame(&mut attached, ATTACH, &[0, 20, 0, 70]).unwrap();
    watcher.until_text("now 20 70");
    assert_eq!(watcher.size(), (20, 70));
    assert!(watcher.text().contains("first 40 120"), "what was there is there:\n{}", watcher.text());
    world.release("sizes");
    watcher.until_text("last 20 70");
    watcher.until_the_end();
    let mut seen = vec![];
    attached.read_to_end(&mut seen).unwrap();
    let seen = String::from_utf8(seen).unwrap();
    assert!(seen.contains("now 20 70") && seen.contains("last 20 70"), "{seen:?}");
    assert!(!seen.contains("\u{1b}[8;"), "who attaches has a size of their own: {seen:?}");
}

#[test]
fn an_agent_does_not_decide_about_the_watchers_screen() {
    let world = world();
    let repo = world.repo("project");
    world.agent(
        "small",
        r#"echo ready; until [ -e "$0.release" ]; do sleep 0.01; done; printf '\033[8;3;10tstill here'; read word"#,
    );
    let run = world.begin(&repo, "small", &["--host", "detached"]);
    let mut watcher = Watcher::begin(&world, &run);
    watcher.until_text("ready");
    world.release("small");
    watcher.until_text("still here");
    assert_eq!(watcher.size(), (40, 120));
}

#[test]
fn a_watcher_that_fell_behind_sees_the_end_though_the_agent_is_silent() {
    let world = world();
    let repo = world.repo("project");
    world.agent(
        "noisy",
        r#"until [ -e "$0.release" ]; do sleep 0.01; done
yes 'All work and no play makes an agent dull.' | head -c 3000000; echo 'the very end'; read word"#,
    );
    let run = world.begin(&repo, "noisy", &["--host", "detached"]);
    let mut watcher = Watcher::begin(&world, &run);
    watcher.until("the empty screen", |watcher| watcher.size() == (40, 120));
    world.release("noisy");
    run.wait_for_output("the very end");
    watcher.until_text("the very end");
    assert!(watcher.bytes.len() < 3_000_000, "{} bytes: it never fell behind", watcher.bytes.len());
}

#[test]
fn a_watcher_sees_the_agent_come_back_after_a_crash() {
    let world = world();
    let repo = world.repo("project");
    world.configure("\n[restart]\npauses_seconds = [0]\n");
    world.agent(
        "shaky",
        r#"if [ -e "$0.crashed" ]; then echo "second $(stty size)"; read word; fi
echo "first $(stty size)"
until [ -e "$0.release" ]; do sleep 0.01; done
: > "$0.crashed"
printf '\033[?1049hgone\033[3'
exit 3"#,
    );
    let run = world.begin(&repo, "shaky", &["--host", "detached", "--restart", "on-crash"]);
    let mut early = Watcher::begin(&world, &run);
    early.until_text("first 40 120");
    world.release("shaky");
    early.until_text("second 40 120");
    let mut late = Watcher::begin(&world, &run);
    late.until_text("second 40 120");
    assert_eq!(early.text(), late.text());
    assert_eq!(late.text(), "first 40 120\nsecond 40 120", "nothing of the crash is in its way");
    assert_eq!((early.size(), late.size()), ((40, 120), (40, 120)));
    let first = wait_for("the last screen of the first attempt", LIMIT, || {
        library(&world).last_screen(&run.id.parse().unwrap())
    });
    assert!(shown(&first).contains("gone"), "{first:?}");
}

fn shown(bytes: &[u8]) -> String {
    let mut screen = WatchedScreen::new(TerminalSize::UNSEEN, 0);
    screen.feed(bytes);
    screen.screen().contents()
}

#[test]
fn the_last_screen_is_kept() {
    let world = world();
    let repo = world.repo("project");
    world.agent("drawing", r#"for i in 1 2 3 4 5; do seq 20; done; printf '\033[1;31mthe end\033[m\n'; exit 4"#);
    for host in ["tmux", "detached"] {
        let run = world.begin(&repo, "drawing", &["--host", host]);
        assert_eq!(world.ended(&run)["state"], "failed");
        let last = library(&world).last_screen(&run.id.parse().unwrap()).unwrap();
        assert!(last.starts_with(b"\x1b[8;"), "{:?}", String::from_utf8_lossy(&last));
        let text = shown(&last);
        assert!(text.contains("19\n20\nthe end"), "in {host}:\n{text}");
        assert!(String::from_utf8(last).unwrap().contains("\u{1b}[31;1mthe end"), "its colours are kept");
    }
}

#[test]
fn a_headless_run_is_watched_by_its_log_and_has_no_last_screen() {
    let world = world();
    let repo = world.repo("project");
    world.agent("waiting", agent::waiting());
    let run = world.begin(&repo, "waiting", &["--host", "detached", "--mode", "headless"]);
    run.wait_for_output("ready");
    let mut watcher = Watcher::begin(&world, &run);
    watcher.until_text("ready");
    assert_eq!(watcher.size(), (40, 120));
    world.release("waiting");
    watcher.until_text("ready\nreleased");
    watcher.until_the_end();
    world.ended(&run);
    assert_eq!(library(&world).last_screen(&run.id.parse().unwrap()), None);
}

#[test]
fn a_run_without_a_screen_is_not_watched() {
    let world = world();
    let repo = world.repo("project");
    world.set("max_agents", "1");
    world.agent("waiting", agent::waiting());
    let first = world.begin(&repo, "waiting", &["--host", "detached"]);
    let second = world.begin(&repo, "waiting", &["--host", "detached"]);
    let mut agency = library(&world);
    let mut refused = |run: &Run, expected: State| {
        let row = row(&mut agency, run);
        match agency.watch_screen(&row) {
            Err(AttachError::NotRunning { state, .. }) => assert_eq!(state, expected),
            other => panic!("{other:?}"),
        }
    };
    refused(&second, State::Queued);
    world.release("waiting");
    world.ended(&first);
    world.ended(&second);
    refused(&first, State::Completed);
}
