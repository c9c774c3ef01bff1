//! A terminal on which single keys are pressed.
//!
//! It is put back as it was on every way out: when dropped, on a panic, and on a signal that ends us.

use std::collections::VecDeque;
use std::ffi::c_int;
use std::io::{self, IsTerminal, Stdin};
use std::sync::{Mutex, Once};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{
    LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr, tcsetattr,
};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

/// The rest of a key that is several bytes comes within this.
const KEY_SEQUENCE_TIMEOUT: Duration = Duration::from_millis(30);
/// More keys than this at once are a text that was pasted.
const MIN_PASTE_BYTES: usize = 4;

/// The terminal's earlier settings, for a process that ends while it has others.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);
static WATCHING: Once = Once::new();

/// The keys of our terminal.
#[derive(Debug)]
pub(crate) struct Keyboard {
    stdin: Stdin,
    before: Termios,
    pressed: VecDeque<char>,
}

/// What was pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    /// A letter or digit.
    Letter(char),
    /// The key that ends a line.
    Enter,
    /// The terminal is gone, or the end of input was pressed.
    End,
    /// Anything else: an arrow, or a pasted text, of which no letter may be taken for a key.
    Other,
}

impl Keyboard {
    /// Begins to read single keys from standard input, which must be a terminal.
    pub(crate) fn open() -> io::Result<Self> {
        Self::open_until(&[SIGHUP, SIGINT, SIGQUIT, SIGTERM])
    }

    /// The same for a program that handles INT and TERM itself; before they end it, it calls [`put_back`].
    pub(crate) fn open_with_own_interrupts() -> io::Result<Self> {
        Self::open_until(&[SIGHUP, SIGQUIT])
    }

    fn open_until(deadly: &[c_int]) -> io::Result<Self> {
        let stdin = io::stdin();
        if !stdin.is_terminal() {
            return Err(io::Error::from(io::ErrorKind::Unsupported));
        }
        let before = tcgetattr(&stdin)?;
        if let Ok(mut kept) = BEFORE.lock() {
            *kept = Some(before.clone());
        }
        watch_for_death(deadly)?;
        let keyboard = Self { stdin, before, pressed: VecDeque::new() };
        keyboard.take_keys()?;
        Ok(keyboard)
    }

    /// Keys come one by one and are not shown; Ctrl-C still ends us, and output looks as ever.
    fn take_keys(&self) -> io::Result<()> {
        let mut single = self.before.clone();
        single.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ECHONL);
        single.special_codes[SpecialCodeIndex::VMIN] = 1;
        single.special_codes[SpecialCodeIndex::VTIME] = 0;
        // A shell that gets the terminal in between would find it so.
        single.special_codes[SpecialCodeIndex::VSUSP] = 0;
        Ok(tcsetattr(&self.stdin, OptionalActions::Now, &single)?)
    }

    /// Forgets what was pressed and not taken.
    pub(crate) fn forget(&mut self) {
        self.pressed.clear();
        // Without it, a key that was meant for something else may count.
        let _ = tcflush(&self.stdin, QueueSelector::IFlush);
    }

    /// The next key, if one comes in time.
    pub(crate) fn key(&mut self, limit: Duration) -> io::Result<Option<Key>> {
        if let Some(letter) = self.pressed.pop_front() {
            return Ok(Some(meaning(letter)));
        }
        if !self.waits(limit)? {
            return Ok(None);
        }
        let mut bytes = self.read()?;
        if bytes.first() == Some(&0x1b) {
            while self.waits(KEY_SEQUENCE_TIMEOUT)? && !self.read()?.is_empty() {}
            return Ok(Some(Key::Other));
        }
        while str::from_utf8(&bytes).is_err() && self.waits(KEY_SEQUENCE_TIMEOUT)? {
            bytes.extend(self.read()?);
        }
        let letters = String::from_utf8_lossy(&bytes);
        if letters.chars().count() >= MIN_PASTE_BYTES {
            return Ok(Some(Key::Other));
        }
        self.pressed.extend(letters.chars());
        Ok(Some(self.pressed.pop_front().map_or(Key::End, meaning)))
    }

    /// A whole line, written as usual; empty if the end of input was pressed.
    pub(crate) fn line(&self) -> io::Result<String> {
        tcsetattr(&self.stdin, OptionalActions::Now, &self.before)?;
        let mut line = vec![];
        while !line.ends_with(b"\n") {
            let piece = self.read()?;
            if piece.is_empty() {
                break;
            }
            line.extend(piece);
        }
        self.take_keys()?;
        Ok(String::from_utf8_lossy(&line).into_owned())
    }

    fn waits(&self, limit: Duration) -> io::Result<bool> {
        let limit = Timespec::try_from(limit).map_err(io::Error::other)?;
        match poll(&mut [PollFd::new(&self.stdin, PollFlags::IN)], Some(&limit)) {
            Ok(ready) => Ok(ready > 0),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// What is there, past the buffer of the standard library, which would hide it from `poll`.
    fn read(&self) -> io::Result<Vec<u8>> {
        let mut buffer = [0; 4096];
        loop {
            match rustix::io::read(&self.stdin, &mut buffer) {
                Ok(length) => return Ok(buffer.get(..length).unwrap_or_default().to_vec()),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn meaning(letter: char) -> Key {
    match letter {
        '\x04' => Key::End,
        '\n' | '\r' => Key::Enter,
        letter if letter.is_control() => Key::Other,
        letter => Key::Letter(letter),
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        put_back();
    }
}

/// Puts the terminal back as it was before the first key.
pub(crate) fn put_back() {
    // The thread that is putting it back already holds the lock.
    if let Ok(mut before) = BEFORE.try_lock()
        && let Some(before) = before.take()
    {
        // The terminal may be gone; then there is nothing to put back.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &before);
    }
}

/// Sees to the terminal when a panic or a signal ends us. A release build aborts on a panic, and drops nothing.
fn watch_for_death(deadly: &[c_int]) -> io::Result<()> {
    let mut outcome = Ok(());
    WATCHING.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            put_back();
            usual(panic);
        }));
        outcome = Signals::new(deadly).map(|mut signals| {
            std::thread::spawn(move || {
                for signal in signals.forever() {
                    put_back();
                    // It ends us as it would have without us.
                    let _ = signal_hook::low_level::emulate_default_handler(signal);
                }
            });
        });
    });
    outcome
}
