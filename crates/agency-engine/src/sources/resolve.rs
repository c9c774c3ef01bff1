//! From names to files: what an ask is about, checked before anything is made.

use std::path::PathBuf;

use agency_workspace::is_clone;
use serde::Serialize;

use super::{Catalogue, Source, SourceError, SourceKind, Sources};

/// A source whose files are there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ResolvedSource {
    /// Its name.
    pub name: String,
    /// Where its files are, absolute.
    pub path: PathBuf,
    /// Whether it is a directory, and no single file.
    pub directory: bool,
}

impl Sources {
    /// The sources with these names, and those of these groups, each once and in the order in which they are named.
    pub fn resolve(&self, names: &[String], groups: &[String]) -> Result<Vec<ResolvedSource>, SourceError> {
        let catalogue = self.catalogue()?;
        let mut found: Vec<ResolvedSource> = vec![];
        for name in expanded(&catalogue, names, groups)? {
            if found.iter().all(|known| known.name != name) {
                let source = catalogue.sources.get(&name).ok_or_else(|| catalogue.unknown("source", &name))?;
                found.push(self.find(source)?);
            }
        }
        Ok(found)
    }

    /// Whether the files of a source are there.
    pub fn find(&self, source: &Source) -> Result<ResolvedSource, SourceError> {
        let name = &source.name;
        let path = self.path_of(source);
        let gone = |why, hint: String| SourceError::Gone { name: name.clone(), path: path.clone(), why, hint };
        let forget = format!("put it back, or forget it with agency source rm {name}");
        let directory = match source.kind {
            SourceKind::Git { .. } if is_clone(&path) => true,
            SourceKind::Git { .. } => {
                return Err(gone("has not been cloned yet", format!("agency source sync {name} fetches it")));
            }
            SourceKind::Directory { .. } if path.is_dir() => true,
            SourceKind::Directory { .. } => return Err(gone("is not a directory", forget)),
            SourceKind::File { .. } if path.is_file() => false,
            SourceKind::File { .. } => return Err(gone("is not a file", forget)),
        };
        Ok(ResolvedSource { name: name.clone(), path: std::path::absolute(&path).unwrap_or(path), directory })
    }
}

fn expanded(catalogue: &Catalogue, names: &[String], groups: &[String]) -> Result<Vec<String>, SourceError> {
    let mut all = names.to_vec();
    for group in groups {
        all.extend(catalogue.groups.get(group).ok_or_else(|| catalogue.unknown("group", group))?.iter().cloned());
    }
    Ok(all)
}
