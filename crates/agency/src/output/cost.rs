//! Costs as text.

/// What the agents of a session cost, to the hundredth of a cent.
pub(crate) fn dollars(cost: f64) -> String {
    format!("${cost:.4}")
}
