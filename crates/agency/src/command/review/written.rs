//! The comments of one call: from options, from a file, and from the editor.

use agency_engine::agency::Agency;
use agency_engine::runs::remove::RemoveError;
use agency_engine::store::RunRow;
use agency_model::patch::Patch;
use agency_model::review::{MisplacedComment, MisreadReview, NewComment, commentable, read_commented, read_review};
use agency_model::{ErrorCode, Escaper, Sgr};

use super::Args;
use crate::context::Context;
use crate::problem::{Coded, Problem};
use crate::terminal::edit;
use crate::typed_text::file_text;

impl Coded for MisplacedComment {
    fn code(&self) -> ErrorCode {
        ErrorCode::InvalidComment
    }
}

impl Coded for MisreadReview {
    fn code(&self) -> ErrorCode {
        ErrorCode::InvalidComment
    }
}

/// The comments that were written. Nothing is stored yet.
pub(super) fn comments(
    args: &Args,
    agency: &mut Agency,
    row: &RunRow,
    context: &Context,
) -> Result<Vec<NewComment>, Problem> {
    let mut comments =
        args.comment.iter().map(|text| text.parse::<NewComment>()).collect::<Result<Vec<_>, MisplacedComment>>()?;
    if let Some(file) = &args.file {
        comments.extend(read_review(&file_text(file, "review")?)?);
    }
    if args.edit {
        comments.extend(edited(agency, row, context)?);
    }
    Ok(comments)
}

fn edited(agency: &mut Agency, row: &RunRow, context: &Context) -> Result<Vec<NewComment>, Problem> {
    if !context.is_at_terminal() {
        return Err(Problem::new(ErrorCode::Usage, "--edit needs a terminal for the editor")
            .hint("give comments with --comment FILE:LINE:TEXT, or with --file FILE"));
    }
    let text = agency.workspace_of(row)?.diff().map_err(RemoveError::from)?;
    // An editor may send what it shows to the terminal as it is.
    let mut escaper = Escaper::new(Sgr::Escape);
    let patch = Patch::read([escaper.feed(&text), escaper.finish()].concat().as_bytes());
    let written = edit(&commentable(&patch))?;
    read_commented(&patch, &written).map_err(|mistake| kept(mistake.into(), &written))
}

/// A text that cannot be read is not lost.
fn kept(problem: Problem, text: &str) -> Problem {
    let keep = || -> std::io::Result<std::path::PathBuf> {
        let file = tempfile::Builder::new().prefix("agency-review-").suffix(".md").tempfile()?;
        std::fs::write(file.path(), text)?;
        Ok(file.into_temp_path().keep()?)
    };
    match keep() {
        Ok(path) => problem.hint(format!("nothing was stored; what you wrote is in {}", path.display())),
        Err(_) => problem,
    }
}
