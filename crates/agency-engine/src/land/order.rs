//! Which runs to land first, so that the least has to be reworked.
//!
//! The number of conflicts does not depend on the order, but the amount of work to be redone does: it is least if the runs
//! that land untouched do not conflict with each other and have the greatest total weight.

/// For more runs than this, the choice is greedy.
const MAX_EXACT: usize = 40;

/// Which runs conflict with each other.
#[derive(Debug, Clone, Default)]
pub(super) struct ConflictGraph {
    weights: Vec<u64>,
    /// The neighbours of each run.
    conflicts: Vec<Vec<bool>>,
}

impl ConflictGraph {
    /// Runs, each with the cost of reworking it.
    pub(super) fn new(weights: Vec<u64>) -> Self {
        let conflicts = vec![vec![false; weights.len()]; weights.len()];
        Self { weights, conflicts }
    }

    /// Notes that two runs conflict.
    pub(super) fn conflict(&mut self, one: usize, other: usize) {
        if one != other {
            self.conflicts[one][other] = true;
            self.conflicts[other][one] = true;
        }
    }

    pub(super) fn conflicts(&self, one: usize, other: usize) -> bool {
        self.conflicts[one][other]
    }

    /// The runs that land untouched: those that a user put first, as far as they do not conflict with each other, and the
    /// heaviest set that goes with them. Sorted.
    pub(super) fn untouched(&self, first: &[usize]) -> Vec<usize> {
        let mut chosen: Vec<usize> = vec![];
        for run in first {
            if chosen.iter().all(|other| !self.conflicts(*run, *other) && run != other) {
                chosen.push(*run);
            }
        }
        let is_open = |run: &usize| chosen.iter().all(|other| run != other && !self.conflicts(*run, *other));
        let open: Vec<usize> = (0..self.weights.len()).filter(is_open).collect();
        let (alone, contested): (Vec<usize>, Vec<usize>) =
            open.iter().partition(|run| open.iter().all(|other| !self.conflicts(**run, *other)));
        chosen.extend(alone);
        chosen.extend(if contested.len() <= MAX_EXACT { self.exact(&contested) } else { self.greedy(contested) });
        chosen.sort_unstable();
        chosen
    }

    fn exact(&self, runs: &[usize]) -> Vec<usize> {
        let bit = |position: usize| 1_u64 << position;
        let neighbours = |one: &usize| {
            runs.iter().enumerate().fold(
                0,
                |all, (position, other)| {
                    if self.conflicts(*one, *other) { all | bit(position) } else { all }
                },
            )
        };
        let mut search = Search {
            weights: runs.iter().map(|run| self.weights[*run].max(1)).collect(),
            neighbours: runs.iter().map(neighbours).collect(),
            best: 0,
            best_weight: 0,
        };
        let all = if runs.is_empty() { 0 } else { u64::MAX >> (64 - runs.len()) };
        search.descend(all, 0, 0);
        runs.iter().enumerate().filter(|(position, _)| search.best & bit(*position) != 0).map(|(_, run)| *run).collect()
    }

    /// Repeatedly takes the run with the greatest weight per run that it excludes.
    fn greedy(&self, mut open: Vec<usize>) -> Vec<usize> {
        let mut chosen = vec![];
        while !open.is_empty() {
            let degree = |run: usize| open.iter().filter(|other| self.conflicts(run, **other)).count() as u128;
            // As fractions, without rounding.
            let better = |a: &&usize, b: &&usize| {
                let value = |run: usize, other: usize| u128::from(self.weights[run].max(1)) * (degree(other) + 1);
                value(**a, **b).cmp(&value(**b, **a)).then(b.cmp(a))
            };
            let Some(best) = open.iter().max_by(better).copied() else { break };
            chosen.push(best);
            open.retain(|other| *other != best && !self.conflicts(best, *other));
        }
        chosen
    }
}

/// Branch and bound over sets as bits.
struct Search {
    weights: Vec<u64>,
    neighbours: Vec<u64>,
    best: u64,
    best_weight: u64,
}

impl Search {
    fn descend(&mut self, open: u64, chosen: u64, weight: u64) {
        if open == 0 {
            if weight > self.best_weight {
                (self.best, self.best_weight) = (chosen, weight);
            }
            return;
        }
        if weight.saturating_add(self.bound(open)) <= self.best_weight {
            return;
        }
        let degree = |run: &usize| (self.neighbours[*run] & open).count_ones();
        // The first of those with the most conflicts.
        let Some(run) = members(open).rev().max_by_key(degree) else { return };
        let without = open & !(1 << run);
        self.descend(without & !self.neighbours[run], chosen | 1 << run, weight.saturating_add(self.weights[run]));
        if self.neighbours[run] & open != 0 {
            self.descend(without, chosen, weight);
        }
    }

    /// An upper limit: of runs that all conflict with each other at most one lands untouched, the heaviest.
    fn bound(&self, open: u64) -> u64 {
        let mut rest = open;
        let mut sum: u64 = 0;
        while rest != 0 {
            let first = rest.trailing_zeros() as usize;
            let (mut group, mut heaviest) = (1_u64 << first, self.weights[first]);
            for run in members(rest & self.neighbours[first]) {
                if group & !self.neighbours[run] == 0 {
                    group |= 1 << run;
                    heaviest = heaviest.max(self.weights[run]);
                }
            }
            sum = sum.saturating_add(heaviest);
            rest &= !group;
        }
        sum
    }
}

fn members(set: u64) -> impl DoubleEndedIterator<Item = usize> {
    (0..64).filter(move |position| set & (1 << position) != 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn graph(weights: &[u64], pairs: &[(usize, usize)]) -> ConflictGraph {
        let mut graph = ConflictGraph::new(weights.to_vec());
        pairs.iter().for_each(|(one, other)| graph.conflict(*one, *other));
        graph
    }

    fn weight(graph: &ConflictGraph, set: &[usize]) -> u64 {
        set.iter().map(|run| graph.weights[*run].max(1)).sum()
    }

    fn is_independent(graph: &ConflictGraph, set: &[usize]) -> bool {
        set.iter().all(|one| set.iter().all(|other| !graph.conflicts(*one, *other)))
    }

    #[test]
    fn the_heavy_ones_land_untouched_and_those_put_first_do_in_any_case() {
        // In a path, both ends weigh more than the middle.
        let graph = graph(&[3, 5, 3, 1], &[(0, 1), (1, 2)]);
        assert_eq!(graph.untouched(&[]), [0, 2, 3]);
        assert_eq!(graph.untouched(&[1]), [1, 3]);
        assert_eq!(graph.untouched(&[1, 0]), [1, 3], "what conflicts with an earlier one comes later");
    }

    #[test]
    fn many_works_are_chosen_greedily_and_forty_exactly() {
        let path = |runs: usize| graph(&vec![1; runs], &(1..runs).map(|run| (run - 1, run)).collect::<Vec<_>>());
        assert_eq!(path(40).untouched(&[]).len(), 20);
        let many = path(101);
        let chosen = many.untouched(&[]);
        assert!(is_independent(&many, &chosen) && chosen.len() >= 34, "{chosen:?}");
    }

    proptest! {
        #[test]
        fn the_set_weighs_as_much_as_any_can(
            weights in prop::collection::vec(0..20_u64, 1..9),
            pairs in prop::collection::vec((0..8_usize, 0..8_usize), 0..20),
        ) {
            let runs = weights.len();
            let pairs: Vec<_> = pairs.into_iter().filter(|(one, other)| *one < runs && *other < runs).collect();
            let graph = graph(&weights, &pairs);
            let chosen = graph.untouched(&[]);
            prop_assert!(is_independent(&graph, &chosen));
            let sets = (0..1_u32 << runs).map(|set| (0..runs).filter(|run| set & (1 << run) != 0).collect::<Vec<_>>());
            let most = sets.filter(|set| is_independent(&graph, set)).map(|set| weight(&graph, &set)).max().unwrap();
            prop_assert_eq!(weight(&graph, &chosen), most);
            let greedy = graph.greedy((0..runs).collect());
            prop_assert!(is_independent(&graph, &greedy));
        }
    }
}
