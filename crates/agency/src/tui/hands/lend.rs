//! Lending the terminal: to an agent, a shell, an editor, or to the shell that started us.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::Command;

use agency_engine::attach::{Attachment, Farewell, visit};
use agency_model::RunId;

use super::refusal;
use crate::context::Context;
use crate::problem::Problem;
use crate::tui::effect::{Lending, Refusal};
use crate::tui::input::News;
use crate::tui::state::State;
use crate::tui::terminal::Terminal;

/// Lends the terminal, and says what came of it.
pub(super) fn lend(
    lending: Lending,
    terminal: &mut Terminal,
    context: &Context,
    _state: &State,
) -> io::Result<Vec<News>> {
    match lending {
        Lending::Attach(id) => {
            let outcome = terminal.lend(|| attach(&id, context))?;
            Ok(outcome.err().map(refusal).map(trouble).into_iter().collect())
        }
        Lending::Shell(directory) => {
            let shell = std::env::var_os("SHELL").unwrap_or_else(|| OsString::from("/bin/sh"));
            let outcome = terminal.lend(|| {
                say(&format!("a shell in {directory}; exit comes back to agency"));
                Command::new(&shell).current_dir(&directory).status()
            })?;
            Ok(started(&shell, outcome.err()).into_iter().collect())
        }
        Lending::Editor(directory) => {
            let (program, arguments) = editor();
            let outcome =
                terminal.lend(|| Command::new(&program).args(&arguments).arg(".").current_dir(&directory).status())?;
            Ok(started(&program, outcome.err()).into_iter().collect())
        }
        Lending::Text { purpose, text } => {
            let outcome = terminal.lend(|| write(&text))?;
            Ok(vec![News::Written { purpose, text: outcome }])
        }
    }
}

/// Shows the agent's terminal until the user leaves it or the agent ends.
fn attach(id: &RunId, context: &Context) -> Result<(), Problem> {
    let mut agency = context.agency()?;
    let row = context.select(&mut agency, id.as_str())?;
    match agency.attach(&row, std::env::var_os("TMUX").as_deref(), false)? {
        Attachment::Tmux(mut command) => {
            say("Ctrl-b d comes back to agency");
            command.status().map_err(|error| Problem::new(agency_model::ErrorCode::TmuxNotFound, error.to_string()))?;
        }
        Attachment::Direct(door) => {
            say(&format!("{id}: Ctrl-\\ comes back to agency"));
            match visit(door)? {
                Farewell::Detached | Farewell::Ended => {}
            }
        }
    }
    Ok(())
}

/// Lets the user write a text in an editor of their own.
fn write(text: &str) -> Result<String, Refusal> {
    let refused = |error: io::Error| Refusal { message: format!("the text could not be written: {error}"), hint: None };
    let file = tempfile::Builder::new().prefix("agency-").suffix(".md").tempfile().map_err(refused)?;
    std::fs::write(file.path(), text).map_err(refused)?;
    let (program, arguments) = editor();
    let status = Command::new(&program).args(&arguments).arg(file.path()).status();
    match status {
        Ok(status) if status.success() => std::fs::read_to_string(file.path()).map_err(refused),
        Ok(status) => Err(Refusal {
            message: format!("{} ended with {status}; the text is as it was", program.display()),
            hint: None,
        }),
        Err(error) => Err(cannot_start(&program, &error)),
    }
}

/// The user's editor and its arguments.
fn editor() -> (OsString, Vec<OsString>) {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let words = set("VISUAL").or_else(|| set("EDITOR")).unwrap_or_else(|| OsString::from("vi"));
    // `code --wait` is an editor with an argument.
    let mut words = words.to_string_lossy().split_whitespace().map(OsString::from).collect::<Vec<_>>().into_iter();
    (words.next().unwrap_or_else(|| OsString::from("vi")), words.collect())
}

fn started(program: &OsString, error: Option<io::Error>) -> Option<News> {
    error.map(|error| trouble(cannot_start(program, &error)))
}

fn cannot_start(program: &OsString, error: &io::Error) -> Refusal {
    let hint = Some("set $EDITOR or $SHELL to a program that is there".to_owned());
    Refusal { message: format!("{} could not be started: {error}", program.display()), hint }
}

fn trouble(refusal: Refusal) -> News {
    let hint = refusal.hint.map_or_else(String::new, |hint| format!(" ({hint})"));
    News::Trouble(format!("{}{hint}", refusal.message))
}

fn say(text: &str) {
    // Who does not see it misses little.
    let _ = writeln!(io::stdout(), "{text}");
}

/// Stops as a job of the shell; `fg` comes back here.
pub(super) fn suspend() {
    let _ = signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP);
}
