//! The built-in `scripted` agent, which needs no model: its prompt says what to do.
//!
//! Directives stand in fenced code blocks tagged `agency`, one per line; the text around them is ignored.
//! A prompt without such a block is echoed, line by line.
//!
//! ````markdown
//! ```agency
//! # Blank lines and comments are skipped.
//! say Looking at the kitchen
//! wait 200ms
//! write notes/kitchen.md A stove.\nA door.
//! append README.md See notes/kitchen.md.
//! run ls -l "notes"
//! ask python3 -m unittest
//! commit Describe the kitchen
//! warn The cellar is dark
//! exit 3
//! ```
//! ````
//!
//! `ask` runs a command only if the user allows it. It needs a conversation, which only the demo has; elsewhere it is denied.
//!
//! The one rule: a script changes files in its own directory only, unless it runs a command that does otherwise.

#[cfg(test)]
mod bare_environment;
mod block;
mod command;
mod commit;
mod confined;
mod error;
mod git;
mod parse;
mod protocol;
pub mod sample;
mod words;

pub use error::{ScriptError, ScriptFileError};
pub(crate) use git::git;
pub use parse::parse;

use agency_model::shell_quoted;
use confined::Placement;
use protocol::Messages;
use std::cell::RefCell;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a prompt asks for, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    steps: Vec<ScriptedStep>,
}

/// One directive, and the line of the prompt it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ScriptedStep {
    line: usize,
    directive: Directive,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Directive {
    Say(String),
    Warn(String),
    Wait(Duration),
    Write { path: PathBuf, text: String },
    Append { path: PathBuf, text: String },
    Run { program: String, arguments: Vec<String> },
    Ask { program: String, arguments: Vec<String> },
    Commit(String),
    Exit(u8),
}

/// What the user answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Permission {
    Allowed,
    Denied,
}

/// Asks whether a command may be run; the number tells questions of one script apart.
type Ask<'a> = &'a mut dyn FnMut(usize, &str) -> Result<Permission, ScriptError>;

/// Whether a script continues after a step.
enum Flow {
    Next,
    End(u8),
}

/// Runs a script in a directory and returns the agent's exit code.
///
/// A command that fails ends the script with the command's exit code.
///
/// # Errors
///
/// Fails when a file, a command or the output cannot be used.
pub fn execute(script: &Script, directory: &Path, out: &mut dyn Write, err: &mut dyn Write) -> Result<u8, ScriptError> {
    follow(script, directory, &mut |_, _| Ok(Permission::Denied), out, err)
}

/// The argument in the place of a file that makes the agent have a conversation.
#[doc(hidden)]
pub const PROTOCOL_OPTION: &str = "--protocol";

/// Has a conversation on standard input and output, in the current directory, and gives its exit code.
pub(crate) fn converse_here() -> Result<u8, ScriptFileError> {
    let failed = |why: String| ScriptFileError { file: PROTOCOL_OPTION.into(), why };
    let here = std::env::current_dir().map_err(|error| failed(error.to_string()))?;
    let (mut input, mut out, mut err) = (std::io::stdin().lock(), std::io::stdout(), std::io::stderr());
    converse(&here, &mut input, &mut out, &mut err).map_err(|error| failed(error.to_string()))
}

/// Has a conversation: the first message is the script, and each `ask` of it is asked.
fn converse(
    directory: &Path,
    input: &mut dyn BufRead,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<u8, ScriptError> {
    let prompt = protocol::prompt(input, out).map_err(ScriptError::Output)?;
    let script = parse(&prompt)?;
    let out = RefCell::new(out);
    let mut ask =
        |number: usize, command: &str| protocol::ask(number, command, input, &out).map_err(ScriptError::Output);
    let mut messages = Messages::new(&out);
    let code = follow(&script, directory, &mut ask, &mut messages, err)?;
    messages.finish(code == 0).map_err(ScriptError::Output)?;
    Ok(code)
}

fn follow(
    script: &Script,
    directory: &Path,
    ask: Ask<'_>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<u8, ScriptError> {
    for step in &script.steps {
        match perform(step, directory, ask, out, err)? {
            Flow::Next => {}
            Flow::End(code) => return Ok(code),
        }
    }
    Ok(0)
}

/// Follows the script in a file, in the current directory, and gives its exit code.
///
/// # Errors
///
/// Fails when the file cannot be read or is not a script, and as [`execute`] does.
pub fn execute_file(file: &Path, out: &mut dyn Write, err: &mut dyn Write) -> Result<u8, ScriptFileError> {
    let failed = |why: String| ScriptFileError { file: file.to_owned(), why };
    let text = std::fs::read_to_string(file).map_err(|error| failed(error.to_string()))?;
    let script = parse(&text).map_err(|error| failed(error.to_string()))?;
    let here = std::env::current_dir().map_err(|error| failed(error.to_string()))?;
    execute(&script, &here, out, err).map_err(|error| failed(error.to_string()))
}

fn perform(
    step: &ScriptedStep,
    directory: &Path,
    ask: Ask<'_>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<Flow, ScriptError> {
    let line = step.line;
    match &step.directive {
        Directive::Say(text) => print(out, text)?,
        Directive::Warn(text) => print(err, text)?,
        Directive::Wait(duration) => std::thread::sleep(*duration),
        Directive::Write { path, text } => {
            confined::put(directory, path, text, Placement::Replace).map_err(|problem| problem.at(line, path))?;
        }
        Directive::Append { path, text } => {
            confined::put(directory, path, text, Placement::End).map_err(|problem| problem.at(line, path))?;
        }
        Directive::Run { program, arguments } => return run(line, program, arguments, directory, (out, err)),
        Directive::Ask { program, arguments } => {
            let words = std::iter::once(program).chain(arguments).map(|word| shell_quoted(Path::new(word)));
            let command = words.collect::<Vec<_>>().join(" ");
            match ask(line, &command)? {
                Permission::Allowed => return run(line, program, arguments, directory, (out, err)),
                Permission::Denied => print(out, &format!("Not allowed, so it is left out: {command}"))?,
            }
        }
        Directive::Commit(message) => {
            let summary = commit::commit(line, message, directory)?;
            print(out, &summary)?;
        }
        Directive::Exit(code) => return Ok(Flow::End(*code)),
    }
    Ok(Flow::Next)
}

/// Runs a command; if it fails, the script ends with its exit code.
fn run(
    line: usize,
    program: &str,
    arguments: &[String],
    directory: &Path,
    (out, err): (&mut dyn Write, &mut dyn Write),
) -> Result<Flow, ScriptError> {
    let invocation = command::Invocation { line, program, arguments, directory };
    let code = command::run(&invocation, &mut command::Streams { out, err })?;
    if code != 0 {
        print(err, &format!("`{program}` failed with exit code {code}"))?;
        return Ok(Flow::End(code));
    }
    Ok(Flow::Next)
}

/// Writes a line at once, so that a watcher sees it when it is said.
fn print(stream: &mut dyn Write, text: &str) -> Result<(), ScriptError> {
    writeln!(stream, "{text}").and_then(|()| stream.flush()).map_err(ScriptError::Output)
}

#[cfg(test)]
mod tests;
