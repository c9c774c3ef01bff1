//! Where text is shown, and how it is escaped there.
//!
//! The one rule: on a terminal everything that is not our own style is escaped; elsewhere every byte stays as it is.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;

use agency_model::{Escaper, Sgr, escaped_json, escaped_line};
use anstream::{AutoStream, ColorChoice};

use super::style;

/// What standard output was before a pager took it.
static BEHIND_PAGER: OnceLock<Surface> = OnceLock::new();

/// Standard output is shown as this from now on, whatever it is.
pub(super) fn show_as(surface: Surface) {
    // There is one pager per process.
    let _ = BEHIND_PAGER.set(surface);
}

/// A stream that text is written to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surface {
    is_terminal: bool,
    has_colours: bool,
}

impl Surface {
    /// Standard output.
    pub(crate) fn stdout() -> Self {
        BEHIND_PAGER.get().copied().unwrap_or_else(|| Self::of(&io::stdout()))
    }

    /// Standard error.
    pub(crate) fn stderr() -> Self {
        Self::of(&io::stderr())
    }

    fn of(stream: &(impl IsTerminal + anstream::stream::RawStream)) -> Self {
        let has_colours = AutoStream::choice(stream) != ColorChoice::Never;
        Self { is_terminal: IsTerminal::is_terminal(stream), has_colours }
    }

    /// Whether a terminal shows it, perhaps through a pager.
    pub(crate) const fn is_terminal(self) -> bool {
        self.is_terminal
    }

    /// Whether it shows colours.
    pub(crate) const fn has_colours(self) -> bool {
        self.has_colours
    }

    /// Text with our styles, as this stream takes it.
    pub(crate) fn shown(self, text: &[u8]) -> Vec<u8> {
        let replace = if self.has_colours { style::coloured } else { style::colourless };
        if self.is_terminal {
            let mut escaper = Escaper::new(Sgr::Replace(replace));
            let mut shown = escaper.feed(text);
            shown.push_str(&escaper.finish());
            return shown.into_bytes();
        }
        with_styles(text, replace)
    }

    /// A JSON document, as this stream takes it: the same values everywhere.
    pub(crate) fn json(self, document: Vec<u8>) -> Vec<u8> {
        match String::from_utf8(document) {
            Ok(document) if self.is_terminal => escaped_json(&document).into_bytes(),
            Ok(document) => document.into_bytes(),
            Err(error) => error.into_bytes(),
        }
    }

    /// A value that has to stay on one line, such as the name of a file. Our styles stay styles.
    pub(crate) fn field(self, text: &str) -> String {
        if self.is_terminal { escaped_field(text.as_bytes()) } else { text.to_owned() }
    }

    /// The same for bytes that may be no text.
    pub(crate) fn field_bytes(self, bytes: &[u8]) -> Vec<u8> {
        if self.is_terminal { escaped_field(bytes).into_bytes() } else { bytes.to_owned() }
    }

    /// One line of a longer text, in which tabs may indent.
    pub(crate) fn line(self, text: &str) -> String {
        if self.is_terminal {
            return text.split('\t').map(escaped_line).collect::<Vec<_>>().join("\t");
        }
        text.to_owned()
    }

    /// The same for a message below a line of ours, among others that are indented.
    pub(crate) fn below(self, text: &str) -> Cow<'_, str> {
        if self.is_terminal { Cow::Owned(text.replace('\n', "\n    ")) } else { Cow::Borrowed(text) }
    }

    /// A message whose further lines cannot be taken for lines of ours.
    pub(crate) fn indented(self, text: &str) -> Cow<'_, str> {
        if !self.is_terminal || !text.contains('\n') {
            return Cow::Borrowed(text);
        }
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default().to_owned();
        let indent = |line: &str| if line.starts_with("  ") { format!("\n{line}") } else { format!("\n  {line}") };
        Cow::Owned(lines.map(indent).fold(first, |text, line| text + &line))
    }
}

fn escaped_field(bytes: &[u8]) -> String {
    let mut escaper = Escaper::new(Sgr::Replace(style::unchanged));
    let mut shown = escaper.feed(bytes);
    shown.push_str(&escaper.finish());
    shown.replace('\n', "\\n").replace('\t', "\\t")
}

/// A value on standard output that has to stay on one line.
pub(crate) fn field(text: &str) -> String {
    Surface::stdout().field(text)
}

/// One line of an agent's text, which cannot look like another one on a terminal.
pub(crate) fn plain(text: &str) -> String {
    Surface::stdout().line(text)
}

/// Other bytes of any size on standard output: escaped on a terminal, exact elsewhere.
#[derive(Debug)]
pub(crate) struct Data {
    escaper: Option<Escaper>,
}

impl Data {
    /// Escaped as `escaper` does it, if standard output is a terminal.
    pub(crate) fn new(escaper: Escaper) -> Self {
        Self { escaper: Surface::stdout().is_terminal.then_some(escaper) }
    }

    /// Exact everywhere.
    pub(crate) const fn exact() -> Self {
        Self { escaper: None }
    }

    /// Prints the next piece.
    pub(crate) fn print(&mut self, piece: &[u8]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match &mut self.escaper {
            Some(escaper) => out.write_all(escaper.feed(piece).as_bytes())?,
            None => out.write_all(piece)?,
        }
        out.flush()
    }

    /// Prints what is left of an unfinished character.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        let Some(escaper) = &mut self.escaper else { return Ok(()) };
        let mut out = io::stdout().lock();
        out.write_all(escaper.finish().as_bytes())?;
        out.flush()
    }
}

/// The same bytes with our styles replaced, and nothing else.
fn with_styles(text: &[u8], replace: fn(&str) -> Option<String>) -> Vec<u8> {
    const BEGIN: &[u8] = b"\x1b[";
    let mark = style::mark().into_bytes();
    let mut shown = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(end) = rest.windows(mark.len()).position(|window| window == mark) {
        let (before, after) = rest.split_at(end + mark.len());
        let begin = before.windows(BEGIN.len()).rposition(|window| window == BEGIN).unwrap_or(before.len());
        let (plain, sequence) = before.split_at(begin);
        shown.extend_from_slice(plain);
        let parameters = sequence.get(BEGIN.len()..sequence.len().saturating_sub(1)).unwrap_or_default();
        let replaced = std::str::from_utf8(parameters).ok().and_then(replace);
        shown.extend_from_slice(&replaced.map_or_else(|| sequence.to_vec(), String::into_bytes));
        rest = after;
    }
    shown.extend_from_slice(rest);
    shown
}

#[cfg(test)]
mod tests {
    use anstyle::AnsiColor;
    use proptest::prelude::*;

    use super::*;
    use crate::output::styled;

    const TERMINAL: Surface = Surface { is_terminal: true, has_colours: true };
    const PIPE: Surface = Surface { is_terminal: false, has_colours: false };

    fn shown(surface: Surface, text: &str) -> String {
        String::from_utf8(surface.shown(text.as_bytes())).unwrap()
    }

    #[test]
    fn our_styles_are_styles_and_those_of_others_are_text() {
        let text = format!("{} \x1b[31mred\x1b[0m", styled(AnsiColor::Green.on_default(), "ours"));
        assert_eq!(shown(TERMINAL, &text), "\x1b[32mours\x1b[0m \\x1b[31mred\\x1b[0m");
        assert_eq!(shown(Surface { has_colours: false, ..TERMINAL }, &text), "ours \\x1b[31mred\\x1b[0m");
        assert_eq!(shown(PIPE, &text), "ours \x1b[31mred\x1b[0m");
        let field = TERMINAL.field(&format!("{}\n\u{202e}", styled(AnsiColor::Green.on_default(), "ours")));
        assert_eq!(shown(TERMINAL, &field), "\x1b[32mours\x1b[0m\\n\\u{202e}");
    }

    #[test]
    fn json_has_the_same_values_on_a_terminal_and_nothing_that_it_obeys() {
        let value = serde_json::json!({ "a\u{9b}": "x\u{7f}\u{202e}\u{200b}\u{e0041}\u{1b}ä\u{1f980}" });
        let text = serde_json::to_string_pretty(&value).unwrap().replace('\n', "\r\n");
        let shown = String::from_utf8(TERMINAL.json(text.clone().into_bytes())).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
        assert!(shown.contains(r#""a\u009b": "x\u007f\u202e\u200b\udb40\udc41\u001bä🦀""#), "{shown}");
        assert!(!shown.chars().any(|letter| letter.is_control() && letter != '\n'), "{shown:?}");
        assert_eq!(PIPE.json(text.clone().into_bytes()), text.into_bytes());
    }

    #[test]
    fn a_pipe_gets_lines_and_fields_as_they_are() {
        let text = "a\r\u{1b}[2J\u{7}\u{202e}";
        assert_eq!((PIPE.line(text), PIPE.field(text)), (text.to_owned(), text.to_owned()));
        assert_eq!(PIPE.field_bytes(b"\xff\n"), b"\xff\n");
        assert_eq!(TERMINAL.field_bytes(b"\xff\n"), b"\\xff\\n");
    }

    #[test]
    fn a_message_cannot_imitate_our_next_line() {
        assert_eq!(TERMINAL.indented("a\nhint: do it\n  b"), "a\n  hint: do it\n  b");
        assert_eq!(PIPE.indented("a\nb"), "a\nb");
        assert_eq!(TERMINAL.below("a\n  bring it back"), "a\n      bring it back");
        assert_eq!(PIPE.below("a\nb"), "a\nb");
    }

    proptest! {
        #[test]
        fn a_pipe_gets_every_byte(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert_eq!(PIPE.shown(&bytes), bytes);
        }

        #[test]
        fn a_terminal_gets_no_control_byte_but_newlines_tabs_and_our_styles(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let text = [styled(AnsiColor::Red.on_default(), "x").into_bytes(), bytes].concat();
            let shown = String::from_utf8(TERMINAL.shown(&text)).unwrap();
            let rest = shown.strip_prefix("\x1b[31mx\x1b[0m").unwrap();
            prop_assert!(!rest.chars().any(|letter| letter.is_control() && !matches!(letter, '\n' | '\t')), "{rest:?}");
        }
    }
}
