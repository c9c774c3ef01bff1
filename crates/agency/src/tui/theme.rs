//! How things look. Only the sixteen colours of the terminal itself are used, so that they fit its background, light or
//! dark; nothing is said by colour alone.

use agency_model::Activity;
use agency_model::run::State as RunState;
use ratatui::style::{Color, Modifier, Style};

use super::runs::ListedRun;
use crate::highlight::Token;

/// What the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Theme {
    pub(super) colour: bool,
    pub(super) unicode: bool,
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
}

impl Theme {
    /// What the environment says.
    pub(super) fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let language = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG")).unwrap_or_default();
        let language = language.to_ascii_lowercase();
        Self { colour: set("NO_COLOR").is_none(), unicode: language.contains("utf-8") || language.contains("utf8") }
    }

    /// The style of a piece of text.
    pub(super) fn style(self, role: Role) -> Style {
        let (colour, modifier) = match role {
            Role::Plain => (None, Modifier::empty()),
            Role::Title => (None, Modifier::BOLD),
            Role::Quiet => (None, Modifier::DIM),
            Role::Busy => (Some(Color::Cyan), Modifier::empty()),
            Role::Urgent => (Some(Color::Yellow), Modifier::BOLD),
            Role::Good | Role::Added => (Some(Color::Green), Modifier::empty()),
            Role::Bad => (Some(Color::Red), Modifier::BOLD),
            Role::Removed => (Some(Color::Red), Modifier::empty()),
            Role::Ended => (Some(Color::Magenta), Modifier::empty()),
            Role::Accent => (Some(Color::Blue), Modifier::BOLD),
            Role::Code(Token::Comment) => (None, Modifier::DIM.union(Modifier::ITALIC)),
            Role::Code(Token::Keyword) => (Some(Color::Magenta), Modifier::empty()),
            Role::Code(Token::Text) => (Some(Color::Yellow), Modifier::empty()),
            Role::Code(Token::Constant | Token::Type) => (Some(Color::Cyan), Modifier::empty()),
            Role::Code(Token::Function) => (Some(Color::Blue), Modifier::empty()),
        };
        let style = Style::new().add_modifier(modifier);
        match colour.filter(|_| self.colour) {
            Some(colour) => style.fg(colour),
            None => style,
        }
    }

    /// What is selected stands out on any background; its signs and words say what its colours said.
    pub(super) fn selected(self, in_front: bool) -> Style {
        match in_front {
            true => Style::reset().add_modifier(Modifier::REVERSED),
            false => Style::new().add_modifier(Modifier::UNDERLINED),
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
        assert_eq!(theme(&[("LANG", "en_GB.UTF-8")]), Theme { colour: true, unicode: true });
        assert_eq!(theme(&[("LANG", "C"), ("NO_COLOR", "1")]), Theme { colour: false, unicode: false });
        assert_eq!(
            theme(&[("LC_ALL", "C"), ("LANG", "C.utf8"), ("NO_COLOR", "")]),
            Theme { colour: true, unicode: false }
        );
    }

    #[test]
    fn without_colours_no_style_has_one() {
        let theme = Theme { colour: false, unicode: true };
        for role in
            [Role::Busy, Role::Urgent, Role::Good, Role::Bad, Role::Ended, Role::Added, Role::Removed, Role::Accent]
        {
            assert_eq!(theme.style(role).fg, None);
        }
    }
}
