//! Gives the terminal to another program: to an agent, a shell, an editor, or to the shell that started the TUI.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitStatus};

use agency_engine::runs::attach::Attachment;
use agency_model::{ErrorCode, RunId, escaped_text};

use super::failure;
use crate::context::Context;
use crate::problem::Problem;
use crate::terminal::{AttachEnd, attach_terminal, edit, editor, tell_how_to_leave, tell_how_to_return};
use crate::tui::effect::{Failure, ForegroundProgram};
use crate::tui::input::BackgroundEvent;
use crate::tui::terminal::Terminal;

/// Gives the terminal to a program, and returns the outcome. Impossible requests are refused earlier.
#[expect(clippy::disallowed_methods, reason = "the user's shell and editor take over the terminal")]
pub(super) fn run(
    program: ForegroundProgram,
    terminal: &mut Terminal,
    context: &Context,
) -> io::Result<Option<BackgroundEvent>> {
    match program {
        ForegroundProgram::Attach(id) => Ok(match attachment(&id, context) {
            Ok((name, attachment)) => attach(&name, attachment, terminal)?,
            Err(problem) => Some(trouble(failure(problem))),
        }),
        ForegroundProgram::Shell(directory) => {
            let shell = std::env::var_os("SHELL").unwrap_or_else(|| OsString::from("/bin/sh"));
            let greeting = format!("a shell in {directory}; exit returns to agency");
            visit_directory(terminal, &directory, &greeting, &mut Command::new(shell))
        }
        ForegroundProgram::Editor(directory) => {
            let (program, arguments) = editor();
            visit_directory(terminal, &directory, "", Command::new(program).args(arguments).arg("."))
        }
        ForegroundProgram::Text { purpose, text } => {
            let text = terminal.release_while(|| edit(&text))?.map_err(failure);
            Ok(Some(BackgroundEvent::Written { purpose, text }))
        }
    }
}

/// How to attach to a run, and its name.
fn attachment(id: &RunId, context: &Context) -> Result<(String, Attachment), Problem> {
    let mut agency = context.agency()?;
    let row = context.select(&mut agency, id.as_str())?;
    let name = row.label().to_owned();
    if row.state.is_terminal() {
        let problem = Problem::new(ErrorCode::InvalidState, format!("{name} is {}; there is no terminal", row.state));
        return Err(problem.hint("1 shows its output, m resumes it"));
    }
    Ok((name, agency.attach(&row, std::env::var_os("TMUX").as_deref(), false)?))
}

/// Shows the agent's terminal until the user leaves it or the agent ends.
fn attach(name: &str, attachment: Attachment, terminal: &mut Terminal) -> io::Result<Option<BackgroundEvent>> {
    let broken = |error: io::Error| {
        let problem = Problem::new(ErrorCode::TmuxNotFound, format!("tmux could not be started: {error}"));
        trouble(failure(problem))
    };
    match attachment {
        Attachment::Tmux(mut command) => {
            tell_how_to_leave(&mut command, "returns to agency");
            let ended = terminal.release_while(|| command.status())?;
            Ok(ended.map_err(broken).map_or_else(Some, |status| unless_well(name, status)))
        }
        // The tmux client we are in shows it now, and we stay where we are.
        Attachment::Switch { mut command, tell } => match command.output() {
            Ok(output) if output.status.success() => {
                tell_how_to_return(tell, "returns to agency");
                Ok(Some(BackgroundEvent::Said(format!("{name} was shown in this tmux client"))))
            }
            Ok(output) => {
                let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
                Ok(Some(BackgroundEvent::Trouble(format!("tmux does not show {name}: {why}"))))
            }
            Err(error) => Ok(Some(broken(error))),
        },
        Attachment::Direct(connection) => {
            let left = terminal.release_while(|| {
                say(&format!("{name}: Ctrl-\\ returns to agency"));
                attach_terminal(connection)
            })?;
            Ok(Some(match left {
                Ok(AttachEnd::Detached) => BackgroundEvent::Said(format!("detached from {name}; it is still running")),
                Ok(AttachEnd::Ended) => BackgroundEvent::Said(format!("{name} has finished")),
                Err(error) => trouble(failure(error)),
            }))
        }
    }
}

fn unless_well(name: &str, status: ExitStatus) -> Option<BackgroundEvent> {
    (!status.success())
        .then(|| BackgroundEvent::Trouble(format!("tmux stopped showing {name}: it exited with {status}")))
}

/// Lets a program have the terminal in a directory.
fn visit_directory(
    terminal: &mut Terminal,
    directory: &str,
    greeting: &str,
    command: &mut Command,
) -> io::Result<Option<BackgroundEvent>> {
    if !Path::new(directory).is_dir() {
        return Ok(Some(BackgroundEvent::Trouble(format!("its directory does not exist any more: {directory}"))));
    }
    let ended = terminal.release_while(|| {
        if !greeting.is_empty() {
            say(greeting);
        }
        command.current_dir(directory).status()
    })?;
    Ok(ended.err().map(|error| trouble(cannot_start(&command.get_program().to_owned(), &error))))
}

fn cannot_start(program: &OsString, error: &io::Error) -> Failure {
    let hint = Some("set $EDITOR or $SHELL to an installed program".to_owned());
    Failure { message: format!("{} could not be started: {error}", program.display()), hint }
}

fn trouble(failure: Failure) -> BackgroundEvent {
    let hint = failure.hint.map_or_else(String::new, |hint| format!(" ({hint})"));
    BackgroundEvent::Trouble(format!("{}{hint}", failure.message))
}

fn say(text: &str) {
    // It is only a hint.
    let _ = writeln!(io::stdout(), "{}", escaped_text(text));
}

/// Stops as a job of the shell; `fg` comes back here.
pub(super) fn suspend() {
    let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP);
}
