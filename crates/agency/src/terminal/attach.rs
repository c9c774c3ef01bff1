//! Connects the user's terminal with the terminal of an agent. The one rule: the terminal is put back whatever happens.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use agency_engine::runs::attach::ScreenConnection;
use agency_model::ErrorCode;
use agency_system::process::{RawTerminal, TerminalSize, own_terminal_size};
use rustix::event::{PollFd, PollFlags, poll};
use signal_hook::consts::SIGWINCH;

use crate::problem::Problem;

/// Ctrl-\ detaches from the agent's terminal; the agent continues.
const DETACH_KEY: u8 = 0x1c;

/// Takes back what agents do to a terminal and cannot take back when the user leaves: the other screen; the mouse, reports
/// of the focus and of the colour scheme, marked pastes; protocols for keys; margins, inserting and the form of the cursor.
/// The cursor goes to the last row, so that nothing is written into what the agent has drawn.
const RESTORE_TERMINAL: &str = "\x18\x1b[?1049l\x1b[?9;1000;1002;1003;1004;1005;1006;1015;1016;2004;2026;2031l\x1b[<9u\x1b[>4m\
    \x1b[?1l\x1b>\x1b[?6l\x1b[r\x1b[4l\x1b[?7h\x1b(B\x0f\x1b[0 q\x1b[?25h\x1b[m\x1b[999;1H";

/// Why the terminals were disconnected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AttachEnd {
    /// The user pressed the detach key.
    Detached,
    /// The supervisor closed the connection: the run has finished.
    Ended,
}

/// Connects standard input and output with the agent's terminal until the user detaches or the run finishes.
pub(crate) fn attach_terminal(mut connection: ScreenConnection) -> Result<AttachEnd, Problem> {
    let broken =
        |error: io::Error| Problem::new(ErrorCode::Io, format!("the connection to the supervisor broke: {error}"));
    let stdin = io::stdin();
    let _raw = RawTerminal::enter(&stdin)
        .map_err(|error| Problem::new(ErrorCode::Usage, format!("attaching needs a terminal: {error}")))?;
    // The handler only has to wake the loop, which reads the new size itself.
    let (resized, wake) = UnixStream::pair().map_err(broken)?;
    let handler = signal_hook::low_level::pipe::register(SIGWINCH, wake).map_err(broken)?;
    let size = own_terminal_size(&stdin).unwrap_or(TerminalSize::UNSEEN);
    let end = connection.attach(size).and_then(|()| pump(&mut connection, stdin.as_fd(), &resized)).map_err(broken);
    signal_hook::low_level::unregister(handler);
    // Where the terminal is gone, nothing has to be restored.
    let mut stdout = io::stdout().lock();
    let _ = stdout.write_all(RESTORE_TERMINAL.as_bytes()).and_then(|()| stdout.flush());
    end
}

fn pump(connection: &mut ScreenConnection, stdin: impl AsFd, resized: &UnixStream) -> io::Result<AttachEnd> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let (typed, shown, sized) = {
            let mut polled = [
                PollFd::new(&stdin, PollFlags::IN),
                PollFd::new(&*connection, PollFlags::IN),
                PollFd::new(resized, PollFlags::IN),
            ];
            match poll(&mut polled, None) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let [stdin, connection, resized] = polled;
            (!stdin.revents().is_empty(), !connection.revents().is_empty(), !resized.revents().is_empty())
        };
        if sized {
            let mut resized = resized;
            let _ = resized.read(&mut buffer)?;
            if let Some(size) = own_terminal_size(&stdin) {
                connection.resize(size)?;
            }
        }
        if shown {
            match connection.read(&mut buffer) {
                Ok(0) | Err(_) => return Ok(AttachEnd::Ended),
                Ok(length) => {
                    let mut stdout = io::stdout().lock();
                    stdout.write_all(buffer.get(..length).unwrap_or_default())?;
                    stdout.flush()?;
                }
            }
        }
        if typed {
            let length = rustix::io::read(&stdin, &mut buffer)?;
            let keys = buffer.get(..length).unwrap_or_default();
            if keys.is_empty() || keys.contains(&DETACH_KEY) {
                return Ok(AttachEnd::Detached);
            }
            if connection.send_keys(keys).is_err() {
                return Ok(AttachEnd::Ended);
            }
        }
    }
}
