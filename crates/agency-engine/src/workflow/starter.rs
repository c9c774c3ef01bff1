//! The files that a project begins with.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::project_file::project_file;
use super::{BUILT_IN_SYSTEM_PROMPT, WorkflowError};
use crate::project::PROJECT_FILE;

/// Every file by its place below the project, with its text.
const FILES: &[(&str, &str)] = &[
    (
        ".agency/workflows/implement-test-merge.yaml",
        include_str!("../../data/workflow/workflows/implement-test-merge.yaml"),
    ),
    (".agency/workflows/parallel-review.yaml", include_str!("../../data/workflow/workflows/parallel-review.yaml")),
    (".agency/spells/implement.md", include_str!("../../data/workflow/spells/implement.md")),
    (".agency/spells/fix.md", include_str!("../../data/workflow/spells/fix.md")),
    (".agency/spells/review.md", include_str!("../../data/workflow/spells/review.md")),
    (".agency/spells/house-style.md", include_str!("../../data/workflow/spells/house-style.md")),
    (".agency/system-prompt.md", BUILT_IN_SYSTEM_PROMPT),
];

/// The outcome for each file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct WrittenFile {
    /// Its place below the project.
    pub path: &'static str,
    /// Whether it is new.
    pub written: Written,
}

/// Whether a file was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Written {
    /// It is new.
    New,
    /// Something was there already, and is as it was.
    Kept,
}

/// Writes the files that a project begins with; what is there stays as it is.
pub fn init(root: &Path) -> Result<Vec<WrittenFile>, WorkflowError> {
    let project = project_file(root);
    let files = FILES.iter().copied().chain([(PROJECT_FILE, project.as_str())]);
    files.map(|(path, text)| Ok(WrittenFile { path, written: write(&root.join(path), text)? })).collect()
}

/// Writes a file whole or not at all, and never over another.
fn write(path: &Path, text: &str) -> Result<Written, WorkflowError> {
    if path.symlink_metadata().is_ok() {
        return Ok(Written::Kept);
    }
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(WorkflowError::io("cannot be made", folder))?;
    let whole = || -> io::Result<tempfile::NamedTempFile> {
        let mut file = tempfile::Builder::new().permissions(readable()).tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        Ok(file)
    };
    match whole().map_err(WorkflowError::io("cannot be written", path))?.persist_noclobber(path) {
        Ok(_) => Ok(Written::New),
        // Another process was faster.
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(Written::Kept),
        Err(error) => Err(WorkflowError::io("cannot be written", path)(error.error)),
    }
}

/// The mode of repository files: readable for all, as far as the user's mask allows.
fn readable() -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    fs::Permissions::from_mode(0o666)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::workflow::{Project, load};

    #[test]
    fn what_a_project_begins_with_can_be_used_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let written = init(folder.path()).unwrap();
        assert!(written.iter().all(|file| file.written == Written::New));
        let project = Project::around(folder.path());
        let files = project.workflow_files().unwrap();
        assert_eq!(files.len(), 2);
        for file in files {
            load(&project, &file, &Config::default(), None).unwrap_or_else(|error| panic!("{error}"));
        }
    }

    #[test]
    fn nothing_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let mine = folder.path().join(".agency/spells/fix.md");
        fs::create_dir_all(mine.parent().unwrap()).unwrap();
        fs::write(&mine, "mine").unwrap();
        let kept = |file: &&WrittenFile| file.written == Written::Kept;
        let first = init(folder.path()).unwrap();
        assert_eq!(first.iter().filter(kept).map(|file| file.path).collect::<Vec<_>>(), [".agency/spells/fix.md"]);
        assert_eq!(fs::read_to_string(&mine).unwrap(), "mine");
        assert!(init(folder.path()).unwrap().iter().all(|file| file.written == Written::Kept));
    }
}
