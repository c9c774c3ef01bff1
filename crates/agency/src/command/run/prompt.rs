//! The prompt of `agency run`: an argument, standard input, a file, or a text from the editor.

use std::path::{Path, PathBuf};

use agency_model::ErrorCode;

use super::Args;
use crate::context::Context;
use crate::problem::Problem;
use crate::terminal::edit;
use crate::typed_text::{file_text, given_text, stdin_text};

/// The file that an option names; `-` is standard input.
pub(super) fn or_stdin(path: PathBuf) -> PathBuf {
    if path.as_os_str() == "-" { PathBuf::from("/dev/stdin") } else { path }
}

/// What the agent is to do, as the options give it.
pub(super) struct GivenPrompt {
    pub(super) text: Option<String>,
    pub(super) file: Option<String>,
}

/// The prompt of the options; without any, the spec has to have one.
pub(super) fn prompt_of(args: &Args, context: &Context) -> Result<GivenPrompt, Problem> {
    let text = args.task.clone().or_else(|| args.prompt.clone());
    let text = text.map(|text| given_text(text, "prompt")).transpose()?;
    let mut given = match (text, args.prompt_file.as_deref()) {
        (None, Some("-")) => GivenPrompt { text: Some(stdin_text("prompt")?), file: None },
        (text, file) => GivenPrompt { text, file: file.map(str::to_owned) },
    };
    if args.edit {
        if !context.is_at_terminal() {
            return Err(Problem::new(ErrorCode::Usage, "--edit needs a terminal for the editor")
                .hint("give the prompt as an argument, with --prompt-file FILE, or with - on standard input"));
        }
        let begun = match (&given.text, &given.file) {
            (Some(text), _) => text.clone(),
            (None, Some(file)) => file_text(Path::new(file), "prompt")?,
            (None, None) => String::new(),
        };
        given = GivenPrompt { text: Some(edit(&begun)?), file: None };
    }
    let is_empty = given.text.as_deref().is_some_and(|text| text.trim().is_empty());
    let is_missing = given.text.is_none() && given.file.is_none() && args.spec.is_none();
    if is_empty || is_missing {
        let what = if is_empty { "The prompt is empty" } else { "No prompt" };
        let message = format!(
            "{what}: use agency run \"TEXT\", --prompt TEXT, --prompt-file FILE, --edit, or - for standard input"
        );
        return Err(Problem::new(ErrorCode::InvalidSpec, message)
            .detail("field", "prompt.path")
            .hint("agency run --help shows examples"));
    }
    Ok(given)
}
