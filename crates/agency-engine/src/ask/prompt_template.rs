//! The prompt of a question: the user's template, in which two placeholders are filled in.
//!
//! The one rule: it is one pass. What is put in is never looked at again, and all else stays byte for byte.

use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use agency_adapters::SourcesBelow;

use crate::home::{HomeError, create_private_directory};
use crate::sources::ResolvedSource;

/// The template of users who have none.
pub const DEFAULT_TEMPLATE: &str = include_str!("default_prompt_template.md");

/// The name of the file beside the configuration.
pub const TEMPLATE_FILE: &str = "prompt_template.md";

const QUESTION: &str = "${question}";
const SOURCES: &str = "${sourcesList}";
/// The maximum length of a template.
const MAX_TEMPLATE_BYTES: u64 = 1_000_000;

/// Why a template cannot be used.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum TemplateError {
    /// Placeholders are missing.
    #[error("Invalid prompt template: missing required placeholder{} {}", plural(missing), missing.join(", "))]
    Missing {
        /// The file.
        path: PathBuf,
        /// Those that are missing.
        missing: Vec<&'static str>,
    },
    /// It is not text.
    #[error("{} is not UTF-8 text, or is larger than 1 MB", .0.display())]
    NotText(PathBuf),
    /// It cannot be read or written.
    #[error(transparent)]
    Home(#[from] HomeError),
}

fn plural(missing: &[&str]) -> &'static str {
    if missing.len() > 1 { "s" } else { "" }
}

/// A template that has both placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptTemplate {
    text: String,
}

impl PromptTemplate {
    /// Reads the template, and writes the default one first where there is none.
    pub fn load(path: &Path) -> Result<Self, TemplateError> {
        let text = match read(path)? {
            Some(text) => text,
            None => {
                write_default(path)?;
                read(path)?.unwrap_or_else(|| DEFAULT_TEMPLATE.to_owned())
            }
        };
        Self::checked(text, path)
    }

    /// A template, if it has both placeholders. The path is for the error.
    pub fn checked(text: String, path: &Path) -> Result<Self, TemplateError> {
        let missing: Vec<&str> =
            [QUESTION, SOURCES].into_iter().filter(|placeholder| !text.contains(placeholder)).collect();
        match missing.is_empty() {
            true => Ok(Self { text }),
            false => Err(TemplateError::Missing { path: path.to_owned(), missing }),
        }
    }

    /// The prompt for a question about sources.
    #[must_use]
    pub fn render(&self, question: &str, sources: &[ResolvedSource]) -> String {
        self.render_for(question, sources, SourcesBelow::Here)
    }

    /// The same for an agent that finds the sources somewhere else than in its directory.
    pub(super) fn render_for(&self, question: &str, sources: &[ResolvedSource], below: SourcesBelow) -> String {
        let list = sources_list(sources, below);
        let mut prompt = String::with_capacity(self.text.len() + question.len() + list.len());
        let mut rest = self.text.as_str();
        while let Some(start) = rest.find("${") {
            let (before, from) = rest.split_at(start);
            prompt.push_str(before);
            rest = match (from.strip_prefix(QUESTION), from.strip_prefix(SOURCES)) {
                (Some(after), _) => {
                    prompt.push_str(question);
                    after
                }
                (None, Some(after)) => {
                    prompt.push_str(&list);
                    after
                }
                (None, None) => {
                    let (unknown, after) = from.split_at(2);
                    prompt.push_str(unknown);
                    after
                }
            };
        }
        prompt.push_str(rest);
        prompt
    }
}

/// `- ./name/` for a directory, `- ./name` for a file.
fn sources_list(sources: &[ResolvedSource], below: SourcesBelow) -> String {
    let line = |source: &ResolvedSource| {
        format!("- {}{}{}", below.prefix(), source.name, if source.directory { "/" } else { "" })
    };
    sources.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn read(path: &Path) -> Result<Option<String>, TemplateError> {
    let file = match OpenOptions::new().read(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(HomeError::new("read", path, source).into()),
    };
    let mut bytes = vec![];
    file.take(MAX_TEMPLATE_BYTES + 1).read_to_end(&mut bytes).map_err(|source| HomeError::new("read", path, source))?;
    let not_text = || TemplateError::NotText(path.to_owned());
    if bytes.len() as u64 > MAX_TEMPLATE_BYTES {
        return Err(not_text());
    }
    String::from_utf8(bytes).map(Some).map_err(|_| not_text())
}

/// If another process writes one first, that one is kept.
fn write_default(path: &Path) -> Result<(), TemplateError> {
    create_private_directory(path.parent().unwrap_or(Path::new("/")))?;
    let mut draft = tempfile::Builder::new()
        .prefix(".new-")
        .tempfile_in(path.parent().unwrap_or(Path::new("/")))
        .map_err(|source| HomeError::new("write", path, source))?;
    draft.write_all(DEFAULT_TEMPLATE.as_bytes()).map_err(|source| HomeError::new("write", path, source))?;
    match draft.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(HomeError::new("write", path, error.error).into()),
    }
}

#[cfg(test)]
mod tests;
