//! A review that was written as a Markdown file: each heading `## FILE:LINE` begins a comment.

use super::edited::MisreadReview;
use super::place::read_lines;
use super::{CommentPlace, NewComment, Side};

/// Reads the comments of a review. A title and empty lines may stand before the first comment, and nothing else, so that
/// no text is passed over.
pub fn read_review(text: &str) -> Result<Vec<NewComment>, MisreadReview> {
    let mut comments: Vec<(usize, NewComment)> = vec![];
    let mut in_fence = false;
    for (number, line) in (1..).zip(text.lines()) {
        let heading = line.strip_prefix("## ").filter(|_| !in_fence);
        if let Some(heading) = heading {
            let place = read_place(heading.trim()).ok_or(MisreadReview::Heading { line: number })?;
            comments.push((number, NewComment { place, body: String::new() }));
            continue;
        }
        in_fence ^= line.trim_start().starts_with("```");
        match comments.last_mut() {
            Some((_, comment)) => {
                comment.body.push_str(line);
                comment.body.push('\n');
            }
            None if line.trim().is_empty() || line.starts_with("# ") => {}
            None => return Err(MisreadReview::NoPlace { line: number }),
        }
    }
    let finish = |(line, comment): (usize, NewComment)| {
        let body = comment.body.trim().to_owned();
        if body.is_empty() { Err(MisreadReview::Empty { line }) } else { Ok(NewComment { body, ..comment }) }
    };
    comments.into_iter().map(finish).collect()
}

/// Reads `FILE:LINE`, `FILE:FIRST-LAST`, `FILE:-LINE` and `FILE`.
fn read_place(heading: &str) -> Option<CommentPlace> {
    let heading = heading.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).unwrap_or(heading);
    let with_lines = heading.rsplit_once(':').and_then(|(path, lines)| {
        let (side, lines) = read_lines(lines)?;
        (!path.is_empty()).then(|| CommentPlace { path: path.to_owned(), side, lines })
    });
    let whole = || CommentPlace { path: heading.to_owned(), side: Side::New, lines: None };
    with_lines.or_else(|| (!heading.is_empty()).then(whole))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::LineRange;

    #[test]
    fn headings_begin_comments_and_no_text_is_passed_over() {
        let text = "# Review\n\n## src/a.rs:3-4\nUse a map.\n\n```\n## not a heading\n```\n\n## `b:c`\nDelete it.\n## d:-7\nWhy?\n";
        let comments = read_review(text).unwrap();
        assert_eq!(comments[0].place.lines, Some(LineRange { first: 3, last: 4 }));
        assert_eq!(comments[0].body, "Use a map.\n\n```\n## not a heading\n```");
        assert_eq!(comments[1].place, CommentPlace { path: "b:c".to_owned(), side: Side::New, lines: None });
        assert_eq!((comments[2].place.side, comments[2].body.as_str()), (Side::Old, "Why?"));
        assert_eq!(read_review("hello"), Err(MisreadReview::NoPlace { line: 1 }));
        assert_eq!(read_review("## a:1\n\n## b\nx"), Err(MisreadReview::Empty { line: 1 }));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text: String) {
            let _ = read_review(&text);
        }
    }
}
