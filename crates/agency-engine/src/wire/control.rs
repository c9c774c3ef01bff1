//! The frames of `control.sock`, which clients send to a supervisor: one byte of kind, four of length, content.
//!
//! The one rule: a frame of an unknown kind is skipped, so that a supervisor takes what it knows from a newer client. A
//! kind, once used, keeps its meaning.

use std::io::{self, Write};

/// The version of the frames: how many kinds there are.
pub const CONTROL_VERSION: u8 = WATCH + 1;

/// A frame without content: look at your requests.
pub const BELL: u8 = 0;
/// The first frame of a viewer; its content is the size of its terminal.
pub const ATTACH: u8 = 1;
/// Something the viewer typed.
pub const INPUT: u8 = 2;
/// The viewer's terminal has another size.
pub const RESIZE: u8 = 3;

/// A frame without content: hold this connection until the run's state has changed, then close it.
pub const WAIT: u8 = 4;
/// The first frame, without content, of a viewer that only looks: the agent's terminal keeps its size.
pub const WATCH: u8 = 5;

/// The largest content of a frame: what a user types at once is never longer.
pub const MAX_FRAME_BYTES: u32 = 1024 * 1024;

/// Writes one frame.
pub fn write_frame(stream: &mut impl Write, kind: u8, content: &[u8]) -> io::Result<()> {
    let length = u32::try_from(content.len()).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
    let mut frame = vec![kind];
    frame.extend_from_slice(&length.to_be_bytes());
    frame.extend_from_slice(content);
    stream.write_all(&frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frames_are_those_of_every_version_before() {
        // By these numbers the supervisors that run now know them.
        assert_eq!([BELL, ATTACH, INPUT, RESIZE, WAIT, WATCH], [0, 1, 2, 3, 4, 5]);
        assert_eq!(CONTROL_VERSION, 6, "a further kind gets the next number");
        let mut frame = vec![];
        write_frame(&mut frame, INPUT, b"ab").unwrap();
        assert_eq!(frame, [2, 0, 0, 0, 2, b'a', b'b']);
    }
}
