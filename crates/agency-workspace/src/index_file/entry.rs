//! One entry of an index file.

use super::{Unusable, number};

/// Times, device, inode, mode, owner and size, four bytes each.
const STAT_BYTES: usize = 40;
const MTIME_SECONDS_AT: usize = 8;
const MODE_AT: usize = 24;
const EXTENDED: u16 = 0x4000;
const STAGE: u16 = 0x3000;
const NAME_LENGTH: u16 = 0x0fff;
const SKIP_WORKTREE: u16 = 0x4000;
const MODE_TYPE: u32 = 0o170_000;

/// What an entry stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// A file, executable or not.
    File,
    Symlink,
    /// A commit of another repository.
    Gitlink,
    /// All of a directory that is not checked out.
    SparseDirectory,
}

/// A path with what git last saw there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IndexEntry {
    stat: [u8; STAT_BYTES],
    /// The object.
    pub(super) id: Vec<u8>,
    flags: u16,
    extended: u16,
    /// The path, below the working tree.
    pub(crate) path: Vec<u8>,
}

impl IndexEntry {
    pub(crate) fn mode(&self) -> Mode {
        match number(&self.stat, MODE_AT) & MODE_TYPE {
            0o120_000 => Mode::Symlink,
            0o160_000 => Mode::Gitlink,
            0o040_000 => Mode::SparseDirectory,
            _ => Mode::File,
        }
    }

    /// The stage of a conflict; zero without one.
    pub(crate) fn stage(&self) -> u16 {
        (self.flags & STAGE) >> 12
    }

    /// What entries are ordered by.
    pub(crate) fn position(&self) -> (&[u8], u16) {
        (&self.path, self.stage())
    }

    /// Whether the file is not to be checked out.
    pub(crate) fn is_skipped(&self) -> bool {
        self.extended & SKIP_WORKTREE != 0
    }

    /// Whether nothing is known of a file that git looks at, so that it has to be read.
    pub(crate) fn is_unread(&self) -> bool {
        let unknown = number(&self.stat, MTIME_SECONDS_AT) == 0 && number(&self.stat, 0) == 0;
        unknown && !self.is_skipped() && self.mode() != Mode::Gitlink
    }

    /// Points a link at another commit, whose id is given in hexadecimal.
    pub(crate) fn point_at(&mut self, id: &str) {
        let digits = id.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok());
        let bytes: Option<Vec<u8>> = digits.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect();
        if let Some(bytes) = bytes.filter(|bytes| bytes.len() == self.id.len()) {
            self.id = bytes;
        }
    }

    /// Makes git read the file again.
    pub(crate) fn forget_file(&mut self) {
        self.stat[..MODE_AT].fill(0);
        self.stat[MODE_AT + 4..].fill(0);
    }

    /// Whether the file may have been written after the index was, at `modified` seconds since 1970.
    pub(super) fn may_have_changed_since(&self, modified: u64) -> bool {
        let changed = number(&self.stat, 0).max(number(&self.stat, MTIME_SECONDS_AT));
        u64::from(changed) >= modified
    }

    /// The entry as one that is checked out and without a conflict, of whose file nothing is known.
    pub(crate) fn plain(mut self) -> Self {
        self.flags &= !STAGE;
        self.extended = 0;
        self.forget_file();
        self
    }

    pub(super) fn is_extended(&self) -> bool {
        self.extended != 0
    }

    pub(super) fn append_to(&self, content: &mut Vec<u8>) {
        let start = content.len();
        let length = u16::try_from(self.path.len()).map_or(NAME_LENGTH, |length| length.min(NAME_LENGTH));
        let extended = if self.is_extended() { EXTENDED } else { 0 };
        content.extend_from_slice(&self.stat);
        content.extend_from_slice(&self.id);
        content.extend_from_slice(&(self.flags | extended | length).to_be_bytes());
        if self.is_extended() {
            content.extend_from_slice(&self.extended.to_be_bytes());
        }
        content.extend_from_slice(&self.path);
        // One to eight zeros, up to a multiple of eight.
        let padded = (content.len() - start) / 8 * 8 + 8;
        content.resize(start + padded, 0);
    }
}

/// Reads one entry and returns what follows it. `before` is the path of the entry before.
pub(super) fn parse<'a>(
    bytes: &'a [u8],
    version: u32,
    id_bytes: usize,
    before: &[u8],
) -> Result<(IndexEntry, &'a [u8]), Unusable> {
    let stat: [u8; STAT_BYTES] = bytes.get(..STAT_BYTES).and_then(|stat| stat.try_into().ok()).ok_or(Unusable)?;
    let mut at = STAT_BYTES;
    let id = bytes.get(at..at + id_bytes).ok_or(Unusable)?.to_vec();
    at += id_bytes;
    let flags = short(bytes, at)?;
    at += 2;
    let mut extended = 0;
    if flags & EXTENDED != 0 && version >= 3 {
        // An entry that is only intended is one whose file has to be read.
        extended = short(bytes, at)? & SKIP_WORKTREE;
        at += 2;
    }
    let mut path = Vec::new();
    if version == 4 {
        let removed = offset(bytes, &mut at)?;
        let kept = before.len().checked_sub(removed).ok_or(Unusable)?;
        path.extend_from_slice(&before[..kept]);
    }
    let tail = bytes.get(at..).ok_or(Unusable)?;
    let end = tail.iter().position(|byte| *byte == 0).ok_or(Unusable)?;
    path.extend_from_slice(&tail[..end]);
    at = if version == 4 { at + end + 1 } else { (at + end) / 8 * 8 + 8 };
    // Without the flag that hides changes, "assume unchanged", and what is known otherwise.
    let entry = IndexEntry { stat, id, flags: flags & STAGE, extended, path };
    if !is_plausible(&entry) {
        return Err(Unusable);
    }
    Ok((entry, bytes.get(at..).ok_or(Unusable)?))
}

/// Whether git could have written the entry: a kind of file that it knows, at a path that stays in the working tree.
fn is_plausible(entry: &IndexEntry) -> bool {
    let mode = number(&entry.stat, MODE_AT);
    let known = matches!(mode & MODE_TYPE, 0o100_000 | 0o120_000 | 0o160_000 | 0o040_000);
    let path = match entry.mode() {
        Mode::SparseDirectory => entry.path.strip_suffix(b"/").unwrap_or(&entry.path),
        Mode::File | Mode::Symlink | Mode::Gitlink => &entry.path,
    };
    let inside = path
        .split(|byte| *byte == b'/')
        .all(|name| !matches!(name, b"" | b"." | b"..") && !name.eq_ignore_ascii_case(b".git"));
    known && inside
}

fn short(bytes: &[u8], at: usize) -> Result<u16, Unusable> {
    let two = bytes.get(at..at + 2).and_then(|two| two.try_into().ok());
    two.map(u16::from_be_bytes).ok_or(Unusable)
}

/// Reads a number of variable length, as git writes offsets.
fn offset(bytes: &[u8], at: &mut usize) -> Result<usize, Unusable> {
    let mut next = || {
        let byte = bytes.get(*at).copied().ok_or(Unusable);
        *at += 1;
        byte
    };
    let mut byte = next()?;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        byte = next()?;
        let shifted = value.checked_add(1).and_then(|value| value.checked_mul(128)).ok_or(Unusable)?;
        value = shifted + usize::from(byte & 0x7f);
    }
    Ok(value)
}
