//! Shows a diff with a program of the user's.
//!
//! The one rule: on a terminal the program gets text in which control characters are escapes, so nothing that an agent
//! wrote is obeyed there.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Component, Path};
use std::process::{Command, ExitCode, Stdio};

use agency_model::patch::{Patch, PatchFile, PatchLineKind};
use agency_model::{ErrorCode, Escaper, Sgr};

use crate::output::{Pager, Surface};
use crate::problem::Problem;

/// The program of difftastic, which compares files instead of reading a diff.
const DIFFTASTIC: &str = "difft";

/// A program with its arguments.
pub(super) struct Tool {
    program: String,
    arguments: Vec<String>,
}

impl Tool {
    /// The program that a command line names.
    pub(super) fn read(command: &str) -> Result<Self, Problem> {
        let mut words = shell_words::split(command).unwrap_or_default().into_iter();
        let Some(program) = words.next() else {
            return Err(Problem::new(ErrorCode::Usage, format!("'{command}' is not a valid command for a diff"))
                .hint("name a program, such as delta"));
        };
        Ok(Self { program, arguments: words.collect() })
    }

    /// Whether it compares files.
    pub(super) fn takes_files(&self) -> bool {
        Path::new(&self.program).file_name() == Some(OsStr::new(DIFFTASTIC))
    }

    /// Gives it the diff.
    pub(super) fn show(&self, diff: &[u8]) -> Result<ExitCode, Problem> {
        let mut child = self.command().stdin(Stdio::piped()).spawn().map_err(|error| self.missing(&error))?;
        if let Some(mut input) = child.stdin.take() {
            // A program that has read enough closes its input.
            let _ = input.write_all(&shown(diff));
        }
        let status = child.wait().map_err(|error| Problem::output(&error))?;
        Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Gives it the old and the new files, from a diff that has all of their lines.
    pub(super) fn show_files(&self, whole_diff: &[u8]) -> Result<ExitCode, Problem> {
        let directory = tempfile::tempdir().map_err(|error| Problem::output(&error))?;
        let patch = Patch::read(&shown(whole_diff));
        write_files(&patch, directory.path()).map_err(|error| Problem::output(&error))?;
        let mut command = self.command();
        if Surface::stdout().is_terminal() {
            // Its output goes through the pager, so it cannot see that it ends on a terminal.
            let colour = if Surface::stdout().has_colours() { "always" } else { "never" };
            command.args(["--color", colour]);
            if let Ok((columns, _)) = crossterm::terminal::size() {
                command.args(["--width", &columns.to_string()]);
            }
        }
        let _pager = Pager::start();
        let status = command.args(["old", "new"]).current_dir(directory.path()).status();
        let status = status.map_err(|error| self.missing(&error))?;
        Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    #[expect(clippy::disallowed_methods, reason = "the user names the program that shows the diff")]
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        command
    }

    fn missing(&self, error: &io::Error) -> Problem {
        Problem::new(ErrorCode::Usage, format!("{} cannot be started: {error}", self.program))
            .hint("name an installed program that reads a diff from standard input, or difft")
    }
}

/// What the program gets: on a terminal, escaped.
fn shown(diff: &[u8]) -> Vec<u8> {
    if !Surface::stdout().is_terminal() {
        return diff.to_owned();
    }
    let mut escaper = Escaper::new(Sgr::Escape);
    [escaper.feed(diff), escaper.finish()].concat().into_bytes()
}

/// Writes the files of a diff that has all lines into `old` and `new` below a directory.
fn write_files(patch: &Patch, directory: &Path) -> io::Result<()> {
    for side in ["old", "new"] {
        std::fs::create_dir(directory.join(side))?;
    }
    for file in patch.files.iter().filter(|file| !file.binary) {
        // The name comes from an agent: it stays below the directory.
        let is_inside = Path::new(&file.path).components().all(|part| matches!(part, Component::Normal(_)));
        if !is_inside {
            continue;
        }
        for (side, other) in [("old", PatchLineKind::Removed), ("new", PatchLineKind::Added)] {
            let path = directory.join(side).join(&file.path);
            let text = text_of(patch, file, other);
            if text.is_empty() {
                continue;
            }
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(path, text)?;
        }
    }
    Ok(())
}

/// One side of a file: the lines that both have, and those that only this one has.
fn text_of(patch: &Patch, file: &PatchFile, only_here: PatchLineKind) -> String {
    let lines = file.lines.iter().filter(|line| line.kind == PatchLineKind::Context || line.kind == only_here);
    lines.map(|line| format!("{}\n", patch.code(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_whole_diff_are_what_they_were_and_are() {
        let text = "diff --git a/src/x b/src/x\n--- a/src/x\n+++ b/src/x\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n\
            diff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+only\n\
            diff --git a/../../out b/../../out\n--- a/../../out\n+++ b/../../out\n@@ -0,0 +1 @@\n+outside\n";
        let directory = tempfile::tempdir().unwrap();
        let below = directory.path().join("a/b");
        std::fs::create_dir_all(&below).unwrap();
        write_files(&Patch::read(text.as_bytes()), &below).unwrap();
        let read = |path: &str| std::fs::read_to_string(below.join(path)).ok();
        assert_eq!(
            (read("old/src/x").as_deref(), read("new/src/x").as_deref()),
            (Some("one\ntwo\nthree\n"), Some("one\n2\nthree\n"))
        );
        assert_eq!((read("old/new"), read("new/new").as_deref()), (None, Some("only\n")));
        assert!(!directory.path().join("a/out").exists() && !below.join("out").exists());
    }
}
