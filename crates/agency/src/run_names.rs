//! The names that messages call runs by.

use agency_engine::agency::Agency;
use agency_model::{RunId, shell_quoted};

use crate::output::Surface;

/// What a user types for a run, on one line.
pub(crate) fn called(agency: &Agency, id: &RunId) -> String {
    Surface::stderr().field(&shell_quoted(agency.short_name(id)))
}

/// A message with the names of runs in place of their ids. Ids inside of paths, branches and sessions stay.
pub(crate) fn with_names(text: &str, name_of: impl Fn(&RunId) -> String) -> String {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let may_precede =
        |letter: Option<char>| letter.is_none_or(|letter| letter.is_whitespace() || "'(\"".contains(letter));
    let may_follow =
        |letter: Option<char>| letter.is_none_or(|letter| letter.is_whitespace() || "'\"),;:.".contains(letter));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_becomes_a_name_where_it_is_a_word_of_its_own() {
        let id = "r_01M7HV3P4ZGSC2VVCBJWBWZGYB";
        let named = |text: &str| with_names(&text.replace("ID", id), |_| "fix-login".to_owned());
        assert_eq!(
            named("ID is killed; agency show ID: done (ID)"),
            "fix-login is killed; agency show fix-login: done (fix-login)"
        );
        let kept = "runs/ID/logs agency/ID agency_ID refs/ID ID/x r_01M7 \u{e9}".replace("ID", id);
        assert_eq!(with_names(&kept, |_| "x".to_owned()), kept);
    }
}
