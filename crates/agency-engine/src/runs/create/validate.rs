//! Checks a request before anything is created.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use agency_model::spec::{Defaults, MAX_SPEC_BYTES, PromptDraft, PromptSpec, RunSpec, SpecDraft, SpecError};
use agency_model::{ErrorCode, Host, Mode, RunId, RunKind, Vcs, WorkspaceKind, nearest};
use ulid::Ulid;

use super::files::{fingerprints, inside, path_problem};
use super::notify::notify_targets;
use super::uncommitted::UncommittedLookup;
use super::vcs::{Opened, open_repository};
use super::version;
use super::{CreateError, PathUse, Plan, RunRequest, mcp_servers};
use crate::agency::Agency;
use crate::config::{AgentConfig, Config, PromptDelivery, driver};
use crate::host::TmuxError;
use crate::process::TerminalSize;
use crate::store::RunRow;
use crate::uuid::random_uuid;
use crate::workspace::{Repository, check_prompt_place};

/// Where the prompt lies in a worktree when it was given as text.
pub(super) const PROMPT_IN_WORKTREE: &str = "./.agency/prompt.md";
/// The kernel takes no longer argument.
const MAX_ARGUMENT_BYTES: usize = 128 * 1024 - 1;
/// A label is for a table, not for an essay.
const MAX_NAME_CHARS: usize = 200;

impl Agency {
    /// Puts the spec together and checks it. Nothing is created.
    pub fn plan(&self, request: RunRequest) -> Result<Plan, CreateError> {
        self.refuse_within_ask(&request.environment)?;
        let spec = materialise(&self.config, &request)?;
        let id = request.workflow.as_ref().map_or_else(|| RunId::from_ulid(Ulid::generate()), |of| of.id.clone());
        let (beside, directory) = request.workflow.as_ref().map(|of| (of.beside.clone(), of.directory.clone())).unzip();
        let (beside, directory) = (beside.flatten(), directory.flatten());
        check_name(spec.name.as_deref())?;
        check_shared_workspace(&spec, beside.as_deref())?;
        let (agent, program) = match request.kind {
            RunKind::Workflow => (driver(), self.executable.clone()),
            RunKind::Run | RunKind::Agent | RunKind::Task | RunKind::Ask => {
                find_runner(&self.config, &self.executable, &spec.runner.kind, &request.search_path())?
            }
        };
        check_form(&agent, &spec)?;
        let Opened { vcs, repository, base, notice } = open_repository(&spec)?;
        let root = repository.root().to_str().ok_or_else(|| CreateError::Path {
            what: PathUse::Repository,
            path: repository.root().to_owned(),
            why: "its path is not UTF-8".to_owned(),
            code: ErrorCode::InvalidPath,
        })?;
        let mut spec = RunSpec { repo: root.to_owned(), vcs: vcs.into(), ..spec };
        if spec.workspace == WorkspaceKind::Worktree {
            match (vcs, &spec.new_branch) {
                (Vcs::Git, Some(branch)) => repository.check_new_branch(branch)?,
                (Vcs::Git, None) => repository.check_run_branch(&id.default_branch())?,
                (Vcs::Jj, Some(bookmark)) => repository.check_new_bookmark(bookmark)?,
                (Vcs::Jj, None) => {}
            }
        }
        let prompt = match (&request.prompt_text, &spec.prompt) {
            (Some(text), _) => Some(text.clone()),
            (None, Some(PromptSpec { path })) => {
                let (relative, text) = read_prompt(&repository, path, &request.current_directory)?;
                spec.prompt = Some(PromptSpec { path: relative });
                Some(text)
            }
            (None, None) => None,
        };
        match &prompt {
            Some(prompt) => check_prompt(prompt, &agent, &spec)?,
            None => check_promptless(&agent, &spec)?,
        }
        if request.prompt_text.is_some() && (vcs, spec.workspace) == (Vcs::Git, WorkspaceKind::Worktree) {
            check_prompt_place(&repository, &base)?;
        }
        // Those who work side by side would overwrite each other's prompt.
        if let (Some(_), WorkspaceKind::None | WorkspaceKind::Shared) = (&request.prompt_text, spec.workspace) {
            spec.prompt = Some(PromptSpec { path: self.home.run(&id).file("prompt.md").display().to_string() });
        }
        let inputs = fingerprints(&repository, &spec)?;
        check_host(spec.host, &request.search_path())?;
        let (agent_version, mut notices) = self.probe_version(&agent, &program, &request.environment);
        let (notify, trouble) = notify_targets(&self.config.notify, request.notify, &request.search_path());
        notices.extend(trouble);
        notices.extend(notice);
        notices.extend(mcp_servers::check(&spec, &agent, &request.search_path())?);
        let session = new_session(&agent, &spec);
        let files = (inputs.as_slice(), request.prompt_text.is_some());
        let uncommitted = UncommittedLookup::begin(&spec, vcs, (&repository, &base), files);
        Ok(Plan {
            id,
            kind: request.kind,
            vcs,
            spec,
            repository,
            base,
            inputs,
            prompt,
            prompt_is_text: request.prompt_text.is_some(),
            agent,
            program,
            environment: request.environment,
            may_wait: request.may_wait,
            size: request.terminal.unwrap_or(TerminalSize::UNSEEN),
            resume: None,
            beside,
            directory,
            workflow_session: request.workflow.map(|of| of.session),
            session,
            agent_version,
            notices,
            not_before: None,
            notify,
            scratch: None,
            uncommitted,
        })
    }

    /// The version of an agent that agency knows, and a warning if it is not the one that was tested.
    pub(super) fn probe_version(
        &self,
        agent: &AgentConfig,
        program: &Path,
        environment: &BTreeMap<OsString, OsString>,
    ) -> (Option<String>, Vec<String>) {
        if !agent.built_in || agent.own_command {
            return (None, vec![]);
        }
        let version = version::of(&self.home, program, environment);
        let untested = match (&version, agent.adapter.tested_version()) {
            (Some(version), Some(tested)) if version != tested => Some(format!(
                "{} is version {version}; agency was tested with {tested}, and may misread another",
                agent.command
            )),
            (_, _) => None,
        };
        (version, untested.into_iter().collect())
    }
}

/// A name for the conversation that begins on the agent's screen, unless the user's arguments say which one it is.
fn new_session(agent: &AgentConfig, spec: &RunSpec) -> Option<String> {
    const CHOSEN: [&str; 7] = ["--session-id", "--resume", "-r", "--continue", "-c", "--fork-session", "--from-pr"];
    let mut args = agent.args.iter().chain(&spec.runner.args);
    let chosen = args.any(|arg| CHOSEN.contains(&arg.split('=').next().unwrap_or(arg)));
    if chosen || spec.mode == Mode::Headless || agent.adapter.session_args().is_none() {
        return None;
    }
    Some(random_uuid())
}

/// Where programs are looked up.
pub(crate) struct SearchPath<'a> {
    pub(crate) current_directory: &'a Path,
    pub(crate) environment: &'a BTreeMap<OsString, OsString>,
}

impl RunRequest {
    fn search_path(&self) -> SearchPath<'_> {
        SearchPath { current_directory: &self.current_directory, environment: &self.environment }
    }
}

/// Whether the agent can be started as the spec wants it.
fn check_form(agent: &AgentConfig, spec: &RunSpec) -> Result<(), CreateError> {
    if spec.workspace == WorkspaceKind::Scratch {
        return Err(CreateError::Value {
            field: "workspace",
            message: "only an ask has a scratch directory".to_owned(),
            hint: "write `worktree` or `none`, or ask with agency ask",
        });
    }
    if spec.one_shot && agent.form(spec.mode, true).is_two_way() {
        return Err(CreateError::Value {
            field: "one_shot",
            message: format!("{} has no one-shot form", spec.runner.kind),
            hint: "add [agents.<name>.one_shot] to the configuration, or leave `one_shot` out",
        });
    }
    Ok(())
}

/// Whether there is a worktree to share where one is to be shared.
fn check_shared_workspace(spec: &RunSpec, beside: Option<&RunRow>) -> Result<(), CreateError> {
    if (spec.workspace == WorkspaceKind::Shared) == beside.is_some() {
        return Ok(());
    }
    Err(CreateError::Value {
        field: "workspace",
        message: "`workspace` is `shared` only for the tasks of a workflow".to_owned(),
        hint: "write worktree, or none",
    })
}

pub(super) fn check_host(host: Host, search_path: &SearchPath<'_>) -> Result<(), CreateError> {
    if host == Host::Tmux && find_program(OsStr::new("tmux"), search_path).is_err() {
        return Err(TmuxError::Missing.into());
    }
    Ok(())
}

fn materialise(config: &Config, request: &RunRequest) -> Result<RunSpec, CreateError> {
    let mut flags = request.flags.clone();
    if request.prompt_text.is_some() {
        flags.prompt = Some(PromptDraft { path: Some(PROMPT_IN_WORKTREE.to_owned()) });
    }
    let text = request.spec_file.as_deref().map(read_spec).transpose()?;
    let in_file = |error| CreateError::Spec { file: request.spec_file.clone(), error };
    let draft = match &text {
        Some(text) => SpecDraft::parse(text).map_err(in_file)?,
        None => SpecDraft::default(),
    };
    // A file says everything itself; flags alone mean the repository one stands in.
    let standing_here = text.is_none();
    let here = request.current_directory.to_str().map(str::to_owned);
    let defaults = Defaults {
        repo: here.filter(|_| standing_here),
        base_ref: standing_here.then(|| "HEAD".to_owned()),
        runner: standing_here.then(|| config.default_agent.clone()),
        host: config.host,
        vcs: config.vcs,
        limits: config.limits,
        needs_prompt: match request.kind {
            RunKind::Run | RunKind::Ask => true,
            RunKind::Agent | RunKind::Task | RunKind::Workflow => false,
        },
    };
    let spec = draft.overridden_by(flags).materialise(defaults).map_err(|error| match &text {
        Some(text) => in_file(error.located_in(&String::from_utf8_lossy(text))),
        None => in_file(error),
    })?;
    if standing_here || Path::new(&spec.repo).is_absolute() || request.flags.repo.is_some() {
        let repo = request.current_directory.join(&spec.repo);
        return Ok(RunSpec { repo: repo.display().to_string(), ..spec });
    }
    Err(CreateError::Path {
        what: PathUse::Repository,
        path: spec.repo.into(),
        why: "`repo` in a spec file is an absolute path".to_owned(),
        code: ErrorCode::InvalidPath,
    })
}

fn read_spec(path: &Path) -> Result<Vec<u8>, CreateError> {
    let problem = |error: io::Error| path_problem(PathUse::Spec, path, &error);
    let file = File::open(path).map_err(problem)?;
    let size = file.metadata().map_err(problem)?.len();
    if size > MAX_SPEC_BYTES {
        let error = SpecError::TooLarge { bytes: size };
        return Err(CreateError::Spec { file: Some(path.to_owned()), error });
    }
    let mut bytes = vec![];
    // One byte more than allowed, so that a device without a size is noticed too.
    file.take(MAX_SPEC_BYTES + 1).read_to_end(&mut bytes).map_err(problem)?;
    Ok(bytes)
}

pub(super) fn check_name(name: Option<&str>) -> Result<(), CreateError> {
    let Some(name) = name else { return Ok(()) };
    if name.trim().is_empty() || name.chars().any(char::is_control) || name.chars().count() > MAX_NAME_CHARS {
        return Err(CreateError::Value {
            field: "name",
            message: format!("`name` {name:?} cannot be used: a name has 1 to {MAX_NAME_CHARS} characters on one line"),
            hint: "choose a short label; what the agent is to do belongs into the prompt",
        });
    }
    Ok(())
}

pub(super) fn find_runner(
    config: &Config,
    own_executable: &Path,
    kind: &str,
    search_path: &SearchPath<'_>,
) -> Result<(AgentConfig, PathBuf), CreateError> {
    let Some((_, agent)) = config.agent(kind) else {
        let names: Vec<&str> = config.agents.keys().map(String::as_str).collect();
        let meant =
            nearest(kind, names.iter().copied()).map_or_else(String::new, |name| format!("did you mean {name}? "));
        return Err(CreateError::Runner {
            message: format!("no agent is named '{kind}'"),
            hint: format!("{meant}configured are {}; add [agents.{kind}] to the configuration", names.join(", ")),
        });
    };
    if agent.own_command {
        return Ok((agent.clone(), own_executable.to_owned()));
    }
    let found = find_program(OsStr::new(&agent.command), search_path);
    found.map(|program| (agent.clone(), program)).map_err(|why| CreateError::Runner {
        message: format!("the command of {kind}, '{}', {why}", agent.command),
        hint: match agent.adapter.install_hint() {
            Some(install) => format!("install it ({install}) or set [agents.{kind}] command in the configuration"),
            None => format!("correct [agents.{kind}] command in the configuration"),
        },
    })
}

/// Looks a command up as a shell would, with the caller's PATH.
pub(crate) fn find_program(command: &OsStr, search_path: &SearchPath<'_>) -> Result<PathBuf, &'static str> {
    let executable = |path: &Path| {
        path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    if Path::new(command).components().count() > 1 {
        let path = search_path.current_directory.join(command);
        return match (path.exists(), executable(&path)) {
            (_, true) => Ok(path),
            (true, false) => Err("is not an executable file"),
            (false, false) => Err("does not exist"),
        };
    }
    let search = search_path.environment.get(OsStr::new("PATH")).cloned().unwrap_or_default();
    std::env::split_paths(&search)
        .map(|directory| search_path.current_directory.join(directory).join(command))
        .find(|path| executable(path))
        .ok_or("is not on the PATH")
}

/// Reads the prompt file, and says its path relative to the repository.
fn read_prompt(repository: &Repository, path: &str, here: &Path) -> Result<(String, String), CreateError> {
    let (relative, absolute) = inside(PathUse::Prompt, repository, path, here)?;
    let bytes = std::fs::read(&absolute).map_err(|error| path_problem(PathUse::Prompt, &absolute, &error))?;
    let text = String::from_utf8(bytes).map_err(|_| CreateError::Path {
        what: PathUse::Prompt,
        path: absolute,
        why: "it is not UTF-8 text".to_owned(),
        code: ErrorCode::InvalidPath,
    })?;
    Ok((relative, text))
}

/// Whether the agent can be started without being told anything.
pub(super) fn check_promptless(agent: &AgentConfig, spec: &RunSpec) -> Result<(), CreateError> {
    if spec.mode == Mode::Interactive || agent.form(spec.mode, spec.one_shot).is_two_way() {
        return Ok(());
    }
    Err(CreateError::Value {
        field: "prompt",
        message: format!("{} does not accept messages while it runs, so it needs a prompt", spec.runner.kind),
        hint: "add --prompt TEXT, or start it with --mode interactive",
    })
}

pub(super) fn check_prompt(prompt: &str, agent: &AgentConfig, spec: &RunSpec) -> Result<(), CreateError> {
    let path = spec.prompt.as_ref().map_or("", |prompt| &prompt.path);
    let refuse = |message, hint| CreateError::Value { field: "prompt.path", message, hint };
    if prompt.trim().is_empty() {
        let message = format!("the prompt '{path}' is empty");
        return Err(refuse(message, "write down what the agent is to do"));
    }
    let launch = agent.form(spec.mode, spec.one_shot);
    let as_argument = matches!(launch.prompt, PromptDelivery::Argument | PromptDelivery::Flag(_));
    if as_argument && prompt.len() > MAX_ARGUMENT_BYTES {
        let (kind, length) = (&spec.runner.kind, prompt.len());
        let message = format!(
            "the prompt '{path}' has {length} bytes, and {kind} takes it as an argument of at most {MAX_ARGUMENT_BYTES}"
        );
        let hint = "let the prompt name a file that holds the text, or use an agent that takes it on stdin";
        return Err(refuse(message, hint));
    }
    if prompt.contains('\0') {
        let message = format!("the prompt '{path}' contains a NUL character");
        return Err(refuse(message, "a prompt is plain text"));
    }
    Ok(())
}
