//! The title of a terminal's window.

/// More than any window shows.
const MAX_TITLE_CHARS: usize = 500;

/// Keeps the title that a program gives its window. To be passed to [`vt100::Parser::new_with_callbacks`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WindowTitle {
    text: Option<String>,
}

impl WindowTitle {
    /// The title, once there is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }
}

impl vt100::Callbacks for WindowTitle {
    fn set_window_title(&mut self, _: &mut vt100::Screen, title: &[u8]) {
        let text = String::from_utf8_lossy(title);
        let text: String = text.chars().filter(|letter| !letter.is_control()).take(MAX_TITLE_CHARS).collect();
        let text = text.trim();
        self.text = (!text.is_empty()).then(|| text.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;

    use super::*;

    fn title_after(bytes: &[u8]) -> Option<String> {
        let size = NonZeroU16::new(10).unwrap();
        let mut parser = vt100::Parser::new_with_callbacks(size, size, 0, WindowTitle::default());
        for byte in bytes {
            parser.process(&[*byte]);
        }
        parser.callbacks().text().map(str::to_owned)
    }

    #[test]
    fn the_last_title_counts_however_the_bytes_are_cut() {
        assert_eq!(title_after(b"no title"), None);
        let titles = "\u{1b}]0;✳ one\u{7}\u{1b}]2;◐ two \u{1b}\\".as_bytes();
        assert_eq!(title_after(titles).as_deref(), Some("◐ two"));
        assert_eq!(title_after(b"\x1b]0;x\x07\x1b]0;\x07"), None);
        assert_eq!(title_after(b"\x1b]2;a\xffb\x07").as_deref(), Some("a\u{fffd}b"));
    }
}
