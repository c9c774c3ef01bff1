//! Files in the place of a run's refs that git cannot read as refs, and on which it would stop.
//!
//! The one rule: an agent can write them, so they are moved to where the run's work is kept, and never deleted.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use agency_model::RunId;

use super::git_command::GitCommand;
use super::head::is_ref_name;
use super::own_ref::{self, RefState};
use super::tree_walk::walk;
use super::{Result, kept, link};

/// Moves what is in the place of a run's refs and is none. Costs the listing of one directory where there is nothing.
pub(super) fn move_aside(git_dir: &Path, trash: &Path, run: &RunId) -> Result<()> {
    for above in ["refs/agency", "refs/agency/saved"] {
        let path = git_dir.join(above);
        let name = above.replace('/', "-");
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() && !is_packed(git_dir, above) => {}
            Err(_) if !is_packed(git_dir, above) => {}
            Ok(found) if found.is_file() && !is_ref(&path) => kept::keep_ref_file(&path, name.as_ref(), trash, run)?,
            Ok(found) if !found.is_file() && !found.is_dir() && !found.is_symlink() => {
                kept::keep_ref_file(&path, name.as_ref(), trash, run)?;
            }
            Ok(_) | Err(_) => move_ref_aside(git_dir, above, &name, trash, run)?,
        }
    }
    let saved = git_dir.join("refs/agency/saved");
    let mut rubbish: Vec<PathBuf> = vec![];
    for entry in fs::read_dir(&saved).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let Some(rest) = name.as_bytes().strip_prefix(run.as_str().as_bytes()) else { continue };
        match entry.file_type() {
            _ if !rest.is_empty() && !rest.starts_with(b"-") => {}
            Ok(kind) if kind.is_dir() => walk(
                &path,
                |_| false,
                |inner, kind| rubbish.extend((!kind.is_dir() && !is_ref(inner)).then(|| inner.to_owned())),
            ),
            Ok(_) if !is_ref(&path) => rubbish.push(path),
            Ok(_) | Err(_) => {}
        }
    }
    for path in rubbish {
        kept::keep_ref_file(&path, path.strip_prefix(&saved).unwrap_or(&path), trash, run)?;
    }
    Ok(())
}

/// Gives a ref a name of its own that is in the place of the directory of refs, and keeps a note of it. A symbolic ref is
/// moved as a file: it holds nothing.
fn move_ref_aside(git_dir: &Path, above: &str, name: &str, trash: &Path, run: &RunId) -> Result<()> {
    let RefState::Holds(object) = own_ref::state(git_dir, above)? else {
        let path = git_dir.join(above);
        return if path.is_dir() { Ok(()) } else { kept::keep_ref_file(&path, name.as_ref(), trash, run) };
    };
    let aside = format!("refs/agency-aside/{run}/{name}-{object}");
    let git = || GitCommand::on(git_dir).config("core.hooksPath=/dev/null");
    own_ref::update(git(), "agency: in the way").args([aside.as_str(), object.as_str()]).read()?;
    kept::keep_ref_note(name, &format!("{object} {aside}\n"), trash, run)?;
    own_ref::delete(git(), above, &object)
}

/// Whether the file with many refs has one of this name.
fn is_packed(git_dir: &Path, name: &str) -> bool {
    let packed = fs::read(git_dir.join("packed-refs")).unwrap_or_default();
    packed.split(|byte| *byte == b'\n').any(|line| line.split(|byte| *byte == b' ').nth(1) == Some(name.as_bytes()))
}

/// Whether git reads a file as a ref: an object's id, or the name of another ref.
fn is_ref(path: &Path) -> bool {
    let Ok(content) = link::read_small(path) else {
        // Git takes a link for the name of a ref, which need not exist.
        return fs::read_link(path).is_ok_and(|target| target.to_str().is_some_and(is_ref_name));
    };
    let Ok(text) = std::str::from_utf8(&content) else { return false };
    match text.strip_prefix("ref:") {
        Some(name) => is_ref_name(name.trim()),
        None => {
            text.split_ascii_whitespace().next().is_some_and(|id| super::head::id_in(id.as_bytes()).is_some())
                && !text.starts_with(|letter: char| letter.is_ascii_whitespace())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ref_is_an_id_or_the_name_of_another_ref() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("ref");
        let id = "0123456789012345678901234567890123456789";
        for good in [format!("{id}\n"), format!("{id} more"), "ref: refs/heads/x\n".to_owned()] {
            fs::write(&path, &good).unwrap();
            assert!(is_ref(&path), "{good}");
        }
        for wrong in [String::new(), "x\n".to_owned(), format!("{id}0"), "0".repeat(40), "ref: ../x".to_owned()] {
            fs::write(&path, &wrong).unwrap();
            assert!(!is_ref(&path), "{wrong}");
        }
    }
}
