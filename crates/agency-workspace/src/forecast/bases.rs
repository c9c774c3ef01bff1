//! The newest common commits of each pair of histories, read with two processes for all pairs.

use std::collections::HashMap;

use super::{MergeForecast, Pair, WorkState};
use crate::{Commit, Result};

/// The merge bases of all pairs of states.
pub(super) struct Bases {
    bases: HashMap<Pair, Vec<Commit>>,
}

/// A set of positions.
type Positions = Vec<u64>;

impl Bases {
    /// Reads the histories of the states down to what all of them have in common.
    pub(super) fn read(forecast: &MergeForecast, states: &[WorkState]) -> Result<Self> {
        let mut heads: Vec<&Commit> = states.iter().map(|state| &state.commit).collect();
        heads.sort_by_key(|commit| commit.as_str());
        heads.dedup();
        let common = common_to_all(forecast, &heads)?;
        let mut list: String = heads.iter().map(|head| format!("{head}\n")).collect();
        for commit in &common {
            list.push_str(&format!("^{commit}\n"));
        }
        let git = forecast.git().run(["rev-list", "--parents", "--topo-order", "--stdin"]);
        let printed = git.input(forecast.input(list.as_bytes())?).read()?;
        let mut graph: Vec<Vec<Commit>> = String::from_utf8_lossy(&printed)
            .lines()
            .map(|line| line.split(' ').filter_map(|word| word.parse().ok()).collect())
            .collect();
        // They come last: everything that is listed is above them or beside them.
        graph.extend(common.into_iter().map(|commit| vec![commit]));
        let of_heads = newest_common(&graph, &heads);
        let position = |state: &WorkState| heads.iter().position(|head| **head == state.commit).unwrap_or_default();
        let positions: Vec<usize> = states.iter().map(position).collect();
        let mut bases = HashMap::new();
        for (one, a) in positions.iter().enumerate() {
            for (other, b) in positions.iter().enumerate().skip(one + 1) {
                let found = match a == b {
                    true => vec![heads[*a].clone()],
                    false => of_heads.get(&(*a.min(b), *a.max(b))).cloned().unwrap_or_default(),
                };
                bases.insert((one, other), found);
            }
        }
        Ok(Self { bases })
    }

    /// Those of one pair; several where both sides merged each other's history.
    pub(super) fn of(&self, (one, other): Pair) -> &[Commit] {
        self.bases.get(&(one.min(other), one.max(other))).map_or(&[], Vec::as_slice)
    }
}

/// The newest commits that all have; none if they have nothing in common.
fn common_to_all(forecast: &MergeForecast, heads: &[&Commit]) -> Result<Vec<Commit>> {
    if let [head] = heads {
        return Ok(vec![(*head).clone()]);
    }
    let git = forecast.git().run(["merge-base", "--octopus", "--all"]);
    let finished = git.args(heads.iter().map(|head| head.as_str())).finish()?;
    Ok(String::from_utf8_lossy(&finished.stdout).lines().filter_map(|line| line.parse().ok()).collect())
}

/// Of a graph in which children come before parents, the common commits of each pair of heads that no other common commit
/// of the pair descends from: those of which no child is common to the pair.
fn newest_common(graph: &[Vec<Commit>], heads: &[&Commit]) -> HashMap<Pair, Vec<Commit>> {
    let words = heads.len().div_ceil(64);
    let mut reached: HashMap<&Commit, Positions> = HashMap::new();
    for (position, head) in heads.iter().enumerate() {
        let entry = reached.entry(head).or_insert_with(|| vec![0; words]);
        entry[position / 64] |= 1 << (position % 64);
    }
    let mut children: HashMap<&Commit, Vec<&Commit>> = HashMap::new();
    let mut found: HashMap<Pair, Vec<Commit>> = HashMap::new();
    for (commit, parents) in graph.iter().filter_map(|entry| entry.split_first()) {
        let own = reached.get(commit).cloned().unwrap_or_else(|| vec![0; words]);
        for parent in parents {
            let entry = reached.entry(parent).or_insert_with(|| vec![0; words]);
            entry.iter_mut().zip(&own).for_each(|(all, some)| *all |= some);
            children.entry(parent).or_default().push(commit);
        }
        let above: Vec<&Positions> =
            children.get(commit).into_iter().flatten().filter_map(|child| reached.get(child)).collect();
        if above.contains(&&own) {
            continue;
        }
        let members = members(&own);
        for (index, one) in members.iter().enumerate() {
            for other in &members[index + 1..] {
                if !above.iter().any(|child| has(child, *one) && has(child, *other)) {
                    found.entry((*one, *other)).or_default().push(commit.clone());
                }
            }
        }
    }
    found
}

fn has(set: &Positions, position: usize) -> bool {
    set[position / 64] & (1 << (position % 64)) != 0
}

fn members(set: &Positions) -> Vec<usize> {
    (0..set.len() * 64).filter(|position| has(set, *position)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(number: u8) -> Commit {
        format!("{number:040x}").parse().unwrap()
    }

    fn graph(lines: &[&[u8]]) -> Vec<Vec<Commit>> {
        lines.iter().map(|line| line.iter().map(|number| commit(*number)).collect()).collect()
    }

    #[test]
    fn each_pair_has_the_newest_commit_that_it_shares() {
        // 9 and 8 left at 5, 7 left at 3; 1 is what all have.
        let graph = graph(&[&[9, 5], &[8, 5], &[5, 3], &[7, 3], &[3, 1], &[1]]);
        let (nine, eight, seven) = (commit(9), commit(8), commit(7));
        let found = newest_common(&graph, &[&nine, &eight, &seven]);
        assert_eq!(found[&(0, 1)], [commit(5)]);
        assert_eq!(found[&(0, 2)], [commit(3)]);
        assert_eq!(found[&(1, 2)], [commit(3)]);
    }

    #[test]
    fn a_head_may_be_the_base_and_two_bases_are_both_found() {
        // 9 merged 4 and 5, 8 as well.
        let graph = graph(&[&[9, 4, 5], &[8, 5, 4], &[4, 1], &[5, 1], &[1]]);
        let (nine, eight, four) = (commit(9), commit(8), commit(4));
        let found = newest_common(&graph, &[&nine, &eight, &four]);
        assert_eq!(found[&(0, 1)], [commit(4), commit(5)]);
        assert_eq!(found[&(0, 2)], [commit(4)]);
    }
}
