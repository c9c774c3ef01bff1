//! The keyboard: what was pressed, and none of it lost or late.
//!
//! The library that reads keys has two weak points, which are dealt with here. It forgets that there are keys when the
//! terminal's size changes at the same moment, and it reads from a terminal that is gone for ever.

use std::io;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{Event, poll, read};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use super::channel::EventReceiver;
use super::input::Input;

/// How long the loop may take to end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Whether keys can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyboardState {
    Idle,
    /// There is something to read.
    Ready,
    /// The terminal is gone.
    Closed,
}

/// Sleeps until a key is pressed, an event arrives or the limit passes.
pub(super) fn wait(receiver: &EventReceiver, limit: Duration) -> io::Result<KeyboardState> {
    let stdin = io::stdin();
    let mut waited = [
        PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN),
        PollFd::from_borrowed_fd(receiver.as_fd(), PollFlags::IN),
    ];
    look(&mut waited, limit)
}

fn look(waited: &mut [PollFd<'_>], limit: Duration) -> io::Result<KeyboardState> {
    let limit = Timespec { tv_sec: limit.as_secs().cast_signed(), tv_nsec: limit.subsec_nanos().into() };
    match rustix::event::poll(waited, Some(&limit)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let happened = waited.first().map_or(PollFlags::empty(), PollFd::revents);
    if happened.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
        return Ok(KeyboardState::Closed);
    }
    Ok(if happened.contains(PollFlags::IN) { KeyboardState::Ready } else { KeyboardState::Idle })
}

/// Everything that was pressed. The library is asked even if there seems to be nothing, so that it learns of a new size
/// before there is a key.
pub(super) fn pressed() -> io::Result<Vec<Input>> {
    let mut inputs = vec![];
    drain(&mut inputs)?;
    let stdin = io::stdin();
    let now = look(&mut [PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN)], Duration::ZERO)?;
    if now == KeyboardState::Ready {
        // It waits for a readiness event of the kernel, which reports keys only once. Setting the terminal to its own
        // settings makes the kernel report them again.
        let same = tcgetattr(&stdin)?;
        tcsetattr(&stdin, OptionalActions::Now, &same)?;
        drain(&mut inputs)?;
    }
    Ok(inputs)
}

fn drain(inputs: &mut Vec<Input>) -> io::Result<()> {
    while poll(Duration::ZERO)? {
        inputs.extend(input_of(read()?));
    }
    Ok(())
}

fn input_of(event: Event) -> Option<Input> {
    match event {
        Event::Key(key) => Some(Input::Key(key)),
        Event::Mouse(mouse) => Some(Input::Mouse(mouse)),
        Event::Paste(text) => Some(Input::Paste(text)),
        Event::Resize(columns, rows) => Some(Input::Resize(columns, rows)),
        Event::FocusGained => Some(Input::Focus(true)),
        Event::FocusLost => Some(Input::Focus(false)),
    }
}

/// Keys that interrupt are for the program that has the terminal: an editor that we wait for, never us.
pub(super) fn survive_interrupts() -> io::Result<()> {
    for signal in [SIGINT, SIGQUIT] {
        // A handler rather than ignoring them, which the editor would inherit.
        signal_hook::flag::register(signal, Arc::default())?;
    }
    Ok(())
}

/// Ends the program for good a moment after it was asked to end or its terminal went away, should the loop not come to it.
pub(super) fn end_at_last() -> io::Result<()> {
    let mut signals = Signals::new([SIGHUP, SIGTERM])?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            std::thread::sleep(SHUTDOWN_TIMEOUT);
            // If this fails, there is no stream left to report it on.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
    Ok(())
}
