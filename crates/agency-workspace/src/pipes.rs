//! Keeps git and jj from waiting without end for a named pipe that an agent put where git reads a file.
//!
//! The one rule: git is ended only while such a pipe has a reader.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use rustix::fs::OFlags;
use rustix::process::Signal;

use super::link;
use super::tree_walk::walk;
use agency_system::process::ProcessHandle;

/// How long a command runs before its files are looked at; most commands have ended by then.
const FIRST_CHECK_DELAY: Duration = Duration::from_secs(1);
/// The longest pause between two looks.
const MAX_CHECK_INTERVAL: Duration = Duration::from_secs(16);

/// Where a command reads files that an agent can write.
#[derive(Debug, Clone)]
pub(super) struct Sources {
    /// The git directory; `None` if git searches it in the working tree.
    pub(super) git_dir: Option<PathBuf>,
    /// The directory in which git runs.
    pub(super) directory: PathBuf,
    /// The working tree whose files git looks at.
    pub(super) work_tree: Option<PathBuf>,
}

/// How a watched command ended.
pub(super) enum Watched<T> {
    /// By itself.
    Ended(T),
    /// It was ended, because it waited for this pipe.
    Waited(PathBuf),
}

/// Lets `wait` wait for the end of git, and ends it if it waits for a pipe.
pub(super) fn watch<T>(
    child: Child,
    sources: &Sources,
    wait: impl FnOnce(Child) -> io::Result<T>,
) -> io::Result<Watched<T>> {
    let Some(git) = ProcessHandle::open(child.id()) else { return wait(child).map(Watched::Ended) };
    let (over, end) = mpsc::channel::<()>();
    thread::scope(|scope| {
        // Without a thread, git is waited for as long as it takes.
        let watcher = thread::Builder::new().spawn_scoped(scope, move || {
            end_if_waiting(&git, sources, |pause| matches!(end.recv_timeout(pause), Err(RecvTimeoutError::Timeout)))
        });
        let ended = wait(child);
        drop(over);
        match watcher.ok().and_then(|watcher| watcher.join().ok()).flatten() {
            Some(pipe) => Ok(Watched::Waited(pipe)),
            None => ended.map(Watched::Ended),
        }
    })
}

/// Looks for a pipe that git waits for, as long as `still_runs` after a pause.
fn end_if_waiting(git: &ProcessHandle, sources: &Sources, still_runs: impl Fn(Duration) -> bool) -> Option<PathBuf> {
    let mut pause = FIRST_CHECK_DELAY;
    while still_runs(pause) {
        let waited_for = sources.pipes().into_iter().find_map(|pipe| writer_of(&pipe).map(|writer| (pipe, writer)));
        if let Some((pipe, writer)) = waited_for {
            git.signal(Signal::KILL);
            // Before, git would take the pipe for an empty file.
            drop(writer);
            return Some(pipe);
        }
        pause = (pause * 2).min(MAX_CHECK_INTERVAL);
    }
    None
}

/// Opens a pipe for writing, which succeeds only if it has a reader.
fn writer_of(pipe: &Path) -> Option<File> {
    let no_wait = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    OpenOptions::new().write(true).custom_flags(no_wait).open(pipe).ok()
}

impl Sources {
    /// The pipes that git might read.
    fn pipes(&self) -> Vec<PathBuf> {
        let mut pipes = vec![];
        let git_dir = self.git_dir.clone().or_else(|| link::git_dir(&self.directory));
        let common_dir = git_dir.and_then(|git_dir| link::common_dir(&git_dir));
        for directory in ["worktrees", "refs", "logs"] {
            let Some(common_dir) = &common_dir else { break };
            let note = |path: &Path, kind: fs::FileType| pipes.extend(kind.is_fifo().then(|| path.to_owned()));
            walk(&common_dir.join(directory), |_| false, note);
        }
        if let Some(work_tree) = &self.work_tree {
            pipes_in_work_tree(work_tree, &mut pipes);
        }
        pipes
    }
}

/// Whether git or jj reads a file of a working tree by its name.
fn is_read(path: &Path, work_tree: &Path) -> bool {
    path.ends_with(".gitignore") || path.ends_with(".gitattributes") || path.starts_with(work_tree.join(".jj"))
}

fn pipes_in_work_tree(work_tree: &Path, pipes: &mut Vec<PathBuf>) {
    walk(
        work_tree,
        |_| false,
        |path, kind| {
            if path.ends_with(".git") {
                let git_dir = path.parent().and_then(link::git_dir);
                let entries = git_dir.and_then(|git_dir| fs::read_dir(git_dir).ok()).into_iter().flatten().flatten();
                let is_pipe = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_fifo());
                pipes.extend(entries.filter(is_pipe).map(|entry| entry.path()));
            } else if kind.is_fifo() && is_read(path, work_tree) {
                pipes.push(path.to_owned());
            }
        },
    );
}
