//! Finds the commits that nothing leads to once a worktree is gone.

use std::collections::HashSet;
use std::path::Path;

use super::super::captured::standard_input;
use super::super::git_command::GitCommand;
use super::super::{Result, WorkspaceError};

/// What stays when a worktree goes. Its checkpoints go with it.
const KEPT_REFS: [&str; 6] = [
    "--branches",
    "--tags",
    "--remotes",
    "--exclude=refs/agency/checkpoints/*",
    "--glob=refs/agency/*",
    "--glob=refs/stas[h]",
];
/// How often a set of commits that git cannot follow is divided to find those that it can.
const MAX_DIVISIONS: usize = 64;

/// Commits that nothing will lead to.
#[derive(Default)]
pub(super) struct Lost {
    pub(super) all: HashSet<String>,
    /// Those from which all others are reached.
    pub(super) tips: Vec<String>,
    /// Commits whose history git cannot follow, since a part of it is missing.
    pub(super) broken: Vec<String>,
}

/// Which of the candidates, and of the commits below them, are lost. Candidates that do not exist are passed over. `kept`
/// are commits to which a log leads that stays.
pub(super) fn find(common_dir: &Path, candidates: HashSet<&str>, kept: &HashSet<String>) -> Result<Lost> {
    let kept: String = kept.iter().map(|id| format!("^{id}\n")).collect();
    let (mut lost, mut parents, mut divisions) = (Lost::default(), HashSet::new(), 0);
    let mut groups: Vec<Vec<&str>> = vec![candidates.into_iter().collect()];
    while let Some(mut group) = groups.pop() {
        if group.is_empty() {
            continue;
        }
        match with_parents(common_dir, &group, &kept) {
            Ok(printed) => {
                for line in printed.lines() {
                    let mut ids = line.split(' ').map(str::to_owned);
                    lost.all.extend(ids.next());
                    parents.extend(ids);
                }
            }
            Err(WorkspaceError::Git { .. }) if group.len() > 1 && divisions < MAX_DIVISIONS => {
                divisions += 1;
                groups.push(group.split_off(group.len() / 2));
                groups.push(group);
            }
            Err(WorkspaceError::Git { .. }) => lost.broken.extend(group.into_iter().map(str::to_owned)),
            Err(error) => return Err(error),
        }
    }
    lost.tips = lost.all.iter().filter(|id| !parents.contains(*id)).cloned().collect();
    lost.tips.sort();
    Ok(lost)
}

/// Lists lost commits, each with its parents. By a file, since an agent can make more commits than a command line holds.
fn with_parents(common_dir: &Path, candidates: &[&str], kept: &str) -> Result<String> {
    let mut given: String = candidates.iter().map(|id| format!("{id}\n")).collect();
    given.push_str(kept);
    let given = standard_input(given.as_bytes()).map_err(WorkspaceError::io("write to", &std::env::temp_dir()))?;
    let git = GitCommand::on(common_dir).run(["rev-list", "--parents", "--ignore-missing", "--stdin", "--not"]);
    Ok(String::from_utf8_lossy(&git.args(KEPT_REFS).input(given).read()?).into_owned())
}
