//! Claude Code: three tools that read, in the working directory and the directories that are named.

use crate::read_only::strings;
use crate::{AdapterError, ReadOnlyLaunch, ReadOnlyMode, ReadOnlyRequest, StreamFormat};

/// What it may use, and nothing else.
const READING: &str = "Read,Grep,Glob";
/// What it may not use even if a setting of the user's allows it.
const CHANGING: &str = "Bash,Edit,MultiEdit,Write,NotebookEdit,Task,Agent,WebFetch,WebSearch";

pub(super) const MODE: ReadOnlyMode = ReadOnlyMode { servers: None, launch };

fn launch(request: &ReadOnlyRequest<'_>) -> Result<ReadOnlyLaunch, AdapterError> {
    let mut launch = ReadOnlyLaunch::new(StreamFormat::Claude);
    let args = &mut launch.args;
    if request.one_question {
        args.extend(strings(["-p", "--output-format", "stream-json", "--verbose", "--no-session-persistence"]));
    }
    let mcp_config = request.mcp_config.display().to_string();
    args.extend(strings(["--strict-mcp-config", "--mcp-config", &mcp_config]));
    // Neither settings nor instructions of the directory or of a source.
    args.extend(strings(["--setting-sources", "user"]));
    for directory in request.directories() {
        args.extend(strings(["--add-dir", &directory.display().to_string()]));
    }
    if request.one_question {
        // Whatever needs a permission is denied, also reading outside of these directories.
        args.extend(strings(["--permission-mode", "manual", "--tools", READING, "--disallowedTools", CHANGING]));
        // Of a link to a file it would have to see the whole directory of that file.
        launch.entries.extend(request.copied_files());
    }
    Ok(launch)
}
