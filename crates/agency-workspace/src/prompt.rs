//! Puts the prompt into a workspace, where the agent can read it and no commit picks it up.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags, mkdirat, open, openat};
use rustix::io::Errno;

use super::git_command::GitCommand;
use super::{Commit, Repository, Result, WorkspaceError, jj};

/// The line that keeps the prompt out of commits.
const EXCLUDED: &str = "/.agency/prompt.md";

/// Refuses a base commit in which the place of the prompt is a symlink or no plain file, before a worktree is made of it.
///
/// Git is asked only where the checked-out files give reason to; whatever slips through, [`write_prompt`] refuses.
pub fn check_prompt_place(repository: &Repository, base: &Commit) -> Result<()> {
    let at = |name: &str| fs::symlink_metadata(repository.root().join(name));
    let odd_directory = at(".agency").is_ok_and(|found| !found.is_dir());
    let odd_file = at(".agency/prompt.md").is_ok_and(|found| !found.is_file());
    if !odd_directory && !odd_file {
        return Ok(());
    }
    let listed = GitCommand::in_repository(repository.root())
        .run(["ls-tree", "--full-tree", "--format=%(objectmode) %(path)"])
        .args([base.as_str(), "--", ".agency", ".agency/prompt.md"])
        .read_line()?;
    let refused = listed.lines().find_map(|line| match line.split_once(' ') {
        Some((mode, ".agency")) if mode != "040000" => Some(".agency"),
        Some((mode, ".agency/prompt.md")) if !mode.starts_with("100") => Some(".agency/prompt.md"),
        _ => None,
    });
    refused.map_or(Ok(()), |name| {
        let path = repository.root().join(name);
        Err(WorkspaceError::UnsafePromptPath { path })
    })
}

/// Writes `.agency/prompt.md` in a workspace and excludes it from the repository's commits.
pub fn write_prompt(workspace: &Path, text: &str) -> Result<()> {
    // Excluded first, so that there is no moment at which a commit could pick it up.
    exclude(workspace, EXCLUDED.as_bytes())?;
    let mut file = open_without_following(workspace)?;
    let path = workspace.join(".agency/prompt.md");
    file.write_all(text.as_bytes()).map_err(WorkspaceError::io("write", &path))
}

/// Opens the file through directory handles: a symlink that the repository put there leads nowhere.
fn open_without_following(workspace: &Path) -> Result<File> {
    let directory = workspace.join(".agency");
    let path = directory.join("prompt.md");
    let as_directory = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
    let top = open(workspace, as_directory, Mode::empty());
    let top = top.map_err(|error| WorkspaceError::io("open", workspace)(error.into()))?;
    match mkdirat(&top, ".agency", Mode::from_raw_mode(0o755)) {
        Ok(()) | Err(Errno::EXIST) => {}
        Err(error) => return Err(WorkspaceError::io("create", &directory)(error.into())),
    }
    let inner = openat(&top, ".agency", as_directory | OFlags::NOFOLLOW, Mode::empty());
    let inner = inner.map_err(|error| refused(&directory, error))?;
    // Non-blocking, since the open of a named pipe would wait for a reader.
    let to_write = OFlags::WRONLY | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = openat(&inner, "prompt.md", to_write, Mode::from_raw_mode(0o600));
    let file = File::from(file.map_err(|error| refused(&path, error))?);
    let found = file.metadata().map_err(WorkspaceError::io("look at", &path))?;
    if !found.is_file() {
        return Err(WorkspaceError::UnsafePromptPath { path });
    }
    file.set_len(0).map_err(WorkspaceError::io("empty", &path))?;
    Ok(file)
}

fn refused(path: &Path, error: Errno) -> WorkspaceError {
    match error {
        // A symlink, a file for a directory, a directory for a file, a pipe without a reader.
        Errno::LOOP | Errno::NOTDIR | Errno::ISDIR | Errno::NXIO => {
            WorkspaceError::UnsafePromptPath { path: path.to_owned() }
        }
        _ => WorkspaceError::io("open", path)(error.into()),
    }
}

/// Lets git ignore a path from the top of each worktree of a repository, whether a file, a directory or a link is there.
pub fn exclude_path(workspace: &Path, path: &Path) -> Result<()> {
    let mut line = b"/".to_vec();
    for byte in path.as_os_str().as_bytes() {
        if b"*?[\\ ".contains(byte) {
            line.push(b'\\');
        }
        line.push(*byte);
    }
    exclude(workspace, &line)
}

/// Adds the line to the `info/exclude` that all worktrees of the repository share, unless it is there.
fn exclude(workspace: &Path, line: &[u8]) -> Result<()> {
    let common_dir = match Repository::from_root(workspace.to_owned()).common_dir() {
        Ok(common_dir) => common_dir,
        // Jj heeds the exclusions of the git repository in which it keeps its revisions.
        Err(error) => jj::git_store_of(workspace).ok_or(error)?,
    };
    let info = common_dir.join("info");
    fs::create_dir_all(&info).map_err(WorkspaceError::io("create", &info))?;
    let path = info.join("exclude");
    let file = OpenOptions::new().read(true).append(true).create(true).open(&path);
    let mut file = file.map_err(WorkspaceError::io("open", &path))?;
    // Runs that start together take turns, so that only the first one writes.
    file.lock().map_err(WorkspaceError::io("lock", &path))?;
    let mut content = Vec::new();
    file.read_to_end(&mut content).map_err(WorkspaceError::io("read", &path))?;
    if content.split(|byte| *byte == b'\n').any(|present| present.trim_ascii_end() == line) {
        return Ok(());
    }
    let start: &[u8] = if content.is_empty() || content.ends_with(b"\n") { b"" } else { b"\n" };
    file.write_all(&[start, line, b"\n"].concat()).map_err(WorkspaceError::io("write", &path))
}
