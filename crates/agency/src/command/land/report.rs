//! Reports of a landing while it is under way, and its result.

use std::io::{self, Write};

use agency_engine::agency::Agency;
use agency_engine::land::LandProgress;
use agency_model::{RunId, escaped_line, plain_text};

use super::LandedRun;
use crate::context::Context;
use crate::output::field;
use crate::run_names::called;

/// Notes on standard error.
pub(super) struct Report<'a> {
    context: &'a Context,
    /// For the names of runs, with a connection of its own.
    agency: Agency,
}

impl<'a> Report<'a> {
    pub(super) fn new(agency: &Agency, context: &'a Context) -> Self {
        Self { context, agency: agency.clone() }
    }

    pub(super) fn show(&mut self, progress: &LandProgress<'_>) {
        match progress {
            LandProgress::Landing { id, target } => self.say(&format!("{}: landing on {target}", self.name(id))),
            LandProgress::Committed { files, left_out, new_links } => {
                if *files > 0 {
                    self.say(&format!("  committed {}", counted(*files)));
                }
                for path in *left_out {
                    self.say(&format!("  not committed, a repository of its own: {}", line(path.display())));
                }
                for path in *new_links {
                    let path = line(path.display());
                    self.say(&format!(
                        "  warning: what lands names a new commit of the repository {path}, which may be only in the \
                         worktree: push it from there"
                    ));
                }
            }
            LandProgress::AgentResolves { id } => {
                let name = self.name(id);
                self.say(&format!("  it does not merge; its agent resolves that (agency logs -f {name})"));
            }
            LandProgress::AsksUser { question } => self.say(&format!("  waiting for the answer to {question}")),
            LandProgress::Unreviewed { id } => {
                let name = self.name(id);
                self.say(&format!("  the checks execute code that the agent wrote; agency diff {name} shows it"));
            }
            LandProgress::Preparing { message } => self.say(&format!("  {message}")),
            LandProgress::WaitingForTree => self.say("  waiting for the checks of another landing on this branch"),
            LandProgress::CheckBegins { command, .. } => self.say(&format!("  check: {}", escaped_line(command))),
            LandProgress::CheckEnded { end, output, .. } => {
                if !end.is_success() {
                    let output = plain_text(output);
                    output.lines().for_each(|text| self.say(&format!("    {text}")));
                }
                self.say(&format!("  the check {end}"));
            }
        }
    }

    fn say(&self, text: &str) {
        self.context.say(text);
    }

    fn name(&self, id: &RunId) -> String {
        called(&self.agency, id)
    }
}

pub(super) fn print(out: &mut dyn Write, run: &LandedRun, agency: &Agency) -> io::Result<()> {
    let landed = &run.landed;
    let name = called(agency, &landed.id);
    let commit = landed.commit.as_deref().unwrap_or("-");
    let request = landed.published.as_ref().and_then(|published| published.pull_request.as_deref());
    match (landed.already, &landed.commit) {
        (false, None) => {
            writeln!(out, "{name}  pull request into {}: {}", landed.target, line(request.unwrap_or("made")))?;
        }
        (true, _) => writeln!(out, "{name}  is on {} already, as {commit:.12}", landed.target)?,
        (false, Some(_)) => writeln!(out, "{name}  landed on {} as {commit:.12} ({})", landed.target, landed.strategy)?,
    }
    for command in &landed.checks {
        writeln!(out, "  checked by: {}", escaped_line(command))?;
    }
    if let Some(published) = &landed.published {
        writeln!(out, "  pushed {} to {}", published.branch, line(&published.remote))?;
    }
    for checkout in &landed.checkouts {
        writeln!(out, "  updated {}", line(checkout.display()))?;
    }
    for command in &landed.saved {
        writeln!(out, "  your changes were saved; to bring them back: {}", field(command))?;
    }
    if let Some(removed) = &run.removed {
        writeln!(out, "  removed")?;
        removed.notes.iter().try_for_each(|note| writeln!(out, "  {}", field(note)))?;
    }
    Ok(())
}

fn line(text: impl std::fmt::Display) -> String {
    escaped_line(&text.to_string())
}

pub(super) fn counted(files: usize) -> String {
    if files == 1 { "1 file".to_owned() } else { format!("{files} files") }
}
