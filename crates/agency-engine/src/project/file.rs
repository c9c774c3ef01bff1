//! The shape of the project file.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer, de};

use crate::config::whole_number;
use crate::worktree::{DEFAULT_MAX_MB, DEFAULT_SETUP_MINUTES, DEFAULT_TEARDOWN_MINUTES, WorktreeSettings, check_path};

/// The default limit of a check.
const CHECK_MINUTES: u32 = 30;
const DAY_IN_MINUTES: u32 = 24 * 60;
/// How many megabytes may be copied at most.
const MOST_MB: u32 = 100_000;
/// How many letters the name of a port has at most.
const MAX_PORT_NAME: usize = 40;

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table of settings")]
pub(super) struct ProjectFile {
    pub(super) land: LandSection,
    pub(super) worktree: WorktreeSection,
}

/// How work lands.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(super) struct LandSection {
    /// Commands that have to succeed on the merged files.
    pub(super) check: Vec<String>,
    /// How many minutes each of them may take.
    #[serde(deserialize_with = "whole_number::<_, 1, DAY_IN_MINUTES>")]
    pub(super) check_minutes: u32,
    /// Whether a user has to approve the work before.
    pub(super) require_approval: bool,
}

impl Default for LandSection {
    fn default() -> Self {
        Self { check: vec![], check_minutes: CHECK_MINUTES, require_approval: false }
    }
}

/// What worktrees get.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
pub(super) struct WorktreeSection {
    copy: Vec<InsidePath>,
    link: Vec<InsidePath>,
    setup: Vec<String>,
    teardown: Vec<String>,
    ports: BTreeMap<PortName, Port>,
    #[serde(deserialize_with = "whole_number::<_, 1, DAY_IN_MINUTES>")]
    setup_minutes: u32,
    #[serde(deserialize_with = "whole_number::<_, 1, DAY_IN_MINUTES>")]
    teardown_minutes: u32,
    #[serde(deserialize_with = "whole_number::<_, 1, MOST_MB>")]
    max_mb: u32,
}

impl Default for WorktreeSection {
    fn default() -> Self {
        Self {
            copy: vec![],
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

impl WorktreeSection {
    /// The settings, with the lines of `.worktreeinclude`.
    pub(super) fn settings(&self, include: Vec<String>) -> WorktreeSettings {
        let texts = |paths: &[InsidePath]| paths.iter().map(|path| path.0.clone()).collect();
        WorktreeSettings {
            copy: texts(&self.copy),
            include,
            link: texts(&self.link),
            setup: self.setup.clone(),
            teardown: self.teardown.clone(),
            ports: self.ports.iter().map(|(name, port)| (name.0.clone(), port.0)).collect(),
            setup_minutes: self.setup_minutes,
            teardown_minutes: self.teardown_minutes,
            max_mb: self.max_mb,
        }
    }
}

/// A path that stays in the repository.
#[derive(Debug, Clone, PartialEq)]
struct InsidePath(String);

impl<'de> Deserialize<'de> for InsidePath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Path;

        impl de::Visitor<'_> for Path {
            type Value = InsidePath;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a path from the top of the repository")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<InsidePath, E> {
                check_path(text).map_err(|expected| E::invalid_value(de::Unexpected::Str(text), &expected))?;
                Ok(InsidePath(text.to_owned()))
            }
        }

        deserializer.deserialize_str(Path)
    }
}

/// The name of a port, of which a variable is made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct PortName(String);

impl<'de> Deserialize<'de> for PortName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let fits = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
        if name.is_empty() || name.len() > MAX_PORT_NAME || !name.chars().all(fits) {
            let expected = "a name of lower-case letters, digits and underscores";
            return Err(de::Error::invalid_value(de::Unexpected::Str(&name), &expected));
        }
        Ok(Self(name))
    }
}

/// A port other than 0.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Port(u16);

impl<'de> Deserialize<'de> for Port {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let port = whole_number::<_, 1, 65_535>(deserializer)?;
        Ok(Self(u16::try_from(port).unwrap_or(u16::MAX)))
    }
}
