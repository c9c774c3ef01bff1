//! Reads and writes git's index file, so that an index that an agent wrote is checked before git sees it.
//!
//! The one rule: any bytes are read without a panic, and what is written holds entries only, no extension.

mod entry;

use std::path::Path;

pub(super) use entry::{IndexEntry, Mode};

use super::link;

/// The index of the largest known repositories has less than a tenth of this.
pub(super) const MAX_INDEX_BYTES: u64 = 512 * 1024 * 1024;
const SIGNATURE: &[u8; 4] = b"DIRC";
const HEADER_BYTES: usize = 12;
/// The sizes of object ids: SHA-1 and SHA-256.
const ID_BYTES: [usize; 2] = [20, 32];

/// The entries of an index, in git's order: by path, then by stage.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct IndexFile {
    pub(super) entries: Vec<IndexEntry>,
}

/// There is no index, or it holds what git never writes to a whole one: it may be split or sparse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the index is missing, damaged, split or sparse")]
pub(super) struct Unusable;

impl IndexFile {
    /// Reads an index from a file. Entries that were written in the second in which the index was are marked as unknown,
    /// since their content may have changed afterwards.
    pub(super) fn open(path: &Path) -> Result<Self, Unusable> {
        let (content, modified) = link::read_regular(path, MAX_INDEX_BYTES).map_err(|_| Unusable)?;
        let mut index = Self::parse(&content)?;
        for entry in &mut index.entries {
            if entry.may_have_changed_since(modified) {
                entry.forget_file();
            }
        }
        Ok(index)
    }

    /// Reads the content of an index file.
    pub(super) fn parse(content: &[u8]) -> Result<Self, Unusable> {
        // Which of the two it is, is not written in the file; with the wrong one no mode fits.
        let mut result = Err(Unusable);
        for id_bytes in ID_BYTES {
            result = parse_with(content, id_bytes);
            if result.is_ok() {
                return result;
            }
        }
        result
    }

    /// The content of an index file with these entries.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let version: u32 = if self.entries.iter().any(IndexEntry::is_extended) { 3 } else { 2 };
        let id_bytes = self.entries.first().map_or(ID_BYTES[0], |entry| entry.id.len());
        let mut content = Vec::with_capacity(HEADER_BYTES + self.entries.len() * 100);
        content.extend_from_slice(SIGNATURE);
        content.extend_from_slice(&version.to_be_bytes());
        content.extend_from_slice(&u32::try_from(self.entries.len()).unwrap_or(u32::MAX).to_be_bytes());
        for entry in &self.entries {
            entry.append_to(&mut content);
        }
        // Git reads a checksum of zeros as "not computed".
        content.resize(content.len() + id_bytes, 0);
        content
    }
}

fn parse_with(content: &[u8], id_bytes: usize) -> Result<IndexFile, Unusable> {
    let header = content.get(..HEADER_BYTES).ok_or(Unusable)?;
    let version = number(header, 4);
    if !header.starts_with(SIGNATURE) || !(2..=4).contains(&version) {
        return Err(Unusable);
    }
    let body = content.len().checked_sub(id_bytes).and_then(|end| content.get(..end)).ok_or(Unusable)?;
    let mut rest = body.get(HEADER_BYTES..).ok_or(Unusable)?;
    let mut entries: Vec<IndexEntry> = Vec::new();
    for _ in 0..number(header, 8) {
        let before = entries.last().map_or(&[][..], |entry| &entry.path);
        let (entry, after) = entry::parse(rest, version, id_bytes, before)?;
        if entries.last().is_some_and(|last| last.position() >= entry.position()) {
            return Err(Unusable);
        }
        entries.push(entry);
        rest = after;
    }
    check_extensions(rest)?;
    if entries.iter().any(|entry| entry.mode() == Mode::SparseDirectory) {
        return Err(Unusable);
    }
    Ok(IndexFile { entries })
}

/// Everything after the entries is left out. Only what changes the meaning of the entries matters.
fn check_extensions(mut rest: &[u8]) -> Result<(), Unusable> {
    while !rest.is_empty() {
        let header = rest.get(..8).ok_or(Unusable)?;
        match &header[..4] {
            // The meaning of the entries depends on these, as on "link" and "sdir".
            name if !name[0].is_ascii_uppercase() => return Err(Unusable),
            _ => {}
        }
        let length = usize::try_from(number(header, 4)).map_err(|_| Unusable)?;
        rest = rest.get(8..).and_then(|data| data.get(length..)).ok_or(Unusable)?;
    }
    Ok(())
}

/// The number that four bytes hold; zero where there are none.
fn number(bytes: &[u8], at: usize) -> u32 {
    let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
    four.map_or(0, u32::from_be_bytes)
}

#[cfg(test)]
mod tests;
