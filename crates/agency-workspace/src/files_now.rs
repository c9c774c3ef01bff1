//! Single files of a workspace as they are and as they were in the base commit, with the tree that they are part of.
//!
//! The one rule: names are foreign. They reach git as literal paths only, and content is read by its id, up to a limit.

use std::collections::HashMap;
use std::path::Path;

use agency_model::escaped_line;

use super::captured::standard_input;
use super::changes::parse;
use super::checkout::Checkout;
use super::diff_index::DiffIndex;
use super::index_cache::Comparison;
use super::{ChangedFile, Commit, FileStatus, Result, WorkspaceError};

/// The content of a larger file is not read.
pub const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// The files of a workspace as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FilesNow {
    /// The tree of all files, as git would commit them.
    pub tree: String,
    /// The files that were asked for, in that order.
    pub files: Vec<FileNow>,
}

/// A file of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileNow {
    /// Its path below the workspace.
    pub path: String,
    /// The file as it is; `None` if it does not exist.
    pub now: Option<FileVersion>,
    /// The file in the base commit, where it may have had another path; `None` if it did not exist.
    pub base: Option<FileVersion>,
}

/// One version of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileVersion {
    /// The id of its content.
    pub blob: String,
    /// Its content; `None` for one that is too large, and for a link.
    pub content: Option<Vec<u8>>,
}

/// Looks at the files of a working tree.
pub(super) fn files_now(checkout: &Checkout, base: &Commit, wanted: &[String]) -> Result<FilesNow> {
    if wanted.is_empty() {
        return Ok(FilesNow { tree: DiffIndex::at(checkout)?.tree()?, files: vec![] });
    }
    let (look, printed) = DiffIndex::compared(checkout, Comparison::List, base)?;
    let (tree, changed) = (look.tree()?, parse(&printed));
    let names: Vec<Names> = wanted.iter().map(|wanted| Names::of(wanted, &changed)).collect();
    let now = Blobs::list(&look, &tree, names.iter().map(|names| names.now.as_str()))?;
    let before = Blobs::list(&look, base.as_str(), names.iter().map(|names| names.base.as_str()))?;
    let contents = contents(&look, now.regular().chain(before.regular()))?;
    let version = |blobs: &Blobs, path: &str| {
        let (blob, _) = blobs.0.get(path)?;
        Some(FileVersion { blob: blob.clone(), content: contents.get(blob).cloned() })
    };
    let files = names
        .into_iter()
        .map(|names| FileNow { now: version(&now, &names.now), base: version(&before, &names.base), path: names.now })
        .collect();
    Ok(FilesNow { tree, files })
}

/// What a file is called now, and in the base commit.
struct Names {
    now: String,
    base: String,
}

impl Names {
    /// The names of a file that is given as it is or as it is shown. Only files that differ are shown.
    fn of(wanted: &str, changed: &[ChangedFile]) -> Self {
        let named = |file: &ChangedFile, shown: bool| match file.path.to_str() {
            Some(path) => path == wanted || shown && escaped_line(path) == wanted,
            None => false,
        };
        let find = |shown: bool| changed.iter().find(|file| named(file, shown));
        let Some(file) = find(false).or_else(|| find(true)) else {
            // A file that was renamed is also known by its old name, as long as no other file has that.
            return Self::of_renamed(wanted, changed)
                .unwrap_or_else(|| Self { now: wanted.to_owned(), base: wanted.to_owned() });
        };
        let now = text(&file.path);
        let base = if let FileStatus::Renamed { from } = &file.status { text(from) } else { now.clone() };
        Self { now, base }
    }

    fn of_renamed(wanted: &str, changed: &[ChangedFile]) -> Option<Self> {
        changed.iter().find_map(|file| match &file.status {
            FileStatus::Renamed { from } if from.to_str() == Some(wanted) => {
                Some(Self { now: text(&file.path), base: wanted.to_owned() })
            }
            FileStatus::Renamed { .. }
            | FileStatus::Added
            | FileStatus::Modified
            | FileStatus::Deleted
            | FileStatus::TypeChanged => None,
        })
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The ids of the contents of files, by path, and whether they are regular files.
struct Blobs(HashMap<String, (String, bool)>);

impl Blobs {
    /// Lists files of a tree.
    fn list<'a>(look: &DiffIndex, tree: &str, paths: impl Iterator<Item = &'a str>) -> Result<Self> {
        let literal = |git: super::git_command::GitCommand| git.env("GIT_LITERAL_PATHSPECS", "1");
        let git = literal(look.git()).run(["ls-tree", "-z", "--full-tree"]).arg(tree).arg("--").args(paths);
        let printed = git.read()?;
        let entry = |record: &[u8]| {
            let record = std::str::from_utf8(record).ok()?;
            let (about, path) = record.split_once('\t')?;
            let mut words = about.split(' ');
            let (mode, kind, id) = (words.next()?, words.next()?, words.next()?);
            (kind == "blob").then(|| (path.to_owned(), (id.to_owned(), mode.starts_with("100"))))
        };
        Ok(Self(printed.split(|byte| *byte == 0).filter_map(entry).collect()))
    }

    fn regular(&self) -> impl Iterator<Item = &str> {
        self.0.values().filter(|(_, is_regular)| *is_regular).map(|(blob, _)| blob.as_str())
    }
}

/// Reads contents that are not too large.
fn contents<'a>(look: &DiffIndex, blobs: impl Iterator<Item = &'a str>) -> Result<HashMap<String, Vec<u8>>> {
    let ask = |option: &str, ids: &[String]| {
        let lines: String = ids.iter().map(|id| format!("{id}\n")).collect();
        let given = standard_input(lines.as_bytes()).map_err(WorkspaceError::io("write to", &std::env::temp_dir()))?;
        look.git().run(["cat-file"]).arg(option).input(given).read()
    };
    let ids: Vec<String> = blobs.map(str::to_owned).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let sizes = String::from_utf8_lossy(&ask("--batch-check=%(objectname) %(objectsize)", &ids)?).into_owned();
    let small = |line: &str| {
        let (id, size) = line.split_once(' ')?;
        (size.parse::<u64>().ok()? <= MAX_FILE_BYTES).then(|| id.to_owned())
    };
    let ids: Vec<String> = sizes.lines().filter_map(small).collect();
    Ok(split(&ask("--batch=%(objectname) %(objectsize)", &ids)?))
}

/// Reads `id SP size LF content LF` for each content.
fn split(mut printed: &[u8]) -> HashMap<String, Vec<u8>> {
    let mut contents = HashMap::new();
    while let Some(end) = printed.iter().position(|byte| *byte == b'\n') {
        let (header, rest) = printed.split_at(end);
        let header = String::from_utf8_lossy(header).into_owned();
        let Some((id, size)) = header.split_once(' ') else { break };
        let content = size.parse::<usize>().ok().and_then(|size| rest.get(1..size.checked_add(1)?));
        let Some(content) = content else { break };
        contents.insert(id.to_owned(), content.to_vec());
        printed = rest.get(content.len() + 2..).unwrap_or_default();
    }
    contents
}

#[cfg(test)]
mod tests {
    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>) {
            super::split(&bytes);
        }
    }
}
