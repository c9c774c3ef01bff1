//! Adopts the worktrees and branches of other programs as finished runs.
//!
//! The one rule: nothing of the other program is changed, and neither are its worktrees. A run that was imported works in a
//! directory that agency does not own, so that `agency rm` only forgets it.
//!
//! ```
//! # use agency_engine::{agency::Agency, config::Config, runs::import::ImportSource};
//! # let place = tempfile::tempdir()?;
//! # let mut agency = Agency::builder().home(place.path().join("home")).config(Config::default()).build()?;
//! let state = place.path().join("state.json");
//! std::fs::write(&state, r#"{"instances": []}"#)?;
//! let plan = agency.import_plan(ImportSource::ClaudeSquad, &state)?;
//! assert!(plan.is_empty());
//! assert!(agency.import(&plan)?.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod claude_squad;
mod vibe_kanban;
mod workmux;

use std::io;
use std::path::{Path, PathBuf};

use agency_model::run::{Reason, State};
use agency_model::{Host, Mode, RunId, RunKind, Usage, Vcs, WorkspaceKind, generated_name};
use agency_workspace::{Repository, head_of_linked, with_main_worktree};
use jiff::Timestamp;
use tracing::info;
use ulid::Ulid;

use crate::agency::Agency;
use crate::home::HomeError;
use crate::store::{AdoptedRun, RunRow, StoreError};

/// A program whose work can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ImportSource {
    /// The instances in `~/.claude-squad/state.json`.
    ClaudeSquad,
    /// The attempts or workspaces in the database of vibe-kanban.
    VibeKanban,
    /// The worktrees of one repository that workmux keeps notes of.
    Workmux,
}

/// Why nothing can be imported.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ImportError {
    /// The state of the other program cannot be read.
    #[error("{}: {why}", path.display())]
    Unreadable {
        /// The file or repository.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A run directory cannot be written.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ImportError {
    fn unreadable(path: &Path, why: &dyn std::fmt::Display) -> Self {
        Self::Unreadable { path: path.to_owned(), why: why.to_string() }
    }
}

/// A worktree of another program, as its state describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    title: String,
    repo: PathBuf,
    worktree: PathBuf,
    branch: Option<String>,
    /// The ref or commit that the branch begins at.
    base: Option<String>,
    agent: Option<String>,
    created_at: Option<Timestamp>,
}

/// What is to become of one worktree.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// What the other program calls it.
    pub title: String,
    /// Where it is.
    pub worktree: PathBuf,
    /// The run that it becomes, or the reason why it is left out.
    pub outcome: Result<Box<RunRow>, String>,
}

impl Agency {
    /// What an import would adopt, from the state at a place. Nothing is changed.
    pub fn import_plan(&self, source: ImportSource, from: &Path) -> Result<Vec<Planned>, ImportError> {
        let found = match source {
            ImportSource::ClaudeSquad => claude_squad::read(from)?,
            ImportSource::VibeKanban => vibe_kanban::read(from)?,
            ImportSource::Workmux => workmux::read(from)?,
        };
        found.into_iter().map(|found| self.planned(found, source)).collect()
    }

    /// Adopts what was planned; the runs that it became.
    pub fn import(&mut self, plan: &[Planned]) -> Result<Vec<RunRow>, ImportError> {
        let rows: Vec<&RunRow> = plan.iter().filter_map(|planned| planned.outcome.as_deref().ok()).collect();
        for row in &rows {
            // From it the run is adopted again, should the database be lost.
            let directory = self.home.run(&row.id);
            directory.create()?;
            directory.write_json("meta.json", row)?;
        }
        let runs: Vec<AdoptedRun> =
            rows.iter().map(|row| AdoptedRun { row: (*row).clone(), questions: vec![] }).collect();
        let refused = self.store.adopt(&runs.iter().collect::<Vec<_>>())?;
        if let Some((_, error)) = refused.into_iter().next() {
            return Err(error.into());
        }
        info!(runs = rows.len(), "runs imported");
        Ok(rows.into_iter().cloned().collect())
    }

    fn planned(&self, found: Found, source: ImportSource) -> Result<Planned, ImportError> {
        let outcome = match self.importable(&found, source) {
            Ok(row) => match self.store.runs_in_worktree(row.worktree_path.as_deref())?.first() {
                Some(other) => Err(format!("it is {} already", other.name.clone().unwrap_or(other.id.to_string()))),
                None => Ok(Box::new(row)),
            },
            Err(why) => Err(why),
        };
        Ok(Planned { title: found.title, worktree: found.worktree, outcome })
    }

    /// The run that a worktree becomes, if it is what the other program says.
    fn importable(&self, found: &Found, source: ImportSource) -> Result<RunRow, String> {
        let worktree = std::fs::canonicalize(&found.worktree).map_err(|error| {
            let is_gone = error.kind() == io::ErrorKind::NotFound;
            if is_gone { "its worktree does not exist any more".to_owned() } else { format!("its worktree: {error}") }
        })?;
        // From the repository's side: what the worktree itself says may be the work of an agent.
        let repository =
            Repository::open(&found.repo).and_then(with_main_worktree).map_err(|error| error.to_string())?;
        if worktree == repository.root() {
            return Err("it is the checkout itself, not a worktree".to_owned());
        }
        let head = head_of_linked(&repository, &worktree).map_err(|error| error.to_string())?;
        let head = head.ok_or_else(|| format!("it is not a worktree of {}", repository.root().display()))?;
        let base = found.base.as_deref().and_then(|base| repository.merge_base(base, head.as_str()));
        let (id, now) = (RunId::from_ulid(Ulid::generate()), Timestamp::now());
        let directory = self.home.run(&id);
        let created_at = found.created_at.filter(|at| *at < now).unwrap_or(now);
        let agent = found.agent.as_deref().and_then(|agent| agent.split_whitespace().next());
        Ok(RunRow {
            name: generated_name(&found.title).or_else(|| found.branch.as_deref().and_then(generated_name)),
            state: State::Completed,
            phase: None,
            attempt: 0,
            repo_path: repository.root().display().to_string(),
            repo_fingerprint: repository.fingerprint(),
            base_ref: found.base.clone().unwrap_or_else(|| "HEAD".to_owned()),
            base_commit: base.unwrap_or(head).to_string(),
            new_branch: found.branch.clone(),
            worktree_path: Some(worktree.display().to_string()),
            workspace: WorkspaceKind::None,
            runner_kind: agent.unwrap_or(source.as_str()).to_owned(),
            runner_args: vec![],
            mode: Mode::Interactive,
            host: Host::Detached,
            restart_policy: agency_model::run::RestartPolicy::Never,
            created_at,
            updated_at: now,
            started_at: Some(created_at),
            ended_at: Some(now),
            exit_code: None,
            signal: None,
            reason: Some(Reason::Imported),
            error: None,
            stdout_log_path: directory.stdout_log().display().to_string(),
            stderr_log_path: directory.stderr_log().display().to_string(),
            tmux_session_name: None,
            tmux_socket: None,
            saved_ref: None,
            removed_at: None,
            agent_session: None,
            usage: Usage::default(),
            parent_id: None,
            agent_version: None,
            activity: None,
            activity_at: None,
            kind: RunKind::Run,
            vcs: Vcs::Git,
            workflow_session: None,
            landed_at: None,
            landed_commit: None,
            landed_into: None,
            race_id: None,
            id,
        })
    }
}

impl ImportSource {
    /// The name of the program.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeSquad => "claude-squad",
            Self::VibeKanban => "vibe-kanban",
            Self::Workmux => "workmux",
        }
    }

    /// Where its state usually is, for a user with this home directory; workmux keeps it in each repository.
    #[must_use]
    pub fn usual_place(self, user_home: &Path, current_directory: &Path) -> PathBuf {
        match self {
            Self::ClaudeSquad => user_home.join(".claude-squad/state.json"),
            Self::VibeKanban => {
                let data = if cfg!(target_os = "macos") {
                    user_home.join("Library/Application Support/ai.bloop.vibe-kanban")
                } else {
                    user_home.join(".local/share/vibe-kanban")
                };
                let newer = data.join("db.v2.sqlite");
                if newer.exists() { newer } else { data.join("db.sqlite") }
            }
            Self::Workmux => current_directory.to_owned(),
        }
    }
}
