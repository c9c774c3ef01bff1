//! A file with rules: rules alone, a whole configuration, or a whole run spec.
//!
//! The one rule: every mistake in the rules is reported at once, each with its place.

use super::{
    Config, ConfigError, FilePosition, Location, NamedBy,
    document::{self, Document, is_json},
    entries::{dotted, index},
    read,
};
use agency_model::policy::{Mistake, MistakeSegment, Policy, mistakes_in};
use agency_model::spec::{SpecDraft, SpecError};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The key of the rules, in a configuration as in a run spec.
const KEY: &str = "approval_policy";
/// Keys that only a run spec has.
const OF_A_SPEC: &[&str] = &["repo", "base_ref", "runner", "prompt"];

/// Why a file with rules is refused.
#[derive(Debug, thiserror::Error)]
pub enum PolicyFileError {
    /// It cannot be read, or is no configuration otherwise.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// It is no run spec otherwise.
    #[error("{}: {error}", path.display())]
    Spec {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: SpecError,
    },
    /// Its rules are wrong.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Rules(Vec<PolicyMistake>),
}

/// One mistake in the rules of a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: `{key}`: {message}")]
pub struct PolicyMistake {
    /// The place.
    pub at: FilePosition,
    /// The key with its rule, such as `approval_policy[2].tool`.
    pub key: String,
    /// What is wrong, and what would be right.
    pub message: String,
}

/// Reads the rules of a file: JSON where its name ends in `.json`, TOML otherwise.
pub fn read_policy(path: &Path) -> Result<Policy, PolicyFileError> {
    let location = Location::Named { path: path.to_owned(), by: NamedBy::Argument };
    let text = read::text(&location)?.unwrap_or_default();
    parse(path, &text)
}

fn parse(path: &Path, text: &str) -> Result<Policy, PolicyFileError> {
    let (value, document) = document::parse_any(path, text)?;
    let (root, rules): (&[&str], Value) = if value.is_array() {
        (&[], value.clone())
    } else {
        (&[KEY], value.get(KEY).cloned().unwrap_or_else(|| Value::from(Vec::<Value>::new())))
    };
    let mut mistakes: Vec<PolicyMistake> =
        mistakes_in(&rules).into_iter().map(|mistake| located(mistake, root, &document)).collect();
    if !mistakes.is_empty() {
        mistakes.sort_by_key(|mistake| (mistake.at.line, mistake.at.column));
        return Err(PolicyFileError::Rules(mistakes));
    }
    check_the_rest(path, text, &value)?;
    serde_json::from_value(rules).map_err(|error| {
        let at = document.value_position(root);
        PolicyFileError::Rules(vec![PolicyMistake { at, key: KEY.to_owned(), message: error.to_string() }])
    })
}

/// A file that holds more than rules is right as a whole, or its rules would never hold.
fn check_the_rest(path: &Path, text: &str, value: &Value) -> Result<(), PolicyFileError> {
    if value.is_array() {
        return Ok(());
    }
    if is_json(path) && OF_A_SPEC.iter().any(|key| value.get(*key).is_some()) {
        let spec = SpecDraft::parse(text.as_bytes());
        spec.map(drop).map_err(|error| PolicyFileError::Spec { path: path.to_owned(), error })
    } else {
        Config::parse(path, text)?;
        Ok(())
    }
}

fn located(mistake: Mistake, root: &[&str], document: &Document<'_>) -> PolicyMistake {
    let mut path: Vec<String> = root.iter().map(|&key| key.to_owned()).collect();
    path.extend(mistake.steps.into_iter().map(|step| match step {
        MistakeSegment::Rule(number) => index(number),
        MistakeSegment::Key(key) => key,
    }));
    let keys: Vec<&str> = path.iter().map(String::as_str).collect();
    let at = if mistake.of_key { document.key_position(&keys) } else { document.value_position(&keys) };
    PolicyMistake { at, key: dotted(&path), message: mistake.message }
}

#[cfg(test)]
mod tests {
    use super::{PolicyFileError, parse};
    use std::path::Path;

    fn told(name: &str, text: &str) -> String {
        parse(Path::new(name), text).unwrap_err().to_string()
    }

    #[test]
    fn rules_alone_a_configuration_and_a_spec_are_read() {
        let rules = |name: &str, text: &str| parse(Path::new(name), text).unwrap().rules.len();
        assert_eq!(rules("p.toml", "[[approval_policy]]\naction = 'ask'\n[[approval_policy]]\naction = 'deny'"), 2);
        assert_eq!(rules("p.toml", "max_agents = 3\napproval_policy = [{ action = 'ask' }]"), 1);
        assert_eq!(rules("p.toml", ""), 0);
        assert_eq!(rules("p.json", r#"[{"action": "ask"}]"#), 1);
        assert_eq!(rules("p.json", r#"{"approval_policy": [{"action": "ask"}], "host": "tmux"}"#), 1);
        assert_eq!(rules("p.json", r#"{"approval_policy": [{"action": "ask"}], "repo": "/r"}"#), 1);
    }

    #[test]
    fn every_mistake_has_its_place() {
        let toml = "[[approval_policy]]\naction = 'alow'\ntol = 'Bash'\n\n[[approval_policy]]\ncommand = 'a | b'\n";
        insta::assert_snapshot!(told("p.toml", toml), @r#"
        p.toml:2:10: `approval_policy[0].action`: "alow" is not an action: did you mean `allow`?
        p.toml:3:1: `approval_policy[0].tol`: unknown key `tol`: did you mean `tool`?
        p.toml:5:1: `approval_policy[1]`: `action` is missing: `allow`, `deny` or `ask`
        p.toml:6:11: `approval_policy[1].command`: '|' belongs to no plain word: a pattern is about one command, and each part of a longer line is looked up alone
        "#);
        let json =
            "[\n  {\"action\": \"deny\", \"path\": \"/etc\"},\n  {\"action\": \"ask\", \"message\": \"no\"},\n  5\n]";
        insta::assert_snapshot!(told("p.json", json), @r#"
        p.json:2:30: `[0].path`: `/etc` does not begin in the workspace: write `outside` for everything that is not in it
        p.json:3:3: `[1]`: `message` is sent to the agent with a `deny`; this rule does not deny
        p.json:4:3: `[2]`: expected a table, such as { action = "ask" }
        "#);
        insta::assert_snapshot!(told("p.toml", "[approval_policy]\naction = 'ask'"), @"p.toml:1:1: `approval_policy`: expected a list of rules");
    }

    #[test]
    fn the_rest_of_a_file_has_to_be_right_too() {
        insta::assert_snapshot!(told("p.toml", "[[approval_polcy]]\naction = 'ask'"), @"p.toml:1:3: unknown key `approval_polcy`: did you mean `approval_policy`?");
        insta::assert_snapshot!(told("p.json", r#"{"approval_policy": [], "repo": 5}"#), @"p.json: line 1, column 33: `repo`: invalid type: integer `5`, expected a string");
        insta::assert_snapshot!(told("p.json", r#"{"approval_policy": [{"action": "ask", "action": "ask"}]}"#), @"p.json:1:40: duplicate key `approval_policy[0].action`");
        insta::assert_snapshot!(told("p.toml", "a = = b"), @"p.toml:1:5: not valid TOML: extra `=`, expected nothing");
        insta::assert_snapshot!(told("p.json", "5"), @"p.json:1:1: expected a table of settings");
        let missing = super::read_policy(Path::new("/nowhere/p.toml")).unwrap_err();
        assert!(matches!(missing, PolicyFileError::Config(_)), "{missing}");
    }
}
