//! Terminals: their size, raw mode, and what happens to a newline.

use std::fs::{File, OpenOptions};
use std::io;
use std::num::NonZeroU16;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;

use rustix::fs::OFlags;
use rustix::termios::{
    LocalModes, OptionalActions, OutputModes, SpecialCodeIndex, Termios, Winsize, tcgetattr, tcgetwinsize, tcsetattr,
    tcsetwinsize, ttyname,
};
use tokio::io::unix::AsyncFd;

/// Rows and columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TerminalSize {
    /// Rows.
    pub rows: NonZeroU16,
    /// Columns.
    pub columns: NonZeroU16,
}

impl TerminalSize {
    /// For an agent whose screen has no viewer yet.
    pub const UNSEEN: Self = match (NonZeroU16::new(40), NonZeroU16::new(120)) {
        (Some(rows), Some(columns)) => Self { rows, columns },
        (None, _) | (_, None) => Self { rows: NonZeroU16::MIN, columns: NonZeroU16::MIN },
    };

    /// A size, unless one side is 0.
    #[must_use]
    pub fn new(rows: u16, columns: u16) -> Option<Self> {
        Some(Self { rows: NonZeroU16::new(rows)?, columns: NonZeroU16::new(columns)? })
    }
}

/// The size of a terminal, if it is one and has a size.
pub fn own_terminal_size(terminal: impl AsFd) -> Option<TerminalSize> {
    let size = tcgetwinsize(terminal).ok()?;
    TerminalSize::new(size.ws_row, size.ws_col)
}

/// The device of the terminal that this process reads from or writes to, if there is one.
#[must_use]
pub fn own_terminal_name() -> Option<String> {
    let name = |terminal: BorrowedFd<'_>| ttyname(terminal, Vec::new()).ok();
    let (input, output, errors) = (io::stdin(), io::stdout(), io::stderr());
    let found = name(input.as_fd()).or_else(|| name(output.as_fd())).or_else(|| name(errors.as_fd()))?;
    Some(found.to_string_lossy().into_owned())
}

/// Changes the size of a terminal; its programs receive SIGWINCH.
pub fn set_terminal_size(terminal: impl AsFd, size: TerminalSize) -> io::Result<()> {
    let size = Winsize { ws_row: size.rows.get(), ws_col: size.columns.get(), ws_xpixel: 0, ws_ypixel: 0 };
    Ok(tcsetwinsize(terminal, size)?)
}

/// Keeps the terminal from turning `\n` into `\r\n`, so that the log holds what the agent wrote.
pub fn leave_newlines_alone(terminal: impl AsFd) -> io::Result<()> {
    let mut settings = tcgetattr(&terminal)?;
    settings.output_modes.remove(OutputModes::ONLCR);
    Ok(tcsetattr(&terminal, OptionalActions::Now, &settings)?)
}

/// Whether a viewer of the bytes of this terminal has to add the `\r` that [`leave_newlines_alone`] took
/// away. An agent that sets its terminal up by itself decides for itself.
pub fn newline_needs_return(terminal: impl AsFd) -> bool {
    tcgetattr(terminal).is_ok_and(|settings| {
        settings.output_modes.contains(OutputModes::OPOST) && !settings.output_modes.contains(OutputModes::ONLCR)
    })
}

/// The key that means the end of input to a program that reads this terminal by lines; others have none.
pub fn end_of_input(terminal: impl AsFd) -> Option<u8> {
    let settings = tcgetattr(terminal).ok()?;
    settings.local_modes.contains(LocalModes::ICANON).then(|| settings.special_codes[SpecialCodeIndex::VEOF])
}

/// The terminal we were started in, opened anew so that non-blocking reads do not affect other processes.
pub fn open_own_terminal() -> io::Result<AsyncFd<File>> {
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).unwrap_or_default();
    let file = OpenOptions::new().read(true).write(true).custom_flags(flags).open("/dev/tty")?;
    // SAFETY: the file owns its descriptor and is neither replaced nor closed while it is registered.
    unsafe { AsyncFd::register(file) }.map_err(io::Error::from)
}

/// A terminal in raw mode, put back when dropped.
#[derive(Debug)]
pub struct RawTerminal {
    terminal: OwnedFd,
    before: Termios,
}

impl RawTerminal {
    /// Puts a terminal into raw mode.
    pub fn enter(terminal: impl AsFd) -> io::Result<Self> {
        let terminal = terminal.as_fd().try_clone_to_owned()?;
        let before = tcgetattr(&terminal)?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(&terminal, OptionalActions::Now, &raw)?;
        Ok(Self { terminal, before })
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        // The terminal may be gone; then there is nothing to put back.
        let _ = tcsetattr(&self.terminal, OptionalActions::Now, &self.before);
    }
}
