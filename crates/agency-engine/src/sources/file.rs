//! `sources.toml`, beside the configuration file: read strictly, written whole and one after the other.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agency_system::lock::Lock;
use serde::{Deserialize, Serialize};

use super::name::{check_name, check_ref, check_url};
use super::{Catalogue, Source, SourceError, SourceKind};
use crate::config::{Misfit, read_strictly};
use crate::home::{HomeError, create_private_directory, write_atomically};

/// How long another process may take to write.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
const HEAD: &str =
    "# Written by `agency source`. You may edit it; comments are lost with the next change by a command.\n\n";

/// The file as it is written.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
struct SourcesFile {
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    groups: BTreeMap<String, Vec<String>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    sources: BTreeMap<String, SourceEntry>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table")]
struct SourceEntry {
    #[serde(skip_serializing_if = "Option::is_none")]
    git: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#ref: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dir: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

/// Reads the file; one that is not there holds nothing.
pub(super) fn read(path: &Path) -> Result<Catalogue, SourceError> {
    let file: SourcesFile = read_strictly(path, fits)?.unwrap_or_default();
    let source = |(name, entry): (String, SourceEntry)| {
        let kind = match (entry.git, entry.dir, entry.file) {
            (Some(url), _, _) => SourceKind::Git { url, reference: entry.r#ref },
            (None, Some(path), _) => SourceKind::Directory { path },
            (None, None, path) => SourceKind::File { path: path.unwrap_or_default() },
        };
        (name.clone(), Source { name, kind, description: entry.description })
    };
    Ok(Catalogue { sources: file.sources.into_iter().map(source).collect(), groups: file.groups })
}

/// Changes the file under a lock; a reader sees the old or the new one.
pub(super) fn change<T>(
    path: &Path,
    edit: impl FnOnce(&mut Catalogue) -> Result<T, SourceError>,
) -> Result<T, SourceError> {
    create_private_directory(path.parent().unwrap_or(Path::new("/")))?;
    let lock = path.with_extension("lock");
    let Some(_lock) = Lock::take(&lock, LOCK_TIMEOUT)? else { return Err(SourceError::Busy(lock)) };
    let mut catalogue = read(path)?;
    let done = edit(&mut catalogue)?;
    let text = toml::to_string(&written(catalogue))
        .map_err(|error| HomeError::new("encode", path, std::io::Error::other(error)))?;
    // A link to a file elsewhere stays a link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    write_atomically(&target, format!("{HEAD}{text}").as_bytes())?;
    Ok(done)
}

fn written(catalogue: Catalogue) -> SourcesFile {
    let entry = |source: Source| {
        let mut entry = SourceEntry { description: source.description, ..SourceEntry::default() };
        match source.kind {
            SourceKind::Git { url, reference } => (entry.git, entry.r#ref) = (Some(url), reference),
            SourceKind::Directory { path } => entry.dir = Some(path),
            SourceKind::File { path } => entry.file = Some(path),
        }
        (source.name, entry)
    };
    SourcesFile { groups: catalogue.groups, sources: catalogue.sources.into_values().map(entry).collect() }
}

fn fits(file: &SourcesFile) -> Result<(), Misfit> {
    for (name, entry) in &file.sources {
        let misfit = |message: String| Misfit { path: vec!["sources".to_owned(), name.clone()], message };
        let told = |error: SourceError| misfit(error.to_string());
        check_name(name).map_err(told)?;
        let given = [entry.git.is_some(), entry.dir.is_some(), entry.file.is_some()];
        if given.into_iter().filter(|given| *given).count() != 1 {
            return Err(misfit("expected one of `git`, `dir` and `file`".to_owned()));
        }
        entry.git.as_deref().map_or(Ok(()), check_url).map_err(told)?;
        match (&entry.r#ref, &entry.git) {
            (Some(reference), Some(_)) => check_ref(reference).map_err(told)?,
            (Some(_), None) => return Err(misfit("`ref` belongs to `git`".to_owned())),
            (None, _) => {}
        }
        if entry.dir.iter().chain(&entry.file).any(|path| !path.is_absolute()) {
            return Err(misfit("expected an absolute path".to_owned()));
        }
    }
    for name in file.groups.keys() {
        let path = vec!["groups".to_owned(), name.clone()];
        check_name(name).map_err(|error| Misfit { path, message: error.to_string() })?;
    }
    Ok(())
}
