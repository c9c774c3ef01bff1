//! Files that users write: their values with positions, and every mistake in them.
//!
//! The one rule: any text gives values or mistakes, in bounded time and space, and a mistake has its place.

mod decode;
mod json;
mod mistake;
mod source;
mod tree;
mod words;
mod yaml;

pub use decode::{decode, decode_field};
pub use json::read_json;
pub use mistake::{Mistake, Mistakes, Place, Reason};
pub use source::Source;
pub use tree::{Key, Layout, Node, NodeKind, NodeText, dotted_index, dotted_key};
pub use words::Format;
pub use yaml::read_yaml;
