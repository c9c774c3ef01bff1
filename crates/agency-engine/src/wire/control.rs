//! The frames of `control.sock`, which clients send to a supervisor: one byte of kind, four of length, content.
//!
//! A client names its version in the first frame of a connection. Supervisors before that frame skip it, and clients
//! before it name none; both work with each other, since no frame of theirs has changed.
//!
//! The one rule: a kind, once used, keeps its meaning, and a supervisor skips the kinds of a client that is newer.

use std::io::{self, Write};

/// The version of the frames: how many kinds there are.
pub const CONTROL_VERSION: u8 = VERSION + 1;

/// A frame without content: look at your requests.
pub const WAKE: u8 = 0;
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

/// The version of the client, as one byte; sent before the first frame that asks for something.
pub const VERSION: u8 = 6;

/// The largest content of a frame: what a user types at once is never longer.
pub const MAX_FRAME_BYTES: u32 = 1024 * 1024;

/// What a client names as its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClientVersion {
    /// None: the client is from before [`VERSION`].
    #[default]
    Unnamed,
    /// This one.
    Named(u8),
}

impl ClientVersion {
    /// The version in the content of a [`VERSION`] frame. A later version may append to it.
    #[must_use]
    pub fn read(content: &[u8]) -> Self {
        content.first().map_or(Self::Unnamed, |version| Self::Named(*version))
    }

    /// Whether this client may send kinds of frames that are not known here.
    #[must_use]
    pub const fn may_be_newer(self) -> bool {
        match self {
            Self::Unnamed => true,
            Self::Named(version) => version > CONTROL_VERSION,
        }
    }
}

/// Writes the first frame of a connection that asks for something, after the version.
pub fn write_first_frame(stream: &mut impl Write, kind: u8, content: &[u8]) -> io::Result<()> {
    // In one piece: a client that only wakes its supervisor is gone at once.
    stream.write_all(&[frame(VERSION, &[CONTROL_VERSION])?, frame(kind, content)?].concat())
}

/// Writes a further frame.
pub fn write_frame(stream: &mut impl Write, kind: u8, content: &[u8]) -> io::Result<()> {
    stream.write_all(&frame(kind, content)?)
}

fn frame(kind: u8, content: &[u8]) -> io::Result<Vec<u8>> {
    let length = u32::try_from(content.len()).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
    let mut frame = vec![kind];
    frame.extend_from_slice(&length.to_be_bytes());
    frame.extend_from_slice(content);
    Ok(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frames_are_those_of_every_version_before() {
        // By these numbers the supervisors that run now know them.
        assert_eq!([WAKE, ATTACH, INPUT, RESIZE, WAIT, WATCH, VERSION], [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(CONTROL_VERSION, 7, "a further kind gets the next number");
        let mut frame = vec![];
        write_frame(&mut frame, INPUT, b"ab").unwrap();
        assert_eq!(frame, [2, 0, 0, 0, 2, b'a', b'b']);
    }

    /// What a supervisor before [`VERSION`] takes from a connection: it skips the kinds that it does not know.
    fn taken_before(mut bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
        let mut taken = vec![];
        while let [kind, a, b, c, d, rest @ ..] = bytes {
            let (content, after) = rest.split_at(u32::from_be_bytes([*a, *b, *c, *d]) as usize);
            if *kind <= 5 {
                taken.push((*kind, content.to_vec()));
            }
            bytes = after;
        }
        taken
    }

    #[test]
    fn a_supervisor_of_the_version_before_takes_the_same_frames() {
        // Recorded from the client of the version before, and what the client writes now.
        let attach: &[u8] = &[1, 0, 0, 0, 4, 0, 24, 0, 80];
        for (recorded, kind, content) in [
            (&[0, 0, 0, 0, 0][..], WAKE, &[][..]),
            (&[4, 0, 0, 0, 0], WAIT, &[]),
            (&[5, 0, 0, 0, 0], WATCH, &[]),
            (attach, ATTACH, &[0, 24, 0, 80]),
        ] {
            let mut written = vec![];
            write_first_frame(&mut written, kind, content).unwrap();
            assert_eq!(written, [&[6, 0, 0, 0, 1, 7], recorded].concat());
            assert_eq!(taken_before(&written), taken_before(recorded));
        }
    }

    #[test]
    fn only_a_client_that_is_newer_or_names_no_version_may_send_unknown_kinds() {
        assert_eq!(ClientVersion::read(&[7]), ClientVersion::Named(7));
        assert_eq!(ClientVersion::read(&[9, 1, 2]), ClientVersion::Named(9));
        assert_eq!(ClientVersion::read(&[]), ClientVersion::Unnamed);
        let newer = [ClientVersion::Unnamed, ClientVersion::Named(CONTROL_VERSION), ClientVersion::Named(u8::MAX)];
        assert_eq!(newer.map(ClientVersion::may_be_newer), [true, false, true]);
    }
}
