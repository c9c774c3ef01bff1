//! Lets the agent of a run resolve the conflicts that keep its work from landing.
//!
//! The one rule: the agent's report does not count. Its work is merged again, and what it did to the files of the target is
//! examined.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agency_model::run::State;
use agency_model::{Activity, Host, Mode, RunId, escaped_line};
use agency_workspace::{Commit, Conflict, Repository, Resolution};
use jiff::Timestamp;

use super::attempt::Prepared;
use super::{LandError, LandProgress};
use crate::agency::Agency;
use crate::runs::create::{CreateError, Plan, ResumeRequest};
use crate::store::RunRow;
use crate::watch::DirectoryWatch;

/// How long an agent may take to resolve conflicts.
const AGENT_LIMIT: Duration = Duration::from_secs(2 * 60 * 60);
/// How often its state is looked at, at least.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);
/// What the agent was asked to resolve, in the directory of the run that made the worktree.
const FILE: &str = "resolving.json";
/// How many files a message to the agent names at most.
const MAX_NAMED_FILES: usize = 50;

impl Agency {
    /// Sends the agent of a run what does not merge, and waits until its turn is over. The run that it continues in, which
    /// may be a new one, is returned.
    pub(super) fn let_agent_resolve(
        &mut self,
        row: &RunRow,
        error: &LandError,
        progress: &mut dyn FnMut(LandProgress<'_>),
        stop: &AtomicBool,
    ) -> Result<RunId, LandError> {
        let target = if let LandError::Conflicts { target, .. } | LandError::Unresolved { target, .. } = error {
            target.clone()
        } else {
            self.land_target(row)?
        };
        let root = self.repository_of(row)?;
        let (repository, onto) = Repository::open_at(&root, &format!("refs/heads/{target}"))?;
        if let (LandError::Conflicts { files, .. }, Some(branch)) = (error, &row.new_branch) {
            let (_, tip) = Repository::open_at(repository.root(), &format!("refs/heads/{branch}"))?;
            let files = files.iter().map(|conflict| conflict.path.clone()).collect();
            let asked = Resolution { tip, target: onto.clone(), files };
            self.home.run(&row.worktree_owner()).write_json(FILE, &StoredResolution::of(&asked))?;
        }
        let prompt = prompt_of(&target, &onto, error);
        let began = Timestamp::now();
        let id = if row.state == State::Running {
            self.send(row, &prompt)?;
            row.id.clone()
        } else {
            let plan = self.plan_resolving(row, &prompt)?;
            self.create(&plan, stop).map_err(Box::new)?.id
        };
        progress(LandProgress::AgentResolves { id: &id });
        self.wait_for_turn(&id, began, stop)?;
        Ok(id)
    }

    /// The continuation of the conversation: without a screen, if the agent can.
    fn plan_resolving(&mut self, row: &RunRow, prompt: &str) -> Result<Plan, LandError> {
        let request = ResumeRequest::new(row.clone()).prompt(prompt);
        let quiet = ResumeRequest { mode: Some(Mode::Headless), host: Some(Host::Detached), ..request.clone() };
        let planned = match self.plan_resume(quiet) {
            Err(CreateError::Value { field: "runner.kind", .. }) => self.plan_resume(request),
            planned => planned,
        };
        Ok(planned.map_err(Box::new)?)
    }

    /// Waits until an agent has ended the turn that began after a moment.
    fn wait_for_turn(&mut self, id: &RunId, began: Timestamp, stop: &AtomicBool) -> Result<(), LandError> {
        let watch = DirectoryWatch::begin(&[self.home.run(id).path()])?;
        let started = Instant::now();
        while started.elapsed() < AGENT_LIMIT {
            let row = self.store.run(id)?;
            self.settle(&row)?;
            let row = self.store.run(id)?;
            let is_idle = row.activity == Some(Activity::Idle) && row.activity_at.is_some_and(|since| since > began);
            if row.state.is_terminal() || is_idle {
                return Ok(());
            }
            if stop.load(Ordering::Relaxed) {
                return Err(LandError::Interrupted);
            }
            watch.wait(LOOK_INTERVAL);
        }
        let why = format!("{id} has been resolving conflicts for two hours and continues");
        Err(LandError::NotReady { id: id.clone(), why })
    }

    /// Examines what an agent did that was asked to resolve conflicts.
    pub(super) fn check_resolution(&self, prepared: &Prepared, tip: &Commit) -> Result<(), LandError> {
        let directory = self.home.run(&prepared.row.worktree_owner());
        let Some(asked) = StoredResolution::read(&directory) else { return Ok(()) };
        if asked.tip == *tip {
            return Ok(());
        }
        let flaws = prepared.repository.flaws_of(&asked, tip)?;
        if flaws.is_empty() {
            return Ok(());
        }
        Err(LandError::Unresolved {
            id: prepared.row.id.clone(),
            target: prepared.target.clone(),
            markers: flaws.markers,
            dropped: flaws.dropped,
        })
    }

    /// Forgets what was asked, since it landed.
    pub(super) fn forget_resolution(&self, row: &RunRow) {
        // If it stays, the next landing examines the same again.
        let _ = std::fs::remove_file(self.home.run(&row.worktree_owner()).file(FILE));
    }
}

/// What was asked, as it is stored.
#[derive(serde::Serialize, serde::Deserialize)]
struct StoredResolution {
    tip: String,
    target: String,
    /// The files, as git names them.
    files: Vec<PathBuf>,
}

impl StoredResolution {
    fn of(resolution: &Resolution) -> Self {
        let (tip, target) = (resolution.tip.to_string(), resolution.target.to_string());
        Self { tip, target, files: resolution.files.clone() }
    }

    fn read(directory: &crate::home::RunDirectory) -> Option<Resolution> {
        let text = crate::home::read_text(&directory.file(FILE)).ok()?;
        let Self { tip, target, files } = serde_json::from_str(&text).ok()?;
        Some(Resolution { tip: tip.parse().ok()?, target: target.parse().ok()?, files })
    }
}

fn prompt_of(target: &str, onto: &Commit, error: &LandError) -> String {
    let found = found_in(error);
    format!(
        "Your work is to be merged into the branch '{target}', and does not merge. Resolve that in this working tree, on the \
         branch that is checked out here.\n\n{found}\n\
         1. Run: git merge --no-edit {onto}\n   (If a merge is in progress already, continue that one.)\n\
         2. Resolve every conflict so that both your changes and those of '{target}' keep their purpose. Leave no conflict \
         markers, and drop nothing that '{target}' changed in other files.\n\
         3. Commit the merge: git add the files, then git commit --no-edit\n\n\
         Do not push, do not switch to another branch, and do not rewrite commits. The result is merged and checked again \
         when you are done."
    )
}

/// What was found: conflicts, or what is wrong with their resolution.
fn found_in(error: &LandError) -> String {
    let paths = |what: &str, paths: &[PathBuf]| match paths {
        [] => String::new(),
        paths => format!("{what}:\n{}", listed(paths.iter().map(|path| escaped_line(&path.display().to_string())))),
    };
    if let LandError::Conflicts { files, .. } = error {
        return format!("These files conflict:\n{}", listed(files.iter().map(conflict_line)));
    }
    if let LandError::Unresolved { target, markers, dropped, .. } = error {
        let dropped = paths(&format!("Changes of '{target}' in these files were dropped; bring them back"), dropped);
        return paths("These files still have conflict markers", markers) + &dropped;
    }
    format!("{error}\n")
}

fn conflict_line(conflict: &Conflict) -> String {
    let path = escaped_line(&conflict.path.display().to_string());
    format!("{path}: {}", escaped_line(conflict.message.lines().last().unwrap_or(&conflict.kind)))
}

fn listed(lines: impl ExactSizeIterator<Item = String>) -> String {
    let more = lines.len().saturating_sub(MAX_NAMED_FILES);
    let mut text: String = lines.take(MAX_NAMED_FILES).map(|line| format!("- {line}\n")).collect();
    if more > 0 {
        text.push_str(&more_line(more));
    }
    text
}

fn more_line(more: usize) -> String {
    format!("- and {more} more\n")
}
