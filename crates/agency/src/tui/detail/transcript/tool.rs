//! The line of a tool call that is always there: what was called, on what, and the result.

use agency_model::transcript::{ToolCall, ToolResult};
use ratatui::text::{Line, Span};

use crate::tui::detail::scroll::RowStyle;
use crate::tui::draw::width;
use crate::tui::theme::Role;

pub(super) fn heading(tool: &ToolCall, unfolded: bool, row_style: RowStyle) -> Line<'static> {
    let theme = row_style.theme;
    let sign = if unfolded { theme.glyph("▾", "v") } else { theme.glyph("▸", ">") };
    let (verdict, role) = match tool.result() {
        None => (theme.glyph("…", "...").to_owned(), Role::Busy),
        Some(ToolResult { success, lines }) => {
            let size = match lines {
                0 => String::new(),
                1 => " 1 line".to_owned(),
                count => format!(" {count} lines"),
            };
            match success {
                true => (format!("{}{size}", theme.glyph("✓", "+")), Role::Good),
                false => (format!("{}{size}", theme.glyph("✗", "x")), Role::Bad),
            }
        }
    };
    let name = format!("{sign} {} ", tool.name());
    let room = row_style.width.saturating_sub(width(&name).saturating_add(width(&verdict)).saturating_add(1));
    let subject = shortened(tool.subject(), room, theme.glyph("…", "~"));
    let gap = if subject.is_empty() { "" } else { " " };
    Line::from(vec![
        Span::styled(name, theme.style(Role::Title)),
        Span::styled(format!("{subject}{gap}"), theme.style(Role::Quiet)),
        Span::styled(verdict, theme.style(role)),
    ])
}

/// As much of a text as there is room for, with a sign where it is cut.
fn shortened(text: &str, room: u16, sign: &str) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut short = String::new();
    for letter in text.chars() {
        short.push(letter);
        if width(&short) >= room {
            short.pop();
            break;
        }
    }
    if room > 0 { format!("{short}{sign}") } else { String::new() }
}
