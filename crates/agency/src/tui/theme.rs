//! How things look: which colour stands for what. Nothing is said by colour alone.

mod palette;

use agency_model::Activity;
use agency_model::run::State as RunState;
use ratatui::style::{Modifier, Style};

#[cfg(test)]
pub(super) use palette::palette;
pub(super) use palette::{Background, Palette, chosen};

use super::runs::ListedRun;
use crate::highlight::Token;

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Theme {
    pub(super) colour: bool,
    pub(super) unicode: bool,
    pub(super) palette: Palette,
}

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Plain,
    /// A heading.
    Title,
    /// Less important than what is around it.
    Quiet,
    /// Something that works.
    Busy,
    /// Something that needs the user.
    Urgent,
    Good,
    Bad,
    Ended,
    Added,
    Removed,
    /// A name or a key that can be used.
    Accent,
    /// A part of a file in some language.
    Code(Token),
    /// What sets places off from each other.
    Border,
    /// What sets off the place that has the keys.
    Focus,
}

impl Theme {
    /// The terminal's own colours, or none, and its letters.
    #[cfg(test)]
    pub(super) const fn ansi(colour: bool, unicode: bool) -> Self {
        Self { colour, unicode, palette: Palette::ANSI }
    }

    /// What the environment says, with the colours of the terminal itself.
    pub(super) fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let language = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG")).unwrap_or_default();
        let language = language.to_ascii_lowercase();
        Self {
            colour: set("NO_COLOR").is_none(),
            unicode: language.contains("utf-8") || language.contains("utf8"),
            palette: Palette::ANSI,
        }
    }

    /// The style of a piece of text.
    pub(super) fn style(self, role: Role) -> Style {
        let palette = self.palette;
        let (colour, modifier) = match role {
            Role::Plain => (None, Modifier::empty()),
            Role::Title => (palette.title, Modifier::BOLD),
            Role::Quiet => (palette.quiet, Modifier::empty()),
            Role::Busy => (palette.busy, Modifier::empty()),
            Role::Urgent => (palette.urgent, Modifier::BOLD),
            Role::Good => (palette.good, Modifier::empty()),
            Role::Added => (palette.added, Modifier::empty()),
            Role::Bad => (palette.bad, Modifier::BOLD),
            Role::Removed => (palette.removed, Modifier::empty()),
            Role::Ended => (palette.ended, Modifier::empty()),
            Role::Accent => (palette.accent, Modifier::BOLD),
            Role::Border => (palette.border, Modifier::empty()),
            Role::Focus => (palette.accent, Modifier::empty()),
            Role::Code(Token::Comment) => (Some(palette.code.of(Token::Comment)), Modifier::ITALIC),
            Role::Code(token) => (Some(palette.code.of(token)), Modifier::empty()),
        };
        let style = Style::new().add_modifier(modifier);
        match (colour.filter(|_| self.colour), role) {
            (Some(colour), _) => style.fg(colour),
            (None, Role::Quiet | Role::Border | Role::Code(Token::Comment)) => style.add_modifier(Modifier::DIM),
            (None, _) => style,
        }
    }

    /// What is selected stands out on any background; its signs and words say what its colours said.
    pub(super) fn selected(self, in_front: bool) -> Style {
        match (self.palette.selection.filter(|_| self.colour), in_front) {
            (Some(colour), true) => Style::new().bg(colour).add_modifier(Modifier::BOLD),
            (None, true) => Style::reset().add_modifier(Modifier::REVERSED),
            (_, false) => Style::new().add_modifier(Modifier::UNDERLINED),
        }
    }

    /// One of two texts: the one for terminals that know more letters, or the other.
    pub(super) const fn glyph(self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.unicode { unicode } else { ascii }
    }

    /// How a run stands: a sign, a word and a role.
    pub(super) fn status(self, entry: &ListedRun) -> (&'static str, &'static str, Role) {
        if entry.asks > 0 {
            return ("?", "needs you", Role::Urgent);
        }
        match (entry.row.state, entry.row.activity) {
            (RunState::Queued, _) => (self.glyph("◌", "."), "queued", Role::Quiet),
            (RunState::Running, Some(Activity::Setup)) => (self.glyph("○", "o"), "setup", Role::Busy),
            (RunState::Running, Some(Activity::Starting) | None) => (self.glyph("○", "o"), "starting", Role::Busy),
            (RunState::Running, Some(Activity::Thinking)) => (self.glyph("◐", "*"), "thinking", Role::Busy),
            (RunState::Running, Some(Activity::Writing)) => (self.glyph("✎", "w"), "writing", Role::Busy),
            (RunState::Running, Some(Activity::RunningCommand)) => ("$", "command", Role::Busy),
            (RunState::Running, Some(Activity::WaitingForUser)) => ("?", "needs you", Role::Urgent),
            (RunState::Running, Some(Activity::Idle)) => (self.glyph("◦", "-"), "idle", Role::Urgent),
            (RunState::Running, Some(Activity::Unknown)) => (self.glyph("●", "@"), "running", Role::Busy),
            (RunState::Completed, _) => (self.glyph("✓", "+"), "done", Role::Good),
            (RunState::Failed, _) => (self.glyph("✗", "x"), "failed", Role::Bad),
            (RunState::Killed, _) => (self.glyph("■", "#"), "stopped", Role::Ended),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_decides_on_colours_and_letters() {
        let theme = |pairs: &'static [(&str, &str)]| {
            Theme::of(|name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(theme(&[("LANG", "en_GB.UTF-8")]), Theme::ansi(true, true));
        assert_eq!(theme(&[("LANG", "C"), ("NO_COLOR", "1")]), Theme::ansi(false, false));
        assert_eq!(theme(&[("LC_ALL", "C"), ("LANG", "C.utf8"), ("NO_COLOR", "")]), Theme::ansi(true, false));
    }

    #[test]
    fn without_colours_no_style_has_one() {
        let theme = Theme { colour: false, unicode: true, palette: palette(Background::Dark, true) };
        for role in
            [Role::Busy, Role::Urgent, Role::Good, Role::Bad, Role::Ended, Role::Added, Role::Removed, Role::Accent]
        {
            assert_eq!(theme.style(role).fg, None);
        }
    }
}
