//! The log of a branch, which goes when the branch is deleted.
//!
//! The one rule: an agent can write the log, so what is in it is only a candidate for a commit.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use super::git_command::GitCommand;
use super::head::id_in;
use super::{branch, link};

/// Of a longer log, the end is read.
const MAX_LOG_BYTES: u64 = 16 * 1024 * 1024;

/// The file of a branch's log, where git keeps logs in files.
pub(super) fn file(common_dir: &Path, name: &str) -> PathBuf {
    common_dir.join("logs").join(branch::full_name(name))
}

/// The commits that a branch pointed at, as its log has them.
pub(super) fn commits(common_dir: &Path, name: &str) -> HashSet<String> {
    match link::read_end(&file(common_dir, name), MAX_LOG_BYTES) {
        Ok(log) => log.split(|byte| *byte == b'\n').flat_map(ids_of).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound && common_dir.join("reftable").is_dir() => {
            let git = GitCommand::on(common_dir).run(["log", "-g", "--format=%H"]).arg(branch::full_name(name));
            // A branch without a log is an error to git.
            let printed = git.arg("--").read().unwrap_or_default();
            printed.split(|byte| *byte == b'\n').filter_map(id_in).collect()
        }
        Err(_) => HashSet::new(),
    }
}

/// The ids before and after a change, with which each line of a log begins.
pub(super) fn ids_of(line: &[u8]) -> impl Iterator<Item = String> {
    line.split(|byte| *byte == b' ').take(2).filter_map(id_in)
}
