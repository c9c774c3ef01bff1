//! The commit at HEAD of an ordinary repository, read from its files: starting git takes longer than everything else
//! that is done before an agent starts in the user's own checkout.
//!
//! The one rule: whatever is not exactly as `git init` and `git clone` make it is left to git.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::process::geteuid;

use super::Commit;
use super::link::{read_regular, read_small};

/// A larger list of refs is left to git.
const MAX_PACKED_BYTES: u64 = 1024 * 1024;

/// The commit at HEAD of the repository whose working tree is at `root`; `None` where git has to be asked.
pub(super) fn plain_head(root: &Path) -> Option<Commit> {
    let git_dir = root.join(".git");
    // Git refuses a repository of another user, unless the configuration allows it.
    let is_own_directory =
        |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_dir() && found.uid() == geteuid().as_raw());
    let parts = ["objects", "refs", "refs/heads"].map(|name| git_dir.join(name));
    if ![root, &git_dir].into_iter().chain(parts.iter().map(std::path::PathBuf::as_path)).all(is_own_directory) {
        return None;
    }
    if !is_plain_config(&read_text(&git_dir.join("config"))?) {
        return None;
    }
    let head = read_text(&git_dir.join("HEAD"))?;
    let name = head.strip_prefix("ref: ")?.strip_suffix('\n')?;
    let plain = |part: &str| {
        let letters = part.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.'));
        letters && !part.is_empty() && !part.starts_with('.') && !part.contains("..") && !part.ends_with(".lock")
    };
    if !name.strip_prefix("refs/heads/")?.split('/').all(plain) {
        return None;
    }
    let loose = git_dir.join(name);
    if fs::symlink_metadata(&loose).is_ok() {
        return read_text(&loose)?.strip_suffix('\n')?.parse().ok();
    }
    let (packed, _) = read_regular(&git_dir.join("packed-refs"), MAX_PACKED_BYTES).ok()?;
    let mut found = packed.split(|byte| *byte == b'\n').filter_map(|line| {
        let (id, packed_name) = std::str::from_utf8(line).ok()?.split_once(' ')?;
        (packed_name == name).then_some(id)
    });
    found.next()?.parse().ok()
}

/// Whether a repository's own settings are those of git's first format, with its files around it.
fn is_plain_config(text: &str) -> bool {
    let suits = |line: &str| {
        let line = line.trim().to_ascii_lowercase();
        match line.as_str() {
            "bare = false" | "repositoryformatversion = 0" => true,
            // Also as a part of something else: git is only asked once too often.
            line => {
                let special = ["bare", "repositoryformatversion", "extensions", "include", "worktree"];
                !special.iter().any(|word| line.contains(word)) && !line.ends_with('\\')
            }
        }
    };
    text.lines().all(suits)
}

fn read_text(path: &Path) -> Option<String> {
    String::from_utf8(read_small(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::is_plain_config;

    #[test]
    fn only_the_first_format_with_its_files_around_it_is_plain() {
        assert!(is_plain_config("[core]\n\trepositoryformatversion = 0\n\tbare = false\n[user]\n\tname = x\n"));
        for other in [
            "[core]\n\tbare = true\n",
            "[core]\n\tbare\n",
            "[core]\n\trepositoryformatversion = 1\n",
            "[core] bare = true\n",
            "[core]bare=1\n",
            "[core]\n\tba\\\nre = true\n",
            "[core]\n\tworktree = /elsewhere\n",
            "[extensions]\n\trefStorage = reftable\n",
            "[include]\n\tpath = other\n",
            "[includeIf \"gitdir:/r\"]\n\tpath = other\n",
        ] {
            assert!(!is_plain_config(other), "{other}");
        }
    }
}
