//! Names of runs: made of the first words of a prompt, and of branches: made by a template.
//!
//! The one rule: a generated name has only `a` to `z`, `0` to `9` and single hyphens, so it can be shown and typed
//! anywhere.

use std::borrow::Cow;

/// How many words of a prompt a name has.
const MAX_WORDS: usize = 4;
/// How long a generated name is before a number is added.
const MAX_CHARS: usize = 32;
/// How much of a prompt is read.
const MAX_PROMPT_CHARS: usize = 2000;
/// Words that say nothing about the work.
const FILLERS: [&str; 8] = ["a", "an", "the", "please", "can", "could", "you", "kindly"];
/// Words that say nothing at the end of a name.
const CONNECTIVES: [&str; 16] =
    ["and", "at", "by", "for", "from", "in", "into", "of", "on", "or", "so", "that", "then", "to", "which", "with"];
/// What a selector reads as something else.
const RESERVED: [&str; 1] = ["last"];

/// A name from the first words of a text; none if it has no letter or digit that can be used.
#[must_use]
pub fn generated_name(text: &str) -> Option<String> {
    let spelled: String = text.chars().take(MAX_PROMPT_CHARS).map(spelling).collect();
    let words: Vec<&str> = spelled.split('-').filter(|word| !word.is_empty()).collect();
    let meant: Vec<&str> = words.iter().copied().filter(|word| !FILLERS.contains(word)).collect();
    let words = if meant.is_empty() { words } else { meant };
    let mut name = String::new();
    for word in without_open_end(&words[..words.len().min(MAX_WORDS)]) {
        if name.is_empty() {
            name.extend(word.chars().take(MAX_CHARS));
        } else if name.len() + 1 + word.len() <= MAX_CHARS {
            name.push('-');
            name.push_str(word);
        } else {
            break;
        }
    }
    if RESERVED.contains(&name.as_str()) {
        name.push_str("-run");
    }
    Some(name).filter(|name| !name.is_empty())
}

/// The words up to the last one that is more than the beginning of something.
fn without_open_end<'a>(words: &'a [&'a str]) -> &'a [&'a str] {
    let end = words.iter().rposition(|word| !CONNECTIVES.contains(word)).map_or(words.len(), |last| last + 1);
    &words[..end]
}

/// The `number`th form of a name: itself, then with `-2`, `-3` and so on.
#[must_use]
pub fn numbered_name(name: &str, number: u32) -> String {
    if number <= 1 { name.to_owned() } else { format!("{name}-{number}") }
}

/// A character as it is spelled in a name; what is between words becomes a hyphen, what is inside of one nothing.
fn spelling(letter: char) -> Cow<'static, str> {
    if letter.is_ascii_alphanumeric() {
        return letter.to_ascii_lowercase().to_string().into();
    }
    let spelled = match letter.to_lowercase().next().unwrap_or(letter) {
        '\'' | '’' => "",
        'ä' | 'æ' => "ae",
        'ö' | 'ø' | 'œ' => "oe",
        'ü' => "ue",
        'ß' => "ss",
        'à' | 'á' | 'â' | 'ã' | 'å' => "a",
        'ç' => "c",
        'è' | 'é' | 'ê' | 'ë' => "e",
        'ì' | 'í' | 'î' | 'ï' => "i",
        'ñ' => "n",
        'ò' | 'ó' | 'ô' | 'õ' => "o",
        'ù' | 'ú' | 'û' => "u",
        'ý' | 'ÿ' => "y",
        _ => "-",
    };
    spelled.into()
}

/// How the branches of runs are named, such as `agency/{name}`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BranchTemplate(String);

/// Why a template for branches cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidBranchTemplate(String);

/// What a template is filled with.
#[derive(Debug, Clone, Copy)]
pub struct BranchParts<'a> {
    /// The name of the run.
    pub name: &'a str,
    /// The day on which it is created, as `2026-01-31`.
    pub date: &'a str,
    /// The agent.
    pub agent: &'a str,
    /// The id of the run.
    pub id: &'a str,
}

impl BranchTemplate {
    /// The placeholders that a template may have.
    pub const PLACEHOLDERS: [&'static str; 4] = ["{name}", "{date}", "{agent}", "{id}"];

    /// The branch of one run. A name that a user gave is spelled as generated ones are.
    #[must_use]
    pub fn branch(&self, parts: BranchParts<'_>) -> String {
        let spelled: String = parts.name.chars().take(MAX_PROMPT_CHARS).map(spelling).collect();
        let words: Vec<&str> = spelled.split('-').filter(|word| !word.is_empty()).collect();
        let name = if words.is_empty() { parts.id } else { &words.join("-") };
        self.0
            .replace("{name}", name)
            .replace("{date}", parts.date)
            .replace("{agent}", parts.agent)
            .replace("{id}", parts.id)
    }

    /// The text of the template.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for BranchTemplate {
    type Error = InvalidBranchTemplate;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let invalid = |why: &str| Err(InvalidBranchTemplate(why.to_owned()));
        let rest = Self::PLACEHOLDERS.iter().fold(text.clone(), |text, known| text.replace(known, ""));
        if rest.len() == text.len() {
            return invalid("it needs one of {name}, {date}, {agent} and {id}: all runs would have the same branch");
        }
        if rest.contains(['{', '}']) {
            return invalid("only {name}, {date}, {agent} and {id} are known between braces");
        }
        let probe = Self(text);
        let sample = probe.branch(BranchParts { name: "x", date: "2026-01-31", agent: "x", id: "x" });
        let parts_are_valid = sample.split('/').all(|part| {
            !part.is_empty() && !part.starts_with(['.', '-']) && !part.ends_with('.') && !part.ends_with(".lock")
        });
        let has_refused = sample.contains("..")
            || sample.contains("@{")
            || sample.chars().any(|letter| letter.is_control() || " ~^:?*[\\".contains(letter));
        if !parts_are_valid || has_refused {
            return invalid("git does not accept such a branch");
        }
        Ok(probe)
    }
}

impl From<BranchTemplate> for String {
    fn from(template: BranchTemplate) -> Self {
        template.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_words_that_say_something_are_the_name() {
        let name = |text: &str| generated_name(text).unwrap_or_default();
        assert_eq!(name("fix the login test"), "fix-login-test");
        assert_eq!(name("Please add a test for the parser, and then some more"), "add-test-for-parser");
        assert_eq!(name("Don't break src/main.rs!"), "dont-break-src-main");
        assert_eq!(name("Räume die Straße auf"), "raeume-die-strasse-auf");
        assert_eq!(name("Refactor the cart module so that prices are rounded"), "refactor-cart-module");
        assert_eq!(name("in and of"), "in-and-of");
        assert_eq!(name("last"), "last-run");
        assert_eq!(name("the"), "the");
        assert_eq!(name(&"x".repeat(100)), "x".repeat(32));
        assert_eq!(name("\u{1b}[31m$(rm -rf /)\u{202e}"), "31m-rm-rf");
        assert_eq!(generated_name("日本語 …"), None);
        assert_eq!((numbered_name("fix", 1), numbered_name("fix", 2)), ("fix".into(), "fix-2".into()));
    }

    #[test]
    fn a_template_makes_a_branch_or_says_what_is_wrong_with_it() {
        let template = |text: &str| BranchTemplate::try_from(text.to_owned());
        let parts = BranchParts { name: "Fix: the login", date: "2026-01-31", agent: "codex", id: "r_1" };
        assert_eq!(template("agency/{name}").unwrap().branch(parts), "agency/fix-the-login");
        assert_eq!(template("{agent}/{date}-{id}").unwrap().branch(parts), "codex/2026-01-31-r_1");
        let other = BranchParts { name: "日本", ..parts };
        assert_eq!(template("a/{name}").unwrap().branch(other), "a/r_1");
        for wrong in ["agency/x", "a/{nam}", "/{name}", "a b/{name}", "a..{id}", "{name}.lock", "-{name}", "a//{id}"] {
            assert!(template(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn a_generated_name_is_plain_whatever_the_prompt_has(text in ".{0,200}") {
            if let Some(name) = generated_name(&text) {
                prop_assert!(!name.is_empty() && name.len() <= MAX_CHARS + 4);
                prop_assert!(name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-')));
                prop_assert!(!name.starts_with('-') && !name.ends_with('-') && !name.contains("--"));
            }
        }
    }
}
