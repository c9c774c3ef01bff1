//! Finds out which pairs need no merge, by the paths that both sides changed.
//!
//! The one rule: a pair is left out only if no conflict is possible. Without a path in common, two sides conflict if a file
//! of one is a directory of the other, or if one moved a directory to which the other adds.

use std::collections::{HashMap, HashSet};

use super::bases::Bases;
use super::{MergeForecast, Pair, WorkState};
use crate::{Commit, Result};

/// What each state changed, counted from each base that it has with another one.
pub(super) struct ChangedPaths {
    trees: Vec<Commit>,
    /// By the base commit and the tree of the state.
    changed: HashMap<(Commit, Commit), Side>,
}

/// What one side changed.
#[derive(Debug, Default)]
struct Side {
    paths: HashSet<Vec<u8>>,
    /// All directories above those paths.
    above: HashSet<Vec<u8>>,
    /// The directories above files that are gone; empty if none was added, to which they could have moved.
    left: HashSet<Vec<u8>>,
    /// The directories above files that are new.
    entered: HashSet<Vec<u8>>,
}

impl ChangedPaths {
    /// Compares the states with their bases, with two processes for all of them.
    pub(super) fn read(forecast: &MergeForecast, states: &[WorkState], pairs: &[Pair], bases: &Bases) -> Result<Self> {
        let mut needed: Vec<(Commit, Commit)> = Vec::new();
        for pair in pairs {
            if let [base] = bases.of(*pair) {
                needed.extend([pair.0, pair.1].map(|side| (base.clone(), states[side].tree.clone())));
            }
        }
        needed.sort_by(|a, b| (a.0.as_str(), a.1.as_str()).cmp(&(b.0.as_str(), b.1.as_str())));
        needed.dedup();
        let mut commits: Vec<&Commit> = needed.iter().map(|(base, _)| base).collect();
        commits.dedup();
        let names: Vec<String> = commits.iter().map(|commit| format!("{commit}^{{tree}}")).collect();
        let trees: HashMap<&Commit, Option<Commit>> = commits.into_iter().zip(forecast.resolve(&names)?).collect();
        let tree_of = |base: &Commit| trees.get(base).cloned().flatten().unwrap_or_else(Commit::none);
        let lines: String = needed.iter().map(|(base, tree)| format!("{} {tree}\n", tree_of(base))).collect();
        let git = forecast.git().run(["diff-tree", "--stdin", "-r", "--no-renames", "--name-status", "-z"]);
        let finished = git.comparing_links().input(forecast.input(lines.as_bytes())?).finish()?;
        let mut sides = parse(&finished.stdout);
        if !finished.success {
            // An object is missing: the comparison that git was at has no end, and what has none is merged.
            sides.pop();
        }
        let trees = states.iter().map(|state| state.tree.clone()).collect();
        Ok(Self { trees, changed: needed.into_iter().zip(sides).collect() })
    }

    /// Whether a state has nothing that its base does not have.
    pub(super) fn is_empty(&self, position: usize, base: &Commit) -> bool {
        self.changed.get(&(base.clone(), self.trees[position].clone())).is_some_and(|side| side.paths.is_empty())
    }

    /// Whether a pair has to be merged to know.
    pub(super) fn may_conflict(&self, (one, other): Pair, base: &Commit) -> bool {
        let side = |position: usize| self.changed.get(&(base.clone(), self.trees[position].clone()));
        match (side(one), side(other)) {
            (Some(one), Some(other)) => one.may_conflict(other),
            _ => true,
        }
    }
}

impl Side {
    fn add(&mut self, status: u8, path: &[u8]) {
        let above = |path: &[u8]| -> Vec<Vec<u8>> {
            let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
            ends.map(|(end, _)| path[..end].to_vec()).collect()
        };
        match status {
            b'D' => self.left.extend(above(path)),
            b'A' => self.entered.extend(above(path)),
            _ => {}
        }
        self.above.extend(above(path));
        self.paths.insert(path.to_vec());
    }

    fn may_conflict(&self, other: &Self) -> bool {
        meet(&self.paths, &other.paths)
            || meet(&self.paths, &other.above)
            || meet(&self.above, &other.paths)
            || meet(&self.left, &other.entered)
            || meet(&self.entered, &other.left)
    }
}

fn meet(one: &HashSet<Vec<u8>>, other: &HashSet<Vec<u8>>) -> bool {
    let (few, many) = if one.len() < other.len() { (one, other) } else { (other, one) };
    few.iter().any(|path| many.contains(path))
}

/// Reads a line with both trees for each comparison, then a status and a path for each file, each with a NUL after it.
fn parse(printed: &[u8]) -> Vec<Side> {
    let mut sides: Vec<Side> = Vec::new();
    let mut rest = printed;
    while let Some(first) = rest.first() {
        if first.is_ascii_lowercase() || first.is_ascii_digit() {
            let Some(end) = rest.iter().position(|byte| *byte == b'\n') else { break };
            rest = &rest[end + 1..];
            sides.push(Side::default());
            continue;
        }
        let mut fields = rest.splitn(3, |byte| *byte == 0);
        let (Some(_), Some(path), Some(further)) = (fields.next(), fields.next(), fields.next()) else { break };
        if let Some(side) = sides.last_mut() {
            side.add(*first, path);
        }
        rest = further;
    }
    sides
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(one: &str, other: &str) -> (Side, Side) {
        let header = format!("{0} {0}\n", "a1".repeat(20));
        let mut parsed = parse(format!("{header}{one}{header}{other}").as_bytes()).into_iter();
        (parsed.next().unwrap(), parsed.next().unwrap())
    }

    fn may_conflict(one: &str, other: &str) -> bool {
        let (one, other) = sides(one, other);
        assert_eq!(one.may_conflict(&other), other.may_conflict(&one));
        one.may_conflict(&other)
    }

    #[test]
    fn sides_meet_at_a_path_a_directory_or_a_directory_that_may_have_moved() {
        assert!(may_conflict("M\0a\0", "M\0a\0"));
        assert!(!may_conflict("M\0a/b\0", "M\0a/c\0A\0a/d\0"));
        assert!(may_conflict("A\0a\0", "A\0a/b/c\0"), "a file and a directory");
        assert!(may_conflict("D\0d/f\0A\0e/f\0", "A\0d/new\0"), "a directory that moved");
        assert!(may_conflict("D\0d/s/f\0A\0e/s/f\0", "A\0d/t/new\0"), "the directory above it moved");
        assert!(!may_conflict("D\0f\0A\0g\0", "A\0h\0"), "the root never moves");
        assert!(!may_conflict("", "A\0h\0"));
    }

    #[test]
    fn a_name_may_look_like_a_header() {
        let (one, other) = sides("A\0a1 a1\nM\0", "M\0\n\0");
        assert!(one.paths.contains(b"a1 a1\nM".as_slice()));
        assert!(other.paths.contains(b"\n".as_slice()));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>) {
            parse(&bytes);
        }
    }
}
