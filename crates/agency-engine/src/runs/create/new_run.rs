//! A request for a new run as a plan: in a worktree of its own, in the user's checkout, or beside another run.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path};

use agency_model::spec::{PromptSpec, RunSpec};
use agency_model::{ErrorCode, RunId, Vcs, WorkspaceKind};
use agency_system::process::TerminalSize;
use agency_workspace::{Commit, Repository, check_prompt_place};
use ulid::Ulid;

use super::asked_from::Checkout;
use super::complete::AskedFrom;
use super::files::{fingerprints, inside, path_problem};
use super::find_agent::SearchPath;
use super::materialise::materialise;
use super::naming::BranchOwner;
use super::origin::RunOrigin;
use super::plan::PlannedPrompt;
use super::uncommitted::UncommittedLookup;
use super::validate::{check_form, check_name, check_prompt, check_promptless};
use super::vcs::{Opened, open_repository};
use super::{CreateError, PROMPT_IN_WORKTREE, PathUse, Plan, RunRequest, WorkflowMember};
use crate::agency::Agency;
use crate::store::RunRow;
use crate::wire::Notify;

/// How much of a prompt file is read: more than every agent takes.
const MAX_PROMPT_BYTES: u64 = 16 * 1024 * 1024;

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
            kind,
            prompt_text,
            workflow,
            current_directory,
            environment,
            may_wait,
            terminal,
            notify,
            include_changes,
            flags,
            setup,
            spec_file: _,
        } = request;
        let prompt_given = GivenPrompt { text: prompt_text, from_flag: flags.prompt.is_some() };
        let (id, workflow_session, beside, directory) = match workflow {
            Some(WorkflowMember { session, id, beside, directory }) => (id, Some(session), beside, directory),
            None => (RunId::from_ulid(Ulid::generate()), None, None, None),
        };
        check_name(spec.name.as_deref())?;
        let wanted = WantedWorkspace::of(&spec, beside)?;
        let search_path = SearchPath { current_directory: &current_directory, environment: &environment };
        let (agent, program) = self.agent_of(kind, &spec, &search_path)?;
        check_form(&agent, &spec)?;
        let Opened { vcs, repository, mut base, checkout, notice } = open_repository(&self.home, &self.store, &spec)?;
        let mut spec = RunSpec { repo: root_text(&repository)?, vcs: vcs.into(), ..spec };
        let prompt = read_prompt(prompt_given, &mut spec, checkout.root(), &current_directory)?;
        let name =
            self.planned_name(spec.name.as_deref(), prompt.as_ref().map(PlannedPrompt::text), &spec.runner.kind)?;
        let template_branch = match (&wanted, &spec.new_branch) {
            (WantedWorkspace::NewWorktree, None) => {
                let agent = spec.runner.kind.as_str();
                self.branch_by_template(&BranchOwner {
                    repository: &repository,
                    vcs,
                    name: name.as_str(),
                    agent,
                    id: &id,
                })?
            }
            (WantedWorkspace::NewWorktree, Some(_)) | (WantedWorkspace::InPlace | WantedWorkspace::Beside(_), _) => {
                None
            }
        };
        if let (WantedWorkspace::NewWorktree, None) = (&wanted, &template_branch) {
            check_branch(vcs, &repository, &spec, &id)?;
        }
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
        let inputs = fingerprints(checkout.root(), &spec)?;
        if include_changes && matches!((&wanted, vcs), (WantedWorkspace::NewWorktree, Vcs::Git)) {
            base = with_changes(&checkout, base, &id)?;
        }
        let origin = match wanted {
            WantedWorkspace::NewWorktree => RunOrigin::NewWorktree {
                by_template: template_branch.is_some(),
                branch: template_branch.or(spec.new_branch.clone()).unwrap_or_else(|| id.default_branch()),
                uncommitted: UncommittedLookup::begin(&spec, vcs, (&checkout, &base), (&inputs, is_text)),
            },
            WantedWorkspace::InPlace => RunOrigin::InPlace,
            WantedWorkspace::Beside(host) => RunOrigin::Beside(host),
        };
        let plan = Plan {
            id,
            name,
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
            environment,
            may_wait,
            size: terminal.unwrap_or(TerminalSize::UNSEEN),
            directory,
            workflow_session,
            session: None,
            agent_version: None,
            notices: notice.into_iter().collect(),
            notify: Notify::default(),
            race: None,
            worktree_setup: None,
        };
        self.complete(plan, AskedFrom { current_directory: &current_directory, notify, setup })
    }
}

/// The path of a repository, as specs and rows have it.
pub(super) fn root_text(repository: &Repository) -> Result<String, CreateError> {
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

/// The commit that a run begins with if it gets the uncommitted changes of the checkout.
fn with_changes(checkout: &Checkout, base: Commit, id: &RunId) -> Result<Commit, CreateError> {
    let head = checkout.head()?;
    if head != base {
        return Err(CreateError::Value {
            field: "base_ref",
            message: "--include-changes starts from the checkout as it is, so the base is HEAD".to_owned(),
            hint: "leave --base and base_ref out, or --include-changes",
        });
    }
    Ok(checkout.snapshot(&base, id)?.unwrap_or(base))
}

/// How the prompt was given.
struct GivenPrompt {
    text: Option<String>,
    /// A file that a flag names may be anywhere; one that a spec names is in the repository.
    from_flag: bool,
}

/// A prompt file that is not in the repository, as text that is copied into the run.
fn read_prompt_from_anywhere(path: &str, here: &Path) -> Result<String, CreateError> {
    let path = here.join(path);
    let refuse =
        |why: &str, code| CreateError::Path { what: PathUse::Prompt, path: path.clone(), why: why.to_owned(), code };
    let file = File::open(&path).map_err(|error| path_problem(PathUse::Prompt, &path, &error))?;
    let mut bytes = vec![];
    file.take(MAX_PROMPT_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| path_problem(PathUse::Prompt, &path, &error))?;
    if bytes.len() as u64 > MAX_PROMPT_BYTES {
        return Err(refuse("it is longer than any agent takes", ErrorCode::InvalidPath));
    }
    String::from_utf8(bytes).map_err(|_| refuse("it is not UTF-8 text", ErrorCode::InvalidPath))
}

/// Whether a path leads to a file, or to a pipe that a shell made for an argument such as `<(command)`. A link in the
/// repository that leads out of it is not followed: its user did not choose where it leads.
fn is_readable_anywhere(path: &Path, root: &Path) -> bool {
    let lies_in =
        |path: Option<&Path>| path.and_then(|path| path.canonicalize().ok()).is_some_and(|path| path.starts_with(root));
    let passes_repository = path.ancestors().skip(1).any(|above| lies_in(Some(above)));
    if passes_repository && !lies_in(Some(path)) && !path.components().any(|part| part == Component::ParentDir) {
        return false;
    }
    path.is_file() || (path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd")) && path.exists()
}

/// The prompt: the text that was given, or the file that is named. The path of one in the repository becomes relative to it.
fn read_prompt(
    GivenPrompt { text: given, from_flag }: GivenPrompt,
    spec: &mut RunSpec,
    root: &Path,
    here: &Path,
) -> Result<Option<PlannedPrompt>, CreateError> {
    if let Some(text) = given {
        return Ok(Some(PlannedPrompt::Text(text)));
    }
    let Some(PromptSpec { path }) = &spec.prompt else { return Ok(None) };
    let (relative, absolute) = match inside(PathUse::Prompt, root, path, here) {
        Err(_) if from_flag && is_readable_anywhere(&here.join(path), root) => {
            let text = read_prompt_from_anywhere(path, here)?;
            spec.prompt = Some(PromptSpec { path: PROMPT_IN_WORKTREE.to_owned() });
            return Ok(Some(PlannedPrompt::Text(text)));
        }
        found => found?,
    };
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
