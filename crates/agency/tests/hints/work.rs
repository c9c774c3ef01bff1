//! Every byte of work that there is, so that it can be found again after a command.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use agency_testkit::{Output, Repo, World};

/// The files of a worktree, those of repositories inside it too.
pub(super) struct Work {
    files: Vec<(PathBuf, Vec<u8>, String)>,
}

impl Work {
    /// Notes every file below a worktree.
    pub(super) fn of(repo: &Repo, worktree: &Path) -> Self {
        let note = |path: PathBuf| {
            let id = repo.git(&["hash-object", "--no-filters", "--", path.to_str().unwrap()]).trim().to_owned();
            (path.strip_prefix(worktree).unwrap().to_owned(), fs::read(&path).unwrap(), id)
        };
        // The link to the repository is no work, nor is our own prompt.
        let is_work = |path: &PathBuf| *path != worktree.join(".git") && !path.starts_with(worktree.join(".agency"));
        let files: Vec<_> = files_below(worktree).into_iter().filter(is_work).map(note).collect();
        assert!(!files.is_empty());
        Self { files }
    }

    /// Every byte is in the worktree, in what is kept, or in a commit that a ref reaches.
    #[track_caller]
    pub(super) fn is_nowhere_lost(&self, world: &World, repo: &Repo, worktree: &Path) {
        let reachable = repo.git(&["rev-list", "--objects", "--all"]);
        let reachable: BTreeSet<&str> = reachable.lines().filter_map(|line| line.split(' ').next()).collect();
        let kept = files_below(&world.agency_home().join("kept"));
        for (path, content, id) in &self.files {
            let in_place = fs::read(worktree.join(path)).is_ok_and(|found| found == *content);
            let in_kept =
                || kept.iter().any(|file| file.ends_with(path) && fs::read(file).is_ok_and(|found| found == *content));
            assert!(in_place || reachable.contains(id.as_str()) || in_kept(), "{} is lost", path.display());
        }
    }
}

/// Does what a message says, as a person who copies it into a shell.
#[track_caller]
pub(super) fn follow(world: &World, repo: &Repo, command: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_agency")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut shell = world.program("sh");
    shell.args(["-ec", command]).env("PATH", path).current_dir(&repo.path);
    let output = world.run(&mut shell);
    assert!(output.status.success(), "{command}: {output}");
    output
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().map(|entry| entry.unwrap());
    let below = entries.flat_map(|entry| match entry.file_type().unwrap() {
        kind if kind.is_dir() => files_below(&entry.path()),
        kind if kind.is_file() => vec![entry.path()],
        _ => vec![],
    });
    below.collect()
}
