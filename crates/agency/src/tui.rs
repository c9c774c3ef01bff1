//! The screen: all runs, what they do and ask, and everything that can be done with them, by keys.
//!
//! Everything that happens becomes an [`Input`]; [`update()`] changes the state and returns effects; `effects` performs them;
//! `draw` shows the state. The screen owns nothing: runs continue when it ends.

mod applies;
mod background_colour;
mod canvas;
mod change_counter;
mod channel;
mod clip;
mod confirm;
mod detail;
mod draw;
mod editor;
mod effect;
mod effects;
#[cfg(test)]
mod fixture;
mod form;
mod frame_timer;
mod help;
mod inbox;
mod input;
mod keyboard;
mod keys;
mod layout;
mod mailbox;
mod memory;
mod palette;
mod reader;
mod runs;
mod search;
mod state;
mod steps;
mod terminal;
mod text_input;
mod theme;
mod update;
mod watcher;
mod wrap;

use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agency_model::ErrorCode;
use jiff::Timestamp;
use signal_hook::consts::{SIGHUP, SIGTERM, SIGWINCH};

use self::background_colour::TerminalAnswer;
use self::change_counter::ChangeCounter;
use self::channel::{EventReceiver, EventSender};
use self::effects::EffectRunner;
use self::frame_timer::{FrameTimer, Presence};
use self::input::Input;
use self::keyboard::KeyboardState;
use self::memory::Memory;
use self::state::State;
use self::terminal::Terminal;
use self::theme::Theme;
use self::update::update;
use self::watcher::RunsWatcher;
use crate::context::Context;
use crate::problem::Problem;

/// How often ages are updated.
const TICK: Duration = Duration::from_secs(1);

/// What the user chose.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choices {
    /// Whether the mouse is used.
    pub(crate) mouse: bool,
    /// Whether the form for a new run is open at first.
    pub(crate) new_run: bool,
}

/// Opens the screen, and stays until the user leaves.
pub(crate) fn open(context: &Context, choices: Choices) -> Result<ExitCode, Problem> {
    let broken = |error: io::Error| Problem::new(ErrorCode::Io, format!("the terminal cannot be used: {error}"));
    let agency = context.agency()?;
    let reports = agency.home().root().join("crashes");
    let current_directory = context.current_directory()?;
    let (sender, receiver) = channel::channel().map_err(broken)?;
    let ended = listen(&sender).map_err(broken)?;
    let presence = Presence::new();
    let watcher = RunsWatcher::start(agency, sender.clone(), presence.clone()).map_err(broken)?;
    let mut terminal = Terminal::enter(choices.mouse, &reports).map_err(broken)?;
    let size = terminal.size().map_err(broken)?;
    let is_colourless = anstream::ColorChoice::global() == anstream::ColorChoice::Never;
    let theme = Theme::of(|name| match name {
        "NO_COLOR" if is_colourless => Some("1".to_owned()),
        _ => std::env::var(name).ok(),
    });
    let look = context.config()?.tui;
    let mut answered = TerminalAnswer::default();
    let ask = || {
        answered = background_colour::ask();
        answered.background
    };
    let palette = theme::chosen(look.theme, &look.colors, |name| std::env::var(name).ok(), ask);
    let theme = Theme { palette, ..theme };
    let mut state = State::new(Timestamp::now(), size, theme, current_directory);
    state.recall(Memory::load(&context.home()?));
    let opened = context.clone();
    let reader =
        reader::start(move || opened.agency(), sender.clone(), presence.clone(), theme.unicode).map_err(broken)?;
    let counter = ChangeCounter::start(context.agency()?, sender.clone(), presence.clone()).map_err(broken)?;
    let effects = EffectRunner::new(context, sender, watcher, reader);
    let first = choices.new_run.then_some(Input::NewRun);
    let first = first.into_iter().chain(answered.keys.into_iter().map(Input::Key)).collect();
    stay(state, &mut terminal, Threads { effects, receiver, counter, presence, first }, &ended).map_err(broken)?;
    Ok(ExitCode::SUCCESS)
}

/// Makes signals wake the main thread; the flag is set by those that ask the program to end.
fn listen(sender: &EventSender) -> io::Result<Arc<AtomicBool>> {
    keyboard::survive_interrupts()?;
    keyboard::end_at_last()?;
    let ended = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&ended))?;
    }
    for signal in [SIGTERM, SIGHUP, SIGWINCH] {
        signal_hook::low_level::pipe::register(signal, sender.wake_stream()?)?;
    }
    Ok(ended)
}

/// What runs beside the main loop.
struct Threads {
    effects: EffectRunner,
    receiver: EventReceiver,
    counter: ChangeCounter,
    presence: Presence,
    /// What happens before anything else.
    first: Vec<Input>,
}

/// The main loop: everything that happens is one input, handled by one function.
fn stay(mut state: State, terminal: &mut Terminal, threads: Threads, ended: &AtomicBool) -> io::Result<()> {
    let Threads { mut effects, mut receiver, counter, presence, mut first } = threads;
    let mut pace = FrameTimer::new(Instant::now(), presence);
    let mut ticked = Instant::now();
    loop {
        let now = Instant::now();
        if pace.due(now) == Some(Duration::ZERO) {
            terminal.draw(&state)?;
            pace.drawn(Instant::now(), now.elapsed());
            counter.show(state.shown_runs());
        }
        let now = Instant::now();
        let tick = TICK.saturating_sub(ticked.elapsed());
        let limit = pace.due(now).map_or(tick, |due| due.min(tick));
        let limit = if !first.is_empty() { Duration::ZERO } else { limit };
        if keyboard::wait(&receiver, limit)? == KeyboardState::Closed || ended.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut inputs = std::mem::take(&mut first);
        inputs.extend(receiver.drain().into_iter().map(Input::Background));
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
        // A terminal that another window covers is not looked at.
        if pressed.iter().any(|input| !matches!(input, Input::Focus(false))) {
            pace.touched(Instant::now());
        }
        inputs.extend(pressed);
        for input in inputs {
            for effect in update(&mut state, input) {
                if effects.perform(effect, terminal)?.is_break() {
                    return Ok(());
                }
            }
        }
    }
}
