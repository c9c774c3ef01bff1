//! The process that called.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RunId;

/// The process that gave an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Caller {
    /// Its user.
    pub uid: u32,
    /// Its number.
    pub pid: u32,
    /// The terminal it was started on, if any.
    pub terminal: Option<String>,
    /// The run whose agent started it, if one did.
    pub run: Option<RunId>,
}
