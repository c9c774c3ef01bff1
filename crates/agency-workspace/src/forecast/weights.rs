//! How many lines a state changed in some files.

use std::collections::HashSet;
use std::path::PathBuf;

use super::{Bases, MergeForecast, WorkState, to_path};
use crate::Result;

impl MergeForecast {
    /// The number of lines that each state changed in files that conflict, counted from where it left the target. A binary
    /// file counts as one line.
    pub fn lines_changed(&self, target: &WorkState, states: &[(&WorkState, HashSet<PathBuf>)]) -> Result<Vec<u64>> {
        let all: Vec<WorkState> =
            std::iter::once(target.clone()).chain(states.iter().map(|(state, _)| (*state).clone())).collect();
        let bases = Bases::read(self, &all)?;
        let mut weights = Vec::new();
        for (position, (state, files)) in states.iter().enumerate() {
            let base = match (files.is_empty(), bases.of((0, position + 1))) {
                (true, _) | (_, []) => None,
                (false, [base, ..]) => Some(base),
            };
            let Some(base) = base else {
                weights.push(0);
                continue;
            };
            let git = self.git().run(["diff-tree", "-r", "--no-renames", "--numstat", "-z"]).comparing_links();
            let printed = git.args([base.as_str(), state.tree.as_str()]).read()?;
            weights.push(sum(&printed, files));
        }
        Ok(weights)
    }
}

/// Adds the numbers of some files.
fn sum(printed: &[u8], files: &HashSet<PathBuf>) -> u64 {
    let lines = |record: &[u8]| {
        let mut columns = record.splitn(3, |byte| *byte == b'\t');
        let mut number = || std::str::from_utf8(columns.next()?).ok().map(|text| text.parse::<u64>().ok());
        let (added, removed) = (number()?, number()?);
        let path = to_path(columns.next()?);
        let counted = added.zip(removed).map_or(1, |(added, removed)| added.saturating_add(removed));
        files.contains(&path).then_some(counted)
    };
    printed.split(|byte| *byte == 0).filter_map(lines).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_that_conflict_count() {
        let files = ["a", "b\tc"].map(PathBuf::from).into_iter().collect();
        assert_eq!(sum(b"3\t1\ta\0-\t-\tb\tc\x007\t7\td\0", &files), 5);
    }
}
