//! What the user's checkout has and a new worktree does not get, because the base commit does not have it.
//!
//! The one rule: looking changes nothing and starts nothing but git on the user's own checkout. In the worktree of a run
//! git looks through a directory of our own.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agency_model::escaped_line;
use serde::{Deserialize, Serialize};

use super::Result;
use super::checkout::Checkout;
use super::git_command::GitCommand;
use super::head::Head;
use super::private_git::{Objects, PrivateGit};
use super::temporary::TemporaryDirectory;

/// How many files a warning names.
const MAX_NAMED_FILES: usize = 5;

/// Where to look, and for what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UncommittedCheck {
    /// The checkout.
    pub root: PathBuf,
    /// The commit that the worktree begins with.
    pub base: String,
    /// The prompt file, below the checkout.
    pub prompt: Option<String>,
    /// The inputs, below the checkout.
    pub inputs: Vec<String>,
    /// What is recorded about the checkout if it is the worktree of a run; absent for the user's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Box<WorktreeOfRun>>,
}

/// Where git's directories for the worktree of a run are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorktreeOfRun {
    /// The git directory of the recorded repository.
    pub common_dir: PathBuf,
    /// Git's entry for the worktree, in that directory.
    pub admin_dir: PathBuf,
    /// The branch of the run.
    pub branch: String,
}

/// How the checkout differs from the commit it is on.
struct Status {
    commit: String,
    changed: Vec<String>,
}

impl UncommittedCheck {
    /// What the user should know, in sentences. What git cannot tell is not said.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let Ok(look) = Look::at(self) else { return vec![] };
        let named: BTreeSet<&str> = self.inputs.iter().chain(&self.prompt).map(String::as_str).collect();
        let (missing, changed) = look.named_files(&named).unwrap_or_default();
        let mut warnings = vec![];
        let inputs = |files: &BTreeSet<String>| -> Vec<String> {
            self.inputs.iter().filter(|input| files.contains(*input)).cloned().collect()
        };
        if let Some(files) = listed(&inputs(&missing)) {
            warnings.push(format!("not in the base commit, so the worktree does not have it: {files}"));
        }
        if let Some(files) = listed(&inputs(&changed)) {
            warnings.push(format!("different in the base commit, whose version the worktree has: {files}"));
        }
        let prompt = self.prompt.iter().filter(|prompt| missing.contains(*prompt) || changed.contains(*prompt));
        warnings.extend(prompt.map(|prompt| {
            let prompt = escaped_line(prompt);
            format!(
                "the base commit does not have the prompt file as it is now, so the agent gets a copy of it: {prompt}"
            )
        }));
        let status = look.status().ok().filter(|status| status.commit == self.base);
        let mut others = status.map(|status| status.changed).unwrap_or_default();
        others.retain(|file| !named.contains(file.as_str()));
        if let Some(files) = listed(&others) {
            warnings.push(format!(
                "uncommitted changes that the run does not get (--include-changes gives it them): {files}"
            ));
        }
        warnings
    }
}

/// Git at the checkout.
struct Look<'a> {
    check: &'a UncommittedCheck,
    /// Where it is the worktree of a run, with the directory that this lies in.
    private: Option<(PrivateGit, TemporaryDirectory)>,
}

impl<'a> Look<'a> {
    fn at(check: &'a UncommittedCheck) -> Result<Self> {
        let private = check.worktree.as_ref().map(|worktree| over(&check.root, worktree)).transpose()?;
        Ok(Self { check, private })
    }

    /// Of the files that the spec names, those that the base does not have, and those that it has differently.
    fn named_files(&self, named: &BTreeSet<&str>) -> Result<(BTreeSet<String>, BTreeSet<String>)> {
        if named.is_empty() {
            return Ok(Default::default());
        }
        let there = self.git().run(["ls-tree", "-z", "--name-only", "--full-tree"]).arg(&self.check.base).arg("--");
        let there: BTreeSet<String> = names(&there.args(named).read()?).collect();
        let diff = ["diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"];
        let diff = self.git().run(diff).arg("--ignore-submodules=all").arg(&self.check.base).arg("--").args(named);
        let mut changed: BTreeSet<String> = names(&diff.read()?).filter(|name| there.contains(name)).collect();
        for file in self.hidden_by_index(named)?.into_iter().filter(|file| there.contains(file)) {
            if self.differs_from_base(&file)? {
                changed.insert(file);
            }
        }
        let missing = named.iter().filter(|name| !there.contains(**name)).map(|name| (*name).to_owned()).collect();
        Ok((missing, changed))
    }

    /// Of the files that the spec names, those whose changes the index hides: git then takes them for unchanged.
    fn hidden_by_index(&self, named: &BTreeSet<&str>) -> Result<Vec<String>> {
        let listed = self.git().run(["ls-files", "-z", "-v", "--full-name", "--"]).args(named).read()?;
        // A small letter is `--assume-unchanged`, S is `--skip-worktree`.
        let is_hiding = |flag: &str| flag.starts_with(|letter: char| letter.is_ascii_lowercase() || letter == 'S');
        let hidden = names(&listed).filter_map(|line| {
            let (flag, name) = line.split_once(' ')?;
            is_hiding(flag).then(|| name.to_owned())
        });
        Ok(hidden.collect())
    }

    /// Compares a file with the base by its content, through the filters that apply to it.
    fn differs_from_base(&self, file: &str) -> Result<bool> {
        let base = self.git().run(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
        let base = base.arg(format!("{}:{file}", self.check.base)).read_line()?;
        Ok(self.git().run(["hash-object", "--"]).arg(file).read_line()? != base)
    }

    fn status(&self) -> Result<Status> {
        let words = ["status", "--porcelain=v2", "--branch", "-z", "--no-renames", "--untracked-files=normal"];
        let text = self.git().run(words).arg("--ignore-submodules=all").read()?;
        let mut status = Status { commit: String::new(), changed: vec![] };
        for line in names(&text) {
            if let Some(commit) = line.strip_prefix("# branch.oid ") {
                commit.clone_into(&mut status.commit);
            }
            // The path is the last field of each kind of line.
            let fields = match line.split_once(' ') {
                Some(("1", _)) => 9,
                Some(("u", _)) => 11,
                Some(("?", _)) => 2,
                _ => continue,
            };
            status.changed.extend(line.splitn(fields, ' ').nth(fields - 1).map(str::to_owned));
        }
        Ok(status)
    }

    fn git(&self) -> GitCommand {
        let git = match &self.private {
            Some((private, _)) => private.git(),
            None => GitCommand::at(&self.check.root).config("core.fsmonitor=false"),
        };
        git.env("GIT_LITERAL_PATHSPECS", "1")
    }
}

/// A git directory of our own over the worktree of a run.
fn over(work_tree: &Path, worktree: &WorktreeOfRun) -> Result<(PrivateGit, TemporaryDirectory)> {
    let WorktreeOfRun { common_dir, admin_dir, branch } = worktree;
    let checkout = Checkout::of_worktree(common_dir, work_tree, Some(admin_dir), Head::branch(branch));
    let directory = TemporaryDirectory::new()?;
    let private = PrivateGit::make(directory.path(), &checkout, Objects::Private { also_from: None })?;
    private.write_index(&private.agents_index(&checkout)?)?;
    Ok((private, directory))
}

fn names(text: &[u8]) -> impl Iterator<Item = String> {
    text.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(|name| String::from_utf8_lossy(name).into_owned())
}

/// The first few files, and how many more there are.
fn listed(files: &[String]) -> Option<String> {
    let first: Vec<String> = files.iter().take(MAX_NAMED_FILES).map(|file| escaped_line(file)).collect();
    let more = files.len().saturating_sub(MAX_NAMED_FILES);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    (!first.is_empty()).then(|| format!("{}{more}", first.join(", ")))
}
