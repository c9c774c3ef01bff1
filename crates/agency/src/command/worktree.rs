//! `agency worktree`: what worktrees get beside the files of their commit.

use std::io::{self, Write};
use std::process::ExitCode;

use agency_engine::runs::worktree_plan::WorktreePlan;
use agency_model::escaped_line;

use super::trust::{RepositoryArgs, root_of};
use crate::context::Context;
use crate::problem::Problem;

/// Show what worktrees of a repository get beside the files of their commit
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Print what a new worktree would get: files, links, commands, ports. Nothing is done
    #[command(after_help = "An agent can read every file that its worktree gets.\n\nExamples:\n  \
        agency worktree plan\n  agency worktree plan --repo ../project --json")]
    Plan(RepositoryArgs),
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let Verb::Plan(repository) = &args.what;
    let agency = context.agency()?;
    let repository = root_of(repository, &agency, context)?;
    let plan = agency.worktree_plan(&repository)?;
    context.answer(&plan, |out| print(out, &plan))
}

fn print(out: &mut dyn Write, plan: &WorktreePlan) -> io::Result<()> {
    let Some(file) = &plan.file else {
        return writeln!(out, "{} has no .agency/project.toml and no .worktreeinclude", line(plan.repo.display()));
    };
    let trust = if plan.needs_approval { "not approved; agency trust approves it" } else { "in use" };
    writeln!(out, "{} ({trust})", line(file.display()))?;
    for copied in &plan.copy {
        writeln!(out, "  copy      {} ({} bytes)", line(copied.path.display()), copied.bytes)?;
    }
    for link in &plan.link {
        writeln!(out, "  link      {} -> {}", line(link.path.display()), line(link.target.display()))?;
    }
    plan.setup.iter().try_for_each(|command| writeln!(out, "  setup     {}", escaped_line(command)))?;
    plan.teardown.iter().try_for_each(|command| writeln!(out, "  teardown  {}", escaped_line(command)))?;
    for port in &plan.ports {
        writeln!(out, "  port      {} in {} (yours is {})", port.name, port.variable, port.usual)?;
    }
    plan.warnings.iter().try_for_each(|warning| writeln!(out, "  warning   {}", escaped_line(warning)))
}

fn line(text: impl std::fmt::Display) -> String {
    escaped_line(&text.to_string())
}
