//! What keeps a worktree, whatever its age and its work are.

use std::collections::{HashMap, HashSet};

use agency_model::workflow::SessionState;
use agency_model::{RunId, RunKind, Vcs, WorkspaceKind};
use agency_system::lock::is_held;

use super::Group;
use crate::agency::Agency;
use crate::home::Home;
use crate::orchestrator::SessionsInUse;
use crate::runs::remove::NeedingSession;
use crate::store::{RunRow, StoreError};

/// What the database and the processes say about all runs.
pub(super) struct Facts {
    asking: HashSet<RunId>,
    commented: HashSet<RunId>,
    orphaned: HashSet<RunId>,
    /// The runs that continue others, with their worktrees, by those that they continue.
    continued: HashMap<RunId, Vec<(RunId, Option<String>)>>,
}

impl Facts {
    pub(super) fn gather(agency: &Agency, rows: &[RunRow]) -> Result<Self, StoreError> {
        let mut continued: HashMap<RunId, Vec<_>> = HashMap::new();
        for row in rows.iter().filter(|row| row.removed_at.is_none()) {
            if let Some(parent) = &row.parent_id {
                continued.entry(parent.clone()).or_default().push((row.id.clone(), row.worktree_path.clone()));
            }
        }
        Ok(Self {
            asking: agency.store.open_questions()?.into_iter().map(|question| question.run_id).collect(),
            commented: agency.store.open_comments()?.into_iter().map(|comments| comments.run_id).collect(),
            orphaned: agency.orphans()?.into_iter().map(|orphan| orphan.row.id).collect(),
            continued,
        })
    }

    /// The reason why a worktree stays; `None` if only its age and its work decide.
    pub(super) fn what_keeps(&self, home: &Home, group: &Group, sessions: &mut SessionsInUse) -> Option<String> {
        if let Some(live) = group.rows().find(|row| !row.state.is_terminal()) {
            return Some(format!("{} is {}", live.id, live.state));
        }
        if group.rows().any(|row| row.kind == RunKind::Agent) {
            return Some("it belongs to a named agent".to_owned());
        }
        for row in group.rows() {
            if let Some(why) = self.keeps_row(row, sessions) {
                return Some(why);
            }
        }
        self.keeps_files(home, group)
    }

    fn keeps_row(&self, row: &RunRow, sessions: &mut SessionsInUse) -> Option<String> {
        if let Some(NeedingSession { session, state }) = sessions.session_of(row) {
            let state = state.map_or("unreadable", SessionState::as_str);
            return Some(format!("its workflow session {session} is {state}"));
        }
        if self.asking.contains(&row.id) {
            return Some("a question of its agent is open".to_owned());
        }
        if self.commented.contains(&row.id) {
            return Some("comments on its work are open".to_owned());
        }
        if self.orphaned.contains(&row.id) {
            return Some("a process of its agent is alive".to_owned());
        }
        let elsewhere = |(_, path): &&(RunId, Option<String>)| *path != row.worktree_path;
        let (other, _) = self.continued.get(&row.id)?.iter().find(elsewhere)?;
        Some(format!("{other} continues its conversation"))
    }

    fn keeps_files(&self, home: &Home, group: &Group) -> Option<String> {
        let row = group.last();
        if row.vcs == Vcs::Jj {
            return Some("it is a jj workspace".to_owned());
        }
        match row.workspace {
            WorkspaceKind::Worktree | WorkspaceKind::Shared => {}
            WorkspaceKind::None | WorkspaceKind::Scratch => {
                return Some("its worktree belongs to another program".to_owned());
            }
        }
        let lock = home.run(&row.worktree_owner()).file("land.lock");
        // A lock that cannot be read may be held.
        is_held(&lock).unwrap_or(true).then(|| "agency land is at work on it".to_owned())
    }
}
