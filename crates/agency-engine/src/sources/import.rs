//! Taking over the configuration of lctx: its sources and groups.
//!
//! Its shape: `sources` is a list of objects with `type` (`git`, `file`, `directory`), `name`, `description`, and `url`
//! with `branch`, or `path`; `groups` has lists of names, or of objects with a list `sources`. Everything else is left.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Source, SourceError, SourceKind, Sources, check, file};

/// The maximum size of a configuration.
const MAX_FILE_BYTES: u64 = 1_000_000;

/// What was taken over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Imported {
    /// The sources that are new.
    pub sources: Vec<String>,
    /// The groups that are new.
    pub groups: Vec<String>,
    /// What was left, and why.
    pub skipped: Vec<String>,
}

impl Sources {
    /// Takes over what a configuration of lctx lists. `home` is what `~` means in it. What cannot be taken over is named.
    pub fn import(&self, path: &Path, home: Option<&Path>) -> Result<Imported, SourceError> {
        let listed = read(path)?;
        file::change(&self.file, |catalogue| {
            let mut imported = Imported::default();
            for entry in listed.get("sources").and_then(Value::as_array).into_iter().flatten() {
                match source(entry, home).and_then(|source| {
                    check(&source)?;
                    match catalogue.sources.contains_key(&source.name) {
                        true => Err(EntryError::Exists(source.name)),
                        false => Ok(source),
                    }
                }) {
                    Ok(source) => {
                        imported.sources.push(source.name.clone());
                        catalogue.sources.insert(source.name.clone(), source);
                    }
                    Err(error) => imported.skipped.push(error.to_string()),
                }
            }
            for (name, members) in listed.get("groups").and_then(Value::as_object).into_iter().flatten() {
                let members = members.get("sources").unwrap_or(members).as_array().into_iter().flatten();
                let members: Vec<String> = members.filter_map(Value::as_str).map(str::to_owned).collect();
                let known = |member: &String| catalogue.sources.contains_key(member);
                if super::check_name(name).is_err() || members.is_empty() || !members.iter().all(known) {
                    imported.skipped.push(format!("the group {name:?} names sources that are not there"));
                } else if catalogue.groups.contains_key(name) {
                    imported.skipped.push(format!("a group named '{name}' already exists"));
                } else {
                    imported.groups.push(name.clone());
                    catalogue.groups.insert(name.clone(), members);
                }
            }
            Ok(imported)
        })
    }
}

fn read(path: &Path) -> Result<Value, SourceError> {
    let wrong = |message: String| SourceError::Import { path: path.to_owned(), message };
    let size = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?.len();
    if size > MAX_FILE_BYTES {
        return Err(wrong(format!("it is {size} bytes; a configuration has at most {MAX_FILE_BYTES}")));
    }
    let text = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let listed: Value = serde_json::from_slice(&text).map_err(|error| wrong(format!("not valid JSON: {error}")))?;
    match listed.get("sources").is_some_and(Value::is_array) {
        true => Ok(listed),
        false => Err(wrong("it has no list `sources`".to_owned())),
    }
}

/// Why a source of the file is left out.
#[derive(Debug, thiserror::Error)]
enum EntryError {
    #[error("a source without a name")]
    NoName,
    #[error("the source {name:?} has no `{key}`")]
    Missing { name: String, key: &'static str },
    #[error("the source {name:?} is of the type {found:?}, which agency does not have")]
    UnknownType { name: String, found: String },
    #[error("a source named '{0}' already exists")]
    Exists(String),
    #[error(transparent)]
    Refused(#[from] SourceError),
}

fn source(entry: &Value, home: Option<&Path>) -> Result<Source, EntryError> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    let name = text("name").ok_or(EntryError::NoName)?;
    let missing = |key| EntryError::Missing { name: name.clone(), key };
    let path = || text("path").map(|path| expanded(&path, home)).ok_or_else(|| missing("path"));
    let kind = match text("type").as_deref() {
        Some("git") => SourceKind::Git {
            url: text("url").ok_or_else(|| missing("url"))?,
            reference: ["ref", "branch", "tag", "commit"].iter().find_map(|key| text(key)),
        },
        Some("directory" | "dir") => SourceKind::Directory { path: path()? },
        Some("file") => SourceKind::File { path: path()? },
        Some(other) => return Err(EntryError::UnknownType { name, found: other.to_owned() }),
        None => return Err(missing("type")),
    };
    Ok(Source { kind, description: text("description").filter(|words| !words.is_empty()), name })
}

/// A path in which `~` is the home.
fn expanded(path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        (_, _) => PathBuf::from(path),
    }
}
