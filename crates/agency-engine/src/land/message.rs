//! The message of the commits that landing makes: the user's, else the agent's final answer, else its prompt.

use agency_model::{Event, cut, plain_text};
use agency_workspace::MergeStrategy;

use crate::agency::Agency;
use crate::home::read_text;
use crate::record::finish::read_markers;
use crate::store::RunRow;

/// The usual length of the first line of a commit message.
const MAX_SUBJECT_CHARS: usize = 72;
/// How much of an agent's final answer goes into a message.
const MAX_BODY_BYTES: usize = 4 * 1024;

impl Agency {
    /// The default message of a commit of the work of a run.
    #[must_use]
    pub fn land_message(&self, row: &RunRow) -> String {
        let said =
            read_markers(&self.home.run(&row.id)).and_then(|ended| ended.summary).or_else(|| self.last_words(row));
        let prompt = || read_text(&self.home.run(&row.id).file("prompt.md")).ok();
        let first_prompt = || read_text(&self.home.run(&row.worktree_owner()).file("prompt.md")).ok();
        let given = |text: String| if text.trim().is_empty() { None } else { Some(text) };
        let from_prompt = || prompt().or_else(first_prompt).and_then(given).map(|text| subject_of(&text).0);
        said.and_then(given)
            .map(|text| message_of(&text))
            .or_else(from_prompt)
            .filter(|message| !message.is_empty())
            .unwrap_or_else(|| format!("Work of {}", row.label()))
    }

    /// The last text of an agent that is still there.
    fn last_words(&self, row: &RunRow) -> Option<String> {
        let said = |event| if let Event::Output { text, parent_tool_id: None } = event { Some(text) } else { None };
        self.last_event(&row.id, |line| said(line.event)).ok().flatten()
    }
}

/// The message of the merge itself.
pub(super) fn merge_message(strategy: MergeStrategy, branch: &str, target: &str, message: &str, given: bool) -> String {
    match strategy {
        MergeStrategy::Merge if !given => format!("Merge branch '{branch}' into {target}\n\n{message}"),
        MergeStrategy::Merge | MergeStrategy::Squash | MergeStrategy::Rebase => message.to_owned(),
    }
}

/// A message with a first line of the usual length. Characters that a terminal obeys are escaped.
fn message_of(said: &str) -> String {
    let (subject, rest) = subject_of(said);
    match rest.trim() {
        "" => subject,
        rest => format!("{subject}\n\n{}", cut(rest, MAX_BODY_BYTES).0.trim_end()),
    }
}

/// The first line as a subject, and what does not fit into it.
fn subject_of(text: &str) -> (String, String) {
    let text = plain_text(text);
    let text = text.trim();
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let first = first.trim_start_matches(['#', '*', '-', '>', ' ']).trim_end();
    if first.chars().count() <= MAX_SUBJECT_CHARS {
        return (first.trim_end_matches(['.', ':']).to_owned(), rest.to_owned());
    }
    let kept: String = first.chars().take(MAX_SUBJECT_CHARS - 1).collect();
    let kept = kept.rsplit_once(' ').map_or(kept.as_str(), |(words, _)| words);
    (format!("{kept}…"), text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_short_and_nothing_is_lost() {
        assert_eq!(message_of("Fixed the test."), "Fixed the test");
        assert_eq!(message_of("## Fixed it\n\nAll of it.\n"), "Fixed it\n\nAll of it.");
        let long = format!("I fixed {}end", "the test and ".repeat(10));
        let message = message_of(&long);
        let (subject, body) = message.split_once("\n\n").unwrap();
        assert!(subject.chars().count() <= MAX_SUBJECT_CHARS && subject.ends_with('…'), "{subject}");
        assert_eq!(body, long);
    }

    #[test]
    fn what_a_terminal_obeys_is_escaped_and_a_long_text_is_cut() {
        assert!(!message_of("\u{1b}]0;title\u{7}\u{1b}[2Jdone").contains('\u{1b}'));
        assert!(message_of(&format!("done\n{}", "x".repeat(100_000))).len() < MAX_BODY_BYTES + 100);
        assert_eq!(message_of(" \n"), "");
    }
}
