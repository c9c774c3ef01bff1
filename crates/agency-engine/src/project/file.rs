//! The shape of the project file.

use serde::Deserialize;

use crate::config::whole_number;

/// The default limit of a check.
const CHECK_MINUTES: u32 = 30;
const DAY_IN_MINUTES: u32 = 24 * 60;

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table of settings")]
pub(super) struct ProjectFile {
    pub(super) land: LandSection,
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
