//! What a working tree has checked out, read from its HEAD file and checked.
//!
//! The one rule: an agent can write the file, so it names a ref or a commit, or it counts as missing.

use std::path::Path;

use super::git_command::GitCommand;
use super::{Commit, Result, branch, link};

/// What HEAD of a repository with another ref format than files always says.
pub(super) const ELSEWHERE: &str = "refs/heads/.invalid";

/// What a working tree has checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Head {
    /// A ref, by its full name. It need not exist.
    Ref(String),
    /// A commit on no branch.
    Detached(Commit),
}

impl Head {
    /// A branch, by its short name.
    pub(super) fn branch(name: &str) -> Self {
        Self::Ref(branch::full_name(name))
    }

    /// Reads HEAD of a git directory; `None` when it is missing or names nothing that git would write.
    pub(super) fn read(git_dir: &Path, common_dir: &Path) -> Option<Self> {
        let head = parse(&link::read_small(&git_dir.join("HEAD")).ok()?)?;
        if head == Self::Ref(ELSEWHERE.to_owned()) { ask(git_dir, common_dir) } else { Some(head) }
    }

    /// The commit that is checked out; `None` on a branch without one.
    pub(super) fn commit(&self, common_dir: &Path) -> Result<Option<Commit>> {
        match self {
            Self::Ref(name) => branch::commit_of(common_dir, name),
            Self::Detached(commit) => Ok(Some(commit.clone())),
        }
    }

    /// The branch that is checked out, without `refs/heads/`.
    pub(super) fn branch_name(&self) -> Option<&str> {
        match self {
            Self::Ref(name) => name.strip_prefix("refs/heads/"),
            Self::Detached(_) => None,
        }
    }

    /// The content of a HEAD file.
    pub(super) fn file_content(&self) -> String {
        match self {
            Self::Ref(name) => format!("ref: {name}\n"),
            Self::Detached(commit) => format!("{commit}\n"),
        }
    }
}

fn parse(content: &[u8]) -> Option<Head> {
    let text = std::str::from_utf8(content).ok()?.trim_end_matches(['\n', '\r']);
    match text.strip_prefix("ref:") {
        Some(name) => {
            let name = name.trim_start_matches([' ', '\t']);
            is_ref_name(name).then(|| Head::Ref(name.to_owned()))
        }
        None => text.parse().ok().map(Head::Detached),
    }
}

/// Whether a name is a full ref name, by git's rules.
pub(super) fn is_ref_name(name: &str) -> bool {
    let allowed =
        |letter: char| !letter.is_control() && !matches!(letter, ' ' | '~' | '^' | ':' | '?' | '*' | '[' | '\\');
    let component =
        |part: &str| !part.is_empty() && !part.ends_with(".lock") && (!part.starts_with('.') || name == ELSEWHERE);
    name.starts_with("refs/")
        && name.chars().all(allowed)
        && name.split('/').all(component)
        && !name.contains("..")
        && !name.contains("@{")
        && !name.ends_with('.')
}

/// Asks git for a HEAD that is not in a file. Nothing that git reads in that directory for this can start a program.
fn ask(git_dir: &Path, common_dir: &Path) -> Option<Head> {
    let git = || GitCommand::on(git_dir).env("GIT_COMMON_DIR", common_dir);
    let symbolic = git().run(["symbolic-ref", "--quiet", "HEAD"]).read_line().ok();
    if let Some(name) = symbolic.filter(|name| is_ref_name(name)) {
        return Some(Head::Ref(name));
    }
    git().run(["rev-parse", "--verify", "--quiet", "HEAD"]).read_line().ok()?.parse().ok().map(Head::Detached)
}

/// The full id that some bytes are; `None` for git's id for nothing.
pub(super) fn id_in(content: &[u8]) -> Option<String> {
    let id: Commit = std::str::from_utf8(content.trim_ascii_end()).ok()?.parse().ok()?;
    id.as_str().bytes().any(|digit| digit != b'0').then(|| id.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_names_a_ref_or_a_commit_and_nothing_else() {
        assert_eq!(parse(b"ref: refs/heads/a/b\n"), Some(Head::Ref("refs/heads/a/b".to_owned())));
        let id = "0123456789012345678901234567890123456789";
        assert_eq!(parse(format!("{id}\n").as_bytes()), Some(Head::Detached(id.parse().unwrap())));
        for wrong in [
            &b""[..],
            b"ref: HEAD",
            b"ref: refs/heads/../../x",
            b"ref: refs/heads/a b",
            b"ref: refs/heads/a\nmore",
            b"ref: refs//x",
            b"ref: refs/heads/x.lock",
            b"main",
            b"\xff\xfe",
        ] {
            assert_eq!(parse(wrong), None, "{}", String::from_utf8_lossy(wrong));
        }
    }
}
