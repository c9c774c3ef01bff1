//! Brings what landed, or is to land by a pull request, to a remote.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use agency_model::shell_quoted;
use agency_workspace::{Repository, absolute_only};
use schemars::JsonSchema;
use serde::Serialize;

use super::attempt::{Attempt, Prepared};
use super::checks::{empty_log, printed_in};
use super::{CheckEnd, LandError, LandRequest};
use crate::home::{create_private_directory, write_atomically};
use crate::worktree::{Marker, OwnChild, ShellCommand, TREE_VARIABLE};

/// How long a forge may take to make a pull request.
const FORGE_LIMIT: Duration = Duration::from_secs(120);
/// How many files a pull request names at most.
const MAX_NAMED_FILES: usize = 100;

/// What happens at a remote.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Publish {
    /// Nothing.
    #[default]
    Nothing,
    /// The target is pushed after the work landed.
    Push {
        /// The remote; the usual one of the target, if absent.
        remote: Option<String>,
    },
    /// The branch of the run is pushed, and a pull request into the target is made; the target is not moved here.
    PullRequest {
        /// The remote; the usual one of the target, if absent.
        remote: Option<String>,
    },
}

/// What is at a remote now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Published {
    /// The remote.
    pub remote: String,
    /// The branch that was pushed.
    pub branch: String,
    /// The pull request, if one was made.
    pub pull_request: Option<String>,
}

impl Attempt<'_> {
    /// Pushes the target.
    pub(super) fn push_target(&self, prepared: &Prepared, remote: Option<&str>) -> Result<Published, LandError> {
        // The work has landed, so this must not read as a failed merge.
        push(prepared, remote, &prepared.target)
            .map_err(|error| self.not_published(prepared, format!("{} has the work, but {error}", prepared.target)))
    }

    /// Pushes the branch of the run and makes a pull request of it.
    pub(super) fn request_pull(
        &self,
        prepared: &Prepared,
        remote: Option<&str>,
        message: &str,
    ) -> Result<Published, LandError> {
        let published = push(prepared, remote, &prepared.worktree.branch)?;
        let directory = self.agency.home.run(&prepared.row.id).file("land");
        create_private_directory(&directory)?;
        let body = directory.join("pull-request.md");
        let (title, text) = message.split_once('\n').unwrap_or((message, ""));
        write_atomically(&body, body_of(prepared, text)?.as_bytes())?;
        let address = prepared.repository.address_of_remote(&published.remote)?;
        let environment = environment_of(self.request);
        let command = command_of(&environment, &address, prepared, (title, &body)).ok_or_else(|| {
            self.not_published(prepared, "neither gh nor glab is installed; the branch was pushed".to_owned())
        })?;
        let log = directory.join("pull-request.log");
        empty_log(&log)?;
        let check = ShellCommand {
            command: &command,
            place: prepared.repository.root(),
            marker: Marker { variable: TREE_VARIABLE, value: &directory },
            environment: &environment,
            log,
            limit: FORGE_LIMIT,
            stop: self.stop,
            child: &OwnChild::default(),
            is_independent: true,
        };
        let end = check.run()?;
        let printed = printed_in(&check.log);
        let url = printed.split_whitespace().find(|word| word.starts_with("https://") || word.starts_with("http://"));
        match (end, url) {
            (CheckEnd::Exited(0), url) => Ok(Published { pull_request: url.map(str::to_owned), ..published }),
            // A repeated call.
            (_, Some(url)) if printed.contains("already exists") => {
                Ok(Published { pull_request: Some(url.to_owned()), ..published })
            }
            (end, _) => {
                let program = command.split(' ').next().unwrap_or_default();
                Err(self.not_published(prepared, format!("{program} {end}: {}", printed.trim())))
            }
        }
    }

    fn not_published(&self, prepared: &Prepared, why: String) -> LandError {
        LandError::NotPublished { id: prepared.row.id.clone(), why }
    }
}

fn push(prepared: &Prepared, remote: Option<&str>, branch: &str) -> Result<Published, LandError> {
    let remote = match remote {
        Some(remote) => remote.to_owned(),
        None => usual_remote(prepared)?,
    };
    prepared.repository.push(&remote, branch)?;
    Ok(Published { remote, branch: branch.to_owned(), pull_request: None })
}

fn usual_remote(prepared: &Prepared) -> Result<String, LandError> {
    let repository: &Repository = &prepared.repository;
    repository.usual_remote(&prepared.target)?.ok_or_else(|| LandError::NotPublished {
        id: prepared.row.id.clone(),
        why: "the repository has no usual remote; name one".to_owned(),
    })
}

/// The text of a pull request: the agent's final answer, the files, and how the merge was checked.
fn body_of(prepared: &Prepared, text: &str) -> Result<String, LandError> {
    let look = prepared.worktree.preview_merge(&prepared.target)?;
    let mut files: Vec<String> = look.files.iter().map(|file| format!("- `{}`", file.path.display())).collect();
    let more = files.len().saturating_sub(MAX_NAMED_FILES);
    files.truncate(MAX_NAMED_FILES);
    if more > 0 {
        files.push(format!("- and {more} more"));
    }
    let checks = match prepared.checks.as_slice() {
        [] => "The merge was not checked.".to_owned(),
        commands => {
            let commands: Vec<String> = commands.iter().map(|command| format!("- `{command}`")).collect();
            format!("Checked on the merge with `{}`:\n\n{}", prepared.target, commands.join("\n"))
        }
    };
    let text = text.trim();
    let gap = if text.is_empty() { "" } else { "\n\n" };
    Ok(format!("{text}{gap}Files:\n\n{}\n\n{checks}\n", files.join("\n")))
}

/// The environment of a forge's program. It works in the user's checkout, in which work of agents has landed, so that it is
/// not looked for in a relative directory.
fn environment_of(request: &LandRequest) -> BTreeMap<OsString, OsString> {
    let mut environment = request.environment.clone();
    if let Some(path) = environment.get_mut(OsStr::new("PATH"))
        && let Some(absolute) = absolute_only(path)
    {
        *path = absolute;
    }
    environment
}

/// The command that makes the request, with the program that fits the remote, if that is installed.
fn command_of(
    environment: &BTreeMap<OsString, OsString>,
    address: &str,
    prepared: &Prepared,
    (title, body): (&str, &PathBuf),
) -> Option<String> {
    let (branch, target) = (shell_quoted(&prepared.worktree.branch), shell_quoted(&prepared.target));
    let (title, body) = (shell_quoted(title), shell_quoted(body));
    let github = format!("gh pr create --head {branch} --base {target} --title {title} --body-file {body}");
    let gitlab = format!(
        "glab mr create --yes --source-branch {branch} --target-branch {target} --title {title} \
         --description \"$(cat {body})\""
    );
    let programs = if address.contains("gitlab") {
        [("glab", gitlab), ("gh", github)]
    } else {
        [("gh", github), ("glab", gitlab)]
    };
    programs.into_iter().find(|(program, _)| is_installed(environment, program)).map(|(_, command)| command)
}

fn is_installed(environment: &BTreeMap<OsString, OsString>, program: &str) -> bool {
    let path = environment.get(OsStr::new("PATH"));
    path.is_some_and(|path| std::env::split_paths(path).any(|directory| directory.join(program).is_file()))
}
