//! Asks the terminal for its background. The one rule: no key that is pressed meanwhile is lost.

use std::io::{self, Write, stdout};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use rustix::event::{PollFd, PollFlags, Timespec};

use super::theme::Background;

/// The background, and what every terminal answers, so that the end of the answers is known.
const REQUEST: &[u8] = b"\x1b]11;?\x1b\\\x1b[c";
/// How long the answer may take. One that came later would be read as keys.
const TIMEOUT: Duration = Duration::from_secs(1);
/// No answer is longer, with what a user may have typed.
const MAX_BYTES: usize = 4096;

/// What the terminal answered, and the keys that were pressed meanwhile.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TerminalAnswer {
    pub(super) background: Option<Background>,
    pub(super) keys: Vec<KeyEvent>,
}

/// Asks the terminal, which has to be in raw mode. A terminal that does not answer has no background that is known.
pub(super) fn ask() -> TerminalAnswer {
    match exchange() {
        Ok(bytes) => read(&bytes),
        Err(_) => TerminalAnswer::default(),
    }
}

fn exchange() -> io::Result<Vec<u8>> {
    let mut out = stdout();
    out.write_all(REQUEST)?;
    out.flush()?;
    let until = Instant::now() + TIMEOUT;
    let mut bytes = vec![];
    let stdin = io::stdin();
    while bytes.len() < MAX_BYTES && device_attributes(&bytes).is_none() {
        let left = until.saturating_duration_since(Instant::now());
        let limit = Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
        let mut waited = [PollFd::from_borrowed_fd(stdin.as_fd(), PollFlags::IN)];
        match rustix::event::poll(&mut waited, Some(&limit)) {
            Ok(0) => break,
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        let mut piece = [0; 256];
        // Around the buffer of the standard library, in which keys would be out of reach.
        match rustix::io::read(&stdin, &mut piece)? {
            0 => break,
            length => bytes.extend_from_slice(piece.get(..length).unwrap_or_default()),
        }
    }
    Ok(bytes)
}

/// Where the answer of every terminal stands: `ESC [ ? … c`.
fn device_attributes(bytes: &[u8]) -> Option<std::ops::Range<usize>> {
    let start = find(bytes, b"\x1b[?")?;
    let length = bytes.get(start + 3..)?.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b';'))?;
    let end = start + 3 + length;
    (bytes.get(end) == Some(&b'c')).then_some(start..end + 1)
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

/// Where the answer about the background stands, and what it says: `ESC ] 11 ; rgb:RRRR/GGGG/BBBB`, ended by BEL or `ESC \`.
fn colour(bytes: &[u8]) -> Option<(std::ops::Range<usize>, &[u8])> {
    let start = find(bytes, b"\x1b]11;")?;
    let said = bytes.get(start + 5..)?;
    let length = said.iter().position(|byte| matches!(byte, 0x07 | 0x1b))?;
    let closing = if said.get(length) == Some(&0x07) { 1 } else { 2 };
    Some((start..start + 5 + length + closing, said.get(..length)?))
}

fn read(bytes: &[u8]) -> TerminalAnswer {
    let mut rest = bytes.to_vec();
    let mut background = None;
    if let Some((place, said)) = colour(bytes) {
        background = background_of(said);
        rest.drain(place.start..place.end.min(rest.len()));
    }
    if let Some(place) = device_attributes(&rest) {
        rest.drain(place);
    }
    TerminalAnswer { background, keys: keys(&rest) }
}

/// Dark or light, by how bright the eye sees the colour.
fn background_of(said: &[u8]) -> Option<Background> {
    let text = std::str::from_utf8(said).ok()?;
    let (_, parts) = text.split_once(':')?;
    let part = |text: &str| {
        let value = u32::from_str_radix(text, 16).ok()?;
        let most = 16_u32.checked_pow(u32::try_from(text.len()).ok()?)?.checked_sub(1).filter(|most| *most > 0)?;
        Some(f64::from(value) / f64::from(most))
    };
    // A fourth part would be how transparent it is.
    let parts: Vec<f64> = parts.split('/').take(3).map(part).collect::<Option<_>>()?;
    let [red, green, blue] = parts.try_into().ok()?;
    let brightness = 0.299 * red + 0.587 * green + 0.114 * blue;
    Some(if brightness < 0.5 { Background::Dark } else { Background::Light })
}

/// What was typed, as far as it is text or a single key.
fn keys(bytes: &[u8]) -> Vec<KeyEvent> {
    let text = String::from_utf8_lossy(bytes);
    let mut keys = vec![];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let plain = |code| KeyEvent::new(code, KeyModifiers::NONE);
        keys.extend(match letter {
            '\r' | '\n' => Some(plain(KeyCode::Enter)),
            '\t' => Some(plain(KeyCode::Tab)),
            '\u{7f}' => Some(plain(KeyCode::Backspace)),
            '\u{1b}' if letters.next_if(|next| matches!(next, '[' | 'O')).is_some() => {
                let last = letters.by_ref().find(|letter| matches!(letter, '@'..='~'));
                last.and_then(arrow).map(plain)
            }
            '\u{1b}' => Some(plain(KeyCode::Esc)),
            '\u{1}'..='\u{1a}' => {
                let letter = char::from_u32(u32::from(letter) + 0x60).unwrap_or_default();
                Some(KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL))
            }
            letter if letter.is_control() => None,
            letter => Some(plain(KeyCode::Char(letter))),
        });
    }
    keys
}

const fn arrow(letter: char) -> Option<KeyCode> {
    match letter {
        'A' => Some(KeyCode::Up),
        'B' => Some(KeyCode::Down),
        'C' => Some(KeyCode::Right),
        'D' => Some(KeyCode::Left),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &str) -> Vec<KeyEvent> {
        text.chars().map(|letter| KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE)).collect()
    }

    #[test]
    fn the_answer_says_what_the_background_is() {
        let read = |text: &str| read(text.as_bytes());
        let dark = read("\x1b]11;rgb:1d1d/2020/2121\x1b\\\x1b[?1;2c");
        assert_eq!(dark, TerminalAnswer { background: Some(Background::Dark), keys: vec![] });
        assert_eq!(read("\x1b]11;rgb:ff/fa/e0\x07\x1b[?62c").background, Some(Background::Light));
        assert_eq!(read("\x1b]11;rgba:ffff/ffff/ffff/8080\x07\x1b[?62c").background, Some(Background::Light));
        for nothing in ["\x1b[?1;2c", "", "\x1b]11;?\x07\x1b[?1c", "\x1b]11;rgb:1/2\x07", "\x1b]11;rgb:////\x07"] {
            assert_eq!(read(nothing), TerminalAnswer::default(), "{nothing:?}");
        }
    }

    #[test]
    fn what_is_typed_between_the_answers_stays() {
        let answered = read("né\x1b]11;rgb:0/0/0\x1b\\w\x1b[?1;2cx".as_bytes());
        assert_eq!(answered.keys, typed("néwx"));
        let special: Vec<KeyCode> = keys(b"\r\t\x7f\x1b[A\x1bOD\x1b").iter().map(|key| key.code).collect();
        let expected = [KeyCode::Enter, KeyCode::Tab, KeyCode::Backspace, KeyCode::Up, KeyCode::Left, KeyCode::Esc];
        assert_eq!(special, expected);
        assert_eq!(keys(b"\x03"), [KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)]);
    }
}
