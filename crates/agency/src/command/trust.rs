//! `agency trust`: shows what a repository proposes, and approves it.
//!
//! The one rule: nothing is executed here, and only what was shown is approved.

use std::path::PathBuf;
use std::process::ExitCode;

use agency_engine::agency::Agency;
use agency_engine::project::{INCLUDE_FILE, PROJECT_FILE, Project, ProjectCommand, ProjectPath};
use agency_engine::store::TrustedProject;
use agency_model::{ErrorCode, escaped_line};
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::problem::Problem;
use crate::terminal::choose;

/// Show what a repository's project file proposes, and approve it
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = "An approval holds for exactly this content: a change of one byte voids it. \
    Without an approval, none of the commands is executed, and no file is copied.\n\nExamples:\n  \
    agency trust\n  agency trust --yes\n  agency trust ls\n  agency trust revoke")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Option<Verb>,
    #[command(flatten)]
    repository: RepositoryArgs,
    /// Approve without a question; needed without a terminal
    #[arg(short, long)]
    yes: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// List the approved contents of project files
    Ls,
    /// Withdraw all approvals for a repository
    Revoke(RepositoryArgs),
}

#[derive(Debug, clap::Args)]
pub(super) struct RepositoryArgs {
    /// The repository [default: the one of the current directory]
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    repo: Option<PathBuf>,
}

/// The answer of `trust`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Trusted {
    /// The top of the repository.
    repo: String,
    /// The project file.
    file: String,
    /// What identifies its content.
    sha256: String,
    /// What it would execute.
    commands: Vec<ProjectCommand>,
    /// What worktrees would get of the checkout.
    paths: Vec<ProjectPath>,
    /// Whether it may.
    trusted: bool,
}

/// The answer of `trust ls`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TrustedProjects {
    projects: Vec<TrustedProject>,
}

/// The answer of `trust revoke`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Revoked {
    /// The top of the repository.
    repo: String,
    /// How many approved contents there were.
    revoked: usize,
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    match &args.what {
        None => trust(args, &mut agency, context),
        Some(Verb::Ls) => list(&agency, context),
        Some(Verb::Revoke(repository)) => revoke(repository, &mut agency, context),
    }
}

fn trust(args: &Args, agency: &mut Agency, context: &Context) -> Result<ExitCode, Problem> {
    let repository = root_of(&args.repository, agency, context)?;
    let Some(project) = agency.project(&repository)? else {
        let message = format!("{} has no {PROJECT_FILE} and no {INCLUDE_FILE}", repository.display());
        return Err(Problem::new(ErrorCode::InvalidPath, message)
            .hint("write the commands into it first: docs/land.md shows how, and so does agency help land"));
    };
    let asks = !project.is_trusted() && project.needs_approval();
    if asks {
        approve(&project, args.yes, agency, context)?;
    }
    let answer = Trusted {
        repo: repository.display().to_string(),
        file: project.path().display().to_string(),
        sha256: project.sha256().to_owned(),
        commands: project.commands(),
        paths: project.paths(),
        trusted: true,
    };
    context.answer(&answer, |out| match (asks, !project.needs_approval()) {
        (true, _) => writeln!(out, "approved: {}", answer.file),
        (false, true) => writeln!(out, "{} has no commands and no files; there is nothing to approve", answer.file),
        (false, false) => writeln!(out, "approved before: {}\n{}", answer.file, listed(&project)),
    })
}

/// Shows what a file proposes, and approves it if the user agrees.
pub(super) fn approve(project: &Project, agreed: bool, agency: &mut Agency, context: &Context) -> Result<(), Problem> {
    context.say(&shown(project));
    if !agreed {
        confirm(project, context)?;
    }
    Ok(agency.trust(project)?)
}

/// Everything that an approval lets agency do. Characters that a terminal obeys are escaped.
fn shown(project: &Project) -> String {
    let what = if project.commands().is_empty() { "files of this checkout for worktrees" } else { "these commands" };
    format!("{} proposes {what}:\n{}", project.path().display(), listed(project))
}

fn listed(project: &Project) -> String {
    let line = |key: &str, text: &str| format!("  {key}: {}", escaped_line(text));
    let commands = project.commands().into_iter().map(|command| line(&command.key, &command.command));
    commands.chain(project.paths().into_iter().map(|path| line(&path.key, &path.path))).collect::<Vec<_>>().join("\n")
}

/// Asks the user; without one, the approval has to be an option.
fn confirm(project: &Project, context: &Context) -> Result<(), Problem> {
    let refused = || Problem::from(project.not_trusted());
    if context.json() || !context.is_at_terminal() {
        return Err(refused().hint("agency trust --yes approves what is shown above; read it first"));
    }
    let chosen = choose("Let agency do this in this repository? [y/N]", &['y', 'n']);
    match chosen.map_err(|error| Problem::new(ErrorCode::Io, format!("the terminal: {error}")))? {
        Some('y') => Ok(()),
        Some(_) | None => Err(refused().hint("nothing was approved")),
    }
}

fn list(agency: &Agency, context: &Context) -> Result<ExitCode, Problem> {
    let answer = TrustedProjects { projects: agency.trusted_projects()? };
    context.answer(&answer, |out| {
        if answer.projects.is_empty() {
            writeln!(out, "No approved project files.")?;
        }
        for project in &answer.projects {
            writeln!(out, "{}  {:.12}  {}", escaped_line(&project.repo), project.sha256, project.trusted_at)?;
            for command in &project.commands {
                writeln!(out, "  {}", escaped_line(command))?;
            }
        }
        Ok(())
    })
}

fn revoke(args: &RepositoryArgs, agency: &mut Agency, context: &Context) -> Result<ExitCode, Problem> {
    // The repository may be gone, and its approvals with it.
    let repository = match root_of(args, agency, context) {
        Ok(root) => root,
        Err(problem) => args.repo.clone().ok_or(problem)?,
    };
    let revoked = agency.revoke_trust(&repository)?;
    let answer = Revoked { repo: repository.display().to_string(), revoked };
    context.answer(&answer, |out| match answer.revoked {
        0 => writeln!(out, "{} had no approval", answer.repo),
        _ => writeln!(out, "{}: approval withdrawn", answer.repo),
    })
}

pub(super) fn root_of(args: &RepositoryArgs, agency: &Agency, context: &Context) -> Result<PathBuf, Problem> {
    let path = match &args.repo {
        Some(path) => path.clone(),
        None => context.current_directory()?,
    };
    let repository = agency.repository_at(&path).map_err(Problem::from)?;
    Ok(repository.root().to_owned())
}
