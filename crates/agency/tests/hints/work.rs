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
        // The link to the repository is no work, nor are our own prompt and the notes of jj.
        let is_work = |path: &PathBuf| {
            *path != worktree.join(".git")
                && !path.starts_with(worktree.join(".agency"))
                && !path.starts_with(worktree.join(".jj"))
        };
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

/// The content of every file of a world that a person could miss.
pub(super) struct Everything {
    files: Vec<(PathBuf, Vec<u8>)>,
}

impl Everything {
    /// Notes the files of the home and of the repositories. What SQLite keeps beside a database is no content of ours,
    /// and forecasts may be deleted: a process in the background writes them meanwhile.
    pub(super) fn of(world: &World) -> Self {
        let home = world.agency_home();
        let forecasts = home.join("forecasts");
        let is_content = |path: &PathBuf| {
            let is_of_database = path.to_str().is_some_and(|path| path.ends_with("-shm") || path.ends_with("-wal"));
            !is_of_database && !path.starts_with(&forecasts)
        };
        let files = files_below(&home).into_iter().chain(files_below(&world.root().join("repos")));
        Self { files: files.filter(is_content).map(|path| (path.clone(), fs::read(path).unwrap())).collect() }
    }

    /// Leaves out what is below directories of a name, whose files come and go.
    pub(super) fn without(mut self, directory: &str) -> Self {
        self.files.retain(|(path, _)| !path.iter().any(|part| part == directory));
        self
    }

    /// Every content is still in a file of that name. Files whose names `may_change` may have been written.
    #[track_caller]
    pub(super) fn is_nowhere_lost(&self, world: &World, may_change: &[&str]) {
        let now = Self::of(world).files;
        for (path, content) in &self.files {
            let name = path.file_name().unwrap();
            let same_name = || now.iter().filter(|(other, _)| other.file_name().unwrap() == name);
            let is_there = if may_change.iter().any(|changing| name == *changing) {
                same_name().any(|(_, found)| found.starts_with(content))
            } else {
                same_name().any(|(_, found)| found == content)
            };
            assert!(is_there, "{} is lost", path.display());
        }
    }
}

/// Does what a message says, as a person who copies it into a shell.
#[track_caller]
pub(super) fn follow(world: &World, repo: &Repo, command: &str) -> Output {
    let worktrees = world.agency_home().join("worktrees");
    let words: Vec<&str> = command.split_whitespace().collect();
    let places = words.windows(3).filter(|words| words[..2] == ["git", "-C"]).map(|words| words[2].trim_matches('\''));
    for place in places {
        assert!(!Path::new(place).starts_with(&worktrees), "git obeys what an agent wrote there: {command}");
    }
    let program = Path::new(env!("CARGO_BIN_EXE_agency")).parent().unwrap();
    let jj = std::env::var("AGENCY_TEST_JJ").map(|directory| format!("{directory}:")).unwrap_or_default();
    let path = format!("{}:{jj}{}", program.display(), std::env::var("PATH").unwrap());
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
