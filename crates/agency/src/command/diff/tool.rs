//! Shows a diff with a program of the user's.

use std::io::Write;
use std::process::{Command, ExitCode, Stdio};

use agency_model::{ErrorCode, Escaper, Sgr};

use crate::output::Surface;
use crate::problem::Problem;

/// Starts the program and gives it the diff; on a terminal, nothing that an agent wrote is obeyed there.
#[expect(clippy::disallowed_methods, reason = "the user names the program that shows the diff")]
pub(super) fn show(command: &str, diff: &[u8]) -> Result<ExitCode, Problem> {
    let words = shell_words::split(command).unwrap_or_default();
    let Some((program, arguments)) = words.split_first() else {
        return Err(Problem::new(ErrorCode::Usage, format!("'{command}' is not a valid command for --tool"))
            .hint("name a program, such as delta"));
    };
    let cannot = |error: std::io::Error| {
        Problem::new(ErrorCode::Usage, format!("{program} cannot be started: {error}"))
            .hint("name an installed program that reads a diff from standard input")
    };
    let mut child = Command::new(program).args(arguments).stdin(Stdio::piped()).spawn().map_err(cannot)?;
    if let Some(mut input) = child.stdin.take() {
        let mut escaper = Escaper::new(Sgr::Escape);
        let text = match Surface::stdout().is_terminal() {
            true => [escaper.feed(diff), escaper.finish()].concat().into_bytes(),
            false => diff.to_owned(),
        };
        // A program that has read enough closes its input.
        let _ = input.write_all(&text);
    }
    let status = child.wait().map_err(|error| Problem::output(&error))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
