//! Reads the screen of an interactive agent: what it is doing, and what it asks.
//!
//! What the screens look like is data: one file of rules per agent, made for one version of it. The one rule here: a
//! screen that no rule describes is `unknown`, never idle.

mod answer;
mod characters;
mod dialog;
mod key;
mod marked_lines;
mod options;
mod pattern;
mod problem;
mod region;
mod rule;
mod text;
mod unframed_screen;
mod window_title;

pub use answer::{AnswerError, KEY_PAUSE, ScreenQuestion};
pub use characters::Characters;
pub use problem::ScreenRulesError;
pub use text::ScreenText;
pub use window_title::WindowTitle;

use std::path::Path;
use std::time::Duration;

use agency_model::Activity;

use rule::{RuleMatch, RulesFile};
use unframed_screen::UnframedScreen;

/// How one agent's screens are read.
#[derive(Debug, Clone)]
pub struct ScreenRules {
    file: RulesFile,
}

/// What a screen says.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading<'rules> {
    /// What the agent is doing.
    pub activity: Activity,
    /// The rule that says so; none where no rule fits.
    pub rule: Option<&'rules str>,
    /// The number of the screen line that the rule found, from 1.
    pub line: Option<u32>,
    /// That line.
    pub text: String,
    /// What the agent asks.
    pub question: Option<ScreenQuestion>,
}

impl ScreenRules {
    /// The rules of a built-in agent, by its name in the configuration.
    #[must_use]
    pub fn built_in(agent: &str) -> Option<Self> {
        Self::parse(Path::new(agent), crate::adapter(agent).screen_rules()?).ok()
    }

    /// Understands the text of a file of rules, whole or not at all.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ScreenRulesError> {
        Ok(Self { file: RulesFile::parse(path, text)? })
    }

    /// The agent's version that the rules were made for.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.file.version
    }

    /// How long a dialog has to be on the screen before the agent takes keys for it.
    #[must_use]
    pub fn answer_delay(&self) -> Duration {
        Duration::from_millis(self.file.answer_after_ms.into())
    }

    /// Says what is on a screen. The first rule that fits decides.
    #[must_use]
    pub fn read(&self, screen: &ScreenText) -> Reading<'_> {
        let unframed = UnframedScreen::new(screen);
        let title = screen.title.as_deref();
        let seen =
            self.file.rules.iter().find_map(|rule| Some((rule.get_ref(), rule.get_ref().sees(&unframed, title)?)));
        match seen {
            Some((rule, RuleMatch { line, question })) => Reading {
                activity: rule.activity,
                rule: Some(&rule.name),
                line: line.and_then(|line| u32::try_from(line + 1).ok()),
                text: line.and_then(|line| unframed.line(line)).unwrap_or_default().trim().to_owned(),
                question,
            },
            None => {
                Reading { activity: Activity::Unknown, rule: None, line: None, text: String::new(), question: None }
            }
        }
    }
}
