//! A text in the user's own editor.

use std::ffi::OsString;
use std::io;
use std::process::Command;

use agency_model::ErrorCode;

use crate::problem::Problem;

/// Lets the user write a text in an editor of their own. The terminal belongs to the editor meanwhile.
#[expect(clippy::disallowed_methods, reason = "the user's editor takes over the terminal")]
pub(crate) fn edit(text: &str) -> Result<String, Problem> {
    let refused = |error: io::Error| Problem::new(ErrorCode::Io, format!("the text could not be written: {error}"));
    let file = tempfile::Builder::new().prefix("agency-").suffix(".md").tempfile().map_err(refused)?;
    std::fs::write(file.path(), text).map_err(refused)?;
    let (program, arguments) = editor();
    let status = Command::new(&program).args(&arguments).arg(file.path()).status();
    match status {
        Ok(status) if status.success() => std::fs::read_to_string(file.path()).map_err(refused),
        Ok(status) => {
            let message = format!("{} exited with {status}; the text is unchanged", program.display());
            Err(Problem::new(ErrorCode::Io, message))
        }
        Err(error) => {
            let message = format!("{} could not be started: {error}", program.display());
            Err(Problem::new(ErrorCode::Io, message).hint("set $EDITOR or $SHELL to an installed program"))
        }
    }
}

/// The user's editor and its arguments.
pub(crate) fn editor() -> (OsString, Vec<OsString>) {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let words = set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| OsString::from("vi"));
    // `code --wait` is an editor with an argument.
    let mut words = words.to_string_lossy().split_whitespace().map(OsString::from).collect::<Vec<_>>().into_iter();
    (words.next().unwrap_or_else(|| OsString::from("vi")), words.collect())
}
