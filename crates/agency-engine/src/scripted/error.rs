//! Why a script was refused or ended early.

use std::io;
use std::path::PathBuf;

/// Why a script was refused or ended early. Lines are those of the prompt, counted from one.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ScriptError {
    /// The prompt is longer than a script may be.
    #[error("the prompt has more than {limit} bytes")]
    TooLong {
        /// The longest prompt, in bytes.
        limit: usize,
    },
    /// The first word of a line is not a directive.
    #[error("line {line}: unknown directive `{word}`{}", meant(*.nearest))]
    UnknownDirective {
        /// Where it stands.
        line: usize,
        /// The word.
        word: String,
        /// The directive that was probably meant.
        nearest: Option<&'static str>,
    },
    /// A directive lacks what it needs, or has something else.
    #[error("line {line}: `{directive}` needs {needs}")]
    BadArgument {
        /// Where it stands.
        line: usize,
        /// The directive.
        directive: &'static str,
        /// What would be right.
        needs: &'static str,
    },
    /// A path is absolute, goes up, or passes a symbolic link.
    #[error("line {line}: `{}` leaves the agent's directory", path.display())]
    OutsideDirectory {
        /// Where it stands.
        line: usize,
        /// The path, as written.
        path: PathBuf,
    },
    /// A file could not be written.
    #[error("line {line}: cannot write `{}`", path.display())]
    File {
        /// Where it stands.
        line: usize,
        /// The path, as written.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A program could not be started or watched.
    #[error("line {line}: cannot run `{program}`")]
    Command {
        /// Where it stands.
        line: usize,
        /// The program, as written.
        program: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// git refused to commit.
    #[error("line {line}: git did not commit: {message}")]
    Commit {
        /// Where it stands.
        line: usize,
        /// The message of git.
        message: String,
    },
    /// The reader of the agent's output is gone.
    #[error("cannot write the agent's output")]
    Output(#[source] io::Error),
}

fn meant(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |word| format!("; did you mean `{word}`?"))
}

/// Why the script in a file was not followed to its end.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", file.display())]
pub struct ScriptFileError {
    pub(super) file: PathBuf,
    pub(super) why: String,
}
