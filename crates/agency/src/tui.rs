//! The screen: all runs, what they do and ask, and everything that can be done with them, by keys.
//!
//! Whatever happens becomes an [`Input`]; [`update()`] changes the state and says what is to be done; `hands` does it;
//! `draw` shows the state. The screen owns nothing: every run goes on when it ends.

mod bell;
mod canvas;
mod confirm;
mod counting;
mod detail;
mod draw;
mod editor;
mod effect;
#[cfg(test)]
mod fixture;
mod form;
mod hands;
mod help;
mod inbox;
mod input;
mod keyboard;
mod keys;
mod layout;
mod pace;
mod reader;
mod runs;
mod state;
mod steps;
mod terminal;
mod theme;
mod update;
mod watcher;
mod wrap;
mod writing;

use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agency_model::ErrorCode;
use jiff::Timestamp;
use signal_hook::consts::{SIGHUP, SIGTERM, SIGWINCH};

use self::bell::Letterbox;
use self::counting::Counting;
use self::hands::{Hands, Onward};
use self::input::Input;
use self::keyboard::Keyboard;
use self::pace::{Pace, Presence};
use self::state::State;
use self::terminal::Terminal;
use self::theme::Theme;
use self::update::update;
use crate::context::Context;
use crate::problem::Problem;

/// How often ages are brought up to date.
const TICK: Duration = Duration::from_secs(1);

/// What the user chose.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choices {
    /// Whether the mouse is listened to.
    pub(crate) mouse: bool,
}

/// Opens the screen, and stays until the user leaves.
pub(crate) fn open(context: &Context, choices: Choices) -> Result<ExitCode, Problem> {
    let broken = |error: io::Error| Problem::new(ErrorCode::Io, format!("the terminal cannot be used: {error}"));
    let agency = context.agency()?;
    let reports = agency.home().root().join("crashes");
    let current_directory = context.current_directory()?;
    let (bell, letterbox) = bell::hang().map_err(broken)?;
    let ended = listen(&bell).map_err(broken)?;
    let presence = Presence::new();
    let nudge = watcher::watch(agency, bell.clone(), presence.clone());
    let mut terminal = Terminal::enter(choices.mouse, &reports).map_err(broken)?;
    let size = terminal.size().map_err(broken)?;
    let theme = Theme::of(|name| std::env::var(name).ok());
    let state = State::new(Timestamp::now(), size, theme, current_directory);
    let opened = context.clone();
    let reader =
        reader::start(move || opened.agency(), bell.clone(), presence.clone(), theme.unicode).map_err(broken)?;
    let counting = Counting::begin(context.agency()?, bell.clone(), presence.clone());
    let hands = Hands::new(context, bell, nudge, reader);
    stay(state, &mut terminal, Threads { hands, letterbox, counting, presence }, &ended).map_err(broken)?;
    Ok(ExitCode::SUCCESS)
}

/// Lets signals ring the bell; set when one of them asks us to end.
fn listen(bell: &bell::Bell) -> io::Result<Arc<AtomicBool>> {
    keyboard::survive_interrupts()?;
    keyboard::end_at_last()?;
    let ended = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&ended))?;
    }
    for signal in [SIGTERM, SIGHUP, SIGWINCH] {
        signal_hook::low_level::pipe::register(signal, bell.wire()?)?;
    }
    Ok(ended)
}

/// Those who do and find out things beside the loop.
struct Threads {
    hands: Hands,
    letterbox: Letterbox,
    counting: Counting,
    presence: Presence,
}

/// The loop: everything that happens is one input, and one function answers it.
fn stay(mut state: State, terminal: &mut Terminal, threads: Threads, ended: &AtomicBool) -> io::Result<()> {
    let Threads { mut hands, mut letterbox, counting, presence } = threads;
    let mut pace = Pace::new(Instant::now(), presence);
    let mut ticked = Instant::now();
    loop {
        let now = Instant::now();
        if pace.due(now) == Some(Duration::ZERO) {
            terminal.draw(&state)?;
            pace.drawn(Instant::now(), now.elapsed());
            counting.show(state.shown_runs());
        }
        let now = Instant::now();
        let tick = TICK.saturating_sub(ticked.elapsed());
        let limit = pace.due(now).map_or(tick, |due| due.min(tick));
        if keyboard::wait(&letterbox, limit)? == Keyboard::Gone || ended.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut inputs: Vec<Input> = letterbox.empty().into_iter().map(Input::News).collect();
        if !inputs.is_empty() {
            pace.changed();
        }
        let size = terminal.size()?;
        if size != state.size {
            inputs.push(Input::Resize(size.0, size.1));
            pace.touched(Instant::now());
        }
        if ticked.elapsed() >= TICK {
            ticked = Instant::now();
            inputs.push(Input::Tick(Timestamp::now()));
            pace.changed();
        }
        let pressed = keyboard::pressed()?;
        if !pressed.is_empty() {
            pace.touched(Instant::now());
        }
        inputs.extend(pressed);
        for input in inputs {
            for effect in update(&mut state, input) {
                if hands.perform(effect, terminal)? == Onward::Leave {
                    return Ok(());
                }
            }
        }
    }
}
