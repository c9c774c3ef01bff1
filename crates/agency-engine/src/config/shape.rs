//! Checks which keys a file has, before their values are read.
//!
//! Values are judged here only by their kind, and only where reading them would be too late: a list would pass for a
//! table, and the answer to a wrong variable would repeat it, although it may be a secret.

use agency_model::policy::RULE_KEYS;

use super::{
    ConfigError,
    document::Document,
    entries::{ConfigEntry, Kind, dotted},
    strict::check_key,
};

const TOP: &[&str] = &[
    "default_agent",
    "max_agents",
    "host",
    "vcs",
    "trust_worktrees",
    "allow_self_answer",
    "wrapper",
    "pid_dir",
    "tmux",
    "limits",
    "restart",
    "database",
    "approval_policy",
    "notify",
    "sources_dir",
    "agents",
];
const AGENT: &[&str] =
    &["command", "args", "env", "prompt", "stream", "screen", "interactive", "headless", "one_shot", "ask", "chat"];
const FORM: &[&str] = &["args", "prompt", "stream", "resume"];
const SECTIONS: &[(&str, &[&str])] = &[
    ("tmux", &["socket"]),
    (
        "limits",
        &[
            "max_minutes",
            "no_progress_minutes",
            "question_minutes",
            "unknown_minutes",
            "stop_grace_seconds",
            "shutdown_grace_seconds",
        ],
    ),
    ("restart", &["failures", "pauses_seconds", "healthy_minutes"]),
    ("database", &["lock_timeout_seconds"]),
    ("notify", &["bell", "desktop", "command", "always"]),
];

/// Refuses the first key that does not belong where it is, or whose value is of a wrong kind.
pub(super) fn check(document: &Document<'_>) -> Result<(), ConfigError> {
    document.entries.iter().try_for_each(|entry| {
        check_key(document, entry, known_in, |key, known| nearest(entry, key, known))?;
        check_kind(document, entry)
    })
}

/// The keys of a table; `None` where any key may stand.
fn known_in(parent: &[&str]) -> Option<&'static [&'static str]> {
    match parent {
        [] => Some(TOP),
        ["agents", _] => Some(AGENT),
        ["approval_policy", _] => Some(RULE_KEYS),
        ["agents", _, "interactive" | "headless" | "one_shot"] => Some(FORM),
        [section] => SECTIONS.iter().find(|(name, _)| name == section).map(|(_, keys)| *keys),
        _ => None,
    }
}

/// The right name of a key: a similar one beside it, or the same one in its section.
fn nearest(entry: &ConfigEntry, key: &str, known: &'static [&'static str]) -> Option<String> {
    let parent = entry.path.split_last().map(|(_, parent)| parent).unwrap_or_default();
    let beside =
        agency_model::nearest(key, known.iter().copied()).map(|name| dotted(&[parent, &[name.to_owned()]].concat()));
    beside.or_else(|| {
        let (section, _) = SECTIONS.iter().find(|(_, keys)| keys.contains(&key))?;
        Some(dotted(&[*section, key]))
    })
}

fn check_kind(document: &Document<'_>, entry: &ConfigEntry) -> Result<(), ConfigError> {
    let (kind, expected) = match entry.keys().as_slice() {
        []
        | ["tmux" | "limits" | "database" | "notify" | "agents"]
        | ["agents", _]
        | ["approval_policy", _]
        | ["agents", _, "env" | "interactive" | "headless" | "one_shot"] => (Kind::Table, "expected a table"),
        ["agents", _, "env", _] => (Kind::Text, "expected a string"),
        ["approval_policy"] => (Kind::List, "expected a list of rules, each below `[[approval_policy]]`"),
        _ => return Ok(()),
    };
    if entry.kind == kind {
        return Ok(());
    }
    let at = document.source.place(entry.value_offset);
    Err(match dotted(&entry.path) {
        whole_file if whole_file.is_empty() => ConfigError::NoTable { at },
        key => ConfigError::WrongValue { at, key, message: expected.to_owned() },
    })
}

#[cfg(test)]
mod tests {
    use super::{AGENT, FORM, RULE_KEYS, SECTIONS, TOP};
    use serde_json::Value;

    fn keys(schema: &Value, pointer: &str) -> Vec<String> {
        schema.pointer(pointer).and_then(Value::as_object).unwrap().keys().cloned().collect()
    }

    #[test]
    fn the_known_keys_are_those_of_the_schema() {
        let schema = crate::config::config_schema().to_value();
        assert_eq!(keys(&schema, "/properties"), TOP);
        assert_eq!(keys(&schema, "/$defs/Agent/properties"), AGENT);
        assert_eq!(keys(&schema, "/$defs/AgentForm/properties"), FORM);
        assert_eq!(keys(&schema, "/$defs/Rule/properties"), RULE_KEYS);
        for (section, known) in SECTIONS {
            let pointer = schema.pointer(&format!("/properties/{section}/$ref")).and_then(Value::as_str).unwrap();
            let pointer = pointer.trim_start_matches('#');
            assert_eq!(keys(&schema, &format!("{pointer}/properties")), *known, "{section}");
        }
    }
}
