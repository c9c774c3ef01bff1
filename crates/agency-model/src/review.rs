//! Comments on the work of a run: where they are, how users write them, and where their lines are later.
//!
//! The one rule: files and comments are foreign text; every parser is total and limited.

mod document;
mod edited;
mod line_map;
mod message;
mod place;

pub use document::read_review;
pub use edited::{EDIT_HELP, MisreadReview, commentable, read_commented};
pub use line_map::{FollowedLines, follow_lines, lines_of};
pub use message::{SentComment, review_message};
pub use place::{CommentPlace, LineRange, MisplacedComment};

use crate::string_enum::string_enum;

/// A longer comment is refused.
pub const MAX_COMMENT_BYTES: usize = 64 * 1024;
/// More comments at once are refused.
pub const MAX_COMMENTS: usize = 1000;

string_enum! {
    /// Which version of a file the lines of a comment are in.
    Side {
        /// The base commit.
        Old = "old",
        /// The work of the run.
        New = "new",
    }
}

string_enum! {
    /// The state of a comment.
    CommentState {
        /// The agent does not have it.
        Open = "open",
        /// The agent has it.
        Sent = "sent",
        /// Its lines changed after it was sent.
        Addressed = "addressed",
        /// Its file was deleted after it was sent.
        Gone = "gone",
        /// A user took it back.
        Withdrawn = "withdrawn",
    }
}

/// A comment as a user writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewComment {
    /// What it is about.
    pub place: CommentPlace,
    /// Its text.
    pub body: String,
}
