//! The lines of a file in two columns, the old one and the new one.

use super::{PatchFile, PatchLineKind};

/// One row of two columns; the numbers are those of lines of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SidePair {
    /// A heading or a remark across both columns.
    Across(usize),
    /// The old line and the new line; a context line is both.
    Both {
        /// In the left column.
        old: Option<usize>,
        /// In the right column.
        new: Option<usize>,
    },
}

impl PatchFile {
    /// Its lines as rows of two columns: removed lines beside the added ones that replace them.
    #[must_use]
    pub fn side_by_side(&self) -> Vec<SidePair> {
        let mut rows = vec![];
        let (mut removed, mut added): (Vec<usize>, Vec<usize>) = (vec![], vec![]);
        for (index, line) in self.lines.iter().enumerate() {
            match line.kind {
                PatchLineKind::Removed if added.is_empty() => removed.push(index),
                PatchLineKind::Removed => {
                    flush(&mut removed, &mut added, &mut rows);
                    removed.push(index);
                }
                PatchLineKind::Added => added.push(index),
                PatchLineKind::Context => {
                    flush(&mut removed, &mut added, &mut rows);
                    rows.push(SidePair::Both { old: Some(index), new: Some(index) });
                }
                // The remark about a missing newline stands in the middle of a block.
                PatchLineKind::Other if !removed.is_empty() || !added.is_empty() => {}
                PatchLineKind::Hunk | PatchLineKind::Other => {
                    flush(&mut removed, &mut added, &mut rows);
                    rows.push(SidePair::Across(index));
                }
            }
        }
        flush(&mut removed, &mut added, &mut rows);
        rows
    }
}

fn flush(removed: &mut Vec<usize>, added: &mut Vec<usize>, rows: &mut Vec<SidePair>) {
    let count = removed.len().max(added.len());
    rows.extend((0..count).map(|at| SidePair::Both { old: removed.get(at).copied(), new: added.get(at).copied() }));
    removed.clear();
    added.clear();
}
