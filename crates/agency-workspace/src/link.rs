//! Reads the files by which a working tree and its repository find each other, without starting git.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// Longer than any path; an agent can write anything into its `.git`.
const MAX_LINK_BYTES: u64 = 16 * 1024;

/// What a directory is, whatever it is called now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    /// The identity of what a path leads to; `None` when there is nothing.
    pub(super) fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|found| Self::from(&found))
    }
}

impl From<&fs::Metadata> for Identity {
    fn from(found: &fs::Metadata) -> Self {
        Self { device: found.dev(), inode: found.ino() }
    }
}

/// Whether a path lies in a directory, by its name or with its symlinks resolved, also where its end does not exist.
#[must_use]
pub fn lies_in(path: &Path, directory: &Path) -> bool {
    if path.starts_with(directory) {
        return true;
    }
    let real = path.ancestors().find_map(|above| fs::canonicalize(above).ok());
    Identity::of(directory)
        .zip(real)
        .is_some_and(|(directory, real)| real.ancestors().any(|above| Identity::of(above) == Some(directory)))
}

/// The git directory that `.git` of a working tree is or names; `None` when there is none.
pub(super) fn git_dir(work_tree: &Path) -> Option<PathBuf> {
    let dot_git = work_tree.join(".git");
    if fs::metadata(&dot_git).ok()?.is_dir() {
        return Some(dot_git);
    }
    let content = read_small(&dot_git).ok()?;
    let named = path_in(content.strip_prefix(b"gitdir: ")?);
    let git_dir = work_tree.join(named);
    git_dir.is_dir().then_some(git_dir)
}

/// The directory that all worktrees of a git directory's repository share.
pub(super) fn common_dir(git_dir: &Path) -> Option<PathBuf> {
    let common = match read_small(&git_dir.join("commondir")) {
        Ok(content) => git_dir.join(path_in(&content)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => git_dir.to_owned(),
        Err(_) => return None,
    };
    fs::canonicalize(common).ok()
}

/// The repository's own working tree, found without git; `None` where there is none, or it cannot be found so.
pub(super) fn own_tree(common_dir: &Path, configured: Option<&Path>) -> Option<PathBuf> {
    if common_dir.ends_with(".jj/repo/store/git") {
        return common_dir.ancestors().nth(4).map(Path::to_owned);
    }
    let tree = match configured {
        Some(tree) => common_dir.join(tree),
        None if common_dir.ends_with(".git") => common_dir.parent()?.to_owned(),
        None => return None,
    };
    let found = self::common_dir(&git_dir(&tree)?)?;
    (Identity::of(&found) == Identity::of(common_dir)).then(|| fs::canonicalize(tree).ok()).flatten()
}

/// Whether the files of a repository rule a branch out. `false` means only that git has to be asked.
pub(super) fn has_no_branch(common_dir: &Path, name: &str) -> bool {
    let full_name = format!("refs/heads/{name}");
    let loose = fs::symlink_metadata(common_dir.join(&full_name));
    let not_loose = match loose {
        Ok(found) => found.is_dir(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    // In other formats than git's first one, `refs/heads` is not a directory.
    let in_files = common_dir.join("refs/heads").is_dir();
    let not_packed = match fs::read(common_dir.join("packed-refs")) {
        Ok(packed) => !packed.split(|byte| *byte == b'\n').any(|line| line.ends_with(full_name.as_bytes())),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    };
    in_files && not_loose && not_packed
}

pub(super) fn read_small(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open_regular(path)?.take(MAX_LINK_BYTES).read_to_end(&mut content)?;
    Ok(content)
}

/// Reads at most the last `limit` bytes of a file.
pub(super) fn read_end(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut file = open_regular(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(limit)))?;
    let mut content = Vec::new();
    file.take(limit).read_to_end(&mut content)?;
    Ok(content)
}

/// Reads a file of at most `limit` bytes, and says when it was modified, in seconds since 1970.
pub(super) fn read_regular(path: &Path, limit: u64) -> io::Result<(Vec<u8>, u64)> {
    let file = open_regular(path)?;
    let found = file.metadata()?;
    if found.len() > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut content = Vec::new();
    file.take(limit).read_to_end(&mut content)?;
    Ok((content, u64::try_from(found.mtime()).unwrap_or(0)))
}

/// Copies a file with its modification time, from which git decides which entries of an index it has to read again.
pub(super) fn copy_regular(from: &Path, to: &Path, limit: u64) -> io::Result<()> {
    let source = open_regular(from)?;
    let modified = source.metadata()?.modified()?;
    let mut copy = File::create(to)?;
    io::copy(&mut source.take(limit), &mut copy)?;
    copy.set_modified(modified)
}

/// Opens a plain file. Anything else, as a pipe on which reading would wait, is an error.
fn open_regular(path: &Path) -> io::Result<File> {
    let no_wait = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let file = OpenOptions::new().read(true).custom_flags(no_wait).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::ErrorKind::InvalidInput.into()) }
}

/// The path in a file that git wrote: everything but the newlines at the end.
pub(super) fn path_in(content: &[u8]) -> PathBuf {
    let end = content.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    PathBuf::from(OsString::from_vec(content[..end].to_vec()))
}
