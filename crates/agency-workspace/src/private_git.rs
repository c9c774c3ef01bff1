//! A git directory of agency's own, through which git looks at a working tree that an agent can write.
//!
//! The one rule: settings come from the system, the user and the repository's common configuration. Nothing in the
//! working tree, in its `.git` or in git's entry for it adds a setting, a hook or a program.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::checkout::Checkout;
use super::git_command::GitCommand;
use super::head::{self, Head};
use super::index_file::{IndexFile, MAX_INDEX_BYTES};
use super::link::Identity;
use super::user_settings::UserSettings;
use super::{Result, WorkspaceError, link, own_ref};

/// Settings that hold for every command at such a place.
const SETTINGS: [&str; 12] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    // These could hide files or changes from us.
    "core.untrackedCache=false",
    "core.ignoreStat=false",
    "core.splitIndex=false",
    "index.sparse=false",
    // Git then looks at a file that is marked as not checked out but is there.
    "core.sparseCheckout=true",
    "sparse.expectFilesOutsideOfPatterns=false",
    "submodule.recurse=false",
    // A file is not lost because of its line endings.
    "core.safecrlf=false",
    "gc.auto=0",
    "maintenance.auto=false",
];

/// The file with the user's settings, where git would read others because of its directory.
pub(super) const USER_CONFIG: &str = "user-config";

/// The variable that names the tree from which git reads attributes, instead of the working tree.
pub(super) const ATTRIBUTES_FROM: &str = "GIT_ATTR_SOURCE";

/// How much unused memory git keeps, in the variable and the unit of glibc. Git uses some 200 KB for each file that it adds;
/// by default glibc gives them back to the kernel after each file, which then fills them with zeros for the next one.
const KEPT_MEMORY: (&str, &str) = ("MALLOC_TRIM_THRESHOLD_", "4194304");

/// Where the content of added files goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Objects {
    /// Into the repository, safe from a power cut.
    Repository,
    /// Into the repository; the caller brings those that count to the disk.
    Unsynced,
    /// Into `objects` of the private directory: looking must not make the repository grow. More objects may be read from
    /// another directory.
    Private { also_from: Option<PathBuf> },
}

/// A git directory of our own over a working tree.
pub(super) struct PrivateGit {
    directory: PathBuf,
    work_tree: PathBuf,
    common_dir: PathBuf,
    objects: Objects,
    settings: UserSettings,
}

impl PrivateGit {
    /// Makes a git directory in an existing directory that only we can write. It has no index yet.
    pub(super) fn make(directory: &Path, checkout: &Checkout, objects: Objects) -> Result<Self> {
        let common_dir = [checkout.common_dir.as_os_str().as_bytes(), b"\n"].concat();
        write_if_different(&directory.join("commondir"), &common_dir)?;
        if let Objects::Private { .. } = objects {
            let objects = directory.join("objects");
            fs::create_dir_all(&objects).map_err(WorkspaceError::io("create", &objects))?;
        }
        let settings = checkout.user_settings()?;
        settings.write(&directory.join(USER_CONFIG))?;
        let private = Self {
            directory: directory.to_owned(),
            work_tree: checkout.work_tree.clone(),
            common_dir: checkout.common_dir.clone(),
            objects,
            settings,
        };
        private.write_head(&checkout.head)?;
        Ok(private)
    }

    /// Writes HEAD where git reads it, which with reftable is not a file of its own.
    fn write_head(&self, head: &Head) -> Result<()> {
        if !self.common_dir.join("reftable").is_dir() {
            return write_if_different(&self.directory.join("HEAD"), head.file_content().as_bytes());
        }
        let (path, tables) = (self.directory.join("HEAD"), self.directory.join("reftable"));
        fs::write(&path, Head::Ref(head::ELSEWHERE.to_owned()).file_content())
            .and_then(|()| fs::create_dir_all(&tables))
            .map_err(WorkspaceError::io("write", &path))?;
        match head {
            Head::Ref(name) => self.git().run(["symbolic-ref", "HEAD"]).arg(name).read().map(drop),
            Head::Detached(commit) => own_ref::detach_head(self.git(), commit),
        }
    }

    /// Starts to describe a git command on the working tree.
    pub(super) fn git(&self) -> GitCommand {
        self.git_over(&self.work_tree)
    }

    /// The same for a command that reads what was added, and no file of the working tree. Instead of the content of an
    /// object, git reads a file that has not changed since it was added, and applies the attributes that hold for the
    /// command: with others than those of the working tree, it would miss a filter.
    pub(super) fn git_without_files(&self) -> GitCommand {
        self.git_over(&self.directory)
    }

    /// The same with the files of another directory, which no agent can write.
    pub(super) fn git_over(&self, work_tree: &Path) -> GitCommand {
        let git = GitCommand::on_tree(&self.directory, work_tree).env("GIT_INDEX_FILE", self.index());
        let git = git.env(KEPT_MEMORY.0, KEPT_MEMORY.1);
        let git = self.settings.apply(git, &self.directory.join(USER_CONFIG));
        let git = SETTINGS.iter().fold(git, |git, setting| git.config(setting));
        let git = if ignores_case(&self.work_tree) { git } else { git.config("core.ignoreCase=false") };
        match &self.objects {
            Objects::Repository => {
                git.config("core.fsync=committed,loose-object,reference").config("core.fsyncMethod=batch")
            }
            Objects::Unsynced => git.config("core.fsync=none").config("index.skipHash=true"),
            Objects::Private { also_from } => {
                let mut others = as_alternate(&self.common_dir.join("objects"));
                if let Some(more) = also_from {
                    others.push(":");
                    others.push(as_alternate(more));
                }
                git.env("GIT_OBJECT_DIRECTORY", self.directory.join("objects"))
                    .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", others)
            }
        }
    }

    /// A tree that stands for the attributes of a working tree when they are not to apply: a filter that fails, or an
    /// encoding that a file does not have, must not hide or lose the others.
    pub(super) fn no_attributes(&self) -> Result<String> {
        self.git().run(["hash-object", "-t", "tree", "/dev/null"]).read_line()
    }

    /// The private index.
    pub(super) fn index(&self) -> PathBuf {
        self.directory.join("index")
    }

    /// Reads the agent's index. Where there is none that can be used, it is what is checked out, of whose files nothing is
    /// known.
    pub(super) fn agents_index(&self, checkout: &Checkout) -> Result<IndexFile> {
        if let Some(path) = checkout.index() {
            if let Ok(index) = IndexFile::open(&path) {
                return Ok(index);
            }
            // A part of it may be in another file, or whole directories one entry.
            if let Some(index) = self.written_out(&path) {
                return Ok(index);
            }
        }
        self.index_of_head(checkout)
    }

    /// Replaces the private index, in one step.
    pub(super) fn write_index(&self, index: &IndexFile) -> Result<()> {
        let (draft, path) = (self.directory.join("index.new"), self.index());
        fs::write(&draft, index.to_bytes())
            .and_then(|()| fs::rename(&draft, &path))
            .map_err(WorkspaceError::io("write", &path))
    }

    /// Lets git write out an index that we cannot read, so that it can be checked; `None` where git cannot read it either.
    fn written_out(&self, agents: &Path) -> Option<IndexFile> {
        let place = tempfile::Builder::new().prefix("index-").tempdir_in(&self.directory).ok()?;
        let whole = place.path().join("index");
        link::copy_regular(agents, &whole, MAX_INDEX_BYTES).ok()?;
        let shared = |name: &OsString| name.as_bytes().starts_with(b"sharedindex.");
        // Git looks for the other part in its own directory.
        let names = fs::read_dir(agents.parent()?).ok()?.flatten().map(|entry| entry.file_name()).filter(shared);
        let copies: Vec<PathBuf> = names
            .filter_map(|name| {
                let copy = self.directory.join(&name);
                link::copy_regular(&agents.parent()?.join(&name), &copy, MAX_INDEX_BYTES).ok().map(|()| copy)
            })
            .collect();
        let rewritten = self.git().env("GIT_INDEX_FILE", &whole).run(["update-index", "--force-write-index"]).read();
        for copy in copies {
            // A copy that stays is replaced by the next one.
            let _ = fs::remove_file(copy);
        }
        rewritten.ok()?;
        IndexFile::open(&whole).ok()
    }

    fn index_of_head(&self, checkout: &Checkout) -> Result<IndexFile> {
        let Some(commit) = checkout.head.commit(&checkout.common_dir)? else {
            return Ok(IndexFile::default());
        };
        let draft = self.directory.join("index.head");
        // One that an interrupted command left would be in the way.
        let _ = fs::remove_file(self.directory.join("index.head.lock"));
        self.git().env("GIT_INDEX_FILE", &draft).run(["read-tree"]).arg(commit.as_str()).read()?;
        let index = IndexFile::open(&draft).map_err(|error| WorkspaceError::Git {
            command: "read-tree".to_owned(),
            directory: checkout.work_tree.clone(),
            message: error.to_string(),
        });
        // Only a draft: the next one replaces it.
        let _ = fs::remove_file(&draft);
        index
    }
}

/// Quotes a path for a list that is separated by colons.
pub(super) fn as_alternate(path: &Path) -> OsString {
    let mut quoted = vec![b'"'];
    for byte in path.as_os_str().as_bytes() {
        if matches!(byte, b'"' | b'\\') {
            quoted.push(b'\\');
        }
        quoted.push(*byte);
    }
    quoted.push(b'"');
    OsString::from_vec(quoted)
}

/// To write a file again, even with the same content, may wait for the disk, and on a full one loses what is there.
fn write_if_different(path: &Path, content: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|found| found == content) {
        return Ok(());
    }
    fs::write(path, content).map_err(WorkspaceError::io("write", path))
}

/// Whether names that differ only in their case are one file in a working tree. The setting may come from another file
/// system, and would there hide files.
fn ignores_case(work_tree: &Path) -> bool {
    let find = |name| fs::symlink_metadata(work_tree.join(name)).ok();
    find(".git").zip(find(".GIT")).is_some_and(|(lower, upper)| {
        // An agent can make the second name of a file, but not of a directory.
        Identity::from(&lower) == Identity::from(&upper) && (lower.is_dir() || lower.nlink() == 1)
    })
}

#[cfg(test)]
mod tests {
    use super::{fs, ignores_case};

    #[test]
    fn a_second_name_that_an_agent_made_is_not_a_file_system_that_ignores_case() {
        let tree = tempfile::tempdir().unwrap();
        let file = |name: &str| tree.path().join(name);
        assert!(!ignores_case(tree.path()));
        fs::write(file(".git"), "gitdir: x").unwrap();
        assert!(!ignores_case(tree.path()));
        fs::hard_link(file(".git"), file(".GIT")).unwrap();
        assert!(!ignores_case(tree.path()));
    }
}
