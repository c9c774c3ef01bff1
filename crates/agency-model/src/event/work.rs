//! What happens to the work of a run beside its agent: checkpoints, forecasts, review, landing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RunId;
use crate::escape::escaped_line;

/// Something that agency or a user did with the work of a run, also after the run has finished.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(inline)]
pub enum WorkEvent {
    /// The files of the worktree were recorded.
    Checkpoint {
        /// Counts the checkpoints of a worktree from 1.
        number: u32,
        /// The commit that holds the files.
        commit: String,
        /// How many files differ from the checkpoint before.
        files: u32,
        /// Files that may hold secrets, which were left out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        left_out: Vec<String>,
    },
    /// The files of the worktree were put back to a checkpoint.
    Restored {
        /// That checkpoint.
        number: u32,
        /// The checkpoint that holds the files as they were before.
        before: u32,
    },
    /// The work conflicts with a branch or with another run, which it did not before.
    ConflictForecast {
        /// The target branch, if it conflicts with that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<String>,
        /// The other run, if it conflicts with one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<RunId>,
        /// The files that do not merge.
        files: Vec<String>,
    },
    /// Comments on the work were sent to its agent.
    CommentsSent {
        /// How many.
        comments: u32,
    },
    /// A user approved the work as it is.
    Approved {
        /// The tree that was approved.
        tree: String,
        /// Who approved it.
        by: String,
    },
    /// The work is being brought into a branch.
    Landing {
        /// The branch.
        target: String,
        /// How: `merge`, `squash` or `rebase`.
        strategy: String,
    },
    /// A command checked the merged files.
    Checked {
        /// The command.
        command: String,
        /// The tree that it ran on.
        tree: String,
        /// Whether it exited with 0.
        succeeded: bool,
        /// Its exit code, if it exited.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit_code: Option<i32>,
        /// How long it took.
        duration_ms: u64,
    },
    /// The work is in a branch.
    Landed {
        /// The branch.
        target: String,
        /// The commit of the branch that holds the work.
        commit: String,
        /// How: `merge`, `squash` or `rebase`.
        strategy: String,
    },
    /// The work was not brought into a branch, which is unchanged.
    LandFailed {
        /// The branch.
        target: String,
        /// Why.
        message: String,
        /// The files that do not merge.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<String>,
    },
}

impl WorkEvent {
    /// The types of all of them. Only they may follow the end of a run.
    pub const TYPES: [&'static str; 9] = [
        "checkpoint",
        "restored",
        "conflict_forecast",
        "comments_sent",
        "approved",
        "landing",
        "checked",
        "landed",
        "land_failed",
    ];

    /// As text for users, on one line.
    #[must_use]
    pub fn words(&self) -> String {
        let words = match self {
            Self::Checkpoint { number, files, left_out, .. } => {
                let left_out = if left_out.is_empty() {
                    String::new()
                } else {
                    format!("; left out, because they may hold secrets: {}", left_out.join(", "))
                };
                format!("checkpoint {number}: {}{left_out}", counted(*files, "changed file"))
            }
            Self::Restored { number, before } => {
                format!(
                    "the files were restored to checkpoint {number}; checkpoint {before} has the files as they were"
                )
            }
            Self::ConflictForecast { target, run, files } => {
                let other = target.clone().or_else(|| run.as_ref().map(ToString::to_string)).unwrap_or_default();
                format!("conflicts with {other} in {}", files.join(", "))
            }
            Self::CommentsSent { comments } => format!("{} sent to the agent", counted(*comments, "comment")),
            Self::Approved { tree, by } => format!("approved by {by}: {tree:.12}"),
            Self::Landing { target, strategy } => format!("landing on {target} ({strategy})"),
            Self::Checked { command, succeeded: true, .. } => format!("check passed: {command}"),
            Self::Checked { command, exit_code: Some(code), .. } => format!("check failed with code {code}: {command}"),
            Self::Checked { command, .. } => format!("check was ended: {command}"),
            Self::Landed { target, commit, strategy } => format!("landed on {target} as {commit:.12} ({strategy})"),
            Self::LandFailed { target, message, .. } => format!("not landed on {target}: {message}"),
        };
        escaped_line(&words)
    }
}

fn counted(count: u32, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::{Event, EventLine};

    #[test]
    fn each_is_a_line_of_its_own_type() {
        let text = || "x".to_owned();
        let all = [
            WorkEvent::Checkpoint { number: 1, commit: text(), files: 2, left_out: vec![".env".to_owned()] },
            WorkEvent::Restored { number: 1, before: 2 },
            WorkEvent::ConflictForecast { target: Some(text()), run: None, files: vec![text()] },
            WorkEvent::CommentsSent { comments: 1 },
            WorkEvent::Approved { tree: text(), by: text() },
            WorkEvent::Landing { target: text(), strategy: text() },
            WorkEvent::Checked { command: text(), tree: text(), succeeded: false, exit_code: Some(1), duration_ms: 5 },
            WorkEvent::Landed { target: text(), commit: text(), strategy: text() },
            WorkEvent::LandFailed { target: text(), message: text(), files: vec![] },
        ];
        for (work, name) in all.into_iter().zip(WorkEvent::TYPES) {
            let line = EventLine { seq: 1, at: Timestamp::UNIX_EPOCH, attempt: 1, event: Event::Work(work) };
            let text = serde_json::to_string(&line).unwrap();
            assert!(text.contains(&format!(r#""type":"{name}""#)), "{text}");
            assert_eq!(EventLine::read(&text, 0), line);
        }
    }

    #[test]
    fn file_names_are_shown_on_one_line() {
        let files = vec!["a\u{1b}[2J\nb".to_owned()];
        let words = WorkEvent::ConflictForecast { target: Some("main".to_owned()), run: None, files }.words();
        assert_eq!(words, "conflicts with main in a\\x1b[2J\\nb");
    }
}
