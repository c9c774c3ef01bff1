//! Claude Code: three tools that read, in the working directory and the directories that are named.

use super::{Limits, Secluded, words};
use crate::workspace::ScratchEntry;

/// What it may use, and nothing else.
const READING: &str = "Read,Grep,Glob";
/// What it may not use even if a setting of the user's allows it.
const CHANGING: &str = "Bash,Edit,MultiEdit,Write,NotebookEdit,Task,Agent,WebFetch,WebSearch";

impl Secluded<'_> {
    pub(super) fn claude(&self) -> Limits {
        let (mut args, mut entries) = (vec![], vec![]);
        if self.is_ask() {
            args.extend(words(["-p", "--output-format", "stream-json", "--verbose", "--no-session-persistence"]));
        }
        let mcp_config = self.subject.scratch.mcp_config().display().to_string();
        args.extend(words(["--strict-mcp-config", "--mcp-config", &mcp_config]));
        // Neither settings nor instructions of the directory or of a source.
        args.extend(words(["--setting-sources", "user"]));
        for directory in self.directories() {
            args.extend(words(["--add-dir", &directory.display().to_string()]));
        }
        if self.is_ask() {
            // Whatever needs a permission is denied, also reading outside of these directories.
            args.extend(words(["--permission-mode", "manual", "--tools", READING, "--disallowedTools", CHANGING]));
            // Of a link to a file it would have to see the whole directory of that file.
            entries.extend(self.files().map(|(name, file)| (name.to_owned(), ScratchEntry::Copy(file))));
        }
        Limits { args, entries, ..Limits::default() }
    }
}
