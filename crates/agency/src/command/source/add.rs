//! `agency source add`: a repository, a directory or a file under a name.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use agency_engine::sources::{Source, SourceKind, Sources};
use agency_model::ErrorCode;

use super::sync::{fetch, first_failure};
use crate::context::Context;
use crate::problem::Problem;
use crate::view::SourceView;

/// Add a source; a repository is fetched at once
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    agency source add langchain --git https://github.com/langchain-ai/langchain --ref master\n  \
    agency source add api --dir ~/src/api --description \"Our own service\"\n  \
    agency source add readme --file README.md")]
pub(crate) struct Args {
    /// Its name: letters, digits, '.', '_' and '-'
    name: String,
    /// A repository: an https, ssh, git or file address, or a path
    #[arg(long, value_name = "URL", allow_hyphen_values = true, required_unless_present_any = ["dir", "file"])]
    git: Option<String>,
    /// Its branch, tag or commit [default: its default branch]
    #[arg(long = "ref", value_name = "REF", requires = "git", allow_hyphen_values = true)]
    reference: Option<String>,
    /// A directory of yours
    #[arg(long, value_name = "PATH", conflicts_with = "git")]
    dir: Option<PathBuf>,
    /// A file of yours
    #[arg(long, value_name = "PATH", conflicts_with_all = ["git", "dir"])]
    file: Option<PathBuf>,
    /// A description
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    description: Option<String>,
    /// Do not fetch a repository now; agency source sync does it later
    #[arg(long)]
    no_sync: bool,
}

pub(crate) fn run(args: Args, context: &Context) -> Result<ExitCode, Problem> {
    let sources = context.sources()?;
    let fetched = args.git.is_some() && !args.no_sync;
    let source = source(args, context)?;
    sources.add(&source)?;
    if fetched && let Err(problem) = fetch_new(&sources, &source, context) {
        // What cannot be fetched at all was probably mistyped.
        sources.remove(&source.name)?;
        return Err(problem);
    }
    let view = SourceView::new(&source, &sources, &sources.catalogue()?);
    context.answer(&view, |out| {
        writeln!(out, "{}  {}  {}", view.name, view.kind, view.place())?;
        match &view.problem {
            Some(_) => writeln!(out, "  fetch it with: agency source sync {}", view.name),
            None => writeln!(out, "  ask about it:  agency ask -s {} \"…\"", view.name),
        }
    })
}

fn fetch_new(sources: &Sources, source: &Source, context: &Context) -> Result<(), Problem> {
    let synced = fetch(sources, std::slice::from_ref(&source.name), context)?;
    first_failure(synced).map_or(Ok(()), |error| Err(Problem::from(error).hint("nothing was added")))
}

/// Whether an address is a path that is there.
fn is_path(url: &str, here: &Path) -> bool {
    !url.is_empty() && !url.starts_with('-') && !url.contains("://") && here.join(url).exists()
}

fn source(args: Args, context: &Context) -> Result<Source, Problem> {
    let here = context.current_directory()?;
    let absolute = |path: PathBuf| match here.join(&path).canonicalize() {
        Ok(path) => path,
        // The library says that it is not there.
        Err(_) => here.join(path),
    };
    let kind = match (args.git, args.dir, args.file) {
        // Git would look for a path from where the clone is.
        (Some(url), _, _) if is_path(&url, &here) => {
            SourceKind::Git { url: here.join(url).display().to_string(), reference: args.reference }
        }
        (Some(url), _, _) => SourceKind::Git { url, reference: args.reference },
        (None, Some(path), _) => SourceKind::Directory { path: absolute(path) },
        (None, None, Some(path)) => SourceKind::File { path: absolute(path) },
        (None, None, None) => return Err(Problem::new(ErrorCode::Usage, "name --git, --dir or --file")),
    };
    Ok(Source { name: args.name, kind, description: args.description })
}
