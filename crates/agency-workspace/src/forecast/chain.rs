//! Tries an order of landing: each state is merged into the result of those before it.
//!
//! States of which no two conflict may still conflict when all of them are merged.

use super::super::merge::{Combined, MergeError, merge_by};
use super::{MergeForecast, WorkState, object_id};
use crate::{Commit, Conflict, Result};

/// Where an order cannot be landed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainBreak {
    /// The position in the order.
    pub at: usize,
    /// The files that do not merge.
    pub conflicts: Vec<Conflict>,
}

impl MergeForecast {
    /// Merges states into a target one after the other. Those that do not merge are left out, and returned.
    pub fn chain(&self, target: &WorkState, order: &[&WorkState]) -> std::result::Result<Vec<ChainBreak>, MergeError> {
        let drafts: Vec<WorkState> = order.iter().map(|state| (*state).clone()).collect();
        let commits = self.commits(&drafts)?;
        let mut tip = target.commit.clone();
        let mut breaks = vec![];
        for (at, commit) in commits.iter().enumerate() {
            match merge_by(self.git(), &self.top, None, &tip, commit)? {
                Combined::Clean(tree) => tip = self.merge_commit(&object_id(&tree)?, &tip, commit)?,
                Combined::Conflicts(conflicts) => breaks.push(ChainBreak { at, conflicts }),
            }
        }
        Ok(breaks)
    }

    fn merge_commit(&self, tree: &Commit, one: &Commit, other: &Commit) -> Result<Commit> {
        let commits = self.write_commits(&[(tree, vec![one, other])])?;
        commits.into_iter().next().ok_or_else(|| self.odd_answer("hash-object"))
    }
}
