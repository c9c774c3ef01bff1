//! A patch as files and lines with numbers, and which words of a changed line differ.
//!
//! The one rule: any bytes give a patch, and no byte of a line is lost.

mod changed_words;
mod name;
mod parse;
mod side_by_side;

use std::ops::Range;

pub use side_by_side::SidePair;

/// How much of a patch is read.
pub const MAX_PATCH_BYTES: usize = 16 * 1024 * 1024;

/// A patch.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Patch {
    /// What git printed, as text.
    pub text: String,
    /// The files, in git's order.
    pub files: Vec<PatchFile>,
    /// How many bytes were not read.
    pub left_out: usize,
}

/// What happened to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchFile {
    /// Its name, in which nothing is hidden.
    pub path: String,
    /// What was done to it.
    pub kind: ChangeKind,
    /// Whether its contents are not text.
    pub binary: bool,
    /// How many lines were added.
    pub added: u64,
    /// How many lines were removed.
    pub removed: u64,
    /// Its lines.
    pub lines: Vec<PatchLine>,
}

/// A line of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatchLine {
    start: u32,
    end: u32,
    /// What it is.
    pub kind: PatchLineKind,
    /// Its number in the old file, from 1.
    pub old: Option<u32>,
    /// Its number in the new file, from 1.
    pub new: Option<u32>,
}

/// What a line of a patch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchLineKind {
    /// The heading of a hunk, `@@ … @@`.
    Hunk,
    /// In both files.
    Context,
    /// Only in the new file.
    Added,
    /// Only in the old file.
    Removed,
    /// A remark of git, or something that is not understood.
    Other,
}

/// What was done to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind {
    /// Its contents differ.
    Changed,
    /// It was created.
    New,
    /// It was removed.
    Deleted,
    /// It was renamed from this name.
    Renamed(String),
    /// It is a copy of this one.
    Copied(String),
    /// Only its permissions differ.
    Mode(String),
}

impl PatchLine {
    /// Where it begins in the text of the patch, in bytes.
    #[must_use]
    pub const fn start(&self) -> usize {
        self.start as usize
    }
}

impl PatchFile {
    const fn new(path: String) -> Self {
        Self { path, kind: ChangeKind::Changed, binary: false, added: 0, removed: 0, lines: vec![] }
    }

    /// Its name, with the old one if it was renamed.
    #[must_use]
    pub fn title(&self, arrow: &str) -> String {
        match &self.kind {
            ChangeKind::Renamed(old) | ChangeKind::Copied(old) => format!("{old} {arrow} {}", self.path),
            ChangeKind::Changed | ChangeKind::New | ChangeKind::Deleted | ChangeKind::Mode(_) => self.path.clone(),
        }
    }

    /// What was done to it; none if it was only changed.
    #[must_use]
    pub fn description(&self) -> Option<String> {
        let word = match &self.kind {
            ChangeKind::Changed => None,
            ChangeKind::New => Some("new".to_owned()),
            ChangeKind::Deleted => Some("deleted".to_owned()),
            ChangeKind::Renamed(_) => Some("renamed".to_owned()),
            ChangeKind::Copied(_) => Some("copied".to_owned()),
            ChangeKind::Mode(modes) => Some(modes.clone()),
        };
        match (word, self.binary) {
            (Some(word), true) => Some(format!("{word}, binary")),
            (None, true) => Some("binary".to_owned()),
            (word, false) => word,
        }
    }

    /// The highest line number in it.
    #[must_use]
    pub fn last_number(&self) -> u32 {
        let last = |number: fn(&PatchLine) -> Option<u32>| self.lines.iter().rev().find_map(number);
        last(|line| line.old).max(last(|line| line.new)).unwrap_or(0)
    }
}

impl Patch {
    /// A line with its sign, as git printed it.
    #[must_use]
    pub fn line(&self, line: &PatchLine) -> &str {
        self.text.get(line.start as usize..line.end as usize).unwrap_or_default()
    }

    /// A line of the file itself, without its sign.
    #[must_use]
    pub fn code(&self, line: &PatchLine) -> &str {
        let text = self.line(line);
        match line.kind {
            PatchLineKind::Context | PatchLineKind::Added | PatchLineKind::Removed => text.get(1..).unwrap_or_default(),
            PatchLineKind::Hunk | PatchLineKind::Other => text,
        }
    }

    /// The parts of [`Self::code`] that differ from the line that this one replaces or is replaced by. Empty where no line
    /// corresponds to it, or too little is the same.
    #[must_use]
    pub fn changed_words(&self, file: &PatchFile, index: usize) -> Vec<Range<usize>> {
        let Some((old, new)) = changed_words::counterpart(file, index) else { return vec![] };
        let text = |index: usize| file.lines.get(index).map(|line| self.code(line)).unwrap_or_default();
        let (removed, added) = changed_words::differences(text(old), text(new));
        if index == old { removed } else { added }
    }
}

#[cfg(test)]
mod tests;
