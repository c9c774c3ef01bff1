//! Trust in a worktree: one entry in Claude Code's `.claude.json`.
//!
//! The one rule: nothing else in that file changes.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::{TrustSettings, Variables, variable};

const ACCEPTED: &str = "hasTrustDialogAccepted";

pub(super) const SETTINGS: TrustSettings = TrustSettings { file, grant, revoke };

fn file(environment: &Variables) -> Option<PathBuf> {
    let directory = variable(environment, "CLAUDE_CONFIG_DIR").or_else(|| variable(environment, "HOME"));
    Some(directory?.join(".claude.json"))
}

fn grant(settings: Option<&[u8]>, directory: &str) -> Result<Option<Vec<u8>>, serde_json::Error> {
    let mut settings: Map<String, Value> = settings.map_or_else(|| Ok(Map::new()), serde_json::from_slice)?;
    let project = entry(&mut settings, "projects").and_then(|projects| entry(projects, directory));
    let Some(project) = project else { return Ok(None) };
    if project.get(ACCEPTED) == Some(&Value::Bool(true)) {
        return Ok(None);
    }
    project.insert(ACCEPTED.to_owned(), Value::Bool(true));
    serde_json::to_vec_pretty(&settings).map(Some)
}

fn revoke(settings: Option<&[u8]>, directory: &str) -> Result<Option<Vec<u8>>, serde_json::Error> {
    let mut settings: Map<String, Value> = settings.map_or_else(|| Ok(Map::new()), serde_json::from_slice)?;
    let Some(projects) = settings.get_mut("projects").and_then(Value::as_object_mut) else { return Ok(None) };
    // What Claude Code keeps about a directory that does not exist any more has no use.
    if projects.shift_remove(directory).is_none() {
        return Ok(None);
    }
    serde_json::to_vec_pretty(&settings).map(Some)
}

/// The object under a key, made if it is missing or another value.
fn entry<'a>(parent: &'a mut Map<String, Value>, key: &str) -> Option<&'a mut Map<String, Value>> {
    let value = parent.entry(key).or_insert(Value::Null);
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_entry_comes_and_goes_and_the_rest_stays_as_it_is() {
        let before =
            "{\n  \"z\": 1,\n  \"projects\": {\n    \"/mine\": {\n      \"a\": 1\n    }\n  },\n  \"b\": null\n}";
        let granted = grant(Some(before.as_bytes()), "/work tree").unwrap().unwrap();
        let settings: Value = serde_json::from_slice(&granted).unwrap();
        assert_eq!(settings["projects"]["/work tree"]["hasTrustDialogAccepted"], true);
        assert_eq!(settings["projects"]["/mine"]["a"], 1);
        let revoked = revoke(Some(&granted), "/work tree").unwrap().unwrap();
        assert_eq!(String::from_utf8(revoked.clone()).unwrap(), before);
        assert_eq!(revoke(Some(&revoked), "/work tree").unwrap(), None);
    }

    #[test]
    fn nothing_changes_where_the_user_trusts_the_directory_already() {
        let before = r#"{"projects":{"/w":{"hasTrustDialogAccepted":true}}}"#;
        assert_eq!(grant(Some(before.as_bytes()), "/w").unwrap(), None);
        assert_eq!(revoke(None, "/w").unwrap(), None);
        assert!(grant(Some(b"{ broken"), "/w").is_err());
    }
}
