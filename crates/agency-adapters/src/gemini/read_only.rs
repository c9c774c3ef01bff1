//! Gemini CLI: its reading tools, in the working directory and the directories that are named.

use serde_json::json;

use super::TRUST_VARIABLE;
use crate::read_only::strings;
use crate::{AdapterError, ReadOnlyEntry, ReadOnlyLaunch, ReadOnlyMode, ReadOnlyRequest, StreamFormat, variable};

/// What it may use, and nothing else; a name changed between versions.
const READING: &[&str] =
    &["list_directory", "read_file", "read_many_files", "glob", "grep_search", "search_file_content"];

pub(super) const MODE: ReadOnlyMode = ReadOnlyMode { servers: None, launch };

fn launch(request: &ReadOnlyRequest<'_>) -> Result<ReadOnlyLaunch, AdapterError> {
    let mut launch = ReadOnlyLaunch::new(StreamFormat::Gemini);
    let args = &mut launch.args;
    if request.one_question {
        args.extend(strings(["-o", "stream-json", "-p", ""]));
    }
    // Only servers of this name may start.
    args.extend(strings(["--approval-mode", "default", "--allowed-mcp-server-names", &request.unused_name()]));
    args.extend(strings(["--extensions", "none"]));
    // It reads only below its directories, and resolves links.
    for directory in request.directories() {
        args.extend(strings(["--include-directories", &directory.display().to_string()]));
    }
    // The directory is ours, and it reads the settings in it only if it trusts it.
    launch.env.insert(TRUST_VARIABLE.to_owned(), "true".to_owned());
    launch.entries.push((".gemini/.env".to_owned(), environment_file(request)));
    if request.one_question {
        let settings = json!({ "tools": { "core": READING, "discoveryCommand": "" } });
        launch.entries.push((".gemini/settings.json".to_owned(), ReadOnlyEntry::File(format!("{settings}\n"))));
    }
    // Of a link to a file it would have to see the whole directory of that file.
    launch.entries.extend(request.copied_files());
    Ok(launch)
}

/// It takes variables from the first file that it finds on its way up, and at last from the user's home. Found here,
/// that one is taken without a look at the directories between.
fn environment_file(request: &ReadOnlyRequest<'_>) -> ReadOnlyEntry {
    let home = variable(request.environment, "GEMINI_CLI_HOME").or_else(|| variable(request.environment, "HOME"));
    let of_user = home.into_iter().flat_map(|home| [home.join(".gemini/.env"), home.join(".env")]);
    ReadOnlyEntry::LinkToFirst(of_user.filter(|file| file.is_absolute()).collect())
}
