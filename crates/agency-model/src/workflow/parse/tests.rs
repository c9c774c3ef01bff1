//! Files that are right, and every way in which they are wrong.

mod mistakes;
mod scenarios;
mod totality;

use super::*;

/// The plan of a file that is right.
fn plan(text: &str) -> Plan {
    match parse_workflow("w.yaml", text.as_bytes()) {
        Ok(plan) => plan,
        Err(mistakes) => panic!("{}", told(&mistakes)),
    }
}

/// The mistakes of a file, with excerpts.
fn mistakes(text: &str) -> String {
    told(&parse_workflow("w.yaml", text.as_bytes()).expect_err("it has mistakes"))
}

fn told(mistakes: &[Mistake]) -> String {
    mistakes.iter().map(|mistake| format!("{mistake}\n{}", mistake.excerpt())).collect::<Vec<_>>().join("\n")
}
