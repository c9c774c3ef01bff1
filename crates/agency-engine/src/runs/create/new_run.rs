//! A request for a new run as a plan: in a worktree of its own, in the user's checkout, or beside another run.

use std::path::Path;

use agency_model::spec::{PromptSpec, RunSpec};
use agency_model::{ErrorCode, RunId, Vcs, WorkspaceKind};
use agency_workspace::{Repository, check_prompt_place};
use ulid::Ulid;

use super::assemble::{AskedFrom, PlanParts};
use super::files::{fingerprints, inside, path_problem};
use super::materialise::materialise;
use super::origin::RunOrigin;
use super::plan::PlannedPrompt;
use super::uncommitted::UncommittedLookup;
use super::validate::{check_form, check_name, check_prompt, check_promptless};
use super::vcs::{Opened, open_repository};
use super::{CreateError, PathUse, Plan, RunRequest, WorkflowMember};
use crate::agency::Agency;
use crate::store::RunRow;

/// Where a run is asked to work.
enum WantedWorkspace {
    NewWorktree,
    InPlace,
    Beside(Box<RunRow>),
}

impl WantedWorkspace {
    /// What a spec and the place in a workflow mean together.
    fn of(spec: &RunSpec, beside: Option<Box<RunRow>>) -> Result<Self, CreateError> {
        let refuse =
            |message: &str, hint| Err(CreateError::Value { field: "workspace", message: message.to_owned(), hint });
        match (beside, spec.workspace) {
            (Some(host), _) => Ok(Self::Beside(host)),
            (None, WorkspaceKind::Worktree) => Ok(Self::NewWorktree),
            (None, WorkspaceKind::None) => Ok(Self::InPlace),
            (None, WorkspaceKind::Shared) => {
                refuse("`workspace` is `shared` only for the tasks of a workflow", "write worktree, or none")
            }
            (None, WorkspaceKind::Scratch) => {
                refuse("only an ask has a scratch directory", "write `worktree` or `none`, or ask with agency ask")
            }
        }
    }
}

impl Agency {
    /// Puts the spec together and checks it. Nothing is created.
    pub fn plan(&self, request: RunRequest) -> Result<Plan, CreateError> {
        self.refuse_within_ask(&request.environment)?;
        let spec = materialise(&self.config, &request)?;
        let RunRequest {
            kind, prompt_text, workflow, current_directory, environment, may_wait, terminal, notify, ..
        } = request;
        let from = AskedFrom { current_directory, environment, may_wait, terminal, notify };
        let (id, workflow_session, beside, directory) = match workflow {
            Some(WorkflowMember { session, id, beside, directory }) => (id, Some(session), beside, directory),
            None => (RunId::from_ulid(Ulid::generate()), None, None, None),
        };
        check_name(spec.name.as_deref())?;
        let wanted = WantedWorkspace::of(&spec, beside)?;
        let (agent, program) = self.agent_of(kind, &spec, &from.search_path())?;
        check_form(&agent, &spec)?;
        let Opened { vcs, repository, base, notice } = open_repository(&spec)?;
        let mut spec = RunSpec { repo: root_text(&repository)?, vcs: vcs.into(), ..spec };
        if let WantedWorkspace::NewWorktree = wanted {
            check_branch(vcs, &repository, &spec, &id)?;
        }
        let prompt = read_prompt(prompt_text, &mut spec, &repository, &from.current_directory)?;
        match &prompt {
            Some(prompt) => check_prompt(prompt.text(), &agent, &spec)?,
            None => check_promptless(&agent, &spec)?,
        }
        let is_text = matches!(prompt, Some(PlannedPrompt::Text(_)));
        if is_text && matches!((&wanted, vcs), (WantedWorkspace::NewWorktree, Vcs::Git)) {
            check_prompt_place(&repository, &base)?;
        }
        // Runs in one workspace would overwrite each other's prompt.
        if is_text && matches!(wanted, WantedWorkspace::InPlace | WantedWorkspace::Beside(_)) {
            spec.prompt = Some(PromptSpec { path: self.home.run(&id).file("prompt.md").display().to_string() });
        }
        let inputs = fingerprints(&repository, &spec)?;
        let origin = match wanted {
            WantedWorkspace::NewWorktree => RunOrigin::NewWorktree {
                branch: spec.new_branch.clone().unwrap_or_else(|| id.default_branch()),
                uncommitted: UncommittedLookup::begin(&spec, vcs, (&repository, &base), (&inputs, is_text)),
            },
            WantedWorkspace::InPlace => RunOrigin::InPlace,
            WantedWorkspace::Beside(host) => RunOrigin::Beside(host),
        };
        let notices = notice.into_iter().collect();
        let parts = PlanParts {
            id,
            kind,
            origin,
            vcs,
            spec,
            repository,
            base,
            inputs,
            prompt,
            agent,
            program,
            directory,
            workflow_session,
            notices,
        };
        self.assemble(parts, from)
    }
}

/// The path of a repository, as specs and rows have it.
fn root_text(repository: &Repository) -> Result<String, CreateError> {
    let root = repository.root().to_str().ok_or_else(|| CreateError::Path {
        what: PathUse::Repository,
        path: repository.root().to_owned(),
        why: "its path is not UTF-8".to_owned(),
        code: ErrorCode::InvalidPath,
    })?;
    Ok(root.to_owned())
}

/// Whether the branch of a new worktree can be made.
fn check_branch(vcs: Vcs, repository: &Repository, spec: &RunSpec, id: &RunId) -> Result<(), CreateError> {
    match (vcs, &spec.new_branch) {
        (Vcs::Git, Some(branch)) => repository.check_new_branch(branch)?,
        (Vcs::Git, None) => repository.check_run_branch(&id.default_branch())?,
        (Vcs::Jj, Some(bookmark)) => repository.check_new_bookmark(bookmark)?,
        (Vcs::Jj, None) => {}
    }
    Ok(())
}

/// The prompt: the text that was given, or the file that the spec names, whose path becomes relative to the repository.
fn read_prompt(
    given: Option<String>,
    spec: &mut RunSpec,
    repository: &Repository,
    here: &Path,
) -> Result<Option<PlannedPrompt>, CreateError> {
    if let Some(text) = given {
        return Ok(Some(PlannedPrompt::Text(text)));
    }
    let Some(PromptSpec { path }) = &spec.prompt else { return Ok(None) };
    let (relative, absolute) = inside(PathUse::Prompt, repository, path, here)?;
    let bytes = std::fs::read(&absolute).map_err(|error| path_problem(PathUse::Prompt, &absolute, &error))?;
    let text = String::from_utf8(bytes).map_err(|_| CreateError::Path {
        what: PathUse::Prompt,
        path: absolute,
        why: "it is not UTF-8 text".to_owned(),
        code: ErrorCode::InvalidPath,
    })?;
    spec.prompt = Some(PromptSpec { path: relative });
    Ok(Some(PlannedPrompt::File(text)))
}
