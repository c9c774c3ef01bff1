//! A file with rules: rules alone, a whole configuration, or a whole run spec.
//!
//! The one rule: every mistake in the rules is reported at once, each with its place.

use super::{
    Config, ConfigError, Location, NamedBy,
    document::{self, Document, is_json},
    read,
};
use agency_model::document::{Mistakes, Node, NodeKind, decode_field};
use agency_model::policy::Policy;
use agency_model::spec::SpecDraft;
use std::path::Path;

/// The key of the rules, in a configuration as in a run spec.
const KEY: &str = "approval_policy";
/// Keys that only a run spec has.
const OF_A_SPEC: &[&str] = &["repo", "base_ref", "runner", "prompt"];

/// Why a file with rules is refused.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PolicyFileError {
    /// It cannot be read, or is not a configuration for another reason.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// It is not a run spec for another reason.
    #[error(transparent)]
    Spec(Mistakes),
    /// Its rules are wrong.
    #[error(transparent)]
    Rules(Mistakes),
}

/// Reads the rules of a file: JSON where its name ends in `.json`, TOML otherwise.
pub fn read_policy(path: &Path) -> Result<Policy, PolicyFileError> {
    let location = Location::Named { path: path.to_owned(), by: NamedBy::Argument };
    let text = read::text(&location)?.unwrap_or_default();
    parse(path, &text)
}

fn parse(path: &Path, text: &str) -> Result<Policy, PolicyFileError> {
    let document = document::parse_any(path, text)?;
    let is_only_rules = matches!(document.root.kind, NodeKind::List(_));
    let policy = if is_only_rules {
        rules(&document.root, "", &document)?
    } else {
        document.root.entry(KEY).map_or(Ok(Policy::default()), |(_, node)| rules(node, KEY, &document))?
    };
    if !is_only_rules {
        check_the_rest(&document, text)?;
    }
    Ok(policy)
}

fn rules(node: &Node, field: &str, document: &Document<'_>) -> Result<Policy, PolicyFileError> {
    decode_field(node, field, &document.source)
        .map_err(|found| PolicyFileError::Rules(document.with_rules_explained(found)))
}

/// A file that holds more than rules is right as a whole, or its rules would never hold.
fn check_the_rest(document: &Document<'_>, text: &str) -> Result<(), PolicyFileError> {
    let path = document.path;
    if is_json(path) && OF_A_SPEC.iter().any(|key| document.root.entry(key).is_some()) {
        let spec = SpecDraft::parse(&path.display().to_string(), text.as_bytes());
        spec.map(drop).map_err(PolicyFileError::Spec)
    } else {
        Config::parse(path, text)?;
        Ok(())
    }
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
        p.toml:3:1: `approval_policy[0].tol`: unknown key; did you mean `tool`?
        p.toml:5:1: `approval_policy[1].action`: missing, expected `allow`, `deny` or `ask`
        p.toml:6:11: `approval_policy[1].command`: '|' is not allowed in a pattern: a pattern matches one command, and each part of a longer line is matched separately
        "#);
        let json =
            "[\n  {\"action\": \"deny\", \"path\": \"/etc\"},\n  {\"action\": \"ask\", \"message\": \"no\"},\n  5\n]";
        insta::assert_snapshot!(told("p.json", json), @"
        p.json:2:30: `[0].path`: `/etc` does not begin in the workspace: write `outside` for everything that is not in it
        p.json:3:3: `[1]`: `message` is sent to the agent with a `deny`; this rule does not deny
        p.json:4:3: `[2]`: expected a rule with an `action`, found the number 5
        ");
        insta::assert_snapshot!(told("p.toml", "[approval_policy]\naction = 'ask'"), @"p.toml:1:1: `approval_policy`: expected rules, each below `[[approval_policy]]`");
    }

    #[test]
    fn the_rest_of_a_file_has_to_be_right_too() {
        insta::assert_snapshot!(told("p.toml", "[[approval_polcy]]\naction = 'ask'"), @"p.toml:1:3: `approval_polcy`: unknown key; did you mean `approval_policy`?");
        insta::assert_snapshot!(told("p.json", r#"{"approval_policy": [], "repo": 5}"#), @"p.json:1:33: `repo`: expected a string, found the number 5");
        insta::assert_snapshot!(told("p.json", r#"{"approval_policy": [{"action": "ask", "action": "ask"}]}"#), @"p.json:1:40: `approval_policy[0].action`: duplicate key");
        insta::assert_snapshot!(told("p.toml", "a = = b"), @"p.toml:1:5: not valid TOML: extra `=`, expected nothing");
        insta::assert_snapshot!(told("p.json", "5"), @"p.json:1:1: expected a table of settings, found the number 5");
        let missing = super::read_policy(Path::new("/nowhere/p.toml")).unwrap_err();
        assert!(matches!(missing, PolicyFileError::Config(_)), "{missing}");
    }
}
