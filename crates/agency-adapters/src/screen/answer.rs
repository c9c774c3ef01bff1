//! Which keys give an answer to what the screen asks.

use std::time::Duration;

use agency_model::{Answer, Question};
use serde::Deserialize;

use super::key::KeyBytes;
use super::options::OptionRow;
use super::pattern::Pattern;

/// How long to wait after each piece: some agents drop a key that follows another one, or a paste, at once.
pub const KEY_PAUSE: Duration = Duration::from_millis(100);

/// How a dialog is answered, as the rules say it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Answers {
    /// How an option is chosen. Without it the dialog can only be answered on its own screen.
    pick: Option<PickMethod>,
    /// The options that allow, the best first.
    allow: Vec<Pattern>,
    /// The options that deny, the best first.
    deny: Vec<Pattern>,
    /// The keys that deny, where no option does.
    deny_keys: Vec<KeyBytes>,
    /// The keys that confirm several checked options.
    finish: Vec<KeyBytes>,
    /// The option that takes own words.
    text: Option<TextOption>,
}

/// How an option is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PickMethod {
    /// By its number.
    Number,
    /// By its number, then Enter.
    NumberEnter,
    /// By going up or down to it, then Enter.
    UpDown,
    /// By going left or right to it, then Enter.
    LeftRight,
}

/// The option that takes own words.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TextOption {
    /// Its label.
    option: Pattern,
    /// Whether it is also an answer without words.
    #[serde(default)]
    also_answers: bool,
    /// How it is reached.
    reach: PickMethod,
    /// The keys that open the entry.
    #[serde(default)]
    open: Vec<KeyBytes>,
}

/// Why an answer cannot be typed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// No option is known to allow, or to deny.
    #[error("no option of this dialog is known to {0}: choose one of {1}")]
    NoQuickAnswer(&'static str, String),
    /// There is no such option.
    #[error("the dialog has no option '{0}': it has {1}")]
    NoOption(String, String),
    /// Options were chosen that cannot be chosen together.
    #[error("the dialog takes one option, and not these {0}")]
    NotOne(usize),
    /// It takes no own words.
    #[error("the dialog does not accept free text: choose one of {0}")]
    NoText(String),
    /// The answer is empty.
    #[error("the answer is empty")]
    EmptyText,
    /// The screen does not show which option is marked, so that arrow keys would lead anywhere.
    #[error("the screen does not show which option is marked: attach to the run and answer there")]
    NoMark,
    /// The rules do not say which keys answer.
    #[error("it is not known which keys answer this dialog: attach to the run and answer there")]
    OnlyOnScreen,
}

/// What an agent asks on its screen, and how it is answered there.
#[derive(Debug, Clone, PartialEq)]
pub struct ScreenQuestion {
    /// What it asks. Its key is the same for as long as the screen asks the same.
    pub question: Question,
    keys: AnswerKeys,
}

/// How the dialog that is on the screen now is answered.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AnswerKeys {
    rows: Vec<OptionRow>,
    pick: Option<PickMethod>,
    allow: Option<usize>,
    deny: Option<usize>,
    deny_keys: Vec<KeyBytes>,
    finish: Vec<KeyBytes>,
    text: Option<(usize, PickMethod, Vec<KeyBytes>)>,
    hidden: Option<usize>,
}

impl Answers {
    /// What these rules mean for the options of one dialog.
    pub(super) fn for_rows(&self, rows: Vec<OptionRow>) -> AnswerKeys {
        let best = |patterns: &[Pattern]| patterns.iter().find_map(|pattern| labelled(&rows, pattern));
        let text = self.text.as_ref().and_then(|text| Some((labelled(&rows, &text.option)?, text)));
        AnswerKeys {
            pick: self.pick,
            allow: best(&self.allow),
            deny: best(&self.deny),
            deny_keys: self.deny_keys.clone(),
            finish: self.finish.clone(),
            hidden: text.filter(|(_, text)| !text.also_answers).map(|(index, _)| index),
            text: text.map(|(index, text)| (index, text.reach, text.open.clone())),
            rows,
        }
    }
}

fn labelled(rows: &[OptionRow], pattern: &Pattern) -> Option<usize> {
    rows.iter().position(|row| pattern.is_in(&row.label))
}

impl AnswerKeys {
    /// Whether no key is known that answers.
    pub(super) fn only_on_screen(&self) -> bool {
        let chosen = self.pick.is_some() || self.rows.iter().any(|row| !row.keys.is_empty());
        !chosen && self.deny_keys.is_empty() && !self.takes_text()
    }

    /// What can be chosen on the screen, as text.
    pub(super) fn listed(&self) -> String {
        self.rows.iter().map(|row| format!("\n{}. {}", row.id, row.label)).collect()
    }

    /// The options that can be chosen; the one that only takes own words is not among them.
    pub(super) fn offered(&self) -> impl Iterator<Item = &OptionRow> {
        self.rows.iter().enumerate().filter(|(index, _)| Some(*index) != self.hidden).map(|(_, row)| row)
    }

    pub(super) fn several(&self) -> bool {
        self.rows.iter().any(|row| row.checked.is_some())
    }

    pub(super) fn takes_text(&self) -> bool {
        self.text.is_some() && !self.several()
    }

    fn allow(&self) -> Result<Vec<KeyBytes>, AnswerError> {
        let index = self.allow.ok_or_else(|| AnswerError::NoQuickAnswer("allow", self.labels()))?;
        self.choose(index)
    }

    fn deny(&self) -> Result<Vec<KeyBytes>, AnswerError> {
        match self.deny {
            Some(index) => self.choose(index),
            None if self.deny_keys.is_empty() => Err(AnswerError::NoQuickAnswer("deny", self.labels())),
            None => Ok(self.deny_keys.clone()),
        }
    }

    fn options(&self, chosen: &[String]) -> Result<Vec<KeyBytes>, AnswerError> {
        let index = |name: &String| {
            let by_id = self.rows.iter().position(|row| row.id == *name);
            let found = by_id.or_else(|| self.rows.iter().position(|row| row.label == *name));
            found.ok_or_else(|| AnswerError::NoOption(name.clone(), self.labels()))
        };
        let chosen = chosen.iter().map(index).collect::<Result<Vec<usize>, AnswerError>>()?;
        let checkable = |index: &usize| self.rows.get(*index).is_some_and(|row| row.checked.is_some());
        match chosen.as_slice() {
            [index] if !checkable(index) => self.choose(*index),
            chosen if self.several() && chosen.iter().all(checkable) => self.check(chosen),
            chosen => Err(AnswerError::NotOne(chosen.len())),
        }
    }

    /// Checks these options and no other, and continues.
    fn check(&self, chosen: &[usize]) -> Result<Vec<KeyBytes>, AnswerError> {
        if self.finish.is_empty() {
            return Err(AnswerError::OnlyOnScreen);
        }
        let mut keys = vec![];
        let mut mark = self.mark();
        for (index, row) in self.rows.iter().enumerate() {
            if row.checked.is_some_and(|checked| checked != chosen.contains(&index)) {
                let pick = self.pick.ok_or(AnswerError::OnlyOnScreen)?;
                keys.extend(self.reach(pick, mark, index)?);
                if pick != PickMethod::Number {
                    keys.push(KeyBytes::enter());
                    mark = Some(index);
                }
            }
        }
        keys.extend(self.finish.iter().cloned());
        Ok(keys)
    }

    fn text(&self, words: &str) -> Result<Vec<KeyBytes>, AnswerError> {
        let Some((index, pick, open)) = self.text.as_ref().filter(|_| self.takes_text()) else {
            return Err(AnswerError::NoText(self.labels()));
        };
        if words.trim().is_empty() {
            return Err(AnswerError::EmptyText);
        }
        let mut keys = self.reach(*pick, self.mark(), *index)?;
        keys.extend(open.iter().cloned());
        keys.extend([KeyBytes::paste(words.trim()), KeyBytes::enter()]);
        Ok(keys)
    }

    fn choose(&self, index: usize) -> Result<Vec<KeyBytes>, AnswerError> {
        if let Some(row) = self.rows.get(index).filter(|row| !row.keys.is_empty()) {
            return Ok(row.keys.clone());
        }
        let pick = self.pick.ok_or(AnswerError::OnlyOnScreen)?;
        let mut keys = self.reach(pick, self.mark(), index)?;
        if pick != PickMethod::Number {
            keys.push(KeyBytes::enter());
        }
        Ok(keys)
    }

    /// The keys that lead from the marked option to another one.
    fn reach(&self, pick: PickMethod, mark: Option<usize>, index: usize) -> Result<Vec<KeyBytes>, AnswerError> {
        let (back, forth) = match pick {
            PickMethod::Number => return self.number(index),
            PickMethod::NumberEnter => {
                let id = self.rows.get(index).map(|row| row.id.as_str()).unwrap_or_default();
                return Ok(id.chars().map(KeyBytes::letter).collect());
            }
            PickMethod::UpDown => (KeyBytes::up(), KeyBytes::down()),
            PickMethod::LeftRight => (KeyBytes::left(), KeyBytes::right()),
        };
        let mark = mark.ok_or(AnswerError::NoMark)?;
        let key = if index < mark { back } else { forth };
        Ok(vec![key; index.abs_diff(mark)])
    }

    fn number(&self, index: usize) -> Result<Vec<KeyBytes>, AnswerError> {
        let id = self.rows.get(index).map(|row| row.id.as_str()).unwrap_or_default();
        let mut digits = id.chars();
        match (digits.next(), digits.next()) {
            (Some(digit), None) => Ok(vec![KeyBytes::letter(digit)]),
            // The first digit of a longer number would already choose.
            (_, _) => Err(AnswerError::OnlyOnScreen),
        }
    }

    fn mark(&self) -> Option<usize> {
        self.rows.iter().position(|row| row.marked)
    }

    fn labels(&self) -> String {
        let labels: Vec<String> = self.offered().map(|row| format!("{} ({})", row.id, row.label)).collect();
        if labels.is_empty() { "none".to_owned() } else { labels.join(", ") }
    }
}

impl ScreenQuestion {
    pub(super) const fn new(question: Question, keys: AnswerKeys) -> Self {
        Self { question, keys }
    }

    /// What to type for an answer: pieces that are written one after the other, with [`KEY_PAUSE`] between them.
    ///
    /// A dialog has no "always" that ends with the run, so allowing all is allowing once, and remembering it is the
    /// caller's. Nor does it take a reason for a denial: that is a message for the agent when it is idle.
    pub fn keys_for(&self, answer: &Answer) -> Result<Vec<Vec<u8>>, AnswerError> {
        let keys = match answer {
            Answer::Allow { .. } | Answer::AllowAll => self.keys.allow(),
            Answer::Deny { .. } => self.keys.deny(),
            Answer::Options { chosen } => self.keys.options(chosen),
            Answer::Text { text } => self.keys.text(text),
        };
        Ok(keys?.into_iter().map(KeyBytes::into_bytes).collect())
    }
}
