//! The command that a user probably meant.

use std::ffi::OsString;

use agency_model::nearest;
use clap::error::{ContextKind, ContextValue, ErrorKind};

/// What other programs call a command of ours.
const WORDS_OF_OTHERS: [(&str, &str); 11] = [
    ("add", "run"),
    ("cancel", "stop"),
    ("create", "run"),
    ("delete", "rm"),
    ("kill", "stop"),
    ("list", "ls"),
    ("log", "logs"),
    ("new", "run"),
    ("ps", "ls"),
    ("remove", "rm"),
    ("start", "run"),
];

/// Names the nearest command in an error about an unknown one; what clap finds may be further away, and stays where none is near.
pub(super) fn with_nearest(mut error: clap::Error, root: &clap::Command, arguments: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidSubcommand).cloned() else { return error };
    if error.kind() != ErrorKind::InvalidSubcommand {
        return error;
    }
    // The command whose subcommand it would be.
    let before = arguments.iter().skip(1).map_while(|argument| argument.to_str().filter(|word| *word != unknown));
    let parent = before.fold(root, |command, word| command.find_subcommand(word).unwrap_or(command));
    if let Some(meant) = meant(&unknown, parent) {
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(vec![meant]));
    }
    error
}

fn meant(unknown: &str, parent: &clap::Command) -> Option<String> {
    let known: Vec<&str> =
        parent.get_subcommands().filter(|command| !command.is_hide_set()).map(clap::Command::get_name).collect();
    let of_others = WORDS_OF_OTHERS.iter().find(|(word, _)| *word == unknown).map(|(_, ours)| *ours);
    let meant = of_others.filter(|ours| known.contains(ours)).or_else(|| nearest(unknown, known.iter().copied()));
    meant.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_that_was_meant_is_one_of_ours() {
        let root = crate::cli::command();
        let root_meant = |word| meant(word, &root);
        assert_eq!(root_meant("rnu").as_deref(), Some("run"));
        assert_eq!(root_meant("list").as_deref(), Some("ls"));
        assert_eq!(root_meant("lst").as_deref(), Some("ls"));
        assert_eq!(root_meant("kubernetes"), None);
        let workflow = root.find_subcommand("workflow").unwrap();
        assert_eq!(meant("shwo", workflow).as_deref(), Some("show"));
        assert_eq!(meant("kill", workflow), None, "a workflow has no stop");
        for (_, ours) in WORDS_OF_OTHERS {
            assert!(root.find_subcommand(ours).is_some(), "{ours}");
        }
        for (word, _) in WORDS_OF_OTHERS {
            assert!(root.find_subcommand(word).is_none(), "{word}");
        }
    }
}
