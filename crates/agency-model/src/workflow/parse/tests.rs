//! Files that are right, and every way in which they are wrong.

mod mistakes;
mod scenarios;
mod totality;

use super::*;

/// The plan of a file that is right.
fn plan(text: &str) -> Plan {
    match parse_workflow("w.yaml", text.as_bytes()) {
        Ok(plan) => plan,
        Err(problems) => panic!("{}", told(&problems)),
    }
}

/// The problems of a file, with excerpts.
fn problems(text: &str) -> String {
    told(&parse_workflow("w.yaml", text.as_bytes()).expect_err("it has problems"))
}

fn told(problems: &[Problem]) -> String {
    problems.iter().map(|problem| format!("{problem}\n{}", problem.excerpt)).collect::<Vec<_>>().join("\n")
}
