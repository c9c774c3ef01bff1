//! The settings of worktrees, as a project proposes them.

use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::deadline::milliseconds;

/// How many minutes each command of `setup` may take where nothing else is said.
pub(crate) const DEFAULT_SETUP_MINUTES: u32 = 30;
/// The same for `teardown`, for which a user waits.
pub(crate) const DEFAULT_TEARDOWN_MINUTES: u32 = 5;
/// How many megabytes are copied at most where nothing else is said.
pub(crate) const DEFAULT_MAX_MB: u32 = 100;

/// What worktrees of a repository get.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct WorktreeSettings {
    /// Ignored files of the checkout that are copied, as paths with patterns.
    pub copy: Vec<String>,
    /// The same, as lines of `.worktreeinclude`.
    pub include: Vec<String>,
    /// Paths that become symbolic links to the checkout.
    pub link: Vec<String>,
    /// Commands before the agent starts.
    pub setup: Vec<String>,
    /// Commands before the worktree is removed.
    pub teardown: Vec<String>,
    /// The ports that the project uses, by name.
    pub ports: BTreeMap<String, u16>,
    /// How many minutes each command of `setup` may take.
    pub setup_minutes: u32,
    /// How many minutes each command of `teardown` may take.
    pub teardown_minutes: u32,
    /// How many megabytes are copied at most.
    pub max_mb: u32,
}

impl Default for WorktreeSettings {
    fn default() -> Self {
        Self {
            copy: vec![],
            include: vec![],
            link: vec![],
            setup: vec![],
            teardown: vec![],
            ports: BTreeMap::new(),
            setup_minutes: DEFAULT_SETUP_MINUTES,
            teardown_minutes: DEFAULT_TEARDOWN_MINUTES,
            max_mb: DEFAULT_MAX_MB,
        }
    }
}

impl WorktreeSettings {
    /// Whether a user has to approve them: ports alone only set variables.
    #[must_use]
    pub fn need_approval(&self) -> bool {
        let lists = [&self.copy, &self.include, &self.link, &self.setup, &self.teardown];
        lists.iter().any(|list| !list.is_empty())
    }

    /// Whether a worktree gets anything but ports.
    #[must_use]
    pub fn prepare_anything(&self) -> bool {
        self.need_approval()
    }

    /// How long each command of `setup` may take.
    pub(crate) fn setup_limit(&self) -> Duration {
        Duration::from_millis(milliseconds(self.setup_minutes))
    }

    /// How long each command of `teardown` may take.
    pub(crate) fn teardown_limit(&self) -> Duration {
        Duration::from_millis(milliseconds(self.teardown_minutes))
    }

    /// How many bytes are copied at most.
    pub(crate) fn max_bytes(&self) -> u64 {
        u64::from(self.max_mb) * 1_000_000
    }
}

/// Why a path of the settings is refused, if it is.
pub(crate) fn check_path(path: &str) -> Result<(), &'static str> {
    let is_git = |part: Component<'_>| part.as_os_str().eq_ignore_ascii_case(".git");
    if path.is_empty() || path.chars().any(char::is_control) {
        return Err("a path from the top of the repository, without control characters");
    }
    let mut parts = Path::new(path).components();
    if path.starts_with('/') || path.starts_with("./") || path.ends_with('/') {
        return Err("a path from the top of the repository, such as `config/dev.toml`, without a slash at its ends");
    }
    if !parts.all(|part| matches!(part, Component::Normal(_)) && !is_git(part)) {
        return Err("a path inside the repository, without `..` and outside of `.git`");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside_the_repository() {
        for path in [".env", "config/*.secret.toml", "a b/c", "node_modules", "..env", "*.git"] {
            assert_eq!(check_path(path), Ok(()), "{path}");
        }
        let hostile = [
            "",
            "/etc/passwd",
            "..",
            "../.env",
            "a/../../b",
            "a/..",
            ".git/hooks/x",
            "sub/.GIT/config",
            "a\nb",
            "./a",
            "a/",
        ];
        for path in hostile {
            assert!(check_path(path).is_err(), "{path:?}");
        }
    }
}
