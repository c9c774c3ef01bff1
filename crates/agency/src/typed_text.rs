//! Texts that a user gives a command: as an argument, on standard input, in a file, or in an editor.
//!
//! The one rule: `-` means standard input everywhere, and standard input is read at most once and up to a limit.

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;

use agency_model::ErrorCode;

use crate::problem::Problem;

/// A longer text is refused; this much is read of it to know.
const MAX_TEXT_BYTES: u64 = 16 * 1024 * 1024;

/// The text that an argument gives: itself, or for `-` what is on standard input. `what` names it in messages.
pub(crate) fn given_text(argument: String, what: &str) -> Result<String, Problem> {
    if argument == "-" { stdin_text(what) } else { Ok(argument) }
}

/// The text in a file; `-` means standard input.
pub(crate) fn file_text(path: &Path, what: &str) -> Result<String, Problem> {
    if path.as_os_str() == "-" {
        return stdin_text(what);
    }
    let wrong = |error: io::Error| {
        let message = format!("the {what} '{}': {error}", path.display());
        Problem::new(ErrorCode::InvalidPath, message)
    };
    read(File::open(path).map_err(wrong)?).map_err(wrong)
}

/// The text on standard input, which is not a terminal.
pub(crate) fn stdin_text(what: &str) -> Result<String, Problem> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        let message = format!("`-` takes the {what} from standard input, which is a terminal");
        return Err(
            Problem::new(ErrorCode::Usage, message).hint(format!("write the {what} as an argument, or pipe it in"))
        );
    }
    read(stdin.lock()).map_err(|error| {
        Problem::new(ErrorCode::Usage, format!("the {what} on standard input could not be read: {error}"))
    })
}

fn read(source: impl Read) -> io::Result<String> {
    let mut bytes = vec![];
    source.take(MAX_TEXT_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_TEXT_BYTES {
        return Err(io::Error::other("it is too long"));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8 text"))
}
