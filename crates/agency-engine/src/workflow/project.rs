//! Where a project keeps its workflows. `.agency/` comes first; `.coven/` is read where `.agency/` lacks the file.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use agency_model::nearest;
use agency_model::template::{MAX_TEMPLATE_BYTES, Spell, Spellbook};

use super::WorkflowError;

/// The system prompt of projects that have none of their own.
pub const BUILT_IN_SYSTEM_PROMPT: &str = include_str!("../../data/workflow/system-prompt.md");

/// The folders of a project, the first one first.
const FOLDERS: &[&str] = &[".agency", ".coven"];
const WORKFLOWS: &[&str] = &[".agency/workflows", ".coven/grimoires"];
const EXTENSIONS: &[&str] = &["yaml", "yml", "json"];
/// A folder with more spells is none of spells.
const MAX_SPELLS: usize = 1000;

/// A folder with workflows, usually the top of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    root: PathBuf,
}

impl Project {
    /// The project that a directory belongs to: the nearest one above it that has a folder for workflows or is the top of
    /// a repository; the directory itself if there is none.
    #[must_use]
    pub fn around(directory: &Path) -> Self {
        let marked =
            |path: &&Path| WORKFLOWS.iter().chain(&[".agency/spells", ".git"]).any(|folder| path.join(folder).exists());
        Self { root: directory.ancestors().find(marked).unwrap_or(directory).to_owned() }
    }

    /// Its top.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Every workflow file, by name.
    pub fn workflow_files(&self) -> Result<Vec<PathBuf>, WorkflowError> {
        let mut files = vec![];
        for folder in WORKFLOWS {
            files.extend(listed(&self.root.join(folder), EXTENSIONS)?);
        }
        Ok(files)
    }

    /// The file of a workflow: a path as it is, or a name in the folders for workflows.
    pub fn workflow_file(&self, text: &Path) -> Result<PathBuf, WorkflowError> {
        if text.is_file() {
            return Ok(text.to_owned());
        }
        let files = self.workflow_files()?;
        let found = files
            .iter()
            .find(|file| file.file_stem() == Some(text.as_os_str()) || file.file_name() == Some(text.as_os_str()));
        found.cloned().ok_or_else(|| {
            let name = text.display().to_string();
            let names = files.iter().filter_map(|file| file.file_stem()?.to_str());
            let meant = nearest(&name, names).map(str::to_owned);
            WorkflowError::NotFound {
                name,
                looked: WORKFLOWS.iter().map(|folder| (*folder).to_owned()).collect(),
                nearest: meant,
            }
        })
    }

    /// Every spell.
    pub fn spells(&self) -> Result<Spellbook, WorkflowError> {
        let mut book = Spellbook::default();
        for folder in FOLDERS {
            for path in listed(&self.root.join(folder).join("spells"), &["md"])? {
                if let Some(name) = path.file_stem().and_then(|name| name.to_str()) {
                    book.add(name, Spell { file: self.shown(&path), text: text(&path)? });
                }
            }
        }
        Ok(book)
    }

    /// The system prompt: that of the project, or the built-in one.
    pub fn system_prompt(&self) -> Result<Spell, WorkflowError> {
        for folder in FOLDERS {
            let path = self.root.join(folder).join("system-prompt.md");
            if path.is_file() {
                return Ok(Spell { file: self.shown(&path), text: text(&path)? });
            }
        }
        Ok(Spell { file: "built-in system prompt".to_owned(), text: BUILT_IN_SYSTEM_PROMPT.to_owned() })
    }

    /// A path for messages: relative to the top of the project where it is inside.
    #[must_use]
    pub fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}

/// The files of a folder with one of these endings, by name; none if there is no such folder.
fn listed(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>, WorkflowError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(vec![]);
        }
        Err(error) => return Err(WorkflowError::io("cannot be listed", folder)(error)),
    };
    let mut files = vec![];
    for entry in entries.take(MAX_SPELLS) {
        let path = entry.map_err(WorkflowError::io("cannot be listed", folder))?.path();
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if endings.contains(&ending) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The text of a file; one that is larger than any spell is cut just behind that, so that it is refused.
fn text(path: &Path) -> Result<String, WorkflowError> {
    let bytes = read(path, MAX_TEMPLATE_BYTES)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The bytes of a file, one more than `most` if it has more.
pub(super) fn read(path: &Path, most: usize) -> Result<Vec<u8>, WorkflowError> {
    let mut bytes = vec![];
    let file = fs::File::open(path).map_err(WorkflowError::io("cannot be opened", path))?;
    file.take(most as u64 + 1).read_to_end(&mut bytes).map_err(WorkflowError::io("cannot be read", path))?;
    Ok(bytes)
}
