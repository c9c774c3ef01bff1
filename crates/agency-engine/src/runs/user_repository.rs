//! Which repository is the user's, where a path or a row leads into the worktree of a run.
//!
//! The one rule: what lies in the home's worktrees belongs to runs, and git or jj is never started in a repository there.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use agency_model::RunId;
use agency_workspace::{Repository, WorkspaceError, lies_in};
use serde_json::Value;

use crate::agency::Agency;
use crate::home::{Home, read_whole};
use crate::store::RunRow;

/// How many runs may have been started one in the worktree of the other.
const MAX_DEPTH: usize = 64;

/// The worktree of a run that a path lies in.
pub(crate) struct WorktreeAround {
    /// Its top, without symlinks.
    pub(crate) root: PathBuf,
    /// The run that made it.
    pub(crate) owner: RunId,
}

impl WorktreeAround {
    /// The worktree that a path lies in; `None` for a path of the user's. A path in a repository inside a worktree is
    /// refused, and so is one in what agency keeps or has yet to delete.
    pub(crate) fn of(home: &Home, path: &Path) -> Result<Option<Self>, WorkspaceError> {
        let refused = |repository: &Path| WorkspaceError::AgentsRepository { repository: repository.to_owned() };
        let Ok(real) = path.canonicalize() else {
            return if lies_in(path, &home.worktrees()) { Err(refused(path)) } else { Ok(None) };
        };
        if [home.kept(), home.trash(), home.trials()].iter().any(|place| lies_in(&real, place)) {
            return Err(refused(&real));
        }
        let below = home.worktrees().canonicalize().ok().and_then(|all| Some((real.strip_prefix(&all).ok()?, all)));
        let Some((below, all)) = below.map(|(below, all)| (below.to_owned(), all)) else { return Ok(None) };
        let mut parts = below.iter();
        let found = parts.next().zip(parts.next()).and_then(|(repository, run)| {
            let owner = run.to_str().and_then(|name| name.parse().ok())?;
            Some(Self { root: all.join(repository).join(run), owner })
        });
        let found = found.ok_or_else(|| refused(&real))?;
        let inside = real.ancestors().take_while(|above| *above != found.root);
        match inside.into_iter().find(|above| is_repository(above)) {
            Some(nested) => Err(refused(nested)),
            None => Ok(Some(found)),
        }
    }
}

/// Whether git or jj would take a directory for the top of a working tree.
fn is_repository(directory: &Path) -> bool {
    [".git", ".jj"].iter().any(|name| directory.join(OsStr::new(name)).symlink_metadata().is_ok())
}

/// The repository of a run: the recorded one, or where a run was started in the worktree of another, that of the other.
/// A run without a worktree works on the recorded directory itself.
pub(crate) fn repository_of(home: &Home, row: &RunRow) -> Result<PathBuf, WorkspaceError> {
    let recorded = PathBuf::from(&row.repo_path);
    if row.worktree_path.is_none() && lies_in(&recorded, &home.worktrees()) {
        return Err(WorkspaceError::AgentsRepository { repository: recorded });
    }
    users(home, &recorded)
}

/// The repository that is recorded for a workflow session, or the user's behind it.
pub(crate) fn users(home: &Home, recorded: &Path) -> Result<PathBuf, WorkspaceError> {
    let refused = || WorkspaceError::AgentsRepository { repository: recorded.to_owned() };
    let mut path = recorded.to_owned();
    for _ in 0..MAX_DEPTH {
        if !lies_in(&path, &home.worktrees()) {
            return Ok(path);
        }
        // The worktree may be gone: the path that was recorded for it names its run.
        let owner = match WorktreeAround::of(home, &path) {
            Ok(Some(WorktreeAround { root, owner })) if path.canonicalize().is_ok_and(|real| real == root) => owner,
            Ok(_) => return Err(refused()),
            Err(error) if path.symlink_metadata().is_ok() => return Err(error),
            Err(_) => owner_by_name(home, &path).ok_or_else(refused)?,
        };
        path = recorded_for(home, &owner).ok_or_else(refused)?;
    }
    Err(refused())
}

/// The run whose worktree was at a path, which is gone.
fn owner_by_name(home: &Home, path: &Path) -> Option<RunId> {
    let all = [Some(home.worktrees()), home.worktrees().canonicalize().ok()];
    let below = all.iter().flatten().find_map(|all| path.strip_prefix(all).ok())?;
    let mut parts = below.iter();
    let run = parts.nth(1)?;
    parts.next().is_none().then(|| run.to_str()?.parse().ok())?
}

/// The repository that a run was asked for in, which its specification names as long as its directory exists.
fn recorded_for(home: &Home, run: &RunId) -> Option<PathBuf> {
    let spec: Value = serde_json::from_slice(&read_whole(&home.run(run).file("spec.json")).ok()?).ok()?;
    Some(PathBuf::from(spec["repo"].as_str()?)).filter(|repository| repository.is_absolute())
}

impl Agency {
    /// The repository that holds a path: in the worktree of a run, that of the run.
    pub fn repository_at(&self, path: &Path) -> Result<Repository, WorkspaceError> {
        match WorktreeAround::of(&self.home, path)? {
            Some(worktree) => Ok(Repository::from_root(users(&self.home, &worktree.root)?)),
            None => Repository::open(path),
        }
    }

    /// The repository of a run, in which the user can let git or jj run.
    pub fn repository_of(&self, row: &RunRow) -> Result<PathBuf, WorkspaceError> {
        repository_of(&self.home, row)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    const RUN: &str = "r_01J0000000000000000000000A";

    fn home() -> (tempfile::TempDir, Home) {
        let place = tempfile::tempdir().unwrap();
        let home = Home::new(place.path().canonicalize().unwrap().join("home"));
        fs::create_dir_all(home.worktrees().join("0123456789abcdef").join(RUN).join("sub/dir")).unwrap();
        (place, home)
    }

    #[test]
    fn a_directory_of_a_worktree_is_found_through_links_and_a_repository_inside_is_refused() {
        let (place, home) = home();
        let root = home.worktrees().join("0123456789abcdef").join(RUN);
        let link = place.path().join("link");
        symlink(root.join("sub"), &link).unwrap();
        for path in [&root, &root.join("sub/dir"), &link, &link.join("dir")] {
            let found = WorktreeAround::of(&home, path).unwrap().unwrap();
            assert_eq!((found.root.as_path(), found.owner.as_str()), (root.as_path(), RUN));
        }
        assert!(WorktreeAround::of(&home, place.path()).unwrap().is_none());
        fs::create_dir(root.join("sub/.git")).unwrap();
        for path in [root.join("sub"), link.join("dir"), home.worktrees(), root.parent().unwrap().to_owned()] {
            let refused = WorktreeAround::of(&home, &path);
            assert!(matches!(refused, Err(WorkspaceError::AgentsRepository { .. })), "{}", path.display());
        }
    }

    #[test]
    fn the_repository_of_a_run_is_that_of_the_run_in_whose_worktree_it_was_started() {
        let (_place, home) = home();
        let root = home.worktrees().join("0123456789abcdef").join(RUN);
        assert!(users(&home, &root).is_err(), "nothing is known of its run");
        let spec = serde_json::json!({ "repo": "/users/shop", "base_ref": "HEAD" });
        fs::create_dir_all(home.run(&RUN.parse().unwrap()).path()).unwrap();
        fs::write(home.run(&RUN.parse().unwrap()).file("spec.json"), spec.to_string()).unwrap();
        assert_eq!(users(&home, &root).unwrap(), Path::new("/users/shop"));
        assert!(users(&home, &root.join("sub")).is_err());
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(users(&home, &root).unwrap(), Path::new("/users/shop"));
        assert!(users(&home, &root.join("sub")).is_err());
        assert_eq!(users(&home, Path::new("/elsewhere")).unwrap(), Path::new("/elsewhere"));
    }
}
