//! A text that is being written: one line, or as many as one likes.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::Widget;
use ratatui_textarea::{CursorMove, TextArea, WrapMode};

/// How much may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineMode {
    Single,
    Multi,
}

/// A text with a cursor in it.
#[derive(Debug, Clone)]
pub(super) struct TextInput {
    area: TextArea<'static>,
    line_mode: LineMode,
}

impl TextInput {
    /// One line; the placeholder is shown while it is empty.
    pub(super) fn line(text: &str, placeholder: &str) -> Self {
        Self::new(LineMode::Single, text, placeholder)
    }

    /// As many lines as one likes.
    pub(super) fn lines(text: &str, placeholder: &str) -> Self {
        Self::new(LineMode::Multi, text, placeholder)
    }

    fn new(line_mode: LineMode, text: &str, placeholder: &str) -> Self {
        let mut area: TextArea<'static> = text.lines().collect();
        area.set_wrap_mode(match line_mode {
            LineMode::Single => WrapMode::None,
            LineMode::Multi => WrapMode::WordOrGlyph,
        });
        area.set_cursor_line_style(Style::new());
        area.set_placeholder_text(placeholder);
        area.set_placeholder_style(Style::new().add_modifier(Modifier::DIM));
        area.move_cursor(CursorMove::Bottom);
        area.move_cursor(CursorMove::End);
        let mut input = Self { area, line_mode };
        input.show_cursor(Cursor::Hidden);
        input
    }

    /// What is written.
    pub(super) fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    /// Shows where the next letter goes, or not.
    pub(super) fn show_cursor(&mut self, cursor: Cursor) {
        self.area.set_cursor_style(match cursor {
            Cursor::Shown => Style::new().add_modifier(Modifier::REVERSED),
            Cursor::Hidden => Style::new(),
        });
    }

    /// Takes a key; whether the text is another now.
    pub(super) fn typed(&mut self, event: KeyEvent) -> bool {
        let held = event.modifiers.contains(KeyModifiers::CONTROL);
        match (event.code, held, self.line_mode) {
            (KeyCode::Enter, _, LineMode::Single) | (KeyCode::Char('m'), true, LineMode::Single) => false,
            // As in a shell; the library has undo there.
            (KeyCode::Char('u'), true, _) => self.area.delete_line_by_head(),
            (KeyCode::Char('z'), true, _) => self.area.undo(),
            (_, _, LineMode::Single | LineMode::Multi) => self.area.input(event),
        }
    }

    /// Begins a new line, where there is line_mode for one.
    pub(super) fn break_line(&mut self) {
        if self.line_mode == LineMode::Multi {
            self.area.insert_newline();
        }
    }

    /// Takes a text that was pasted. What would move the cursor of a terminal is left out.
    pub(super) fn paste(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let plain: String =
            text.chars().filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t')).collect();
        match self.line_mode {
            LineMode::Single => self.area.insert_str(plain.split_whitespace().collect::<Vec<_>>().join(" ")),
            LineMode::Multi => self.area.insert_str(plain),
        };
    }

    /// Puts another text in its place; it can be undone.
    pub(super) fn replace(&mut self, text: &str) {
        self.area.select_all();
        self.area.cut();
        self.paste(text.strip_suffix('\n').unwrap_or(text));
    }

    /// Puts the cursor where the user clicked, counted from the corner of the field.
    pub(super) fn click(&mut self, column: u16, row: u16) {
        let (top, left) = self.area.scroll_offset();
        let clicked = self.area.screen_to_data(usize::from(top + row), usize::from(left + column));
        let (row, column) = (clicked.0, clicked.1);
        let near = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(near(row), near(column)));
    }

    /// Shows it.
    pub(super) fn draw(&self, area: Rect, buffer: &mut Buffer) {
        let area = area.intersection(buffer.area);
        if !area.is_empty() {
            (&self.area).render(area, buffer);
        }
    }
}

/// Whether the cursor is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cursor {
    Shown,
    Hidden,
}
