//! Asks jj about revisions.

use super::JjError;
use super::command::JjCommand;
use crate::{Commit, Result};

/// What is asked of each revision.
const TEMPLATE: &str = r#"commit_id ++ " " ++ change_id ++ " " ++ empty ++ " " ++ conflict ++ "\n""#;

/// One revision, as jj describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Revision {
    /// The commit that holds it in git.
    pub(super) commit: Commit,
    /// What stays the same when it is rewritten.
    pub(super) change: String,
    /// Whether it changes nothing.
    pub(super) empty: bool,
    /// Whether it holds conflicts.
    pub(super) conflicted: bool,
}

/// The revisions of a revset, children first.
pub(super) fn revisions(jj: JjCommand, revset: &str) -> Result<Vec<Revision>> {
    let printed = jj.run(["log", "--no-graph", "--template", TEMPLATE]).arg(format!("--revisions={revset}")).read()?;
    Ok(printed.lines().filter_map(parse).collect())
}

/// The first revision of a revset that has one.
pub(super) fn first(jj: JjCommand, revset: &str) -> Result<Option<Revision>> {
    Ok(revisions(jj, revset)?.into_iter().next())
}

/// The one revision that keeps a bookmark; `None` when there is no such bookmark.
pub(super) fn bookmarked(jj: JjCommand, name: &str) -> Result<Option<Commit>> {
    let mut found = revisions(jj, &format!("bookmarks(exact:{})", quoted(name)))?;
    match (found.pop(), found.is_empty()) {
        (Some(revision), true) => Ok(Some(revision.commit)),
        (Some(_), false) => Err(JjError::Conflicted { name: name.to_owned() }.into()),
        (None, _) => Ok(None),
    }
}

/// The working-copy revision of a workspace, as a revset.
pub(super) fn working_copy_of(name: &str) -> String {
    format!("{}@", quoted(name))
}

/// A string of the revset language.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn parse(line: &str) -> Option<Revision> {
    let mut words = line.split(' ');
    Some(Revision {
        commit: words.next()?.parse().ok()?,
        change: words.next()?.to_owned(),
        empty: words.next()? == "true",
        conflicted: words.next()? == "true",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_revision_or_nothing() {
        let commit = "0123456789abcdef0123456789abcdef01234567";
        let revision = parse(&format!("{commit} kxrxkyxu true false")).unwrap();
        assert_eq!((revision.commit.as_str(), revision.change.as_str()), (commit, "kxrxkyxu"));
        assert!(revision.empty && !revision.conflicted);
        assert_eq!(parse("Warning: something"), None);
    }

    #[test]
    fn a_name_cannot_leave_its_quotes() {
        assert_eq!(quoted(r#"a"\b"#), r#""a\"\\b""#);
    }
}
