//! Landing for an agent: the user decides, in the inbox.
//!
//! The one rule: a permission is for exactly these files and this branch. If the files change, the user is asked anew.

use std::fmt::Write;
use std::sync::atomic::AtomicBool;

use agency_model::{Answer, Decision, Question, QuestionKey, QuestionKind, escaped_line};

use super::plan::PlannedOutcome;
use super::ready::AtWork;
use super::{LandError, LandPlan, LandProgress, LandRequest, Landed};
use crate::agency::Agency;
use crate::project::ProjectError;
use crate::runs::agency_questions::question;
use crate::runs::caller::CallerError;
use crate::runs::remove::RemoveError;
use crate::store::{QuestionRow, QuestionState, RunRow};

/// So many files are named in a question.
const MAX_NAMED_FILES: usize = 50;

/// What an agent wants to do.
struct Wish {
    key: QuestionKey,
    /// The tree of the files that would land.
    tree: String,
    plan: LandPlan,
}

impl Agency {
    /// Brings the work of a run into a branch for an agent. Unless the user lets agents do that (`mcp.allow_land`), the
    /// user is asked in the inbox and waited for. The question stays there if the wait ends first, and a later call finds
    /// its answer.
    pub fn land_for_agent(
        &mut self,
        row: &RunRow,
        request: &LandRequest,
        progress: &mut dyn FnMut(LandProgress<'_>),
        stop: &AtomicBool,
    ) -> Result<Landed, LandError> {
        let row = self.at_rest(&row.id, AtWork::Refuse)?;
        self.ask_about_project(&row, request, progress, stop)?;
        let is_free = match self.permitted_caller() {
            Ok(_) => self.config.mcp_allow_land,
            Err(CallerError::NotAllowed(_)) => false,
            Err(error @ CallerError::Store(_)) => return Err(error.into()),
        };
        if is_free {
            return self.land(&row, request, progress, stop);
        }
        let wish = self.wish_of(&row, request)?;
        if wish.plan.outcome != PlannedOutcome::AlreadyLanded && !self.is_allowed(&wish)? {
            let asked = self.store.ask_user(&row.id, &wish.question(&row))?;
            let decided = self.decision(asked, &row, progress, stop)?;
            // The user may have landed it meanwhile.
            let is_needless = decided.state == QuestionState::Expired
                && self.wish_of(&row, request)?.plan.outcome == PlannedOutcome::AlreadyLanded;
            if !is_needless {
                permitted(&decided, &row)?;
            }
        }
        let request = LandRequest { only_tree: Some(wish.tree), ..request.clone() };
        self.land_permitted(&row, &request, progress, stop)
    }

    fn is_allowed(&self, wish: &Wish) -> Result<bool, LandError> {
        Ok(self.store.is_always_allowed(QuestionKind::Permission, &wish.key)?)
    }

    /// Where the checks of the project are not approved, asks for that first.
    fn ask_about_project(
        &mut self,
        row: &RunRow,
        request: &LandRequest,
        progress: &mut dyn FnMut(LandProgress<'_>),
        stop: &AtomicBool,
    ) -> Result<(), LandError> {
        let Err(LandError::Project(ProjectError::NotTrusted { repository, .. })) =
            self.prepare_landing(row.clone(), request)
        else {
            return Ok(());
        };
        let Some(project) = self.project(&repository)? else { return Ok(()) };
        let asked = self.ask_for_trust(&row.id, &project)?;
        let decided = self.decision(asked, row, progress, stop)?;
        // The user may have approved it in another way meanwhile.
        if decided.state == QuestionState::Expired && self.project(&repository)?.is_none_or(|now| now.is_trusted()) {
            return Ok(());
        }
        permitted(&decided, row)
    }

    /// The work as it is now, and what would become of it.
    fn wish_of(&mut self, row: &RunRow, request: &LandRequest) -> Result<Wish, LandError> {
        let plan = self.plan_landing(row, request)?;
        match plan.outcome {
            PlannedOutcome::Clean | PlannedOutcome::AlreadyLanded => {}
            PlannedOutcome::Nothing => return Err(LandError::Nothing { id: row.id.clone(), target: plan.target }),
            PlannedOutcome::Conflicts => {
                let why = plan.conflicts.iter().map(|conflict| conflict.path.as_str()).collect::<Vec<_>>().join(", ");
                let why = format!("it does not merge into {}: {why}", plan.target);
                return Err(LandError::NotReady { id: row.id.clone(), why });
            }
        }
        let tree = self.workspace_of(row)?.files_now(&[]).map_err(RemoveError::from)?.tree;
        let key = QuestionKey::whole(format!("land_run:{}:{}", row.worktree_owner(), plan.target));
        Ok(Wish { key, tree, plan })
    }

    /// What became of a question, once it is settled.
    fn decision(
        &self,
        asked: QuestionRow,
        row: &RunRow,
        progress: &mut dyn FnMut(LandProgress<'_>),
        stop: &AtomicBool,
    ) -> Result<QuestionRow, LandError> {
        let question = asked.id.clone();
        progress(LandProgress::AsksUser { question: &question });
        let decided = self.wait_for_user(asked, stop)?;
        decided.ok_or_else(|| LandError::Unanswered { id: row.id.clone(), question })
    }
}

/// An error unless the user allowed it.
fn permitted(decided: &QuestionRow, row: &RunRow) -> Result<(), LandError> {
    let id = row.id.clone();
    let reason = match decided.answer.as_ref().map(Answer::decision) {
        Some(Decision::Allow { .. }) => return Ok(()),
        Some(Decision::Deny { reason }) => reason.map(str::to_owned),
        Some(Decision::Choose(_)) | None => {
            let why = decided.outcome.clone().unwrap_or_else(|| "the question has expired".to_owned());
            return Err(LandError::NotReady { id, why });
        }
    };
    let by = decided.answered_by.clone().unwrap_or_else(|| "the user".to_owned());
    Err(LandError::Denied { id, question: decided.id.clone(), by, reason })
}

impl Wish {
    fn question(&self, row: &RunRow) -> Question {
        let plan = &self.plan;
        let name = escaped_line(row.label());
        let count = plan.files.len();
        let files = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
        let title = format!("an agent asks: land {name} on {} ({files})?", plan.target);
        let mut detail = String::new();
        // Writing to a string does not fail.
        for file in plan.files.iter().take(MAX_NAMED_FILES) {
            let path = escaped_line(&file.path);
            let _ = match (file.added, file.removed) {
                (Some(added), Some(removed)) => writeln!(detail, "{path} (+{added} -{removed})"),
                (_, _) => writeln!(detail, "{path} (binary)"),
            };
        }
        if count > MAX_NAMED_FILES {
            let _ = writeln!(detail, "and {} more", count - MAX_NAMED_FILES);
        }
        for check in &plan.checks {
            let _ = writeln!(detail, "check: {}", escaped_line(check));
        }
        let _ = writeln!(detail, "{} into {}, exactly tree {}", plan.strategy, plan.target, self.tree);
        let _ = writeln!(detail, "agency diff {} shows the changes", row.id);
        question(self.key.clone(), QuestionKind::Permission, title, detail)
    }
}
