//! The rules of an agent: which screen means what.

use std::ops::Range;
use std::path::Path;

use agency_model::Activity;
use serde::Deserialize;
use toml::Spanned;

use super::answer::ScreenQuestion;
use super::dialog::Dialog;
use super::pattern::Pattern;
use super::problem::{ScreenRulesError, invalid};
use super::region::Region;
use super::unframed_screen::UnframedScreen;

/// A file of rules.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RulesFile {
    /// The agent's version that they were made for.
    pub(super) version: String,
    /// For how long an agent ignores keys after it has drawn a dialog.
    #[serde(default)]
    pub(super) answer_after_ms: u16,
    /// The rules; the first that fits decides.
    pub(super) rules: Vec<Spanned<Rule>>,
}

/// One rule.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    /// Its name, by which users learn why the agent is said to do something.
    pub(super) name: String,
    /// What it says the agent is doing.
    pub(super) activity: Activity,
    /// What the title of the window has to be like.
    title: Option<Pattern>,
    /// What has to be on the screen.
    #[serde(default)]
    when: Vec<Condition>,
    /// What is asked.
    question: Option<Dialog>,
}

/// What has to be on a part of the screen, and what must not be there.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Condition {
    /// Where; if one of its bounds is missing, the rule does not fit.
    #[serde(default, rename = "where")]
    region: Region,
    #[serde(default)]
    all: Vec<Pattern>,
    #[serde(default)]
    any: Vec<Pattern>,
    #[serde(default)]
    none: Vec<Pattern>,
}

/// What a rule that fits has found.
pub(super) struct RuleMatch {
    pub(super) line: Option<usize>,
    pub(super) question: Option<ScreenQuestion>,
}

impl RulesFile {
    pub(super) fn parse(path: &Path, text: &str) -> Result<Self, ScreenRulesError> {
        let file: Self = toml::from_str(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            invalid(path, text, offset, error.message().to_owned())
        })?;
        for (index, rule) in file.rules.iter().enumerate() {
            let earlier = file.rules.iter().take(index).map(|rule| rule.get_ref().name.as_str());
            rule.get_ref().check(earlier).map_err(|error| invalid(path, text, rule.span().start, error.to_string()))?;
        }
        Ok(file)
    }
}

/// A rule that is well-formed and makes no sense.
#[derive(Debug, thiserror::Error)]
enum RuleError {
    #[error("there are two rules `{0}`")]
    Duplicate(String),
    #[error("the rule `{0}` would fit every screen: it needs a `title`, or `all` or `any`")]
    FitsEverything(String),
    #[error("the rule `{0}` says `unknown`, which is what holds without a rule")]
    SaysUnknown(String),
    #[error("the rule `{0}` asks something, so its activity is `waiting_for_user`")]
    AsksWithoutWaiting(String),
}

impl Rule {
    /// Refuses what is well-formed and makes no sense.
    fn check<'a>(&self, mut earlier: impl Iterator<Item = &'a str>) -> Result<(), RuleError> {
        let name = || self.name.clone();
        if earlier.any(|earlier| earlier == self.name) {
            return Err(RuleError::Duplicate(name()));
        }
        let asks_nothing = |condition: &Condition| condition.all.is_empty() && condition.any.is_empty();
        if self.title.is_none() && self.when.iter().all(asks_nothing) {
            return Err(RuleError::FitsEverything(name()));
        }
        if self.activity == Activity::Unknown {
            return Err(RuleError::SaysUnknown(name()));
        }
        if self.question.is_some() && self.activity != Activity::WaitingForUser {
            return Err(RuleError::AsksWithoutWaiting(name()));
        }
        Ok(())
    }

    /// What the rule finds, if it fits.
    pub(super) fn sees(&self, unframed: &UnframedScreen<'_>, title: Option<&str>) -> Option<RuleMatch> {
        if let Some(pattern) = &self.title
            && !title.is_some_and(|title| pattern.is_in(title))
        {
            return None;
        }
        let mut line = None;
        for condition in &self.when {
            let found = condition.holds(unframed)?;
            line = line.or(found);
        }
        let question = match &self.question {
            Some(dialog) => Some(dialog.read(&self.name, unframed)?),
            None => None,
        };
        Some(RuleMatch { line, question })
    }
}

impl Condition {
    /// If it holds, the first line that makes it hold.
    fn holds(&self, unframed: &UnframedScreen<'_>) -> Option<Option<usize>> {
        let range = self.region.on(unframed)?;
        let line = |pattern: &Pattern, range: Range<usize>| pattern.last_in(unframed, range).map(|hit| hit.first);
        if self.none.iter().any(|pattern| line(pattern, range.clone()).is_some()) {
            return None;
        }
        let all = self.all.iter().map(|pattern| line(pattern, range.clone())).collect::<Option<Vec<usize>>>()?;
        let any = self.any.iter().find_map(|pattern| line(pattern, range.clone()));
        if any.is_none() && !self.any.is_empty() {
            return None;
        }
        Some(all.first().copied().or(any))
    }
}
