//! A text in the user's own editor.
//!
//! The one rule: what the user wrote is never deleted before it was read.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use agency_model::ErrorCode;
use tempfile::NamedTempFile;

use crate::problem::Problem;

/// Lets the user write a text in an editor of their own. The terminal belongs to the editor meanwhile.
#[expect(clippy::disallowed_methods, reason = "the user's editor takes over the terminal")]
pub(crate) fn edit(text: &str) -> Result<String, Problem> {
    let place = std::env::temp_dir();
    let refused = |error: io::Error| {
        Problem::new(ErrorCode::Io, format!("no file for the editor could be written in {}: {error}", place.display()))
    };
    let file = tempfile::Builder::new().prefix("agency-").suffix(".md").tempfile().map_err(refused)?;
    fs::write(file.path(), text).map_err(refused)?;
    let (program, arguments) = editor();
    let status = Command::new(&program).args(&arguments).arg(file.path()).status();
    match status {
        Ok(status) if status.success() => match fs::read(file.path()).map(String::from_utf8) {
            Ok(Ok(written)) => Ok(written),
            Ok(Err(_)) => Err(kept("what the editor wrote is not UTF-8 text".to_owned(), file, text)),
            Err(error) => {
                let message = format!("{} cannot be read after the editor: {error}", file.path().display());
                Err(kept(message, file, text))
            }
        },
        Ok(status) => Err(kept(format!("{} exited with {status}", program.display()), file, text)),
        Err(error) => {
            let message = format!("{} could not be started: {error}", program.display());
            Err(Problem::new(ErrorCode::Io, message).hint("set $EDITOR or $SHELL to an installed program"))
        }
    }
}

/// The file stays if the user changed it.
fn kept(message: String, file: NamedTempFile, text: &str) -> Problem {
    if !is_changed(file.path(), text) {
        return Problem::new(ErrorCode::Io, format!("{message}; the text is unchanged"));
    }
    let problem = Problem::new(ErrorCode::Io, message);
    match file.into_temp_path().keep() {
        Ok(path) => problem.hint(format!("nothing is stored; what you wrote is in {}", path.display())),
        Err(error) => problem.hint(format!("what you wrote could not be kept: {error}")),
    }
}

fn is_changed(path: &Path, text: &str) -> bool {
    fs::read(path).is_ok_and(|found| found != text.as_bytes())
}

/// The user's editor and its arguments.
pub(crate) fn editor() -> (OsString, Vec<OsString>) {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let words = set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| OsString::from("vi"));
    // `code --wait` is an editor with an argument.
    let mut words = words.to_string_lossy().split_whitespace().map(OsString::from).collect::<Vec<_>>().into_iter();
    (words.next().unwrap_or_else(|| OsString::from("vi")), words.collect())
}
