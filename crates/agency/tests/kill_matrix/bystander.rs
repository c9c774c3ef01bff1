//! A run that has nothing to do with the one that suffers.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use agency_testkit::{Repo, Run, World};

use super::database::rows;

/// A run, and what must stay as it is.
#[derive(Debug)]
pub(super) struct Bystander {
    pub(super) run: Run,
    state: &'static str,
    worktree: PathBuf,
    content: BTreeMap<PathBuf, Vec<u8>>,
    row: String,
}

impl Bystander {
    /// Takes note of a run that is in this state, with work of its own that is not committed.
    pub(super) fn new(world: &World, run: Run, state: &'static str) -> Self {
        let worktree = worktree_of(world, &run);
        fs::write(worktree.join("own.txt"), "work of a bystander\n").unwrap();
        let content = content(&worktree);
        let row = row(world, &run);
        assert!(row.contains(state), "{row}");
        Self { run, state, worktree, content, row }
    }

    /// Everything is as it was.
    pub(super) fn check(&self, world: &World, repo: &Repo) {
        assert_eq!(row(world, &self.run), self.row);
        assert_eq!(content(&self.worktree), self.content);
        assert!(repo.worktrees().contains(&self.worktree));
        assert!(repo.branches().contains(&format!("agency/{}", self.run.id)));
        let running = self.state == "running";
        assert_eq!(self.run.is_supervised(), running, "{} is {}", self.run.id, self.state);
        assert_eq!(self.run.processes().is_empty(), !running);
        if running {
            assert!(self.run.processes().contains(&self.run.agent()), "the agent lives");
            assert!(world.tmux_sessions().contains(&format!("agency_{}", self.run.id)));
        }
    }
}

fn row(world: &World, run: &Run) -> String {
    let row = rows(&world.agency_home()).into_iter().find(|row| row.id == run.id);
    format!("{:?}", row.unwrap())
}

fn worktree_of(world: &World, run: &Run) -> PathBuf {
    let mut rows = rows(&world.agency_home()).into_iter();
    rows.find(|row| row.id == run.id).unwrap().worktree.unwrap().into()
}

/// Every file with its content.
fn content(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(content(&path));
        } else {
            files.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    files
}
