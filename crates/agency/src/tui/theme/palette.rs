//! The colours of a theme, and which theme fits a terminal.

use std::collections::BTreeMap;

use agency_engine::config::ThemeColor;
use agency_model::ThemeChoice;
use ratatui::style::Color;

use crate::highlight::Token;

/// What is behind the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) enum Background {
    Dark,
    Light,
}

/// The colour of each role; without one, it has none of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) struct Palette {
    pub(in crate::tui) title: Option<Color>,
    pub(in crate::tui) quiet: Option<Color>,
    pub(in crate::tui) busy: Option<Color>,
    pub(in crate::tui) urgent: Option<Color>,
    pub(in crate::tui) good: Option<Color>,
    pub(in crate::tui) bad: Option<Color>,
    pub(in crate::tui) ended: Option<Color>,
    pub(in crate::tui) added: Option<Color>,
    pub(in crate::tui) removed: Option<Color>,
    pub(in crate::tui) accent: Option<Color>,
    pub(in crate::tui) code: CodeColours,
    pub(in crate::tui) border: Option<Color>,
    /// Behind what is selected; without it, colours are reversed there.
    pub(in crate::tui) selection: Option<Color>,
    /// Behind added and removed lines; without it, their text has the colour.
    pub(in crate::tui) added_background: Option<Color>,
    pub(in crate::tui) removed_background: Option<Color>,
}

/// The colours of program text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) struct CodeColours {
    pub(in crate::tui) keyword: Color,
    pub(in crate::tui) text: Color,
    pub(in crate::tui) constant: Color,
    pub(in crate::tui) comment: Color,
    pub(in crate::tui) function: Color,
    /// Of types.
    pub(in crate::tui) kind: Color,
}

impl CodeColours {
    pub(in crate::tui) const fn of(self, token: Token) -> Color {
        match token {
            Token::Comment => self.comment,
            Token::Constant => self.constant,
            Token::Function => self.function,
            Token::Keyword => self.keyword,
            Token::Text => self.text,
            Token::Type => self.kind,
        }
    }
}

impl Palette {
    /// The sixteen colours of the terminal, which fit its background whatever it is.
    pub(in crate::tui) const ANSI: Self = Self {
        title: None,
        quiet: None,
        busy: Some(Color::Cyan),
        urgent: Some(Color::Yellow),
        good: Some(Color::Green),
        bad: Some(Color::Red),
        ended: Some(Color::Magenta),
        added: Some(Color::Green),
        removed: Some(Color::Red),
        accent: Some(Color::Blue),
        code: CodeColours {
            keyword: Color::Magenta,
            text: Color::Yellow,
            constant: Color::Yellow,
            comment: Color::DarkGray,
            function: Color::Blue,
            kind: Color::Cyan,
        },
        border: None,
        selection: None,
        added_background: None,
        removed_background: None,
    };

    const DARK: Self = Self {
        title: Some(Color::Indexed(255)),
        quiet: Some(Color::Indexed(245)),
        busy: Some(Color::Indexed(80)),
        urgent: Some(Color::Indexed(221)),
        good: Some(Color::Indexed(114)),
        bad: Some(Color::Indexed(203)),
        ended: Some(Color::Indexed(176)),
        added: Some(Color::Indexed(114)),
        removed: Some(Color::Indexed(210)),
        accent: Some(Color::Indexed(111)),
        code: CodeColours {
            keyword: Color::Indexed(176),
            text: Color::Indexed(150),
            constant: Color::Indexed(215),
            comment: Color::Indexed(245),
            function: Color::Indexed(111),
            kind: Color::Indexed(80),
        },
        border: Some(Color::Indexed(240)),
        selection: Some(Color::Indexed(237)),
        added_background: None,
        removed_background: None,
    };

    const LIGHT: Self = Self {
        title: Some(Color::Indexed(232)),
        quiet: Some(Color::Indexed(242)),
        busy: Some(Color::Indexed(30)),
        urgent: Some(Color::Indexed(130)),
        good: Some(Color::Indexed(28)),
        bad: Some(Color::Indexed(160)),
        ended: Some(Color::Indexed(90)),
        added: Some(Color::Indexed(28)),
        removed: Some(Color::Indexed(124)),
        accent: Some(Color::Indexed(26)),
        code: CodeColours {
            keyword: Color::Indexed(90),
            text: Color::Indexed(22),
            constant: Color::Indexed(130),
            comment: Color::Indexed(242),
            function: Color::Indexed(25),
            kind: Color::Indexed(30),
        },
        border: Some(Color::Indexed(250)),
        selection: Some(Color::Indexed(254)),
        added_background: None,
        removed_background: None,
    };

    /// With the colours that the user chose.
    fn with(mut self, own: &BTreeMap<String, ThemeColor>) -> Self {
        for (role, color) in own {
            let color = match *color {
                ThemeColor::Indexed(index) => Color::Indexed(index),
                ThemeColor::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
            };
            let place = match role.as_str() {
                "title" => &mut self.title,
                "quiet" => &mut self.quiet,
                "busy" => &mut self.busy,
                "urgent" => &mut self.urgent,
                "good" => &mut self.good,
                "bad" => &mut self.bad,
                "ended" => &mut self.ended,
                "added" => &mut self.added,
                "removed" => &mut self.removed,
                "accent" => &mut self.accent,
                "border" => &mut self.border,
                "selection" => &mut self.selection,
                // The configuration has no other role.
                _ => continue,
            };
            *place = Some(color);
        }
        self
    }
}

/// The colours for a background. Lines of a diff have one of their own only where every colour can be shown.
pub(in crate::tui) const fn palette(background: Background, every_colour: bool) -> Palette {
    let (palette, added, removed) = match background {
        Background::Dark => (Palette::DARK, Color::Rgb(22, 46, 30), Color::Rgb(62, 26, 30)),
        Background::Light => (Palette::LIGHT, Color::Rgb(222, 245, 226), Color::Rgb(252, 228, 228)),
    };
    match every_colour {
        true => Palette { added_background: Some(added), removed_background: Some(removed), ..palette },
        false => palette,
    }
}

/// What the user chose, the terminal can show, and its background asks for. `ask` asks the terminal.
pub(in crate::tui) fn chosen(
    choice: ThemeChoice,
    own: &BTreeMap<String, ThemeColor>,
    variable: impl Fn(&str) -> Option<String>,
    ask: impl FnOnce() -> Option<Background>,
) -> Palette {
    let every_colour = variable("COLORTERM").is_some_and(|value| value == "truecolor" || value == "24bit");
    let terminal = variable("TERM").unwrap_or_default();
    let names = ["256color", "kitty", "alacritty", "ghostty", "foot", "wezterm", "direct"];
    let many = every_colour || names.iter().any(|name| terminal.contains(name));
    let background = match choice {
        ThemeChoice::Dark => Some(Background::Dark),
        ThemeChoice::Light => Some(Background::Light),
        ThemeChoice::Auto if many => ask(),
        ThemeChoice::Auto | ThemeChoice::Ansi => None,
    };
    background.map_or(Palette::ANSI, |background| palette(background, every_colour)).with(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen_in(choice: ThemeChoice, terminal: &'static str, asked: Option<Background>) -> Palette {
        let variable = |name: &str| (name == "TERM").then(|| terminal.to_owned());
        chosen(choice, &BTreeMap::new(), variable, || asked)
    }

    #[test]
    fn the_terminal_is_asked_only_where_the_answer_counts() {
        let dark = palette(Background::Dark, false);
        let light = palette(Background::Light, false);
        assert_eq!(chosen_in(ThemeChoice::Auto, "xterm-256color", Some(Background::Light)), light);
        assert_eq!(chosen_in(ThemeChoice::Auto, "xterm-256color", Some(Background::Dark)), dark);
        assert_eq!(chosen_in(ThemeChoice::Auto, "xterm-256color", None), Palette::ANSI, "it did not answer");
        assert_eq!(chosen_in(ThemeChoice::Auto, "vt220", Some(Background::Dark)), Palette::ANSI, "it has few colours");
        assert_eq!(chosen_in(ThemeChoice::Light, "vt220", None), light);
        assert_eq!(chosen_in(ThemeChoice::Ansi, "xterm-256color", Some(Background::Dark)), Palette::ANSI);
    }

    #[test]
    fn every_role_of_the_configuration_changes_a_colour() {
        for role in agency_engine::config::THEME_ROLES {
            let own = BTreeMap::from([(role.to_owned(), ThemeColor::Rgb(1, 2, 3))]);
            assert_ne!(Palette::ANSI.with(&own), Palette::ANSI, "{role}");
        }
    }
}
