//! The user's terminal: taken over, lent to others, and always given back as it was.

use std::io::{self, Write, stdout};
use std::panic::PanicHookInfo;
use std::path::{Path, PathBuf};
use std::sync::Once;

use agency_model::escaped_line;
use crossterm::event::{DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{cursor, execute, queue};
use ratatui::backend::CrosstermBackend;

use super::canvas::Canvas;
use super::draw::draw;
use super::state::State;

/// Clicks and the wheel, without every movement of the mouse.
const MOUSE_ON: &str = "\x1b[?1000h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1000l";

/// The terminal while it is ours.
pub(super) struct Terminal {
    screen: ratatui::Terminal<CrosstermBackend<Canvas<io::Stdout>>>,
    mouse: bool,
}

impl Terminal {
    /// Takes the terminal over. Whatever happens afterwards, it is given back.
    pub(super) fn enter(mouse: bool, reports: &Path) -> io::Result<Self> {
        give_back_on_panic(reports.to_owned());
        take(mouse)?;
        let screen =
            ratatui::Terminal::new(CrosstermBackend::new(Canvas::new(stdout()))).inspect_err(|_| give_back())?;
        Ok(Self { screen, mouse })
    }

    /// How many columns and rows there are.
    pub(super) fn size(&self) -> io::Result<(u16, u16)> {
        let size = self.screen.size()?;
        Ok((size.width, size.height))
    }

    /// Draws one frame, in one piece where the terminal can.
    pub(super) fn draw(&mut self, state: &State) -> io::Result<()> {
        agency_system::fault::panic_point("tui.draw");
        queue!(self.screen.backend_mut(), BeginSynchronizedUpdate)?;
        self.screen.draw(|frame| draw(frame, state))?;
        execute!(self.screen.backend_mut(), EndSynchronizedUpdate)
    }

    /// Forgets what is on the screen, so that all of it is drawn anew.
    pub(super) fn forget(&mut self) -> io::Result<()> {
        self.screen.clear()
    }

    /// Gives the terminal to another program for a while.
    pub(super) fn release_while<T>(&mut self, to: impl FnOnce() -> T) -> io::Result<T> {
        give_back();
        let outcome = to();
        take(self.mouse)?;
        self.forget()?;
        Ok(outcome)
    }

    /// Rings, and shows a line on the desktop where the terminal can do that.
    pub(super) fn notify(&self, bell: bool, line: Option<&str>) -> io::Result<()> {
        let mut out = stdout();
        if let Some(line) = line {
            write!(out, "\x1b]9;{}\x1b\\", escaped_line(line))?;
        }
        if bell {
            out.write_all(b"\x07")?;
        }
        out.flush()
    }

    /// Puts a text where the terminal keeps copied things.
    pub(super) fn copy(&self, text: &str) -> io::Result<()> {
        execute!(stdout(), crossterm::clipboard::CopyToClipboard::to_clipboard_from(text))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
    }
}

fn take(mouse: bool) -> io::Result<()> {
    enable_raw_mode()?;
    let mut out = stdout();
    execute!(out, EnterAlternateScreen, EnableBracketedPaste, EnableFocusChange, cursor::Hide)?;
    if mouse {
        out.write_all(MOUSE_ON.as_bytes())?;
    }
    out.flush()
}

/// Gives the terminal back as it was; a second time does no harm.
fn give_back() {
    let mut out = stdout();
    // If this cannot be written, there is no terminal to repair.
    let _ = out.write_all(MOUSE_OFF.as_bytes());
    let _ = execute!(out, DisableFocusChange, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show);
    let _ = disable_raw_mode();
}

/// A panic gives the terminal back first, and leaves a report.
fn give_back_on_panic(reports: PathBuf) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            let told = match write_report(&reports, panic) {
                Ok(path) => format!("a report is in {}", path.display()),
                Err(error) => format!("no report could be written: {error}"),
            };
            let _ = writeln!(
                io::stderr(),
                "agency: the TUI crashed because of a bug in agency; runs continue, and {told}\n{panic}"
            );
            // A thread beside the loop may have panicked, and the TUI cannot continue without it.
            std::process::abort();
        }));
    });
}

fn write_report(directory: &Path, panic: &PanicHookInfo<'_>) -> io::Result<PathBuf> {
    std::fs::create_dir_all(directory)?;
    let path = directory.join(format!("tui-{}.txt", std::process::id()));
    let trace = std::backtrace::Backtrace::force_capture();
    let version = env!("CARGO_PKG_VERSION");
    let at = jiff::Timestamp::now();
    std::fs::write(&path, format!("agency {version}, {at}\n{panic}\n\n{trace}\n"))?;
    Ok(path)
}
