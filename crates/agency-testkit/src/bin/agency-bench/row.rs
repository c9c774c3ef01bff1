//! One row of the table.

use std::fmt;

/// The head of the table.
pub(crate) const HEADER: &str = "\
| what | agency | compared with | that | ratio | must be | |
| --- | --- | --- | --- | --- | --- | --- |";

/// What was measured and whether it is enough.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// What agency did.
    pub(crate) what: String,
    /// How long it took, or how much it took.
    pub(crate) ours: String,
    /// What it is compared with; empty for nothing.
    pub(crate) floor: &'static str,
    /// What that took.
    pub(crate) theirs: String,
    /// How many times the other's ours is.
    pub(crate) ratio: Option<f64>,
    /// What it must be.
    pub(crate) limit: &'static str,
    /// Whether it is; `None` where nothing is demanded.
    pub(crate) met: Option<bool>,
}

impl fmt::Display for Row {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_dash = |text: &str| {
            if text.is_empty() { "–".to_owned() } else { text.to_owned() }
        };
        let ratio = self.ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}×"));
        let verdict = match self.met {
            Some(true) => "ok",
            Some(false) => "MISSED",
            None => "",
        };
        write!(
            formatter,
            "| {} | {} | {} | {} | {} | {} | {verdict} |",
            self.what,
            self.ours,
            or_dash(self.floor),
            or_dash(&self.theirs),
            or_dash(&ratio),
            or_dash(self.limit),
        )
    }
}
