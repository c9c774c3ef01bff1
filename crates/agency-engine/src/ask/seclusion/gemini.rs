//! Gemini CLI: its reading tools, in the working directory and the directories that are named.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::json;

use super::{Limits, Secluded, words};
use crate::workspace::ScratchEntry;

/// What it may use, and nothing else; a name changed between versions.
const READING: &[&str] =
    &["list_directory", "read_file", "read_many_files", "glob", "grep_search", "search_file_content"];

impl Secluded<'_> {
    pub(super) fn gemini(&self) -> Limits {
        let mut args = match self.is_ask() {
            true => words(["-o", "stream-json", "-p", ""]),
            false => vec![],
        };
        // Only servers of this name may start.
        args.extend(words(["--approval-mode", "default", "--allowed-mcp-server-names", &self.unused_name()]));
        args.extend(words(["--extensions", "none"]));
        // It reads only below its directories, and looks where a link leads.
        for directory in self.directories() {
            args.extend(words(["--include-directories", &directory.display().to_string()]));
        }
        // The directory is ours, and it reads the settings in it only if it trusts it.
        let env = BTreeMap::from([("GEMINI_CLI_TRUST_WORKSPACE".to_owned(), "true".to_owned())]);
        let mut entries = vec![(".gemini/.env".to_owned(), self.environment_file())];
        if self.is_ask() {
            let settings = json!({ "tools": { "core": READING, "discoveryCommand": "" } });
            entries.push((".gemini/settings.json".to_owned(), ScratchEntry::File(format!("{settings}\n"))));
        }
        // Of a link to a file it would have to see the whole directory of that file.
        entries.extend(self.files().map(|(name, file)| (name.to_owned(), ScratchEntry::Copy(file))));
        Limits { args, env, entries, ..Limits::default() }
    }

    /// It takes variables from the first file that it finds on its way up, and at last from the user's home. Found here,
    /// that one is taken without a look at the directories between.
    fn environment_file(&self) -> ScratchEntry {
        let home = self.variable("GEMINI_CLI_HOME").or_else(|| self.variable("HOME")).map(PathBuf::from);
        let of_user = home.into_iter().flat_map(|home| [home.join(".gemini/.env"), home.join(".env")]);
        let found = of_user.into_iter().find(|file| file.is_absolute() && file.is_file());
        found.map_or_else(|| ScratchEntry::File(String::new()), ScratchEntry::Link)
    }
}
