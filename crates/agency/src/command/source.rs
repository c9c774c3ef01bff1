//! `agency source`: what questions can be about, one file per verb below it.

pub(crate) mod add;
pub(crate) mod group;
pub(crate) mod import;
pub(crate) mod ls;
pub(crate) mod rm;
pub(crate) mod show;
pub(crate) mod sync;

use std::process::ExitCode;

use agency_engine::sources::{Catalogue, Source, SourceKind, Sources, masked};
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::problem::Problem;

/// Keep a list of repositories, directories and files that questions can be about
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    agency source add langchain --git https://github.com/langchain-ai/langchain\n  \
    agency source add notes --dir ~/notes\n  \
    agency source group add core langchain notes\n  \
    agency ask -g core \"How do I create a tool?\"")]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    Add(add::Args),
    #[command(visible_alias = "list")]
    Ls(ls::Args),
    Show(show::Args),
    Sync(sync::Args),
    #[command(visible_alias = "remove")]
    Rm(rm::Args),
    Import(import::Args),
    Group(group::Args),
}

pub(crate) fn run(args: Args, context: &Context) -> Result<ExitCode, Problem> {
    match args.verb {
        Verb::Add(args) => add::run(args, context),
        Verb::Ls(args) => ls::run(&args, context),
        Verb::Show(args) => show::run(&args, context),
        Verb::Sync(args) => sync::run(&args, context),
        Verb::Rm(args) => rm::run(&args, context),
        Verb::Import(args) => import::run(&args, context),
        Verb::Group(args) => group::run(&args, context),
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
    fn new(source: &Source, sources: &Sources, catalogue: &Catalogue) -> Self {
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
    fn place(&self) -> String {
        let url = self.url.clone().unwrap_or_else(|| self.path.clone());
        match &self.r#ref {
            Some(reference) => format!("{url} ({reference})"),
            None => url,
        }
    }
}
