//! What an approval policy does to questions: now, and to those of past runs.

use std::io::ErrorKind;
use std::path::Path;

use agency_model::policy::{Action, Decision, Ground, PathKind, Policy};
use agency_model::{Answer, QuestionKind};
use schemars::JsonSchema;
use serde::Serialize;

use crate::agency::Agency;
use crate::store::{QuestionRow, RunRow, StoreError};

/// What lies at a path, for rules about paths.
pub(crate) fn look(path: &Path) -> PathKind {
    // The first kind means that it is not a symlink.
    let plain = |kind| matches!(kind, ErrorKind::InvalidInput | ErrorKind::NotFound | ErrorKind::NotADirectory);
    match std::fs::read_link(path) {
        Ok(target) => PathKind::Link(target),
        Err(error) if plain(error.kind()) => PathKind::Plain,
        Err(_) => PathKind::Unknown,
    }
}

/// A permission of a past run, and what a policy would have done with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed {
    /// The question, with its outcome.
    pub row: QuestionRow,
    /// What the policy says.
    pub decision: Decision,
    /// What that would change.
    pub change: PolicyChange,
}

/// What a policy would change about a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PolicyChange {
    /// Nothing.
    Same,
    /// A rule would decide instead of the user, with the same result.
    Spared,
    /// A rule would decide what was not answered.
    Decided,
    /// The result would be another.
    Different,
    /// The user would be asked, where a rule decided.
    Asked,
}

impl PolicyChange {
    fn of(row: &QuestionRow, decision: &Decision) -> Self {
        let by_rule =
            row.answered_by.as_deref().is_some_and(|by| by.starts_with("rule ") || by.starts_with("allow_all of "));
        let answered = match &row.answer {
            Some(Answer::Allow { .. } | Answer::AllowAll) => Some(Action::Allow),
            Some(Answer::Deny { .. } | Answer::Text { .. }) => Some(Action::Deny),
            // Only the agent knows what an option means.
            Some(Answer::Options { .. }) | None => None,
        };
        match (decision.action, answered, by_rule) {
            (Action::Ask, _, true) => Self::Asked,
            (Action::Ask, _, false) => Self::Same,
            (_, None, _) => Self::Decided,
            (now, Some(then), _) if now != then => Self::Different,
            (_, Some(_), true) => Self::Same,
            (_, Some(_), false) => Self::Spared,
        }
    }
}

impl Agency {
    /// The newest runs whose agents asked something.
    pub fn runs_that_asked(&mut self, most: u32) -> Result<Vec<RunRow>, StoreError> {
        self.reconcile_live()?;
        self.store.runs_that_asked(most)?.iter().map(|id| self.store.run(id)).collect()
    }

    /// What a policy would do with the permissions that a run asked for: the given one, or the one that the run would
    /// have if it began now.
    pub fn replay(&self, run: &RunRow, policy: Option<&Policy>) -> Result<Vec<Replayed>, StoreError> {
        let own;
        let policy = match policy {
            Some(policy) => policy,
            None => {
                let spec = self.spec_of(run).map(|spec| spec.approval_policy).unwrap_or_default();
                own = Policy::of_run(&spec.rules(), &self.config.approval_policy);
                &own
            }
        };
        let ground = Ground { workspace: Path::new(run.directory()), look: &look };
        let rows = self.store.questions_of(&run.id)?;
        Ok(rows
            .into_iter()
            .filter(|row| row.question.kind == QuestionKind::Permission && !row.is_of_agency())
            .map(|row| {
                let decision = policy.decide(&row.question, &ground);
                Replayed { change: PolicyChange::of(&row, &decision), decision, row }
            })
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use agency_model::{Question, ToolRequest};
    use serde_json::json;

    use super::*;

    #[test]
    fn symlinks_on_disk_decide_what_is_inside() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let workspace = root.join("workspace");
        std::fs::create_dir_all(workspace.join("src")).unwrap();
        std::fs::create_dir(root.join("elsewhere")).unwrap();
        symlink("../elsewhere", workspace.join("out")).unwrap();
        symlink(root.join("elsewhere/new"), workspace.join("dangling")).unwrap();
        symlink("src", workspace.join("in")).unwrap();
        symlink(&workspace, root.join("link")).unwrap();
        let policy: Policy = serde_json::from_value(json!([{ "action": "allow", "path": "inside" }])).unwrap();
        let decide = |workspace: &Path, path: &str| {
            let tool = Some(ToolRequest::new("Write", json!({ "file_path": path })));
            let question = Question {
                key: "".into(),
                kind: QuestionKind::Permission,
                title: String::new(),
                detail: String::new(),
                options: vec![],
                several: false,
                free_text: false,
                only_on_screen: false,
                tool,
            };
            policy.decide(&question, &Ground { workspace, look: &look }).action
        };
        for path in ["a", "src/deep/new", "in/a", "src/../a"] {
            assert_eq!(decide(&workspace, path), Action::Allow, "{path}");
            assert_eq!(decide(&root.join("link"), path), Action::Allow, "{path}");
        }
        for path in ["out/a", "dangling", "../a", "in/../../elsewhere/a", "src/../out/a"] {
            assert_eq!(decide(&workspace, path), Action::Ask, "{path}");
            assert_eq!(decide(&root.join("link"), path), Action::Ask, "{path}");
        }
    }
}
