//! Sources as answers show them.

use agency_engine::sources::{Catalogue, Source, SourceKind, Sources, masked};
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::problem::Problem;

/// All sources.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SourceList {
    pub(crate) sources: Vec<SourceView>,
}

impl SourceList {
    /// All sources, by name.
    pub(crate) fn read(context: &Context) -> Result<Self, Problem> {
        let sources = context.sources()?;
        let catalogue = sources.catalogue()?;
        let views = catalogue.sources.values().map(|source| SourceView::new(source, &sources, &catalogue));
        Ok(Self { sources: views.collect() })
    }
}

/// What answers say about a source.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SourceView {
    pub(crate) name: String,
    /// `git`, `dir` or `file`.
    pub(crate) kind: &'static str,
    /// Where a repository comes from, without a password.
    pub(crate) url: Option<String>,
    /// The branch, tag or commit of a repository.
    pub(crate) r#ref: Option<String>,
    /// Where its files are.
    pub(crate) path: String,
    pub(crate) description: Option<String>,
    /// The groups it is in.
    pub(crate) groups: Vec<String>,
    /// Why it cannot be asked about now.
    pub(crate) problem: Option<String>,
}

impl SourceView {
    pub(crate) fn new(source: &Source, sources: &Sources, catalogue: &Catalogue) -> Self {
        let (url, reference) = match &source.kind {
            SourceKind::Git { url, reference } => (Some(masked(url)), reference.clone()),
            SourceKind::Directory { .. } | SourceKind::File { .. } => (None, None),
        };
        let holds = |members: &Vec<String>| members.contains(&source.name);
        Self {
            name: source.name.clone(),
            kind: source.kind.as_str(),
            url,
            r#ref: reference,
            path: sources.path_of(source).display().to_string(),
            description: source.description.clone(),
            groups: catalogue
                .groups
                .iter()
                .filter(|(_, members)| holds(members))
                .map(|(name, _)| name.clone())
                .collect(),
            problem: sources.find(source).err().map(|error| error.to_string()),
        }
    }

    /// Where it comes from, in a word.
    pub(crate) fn place(&self) -> String {
        let url = self.url.clone().unwrap_or_else(|| self.path.clone());
        match &self.r#ref {
            Some(reference) => format!("{url} ({reference})"),
            None => url,
        }
    }
}
