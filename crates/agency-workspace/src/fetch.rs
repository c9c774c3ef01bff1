//! Clones of other people's repositories, to be read and never written to.
//!
//! The one rule: what is fetched decides nothing. No hook runs, no submodule is followed, and only transports that
//! start no program of the other side's choice are used.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::address::Address;
use super::git_command::{Finished, GitCommand};
use super::trash::{discard, make_private};
use super::{Commit, Result, WorkspaceError};
use agency_system::lock::Lock;
use agency_system::uuid::random_uuid;

/// Transports that start no program of another's choice.
const TRANSPORTS: &str = "file:git:http:https:ssh";

/// The end of the name of a clone that is not whole yet.
const DRAFT: &str = ".new";

/// The file by which a clone of ours is known.
const MARK: &str = ".git/agency-source";

/// A repository that is fetched.
#[derive(Debug, Clone, Copy)]
pub struct Fetch<'a> {
    /// Where the clone is, or will be.
    pub directory: &'a Path,
    /// Where it comes from.
    pub url: &'a str,
    /// A branch, a tag or a commit; the other side's default branch if absent.
    pub reference: Option<&'a str>,
    /// The lock of the clone, which the processes of git hold too.
    pub lock: Option<&'a Lock>,
}

/// What a clone is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The commit whose files it has.
    pub commit: Commit,
    /// Whether it was made now.
    pub new: bool,
    /// Whether it holds only that commit.
    pub shallow: bool,
}

/// Makes or renews a clone; `None` if `cancelled` was set meanwhile. A new clone is there whole or not at all.
pub fn fetch(fetch: Fetch<'_>, hear: &mut dyn FnMut(&str), cancelled: &AtomicBool) -> Result<Option<Fetched>> {
    let parent = fetch.directory.parent().unwrap_or(Path::new("/"));
    make_private(parent)?;
    if is_clone(fetch.directory) {
        let clone = Clone { tree: fetch.directory.to_owned(), fetch };
        return Ok(clone.renew(hear, cancelled)?.map(|(commit, shallow)| Fetched { commit, new: false, shallow }));
    }
    if fetch.directory.symlink_metadata().is_ok() {
        return Err(WorkspaceError::PathOccupied { path: fetch.directory.to_owned() });
    }
    let name = fetch.directory.file_name().unwrap_or_default().to_string_lossy();
    // The holder of the lock makes this clone alone: other drafts were left by processes that died.
    for left in drafts(parent, &name) {
        discard(&left)?;
    }
    let draft = parent.join(format!(".{name}.{}{DRAFT}", random_uuid()));
    let made = Clone { tree: draft.clone(), fetch }.make(hear, cancelled);
    let (commit, shallow) = match made {
        Ok(Some(made)) => made,
        other => {
            discard(&draft)?;
            return other.map(|_| None);
        }
    };
    fs::rename(&draft, fetch.directory).map_err(WorkspaceError::io("move to its place", &draft))?;
    Ok(Some(Fetched { commit, new: true, shallow }))
}

/// The drafts of a clone, those of earlier versions too.
fn drafts(parent: &Path, name: &str) -> Vec<PathBuf> {
    const UUID_LENGTH: usize = 36;
    let is_draft = |file: &str| {
        let middle = file.strip_prefix('.').and_then(|file| file.strip_prefix(name)?.strip_suffix(DRAFT));
        // A dot can be part of another name too.
        middle.is_some_and(|middle| middle.is_empty() || (middle.starts_with('.') && middle.len() == UUID_LENGTH + 1))
    };
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_name().to_str().is_some_and(is_draft)).map(|entry| entry.path()).collect()
}

/// Whether a directory is a clone that [`fetch`] made, and not a user's repository.
#[must_use]
pub fn is_clone(directory: &Path) -> bool {
    directory.join(MARK).is_file()
}

/// Deletes a clone that [`fetch`] made; returns whether there was one.
pub fn forget_clone(directory: &Path) -> Result<bool> {
    let found = is_clone(directory);
    if found {
        discard(directory)?;
    }
    Ok(found)
}

struct Clone<'a> {
    tree: PathBuf,
    fetch: Fetch<'a>,
}

impl Clone<'_> {
    fn make(&self, hear: &mut dyn FnMut(&str), cancelled: &AtomicBool) -> Result<Option<(Commit, bool)>> {
        make_private(&self.tree)?;
        GitCommand::at(&self.tree).run(["init", "--quiet", "--template=", "--initial-branch=none"]).read()?;
        let mark = self.tree.join(MARK);
        fs::write(&mark, "").map_err(WorkspaceError::io("write", &mark))?;
        self.renew(hear, cancelled)
    }

    /// Fetches and checks out: one commit where the other side gives it, everything otherwise.
    fn renew(&self, hear: &mut dyn FnMut(&str), cancelled: &AtomicBool) -> Result<Option<(Commit, bool)>> {
        let wanted = self.fetch.reference.unwrap_or("HEAD");
        let one = self.git(["fetch", "--depth=1"]).args(["--end-of-options", "origin", wanted]);
        let Some(fetched) = one.run_with_progress(self.fetch.lock, hear, cancelled)? else { return Ok(None) };
        if fetched.success {
            return self.check_out("FETCH_HEAD").map(|commit| Some((commit, true)));
        }
        if is_unreachable(&fetched) {
            return Err(self.failed(&fetched));
        }
        let whole = self.git(["fetch", "--depth=2147483647"]).args([
            "--tags",
            "--end-of-options",
            "origin",
            "+refs/heads/*:refs/remotes/origin/*",
        ]);
        let Some(all) = whole.run_with_progress(self.fetch.lock, hear, cancelled)? else { return Ok(None) };
        if !all.success {
            return Err(self.failed(&all));
        }
        let candidates = [format!("refs/remotes/origin/{wanted}"), format!("refs/tags/{wanted}"), wanted.to_owned()];
        for candidate in candidates {
            let found = self.git(["rev-parse", "--verify"]);
            let found = found.args(["--quiet", "--end-of-options", &format!("{candidate}^{{commit}}")]).finish()?;
            if found.success {
                return self
                    .check_out(String::from_utf8_lossy(&found.stdout).trim())
                    .map(|commit| Some((commit, false)));
            }
        }
        Err(self.failed(&fetched))
    }

    fn check_out(&self, what: &str) -> Result<Commit> {
        let checked = self.git(["checkout", "--quiet"]).args(["--force", "--detach", what, "--"]).finish()?;
        if !checked.success {
            return Err(self.failed(&checked));
        }
        let head = self.git(["rev-parse", "HEAD"]).read_line()?;
        head.parse()
            .map_err(|error| WorkspaceError::io("read", &self.tree)(io::Error::new(io::ErrorKind::InvalidData, error)))
    }

    /// Git on this clone alone, and on nothing that lies above it.
    fn git(&self, words: [&str; 2]) -> GitCommand {
        let fetches = words.first() == Some(&"fetch");
        let git = GitCommand::on_tree(&self.tree.join(".git"), &self.tree)
            .config("core.hooksPath=/dev/null")
            .config("core.fsmonitor=false")
            .config("gc.auto=0")
            .env("GIT_ALLOW_PROTOCOL", TRANSPORTS)
            .env("SSH_ASKPASS_REQUIRE", "never")
            .run(words);
        let git = Address::new(self.fetch.url).configure(git);
        match fetches {
            true => git.args(["--progress", "--force", "--no-recurse-submodules", "--no-write-commit-graph"]),
            false => git,
        }
    }

    fn failed(&self, finished: &Finished) -> WorkspaceError {
        let message = finished.stderr.clone();
        WorkspaceError::Git { command: "fetch".to_owned(), directory: self.fetch.directory.to_owned(), message }
    }
}

/// Whether asking for more would fail alike.
fn is_unreachable(fetched: &Finished) -> bool {
    const WORDS: &[&str] = &[
        "Could not resolve",
        "unable to access",
        "Authentication failed",
        "could not read Username",
        "does not appear to be a git repository",
        "does not exist",
        "Permission denied",
        "Connection ",
        "not allowed",
        "nothing came for five minutes",
    ];
    WORDS.iter().any(|words| fetched.stderr.contains(words))
}
