//! The user's own settings of an agent, where ours add to them or would replace them.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use agency_adapters::{AgentAdapter, McpSettings, Variables};

/// The user's settings that MCP servers are added to.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct AgentSettings {
    /// The settings, where a process reads ours instead of them.
    pub text: Option<String>,
    /// Everything else in their directory.
    pub beside: Vec<PathBuf>,
}

/// Reads the user's settings that MCP servers are added to.
#[must_use]
pub fn mcp_settings(adapter: &dyn AgentAdapter, environment: &Variables) -> AgentSettings {
    match adapter.mcp_settings(environment) {
        McpSettings::None => AgentSettings::default(),
        McpSettings::Text(text) => AgentSettings { text: Some(text), beside: vec![] },
        McpSettings::File { directory, name, shared } => {
            for shared in shared {
                // A directory that cannot be made is not shared, and the agent works without.
                let _ = fs::create_dir_all(directory.join(shared));
            }
            let beside = beside(&directory, name);
            AgentSettings { text: fs::read_to_string(directory.join(name)).ok(), beside }
        }
    }
}

fn beside(directory: &Path, name: &str) -> Vec<PathBuf> {
    let entries = directory.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.file_name() != Some(OsStr::new(name))).collect()
}

/// The directories that the user's own settings let the agent's sandbox write to; none for an agent without a sandbox.
#[must_use]
pub fn sandbox_roots(adapter: &dyn AgentAdapter, environment: &Variables) -> Option<Vec<PathBuf>> {
    let settings = adapter.sandbox_settings()?;
    let text = (settings.file)(environment).and_then(|file| fs::read_to_string(file).ok());
    Some(text.map(|text| (settings.roots)(&text)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use agency_adapters::adapter;

    use super::*;

    #[test]
    fn settings_are_read_with_all_that_lies_beside_them_and_shared_directories_are_made() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".gemini");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("settings.json"), "{}").unwrap();
        fs::write(folder.join("oauth.json"), "{}").unwrap();
        let environment = BTreeMap::from([("HOME".into(), home.path().as_os_str().to_owned())]);
        let AgentSettings { text, mut beside } = mcp_settings(adapter("gemini"), &environment);
        beside.sort();
        assert_eq!(text.as_deref(), Some("{}"));
        assert_eq!(beside, ["history", "oauth.json", "tmp"].map(|name| folder.join(name)));
        assert!(folder.join("history").is_dir());
        assert_eq!(mcp_settings(adapter("gemini"), &BTreeMap::new()), AgentSettings::default());
    }

    #[test]
    fn the_roots_of_a_sandbox_are_those_of_the_users_settings() {
        let home = tempfile::tempdir().unwrap();
        let environment = BTreeMap::from([("CODEX_HOME".into(), home.path().as_os_str().to_owned())]);
        let roots = || sandbox_roots(adapter("codex"), &environment);
        assert_eq!(roots(), Some(vec![]));
        fs::write(home.path().join("config.toml"), "[sandbox_workspace_write]\nwritable_roots = [\"/a\"]\n").unwrap();
        assert_eq!(roots(), Some(vec![PathBuf::from("/a")]));
        assert_eq!(sandbox_roots(adapter("gemini"), &environment), None);
    }
}
