//! A diff in which a user wrote comments with an editor. Lines of the diff are quoted as in a mail; lines that begin with
//! `# ` are comments on the line above them.

use super::line_map::matching_lines;
use super::{CommentPlace, LineRange, NewComment, Side};
use crate::patch::{Patch, PatchFile, PatchLine, PatchLineKind};

/// The lines above the diff in the editor.
pub const EDIT_HELP: &str = "\
Write a comment below the line that it is about, in lines that begin with \"# \". Below the name of a file,
it is about the whole file. Quoted lines may be deleted. Without a comment, nothing is stored.
";

/// Why a review that was written as a text cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MisreadReview {
    /// A heading names no file.
    #[error("line {line}: the heading does not name a file; write '## FILE:LINE'")]
    Heading {
        /// The line.
        line: usize,
    },
    /// There is text where no file was named yet.
    #[error("line {line}: this text is about no file; begin each comment with a heading '## FILE:LINE'")]
    NoPlace {
        /// The line.
        line: usize,
    },
    /// A comment has no text.
    #[error("line {line}: the comment is empty")]
    Empty {
        /// The line.
        line: usize,
    },
    /// A line is neither of the diff nor a comment.
    #[error("line {line} is neither quoted with '> ' nor a comment, which begins with '# '")]
    Unquoted {
        /// The line.
        line: usize,
    },
    /// A comment is above the first file.
    #[error("line {line}: the comment is above the diff; write it below the line that it is about")]
    Above {
        /// The line.
        line: usize,
    },
}

/// The diff as it is edited.
#[must_use]
pub fn commentable(patch: &Patch) -> String {
    let mut text = EDIT_HELP.to_owned();
    for line in places(patch) {
        text.push_str("> ");
        text.push_str(&line.text);
        text.push('\n');
    }
    text
}

/// One line of the diff with what a comment below it is about.
struct QuotedLine {
    text: String,
    place: CommentPlace,
}

fn places(patch: &Patch) -> Vec<QuotedLine> {
    let mut lines = vec![];
    for file in &patch.files {
        let whole = || CommentPlace { path: file.path.clone(), side: Side::New, lines: None };
        let remark = file.description().map_or_else(String::new, |remark| format!(" ({remark})"));
        lines.push(QuotedLine { text: format!("=== {}{remark}", file.path), place: whole() });
        for line in &file.lines {
            let place = place_of(file, line).unwrap_or_else(whole);
            lines.push(QuotedLine { text: patch.line(line).trim_end_matches('\r').to_owned(), place });
        }
    }
    lines
}

/// What a comment on a line of a patch is about; `None` for a line that is not one of the file.
#[must_use]
fn place_of(file: &PatchFile, line: &PatchLine) -> Option<CommentPlace> {
    let (side, number) = match (line.kind, line.old, line.new) {
        (PatchLineKind::Removed, Some(old), _) => (Side::Old, old),
        (PatchLineKind::Added | PatchLineKind::Context, _, Some(new)) => (Side::New, new),
        (_, _, _) => return None,
    };
    Some(CommentPlace { path: file.path.clone(), side, lines: Some(LineRange::one(number)) })
}

impl PatchFile {
    /// What a comment on one of its lines is about: that line, or the whole file.
    #[must_use]
    pub fn comment_place(&self, index: Option<usize>) -> CommentPlace {
        let line = index.and_then(|index| self.lines.get(index)).and_then(|line| place_of(self, line));
        line.unwrap_or_else(|| CommentPlace { path: self.path.clone(), side: Side::New, lines: None })
    }
}

/// Reads the comments that were written into a diff. Quoted lines count by their content, since a user may have deleted
/// some of them.
pub fn read_commented(patch: &Patch, edited: &str) -> Result<Vec<NewComment>, MisreadReview> {
    let help = EDIT_HELP.lines().count();
    let lines: Vec<&str> = edited.lines().collect();
    let skipped = if edited.starts_with(EDIT_HELP) { help } else { 0 };
    let mut quoted: Vec<&str> = vec![];
    // Each comment with the number of quoted lines above it.
    let mut written: Vec<(usize, usize, String)> = vec![];
    for (number, line) in (1..).zip(&lines).skip(skipped) {
        if let Some(text) = line.strip_prefix('>') {
            quoted.push(text.strip_prefix(' ').unwrap_or(text).trim_end_matches('\r'));
        } else if let Some(text) = line.strip_prefix("# ").or_else(|| (*line == "#").then_some("")) {
            match written.last_mut() {
                Some((above, _, body)) if *above == quoted.len() => {
                    body.push('\n');
                    body.push_str(text);
                }
                _ if quoted.is_empty() => return Err(MisreadReview::Above { line: number }),
                _ => written.push((quoted.len(), number, text.to_owned())),
            }
        } else if !line.trim().is_empty() && !EDIT_HELP.lines().any(|help| help == *line) {
            return Err(MisreadReview::Unquoted { line: number });
        }
    }
    let places = places(patch);
    let original: Vec<&str> = places.iter().map(|line| line.text.as_str()).collect();
    let found = matching_lines(&quoted, &original);
    let place_of = |above: usize| found.get(above.checked_sub(1)?).copied().flatten().and_then(|at| places.get(at));
    let comment = |(above, line, body): (usize, usize, String)| {
        let place = place_of(above).ok_or(MisreadReview::Above { line })?.place.clone();
        let body = body.trim().to_owned();
        if body.is_empty() { Err(MisreadReview::Empty { line }) } else { Ok(NewComment { place, body }) }
    };
    written.into_iter().map(comment).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n }\n\
        diff --git a/b.rs b/b.rs\nnew file mode 100644\n--- /dev/null\n+++ b/b.rs\n@@ -0,0 +1,2 @@\n+x\n+}\n";

    fn patch() -> Patch {
        Patch::read(DIFF.as_bytes())
    }

    #[test]
    fn a_comment_is_about_the_line_above_it() {
        let text = commentable(&patch())
            .replace("> -two\n", "> -two\n# Why?\n#\n# Keep it.\n")
            .replace("> +}\n", "> +}\n# Second\n")
            .replace("> === b.rs (new)\n", "> === b.rs (new)\n\n# Whole\n");
        let found: Vec<String> = read_commented(&patch(), &text)
            .unwrap()
            .iter()
            .map(|new| {
                format!("{} {} {:?} {}", new.place.path, new.place.side, new.place.lines.map(|at| at.first), new.body)
            })
            .collect();
        assert_eq!(found, ["a.rs old Some(2) Why?\n\nKeep it.", "b.rs new None Whole", "b.rs new Some(2) Second"]);
    }

    #[test]
    fn quoted_lines_may_be_deleted() {
        let text = "> === b.rs (new)\n> +}\n# Here\n";
        let found = read_commented(&patch(), text).unwrap();
        assert_eq!((found[0].place.path.as_str(), found[0].place.lines), ("b.rs", Some(LineRange::one(2))));
    }

    #[test]
    fn text_that_is_neither_is_a_mistake_with_its_line() {
        assert_eq!(read_commented(&patch(), "> x\nhello\n"), Err(MisreadReview::Unquoted { line: 2 }));
        assert_eq!(read_commented(&patch(), "# hello\n"), Err(MisreadReview::Above { line: 1 }));
        assert_eq!(read_commented(&patch(), &commentable(&patch())), Ok(vec![]));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text: String) {
            let _ = read_commented(&patch(), &text);
        }
    }
}
