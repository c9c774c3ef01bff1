//! What `agency gc` may remove, and whether `agency serve` does so by itself.

use std::time::Duration;

use agency_model::{duration_text, parse_duration};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::number::whole_number;

const DAY: Duration = Duration::from_secs(86_400);
/// No disk is larger.
const MAX_GB: u32 = 1_000_000_000;

/// What `agency gc` may remove.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct GcConfig {
    /// Whether `agency serve` does it by itself, every hour.
    pub auto: bool,
    /// How long after its end a run that changed nothing is removed, such as `7d`.
    #[serde(serialize_with = "as_text", deserialize_with = "from_text")]
    #[schemars(with = "String")]
    pub age: Duration,
    /// How long after it landed a run is removed.
    #[serde(serialize_with = "as_text", deserialize_with = "from_text")]
    #[schemars(with = "String")]
    pub landed_after: Duration,
    /// How long trial trees that are not used, and checkpoints of removed runs, stay.
    #[serde(serialize_with = "as_text", deserialize_with = "from_text")]
    #[schemars(with = "String")]
    pub unused_after: Duration,
    /// How many gigabytes worktrees and trial trees may take before runs are removed earlier. 0: no limit.
    #[serde(deserialize_with = "whole_number::<_, 0, MAX_GB>")]
    #[schemars(range(max = MAX_GB))]
    pub max_gb: u32,
    /// How many gigabytes have to be free on the disk, or runs are removed earlier. 0: no limit.
    #[serde(deserialize_with = "whole_number::<_, 0, MAX_GB>")]
    #[schemars(range(max = MAX_GB))]
    pub min_free_gb: u32,
}

impl Default for GcConfig {
    fn default() -> Self {
        Self { auto: false, age: DAY * 7, landed_after: DAY, unused_after: DAY * 30, max_gb: 0, min_free_gb: 0 }
    }
}

fn as_text<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&duration_text(*duration))
}

fn from_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    let expected =
        |_| de::Error::invalid_value(de::Unexpected::Str(&text), &"a duration such as 45s, 10m, 2h, 7d or 2w");
    parse_duration(&text).map_err(expected)
}
