//! What an agent is doing inside `running`.

use crate::string_enum::string_enum;
use crate::{Question, QuestionKind};

string_enum! {
    /// What an agent is doing.
    Activity {
        /// Its worktree is prepared; it has no process yet.
        Setup = "setup",
        /// Its process exists and has said nothing yet.
        Starting = "starting",
        /// The model is at work.
        Thinking = "thinking",
        /// It writes an answer or a file.
        Writing = "writing",
        /// A tool is at work.
        RunningCommand = "running_command",
        /// It asked something and waits for the answer.
        WaitingForUser = "waiting_for_user",
        /// Its turn is over and it waits for the next message.
        Idle = "idle",
        /// It cannot be determined.
        Unknown = "unknown",
    }
}

/// Words in the names of tools that change files.
const EDITING: [&str; 7] = ["write", "edit", "patch", "replace", "file_change", "create", "save"];

impl Activity {
    /// What the agent does when a question is answered by a permission: the tool that it is about is at work.
    pub(crate) fn if_allowed(question: &Question) -> Self {
        match (question.kind, &question.tool) {
            (QuestionKind::Permission, Some(tool)) => Self::by_tool(&tool.name),
            (_, _) => Self::Thinking,
        }
    }

    /// What an agent does that uses a tool: it writes with a tool that changes files, else it runs a command.
    pub(crate) fn by_tool(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        if EDITING.iter().any(|word| name.contains(word)) { Self::Writing } else { Self::RunningCommand }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_changes_files_is_writing_and_any_other_is_a_command() {
        for name in ["Write", "MultiEdit", "apply_patch", "write_file", "replace", "file_change"] {
            assert_eq!(Activity::by_tool(name), Activity::Writing, "{name}");
        }
        for name in ["Bash", "run_shell_command", "command_execution", "Read", "WebSearch"] {
            assert_eq!(Activity::by_tool(name), Activity::RunningCommand, "{name}");
        }
    }
}
