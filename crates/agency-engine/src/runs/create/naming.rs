//! The name of a run, and that of its branch where a template makes it.
//!
//! The one rule: what is chosen here is a proposal. Whether it is free is decided when the row is inserted.

use agency_model::{BranchParts, RunId, Vcs, generated_name, numbered_name};
use agency_workspace::{Repository, WorkspaceError};

use super::{CreateError, Plan, RunOrigin};
use crate::agency::Agency;
use crate::store::{MustBeFree, RunRow, StartedBy};

/// How often a branch is numbered before a run is refused.
const MAX_NUMBER: u32 = 10_000;

/// The name that a run will have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunName {
    /// A user gave it, to this run or to the one that it continues. Others may have it, too.
    Given(String),
    /// It is made of the prompt, and no other run has it.
    Generated {
        /// The words of the prompt.
        words: String,
        /// These words, with a number if another run has them.
        name: String,
    },
}

impl RunName {
    /// The name itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Given(name) | Self::Generated { name, .. } => name,
        }
    }
}

/// What a branch is made for.
pub(super) struct BranchOwner<'a> {
    pub(super) repository: &'a Repository,
    pub(super) vcs: Vcs,
    pub(super) name: &'a str,
    pub(super) agent: &'a str,
    pub(super) id: &'a RunId,
}

impl Agency {
    /// The name of a run: the given one, or one that is made of its prompt, or of its agent where the prompt has no words.
    pub(super) fn planned_name(
        &self,
        given: Option<&str>,
        prompt: Option<&str>,
        agent: &str,
    ) -> Result<RunName, CreateError> {
        if let Some(given) = given {
            return Ok(RunName::Given(given.to_owned()));
        }
        let words =
            prompt.and_then(generated_name).or_else(|| generated_name(agent)).unwrap_or_else(|| "run".to_owned());
        let name = self.store.free_name(&words)?;
        Ok(RunName::Generated { words, name })
    }

    /// The branch by the configured template, with a number if the first choice is taken; none without a template.
    pub(super) fn branch_by_template(&self, owner: &BranchOwner<'_>) -> Result<Option<String>, CreateError> {
        let Some(template) = &self.config.branch_template else { return Ok(None) };
        let date = jiff::Zoned::now().date().to_string();
        let parts = BranchParts { name: owner.name, date: &date, agent: owner.agent, id: owner.id.as_str() };
        let branch = template.branch(parts);
        let repo_path = owner.repository.root().to_string_lossy();
        for number in 1..MAX_NUMBER {
            let candidate = numbered_name(&branch, number);
            if self.store.has_branch(&repo_path, &candidate)? {
                continue;
            }
            let checked = match owner.vcs {
                Vcs::Git => owner.repository.check_new_branch(&candidate),
                Vcs::Jj => owner.repository.check_new_bookmark(&candidate),
            };
            match checked {
                Ok(()) => return Ok(Some(candidate)),
                Err(WorkspaceError::BranchExists { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(WorkspaceError::BranchExists { name: branch }.into())
    }

    /// Inserts the row of a planned run; where another run took its generated name or branch meanwhile, with the next
    /// one. Returns the plan with the names that it got.
    pub(super) fn insert_planned(&mut self, plan: &Plan, by: StartedBy) -> Result<Plan, CreateError> {
        let mut plan = plan.clone();
        loop {
            let free = MustBeFree {
                name: matches!(plan.name, RunName::Generated { .. }),
                branch: matches!(plan.origin, RunOrigin::NewWorktree { by_template: true, .. }),
            };
            if self.store.insert_if_free(&self.new_row(&plan), by, free)?.is_some() {
                return Ok(plan);
            }
            self.choose_names_again(&mut plan)?;
        }
    }

    fn choose_names_again(&self, plan: &mut Plan) -> Result<(), CreateError> {
        if let RunName::Generated { words, name } = &mut plan.name {
            *name = self.store.free_name(words)?;
        }
        let owner = BranchOwner {
            repository: &plan.repository,
            vcs: plan.vcs,
            name: plan.name.as_str(),
            agent: &plan.spec.runner.kind,
            id: &plan.id,
        };
        let again = match &plan.origin {
            RunOrigin::NewWorktree { by_template: true, .. } => self.branch_by_template(&owner)?,
            RunOrigin::NewWorktree { .. }
            | RunOrigin::InPlace
            | RunOrigin::Beside(_)
            | RunOrigin::Resumes(_)
            | RunOrigin::Ask(_) => None,
        };
        if let (RunOrigin::NewWorktree { branch, .. }, Some(again)) = (&mut plan.origin, again) {
            *branch = again;
        }
        Ok(())
    }
}

/// The name that a run gets from the one that it continues.
pub(super) fn inherited<'a>(given: Option<&'a str>, parent: &'a RunRow) -> Option<&'a str> {
    given.or(parent.name.as_deref())
}
