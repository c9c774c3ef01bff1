//! The directories of the home that take space, and whose they are.
//!
//! The one rule: names in the home are listed, not followed, and what no run is known for is still counted.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use agency_model::RunId;
use agency_workspace::Repository;

use crate::home::Home;
use crate::store::RunRow;

/// The first word of the name of a trial tree that belongs to a race and not to a branch.
const RACE: &str = "race_";

/// What the database knows about the directories.
pub(super) struct Owners {
    rows: HashMap<RunId, RunRow>,
    repositories: HashMap<String, String>,
    races: HashMap<String, String>,
}

impl Owners {
    /// The owners among all rows, removed ones too.
    pub(super) fn of(rows: Vec<RunRow>) -> Self {
        let distinct: HashSet<&String> = rows.iter().map(|row| &row.repo_path).collect();
        let fingerprint = |repo: &String| Repository::from_root(repo.into()).fingerprint();
        let mut repositories: HashMap<String, String> =
            distinct.into_iter().map(|repo| (fingerprint(repo), repo.clone())).collect();
        for row in rows.iter().filter(|row| !row.repo_fingerprint.is_empty()) {
            repositories.entry(row.repo_fingerprint.clone()).or_insert_with(|| row.repo_path.clone());
        }
        let race = |row: &RunRow| Some((row.race_id.clone()?, row.repo_path.clone()));
        let races = rows.iter().filter_map(race).collect();
        Self { rows: rows.into_iter().map(|row| (row.id.clone(), row)).collect(), repositories, races }
    }

    pub(super) fn row(&self, id: &RunId) -> Option<&RunRow> {
        self.rows.get(id)
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &RunRow> {
        self.rows.values()
    }

    /// The repository with this fingerprint.
    pub(super) fn repository(&self, fingerprint: &str) -> Option<&str> {
        self.repositories.get(fingerprint).map(String::as_str)
    }

    fn repository_of_run(&self, id: &RunId) -> Option<&str> {
        self.rows.get(id).map(|row| row.repo_path.as_str())
    }
}

/// The directory of a worktree.
pub(super) struct WorktreePlace {
    pub(super) path: PathBuf,
    pub(super) run: Option<RunId>,
    pub(super) repo: Option<String>,
}

/// The directories of all worktrees.
pub(super) fn worktrees(home: &Home, owners: &Owners) -> Vec<WorktreePlace> {
    let mut found = vec![];
    for directory in children(&home.worktrees()) {
        let named = name_of(&directory);
        for path in children_below(&directory) {
            let run: Option<RunId> = name_of(&path).parse().ok();
            let repo = run.as_ref().and_then(|run| owners.repository_of_run(run)).or_else(|| owners.repository(&named));
            found.push(WorktreePlace { repo: repo.map(str::to_owned), run, path });
        }
    }
    found
}

/// The directory of a trial tree.
pub(super) struct TrialPlace {
    pub(super) path: PathBuf,
    pub(super) repo: Option<String>,
}

/// The directories of all trial trees: those of branches lie below their repository, those of races do not.
pub(super) fn trials(home: &Home, owners: &Owners) -> Vec<TrialPlace> {
    let mut found = vec![];
    for directory in children(&home.trials()) {
        let named = name_of(&directory);
        if named.starts_with(RACE) {
            found.push(TrialPlace { path: directory, repo: owners.races.get(&named).cloned() });
            continue;
        }
        let repo = owners.repository(&named).map(str::to_owned);
        found.extend(children_below(&directory).into_iter().map(|path| TrialPlace { path, repo: repo.clone() }));
    }
    found
}

/// What is in a directory of the home, sorted; nothing if it cannot be read. The user may have put a link in its place.
pub(super) fn children(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// What is in a directory below those; nothing if it is a link.
fn children_below(directory: &Path) -> Vec<PathBuf> {
    let is_directory = directory.symlink_metadata().is_ok_and(|found| found.is_dir());
    if is_directory { children(directory) } else { vec![] }
}

/// The last part of a path.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
