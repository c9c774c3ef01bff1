//! The facts of a session as text for users.

use agency_model::workflow::{Fact, StepStatus};

/// A fact in a line.
#[must_use]
pub fn describe_fact(fact: &Fact) -> String {
    match fact {
        Fact::SessionStarted { task, .. } if task.title().is_empty() => "the session began".to_owned(),
        Fact::SessionStarted { task, .. } => format!("the session began: {}", task.title()),
        Fact::StepStarted { path, run_id: Some(run), .. } => format!("{path}: started as {run}"),
        Fact::StepStarted { path, run_id: None, .. } => format!("{path}: started"),
        Fact::RoundStarted { path, iteration } => format!("{path}: iteration {iteration}"),
        Fact::StepAsked { path, .. } => format!("{path}: waits for an answer; see agency inbox"),
        Fact::StepAnswered { path, verdict, message, .. } => {
            let said = message.as_deref().map_or_else(String::new, |message| format!(": {message}"));
            format!("{path}: {verdict}{said}")
        }
        Fact::MergeBlocked { path, checkouts, .. } => {
            let checkouts: Vec<&str> = checkouts.iter().map(|checkout| checkout.path.as_str()).collect();
            let checkouts = checkouts.join(", ");
            format!("{path}: uncommitted changes in {checkouts} are in the way; agency inbox has the question")
        }
        Fact::MergeAnswered { path, answer, .. } => format!("{path}: {answer}"),
        Fact::StepEnded { path, result, .. } => {
            let said = match (&result.error, result.summary.as_str()) {
                (Some(error), _) => format!(": {error}"),
                (None, "") => String::new(),
                (None, summary) => format!(": {summary}"),
            };
            let word = match result.status {
                StepStatus::Succeeded => "done",
                StepStatus::Failed => "failed",
                StepStatus::Skipped => "skipped",
            };
            format!("{path}: {word}{said}")
        }
        Fact::StepSkipped { path, why } => format!("{path}: skipped: {why}"),
        Fact::StepInterrupted { path, .. } => format!("{path}: was interrupted before it began; it is started again"),
        Fact::StepTimedOut { path } => format!("{path}: took longer than its timeout"),
        Fact::CompletionAsked { path } => format!("{path}: completed by a user"),
        Fact::SessionTimedOut => "the workflow took longer than its timeout".to_owned(),
        Fact::CancelAsked => "a user cancels the session".to_owned(),
        Fact::SessionBroken { reason } => format!("the session cannot continue: {reason}"),
        Fact::RetryAsked { from: Some(from) } => format!("tried again from {from}"),
        Fact::RetryAsked { from: None } => "tried again".to_owned(),
        Fact::SessionEnded { state, reason } => {
            let why = reason.as_deref().map_or_else(String::new, |reason| format!(": {reason}"));
            format!("the session is {state}{why}")
        }
    }
}
