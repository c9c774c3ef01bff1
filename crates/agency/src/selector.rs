//! The run that an argument names, and the name that a message calls a run by, for all commands.

use agency_engine::agency::Agency;
use agency_engine::store::{Purpose, RunRow, Selected};
use agency_model::{ErrorCode, RunId, shell_quoted};

use crate::context::Context;
use crate::output::Surface;
use crate::problem::Problem;

impl Context {
    /// The one run that is shown by what the user typed.
    pub(crate) fn select(&self, agency: &mut Agency, text: &str) -> Result<RunRow, Problem> {
        self.select_for(agency, text, Purpose::Read)
    }

    /// The one run that a command is about to act on.
    pub(crate) fn select_for(&self, agency: &mut Agency, text: &str, purpose: Purpose) -> Result<RunRow, Problem> {
        match agency.select_for(text, purpose)? {
            Selected::One(row) => Ok(*row),
            Selected::None => Err(not_found(agency, text)),
            Selected::Several(rows) => Err(ambiguous(&rows, text)),
        }
    }
}

/// What a user types for a run, on one line.
pub(crate) fn called(agency: &Agency, id: &RunId) -> String {
    Surface::stderr().field(&shell_quoted(&agency.short_name(id)))
}

/// A message with the names of runs in place of their ids. Ids inside of paths, branches and sessions stay.
pub(crate) fn with_names(text: &str, name_of: impl Fn(&RunId) -> String) -> String {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let may_precede = |letter: Option<char>| letter.is_none_or(|letter| letter.is_whitespace() || "'(\"".contains(letter));
    let may_follow = |letter: Option<char>| {
        letter.is_none_or(|letter| letter.is_whitespace() || "'\"),;:.".contains(letter))
    };
    let (mut shown, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(start) = rest.find(is_word) {
        let (before, word) = rest.split_at(start);
        shown.push_str(before);
        let (word, after) = word.split_at(word.find(|letter| !is_word(letter)).unwrap_or(word.len()));
        match word.parse::<RunId>() {
            Ok(id) if may_precede(shown.chars().next_back()) && may_follow(after.chars().next()) => {
                shown.push_str(&name_of(&id));
            }
            Ok(_) | Err(_) => shown.push_str(word),
        }
        rest = after;
    }
    shown + rest
}

fn not_found(agency: &Agency, text: &str) -> Problem {
    let hint = match agency.nearest_name(text) {
        Ok(Some(name)) => format!("did you mean {name}? agency ls --all lists all runs"),
        Ok(None) | Err(_) => "agency ls --all lists all runs".to_owned(),
    };
    Problem::new(ErrorCode::RunNotFound, format!("no run matches '{text}'")).detail("run", text).hint(hint)
}

fn ambiguous(rows: &[RunRow], text: &str) -> Problem {
    let candidates: Vec<String> = rows.iter().map(|row| row.id.to_string()).collect();
    let names: Vec<&str> = rows.iter().map(RunRow::label).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    let list: String =
        rows.iter().map(|row| format!("\n  {:<width$}  {:<9}  {}", row.label(), row.state, row.id)).collect();
    Problem::new(ErrorCode::AmbiguousRun, format!("'{text}' matches several runs:{list}"))
        .detail("candidates", candidates)
        .detail("names", names)
        .hint("give the whole name, or more of the id")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_becomes_a_name_where_it_is_a_word_of_its_own() {
        let id = "r_01M7HV3P4ZGSC2VVCBJWBWZGYB";
        let named = |text: &str| with_names(&text.replace("ID", id), |_| "fix-login".to_owned());
        assert_eq!(named("ID is killed; agency show ID: done (ID)"), "fix-login is killed; agency show fix-login: done (fix-login)");
        let kept = "/home/runs/ID/logs agency/ID agency_ID refs/ID ID/x r_01M7 \u{e9}".replace("ID", id);
        assert_eq!(with_names(&kept, |_| "x".to_owned()), kept);
    }
}
