//! Checks a request before anything is created.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use agency_model::spec::{Defaults, MAX_SPEC_BYTES, PromptDraft, RunSpec, SpecDraft, SpecError};
use agency_model::{ErrorCode, Host, RunId, WorkspaceKind, nearest};
use sha2::{Digest, Sha256};
use ulid::Ulid;

use super::{CreateError, InputFingerprint, Plan, RunRequest};
use crate::agency::Agency;
use crate::config::{AgentConfig, Config, PromptDelivery};
use crate::host::TmuxError;
use crate::process::TerminalSize;
use crate::workspace::Repository;

/// Where the prompt lies in a worktree when it was given as text.
pub(super) const PROMPT_IN_WORKTREE: &str = "./.agency/prompt.md";
/// The kernel takes no longer argument.
const LONGEST_ARGUMENT: usize = 128 * 1024 - 1;
/// A label is for a table, not for an essay.
const LONGEST_NAME: usize = 200;

impl Agency {
    /// Puts the spec together and checks it. Nothing is created.
    pub fn plan(&self, request: RunRequest) -> Result<Plan, CreateError> {
        let spec = materialise(&self.config, &request)?;
        let id = RunId::from_ulid(Ulid::generate());
        check_name(spec.name.as_deref())?;
        let (agent, program) = find_runner(&self.config, &self.executable, &spec, &request)?;
        let (repository, base) = Repository::open_at(Path::new(&spec.repo), &spec.base_ref)?;
        let root = repository.root().to_str().ok_or_else(|| CreateError::Path {
            what: "the repository",
            path: repository.root().to_owned(),
            why: "its path is not UTF-8".to_owned(),
            code: ErrorCode::InvalidPath,
        })?;
        let mut spec = RunSpec {
            repo: root.to_owned(),
            ..spec
        };
        if let Some(branch) = &spec.new_branch
            && spec.workspace == WorkspaceKind::Worktree
        {
            repository.check_new_branch(branch)?;
        }
        let prompt = match &request.prompt_text {
            Some(text) => text.clone(),
            None => read_prompt(&repository, &mut spec, &request.current_directory)?,
        };
        check_prompt(&prompt, &agent, &spec)?;
        if let (Some(_), WorkspaceKind::None) = (&request.prompt_text, spec.workspace) {
            spec.prompt.path = self.home.run(&id).file("prompt.md").display().to_string();
        }
        let inputs = fingerprints(&repository, &spec)?;
        if spec.host == Host::Tmux && find_program(OsStr::new("tmux"), &request).is_err() {
            return Err(TmuxError::Missing.into());
        }
        Ok(Plan {
            id,
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
        })
    }
}

fn materialise(config: &Config, request: &RunRequest) -> Result<RunSpec, CreateError> {
    let mut flags = request.flags.clone();
    if request.prompt_text.is_some() {
        flags.prompt = Some(PromptDraft {
            path: Some(PROMPT_IN_WORKTREE.to_owned()),
        });
    }
    let text = request.spec_file.as_deref().map(read_spec).transpose()?;
    let in_file = |error| CreateError::Spec {
        file: request.spec_file.clone(),
        error,
    };
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
        max_minutes: config.max_minutes,
    };
    let spec = draft
        .overridden_by(flags)
        .materialise(defaults)
        .map_err(|error| match &text {
            Some(text) => in_file(error.located_in(&String::from_utf8_lossy(text))),
            None => in_file(error),
        })?;
    if standing_here || Path::new(&spec.repo).is_absolute() || request.flags.repo.is_some() {
        let repo = request.current_directory.join(&spec.repo);
        return Ok(RunSpec {
            repo: repo.display().to_string(),
            ..spec
        });
    }
    Err(CreateError::Path {
        what: "the repository",
        path: spec.repo.into(),
        why: "`repo` in a spec file is an absolute path".to_owned(),
        code: ErrorCode::InvalidPath,
    })
}

fn read_spec(path: &Path) -> Result<Vec<u8>, CreateError> {
    let problem = |error: io::Error| path_problem("the spec file", path, &error);
    let file = File::open(path).map_err(problem)?;
    let size = file.metadata().map_err(problem)?.len();
    if size > MAX_SPEC_BYTES {
        let error = SpecError::TooLarge { bytes: size };
        return Err(CreateError::Spec {
            file: Some(path.to_owned()),
            error,
        });
    }
    let mut bytes = vec![];
    // One byte more than allowed, so that a device without a size is noticed too.
    file.take(MAX_SPEC_BYTES + 1).read_to_end(&mut bytes).map_err(problem)?;
    Ok(bytes)
}

fn path_problem(what: &'static str, path: &Path, error: &io::Error) -> CreateError {
    let codes = [
        (io::ErrorKind::PermissionDenied, ErrorCode::PermissionDenied),
        (io::ErrorKind::IsADirectory, ErrorCode::InputNotFile),
    ];
    let known = codes.into_iter().find(|(kind, _)| *kind == error.kind());
    let code = known.map_or(ErrorCode::InvalidPath, |(_, code)| code);
    CreateError::Path {
        what,
        path: path.to_owned(),
        why: error.to_string(),
        code,
    }
}

fn check_name(name: Option<&str>) -> Result<(), CreateError> {
    let Some(name) = name else { return Ok(()) };
    if name.trim().is_empty() || name.chars().any(char::is_control) || name.chars().count() > LONGEST_NAME {
        let what = format!("a name has 1 to {LONGEST_NAME} characters and no line breaks");
        return Err(CreateError::Value(format!("`name` {name:?} cannot be used: {what}")));
    }
    Ok(())
}

fn find_runner(
    config: &Config,
    own_executable: &Path,
    spec: &RunSpec,
    request: &RunRequest,
) -> Result<(AgentConfig, PathBuf), CreateError> {
    let kind = &spec.runner.kind;
    let Some((_, agent)) = config.agent(kind) else {
        let names: Vec<&str> = config.agents.keys().map(String::as_str).collect();
        let meant =
            nearest(kind, names.iter().copied()).map_or_else(String::new, |name| format!("did you mean {name}? "));
        return Err(CreateError::Runner {
            message: format!("no agent is called '{kind}'"),
            hint: format!(
                "{meant}configured are {}; add [agents.{kind}] to the configuration",
                names.join(", ")
            ),
        });
    };
    if agent.own_command {
        return Ok((agent.clone(), own_executable.to_owned()));
    }
    let found = find_program(OsStr::new(&agent.command), request);
    found
        .map(|program| (agent.clone(), program))
        .map_err(|why| CreateError::Runner {
            message: format!("the command of {kind}, '{}', {why}", agent.command),
            hint: match agent.install_hint {
                Some(install) => format!("install it ({install}) or set [agents.{kind}] command in the configuration"),
                None => format!("correct [agents.{kind}] command in the configuration"),
            },
        })
}

/// Looks a command up as a shell would, with the caller's PATH.
fn find_program(command: &OsStr, request: &RunRequest) -> Result<PathBuf, &'static str> {
    let executable = |path: &Path| {
        path.metadata()
            .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    if Path::new(command).components().count() > 1 {
        let path = request.current_directory.join(command);
        return match (path.exists(), executable(&path)) {
            (_, true) => Ok(path),
            (true, false) => Err("is not an executable file"),
            (false, false) => Err("does not exist"),
        };
    }
    let search = request.environment.get(OsStr::new("PATH")).cloned().unwrap_or_default();
    std::env::split_paths(&search)
        .map(|directory| request.current_directory.join(directory).join(command))
        .find(|path| executable(path))
        .ok_or("is not on the PATH")
}

/// Reads the prompt file, and makes its path in the spec relative to the repository.
fn read_prompt(repository: &Repository, spec: &mut RunSpec, here: &Path) -> Result<String, CreateError> {
    let (relative, absolute) = inside("the prompt", repository, &spec.prompt.path, here)?;
    let bytes = std::fs::read(&absolute).map_err(|error| path_problem("the prompt", &absolute, &error))?;
    spec.prompt.path = relative;
    String::from_utf8(bytes).map_err(|_| CreateError::Path {
        what: "the prompt",
        path: absolute,
        why: "it is not UTF-8 text".to_owned(),
        code: ErrorCode::InvalidPath,
    })
}

fn check_prompt(prompt: &str, agent: &AgentConfig, spec: &RunSpec) -> Result<(), CreateError> {
    if prompt.trim().is_empty() {
        return Err(CreateError::Value("the prompt is empty".to_owned()));
    }
    let launch = agent.mode(spec.mode);
    let as_argument = matches!(launch.prompt, PromptDelivery::Argument | PromptDelivery::Flag(_));
    if as_argument && prompt.len() > LONGEST_ARGUMENT {
        let kind = &spec.runner.kind;
        return Err(CreateError::Value(format!(
            "the prompt has {} bytes, and {kind} takes it as an argument of at most {LONGEST_ARGUMENT}; \
             use --mode headless, or put the text into a file that the prompt names",
            prompt.len()
        )));
    }
    if prompt.contains('\0') {
        return Err(CreateError::Value("the prompt contains a NUL character".to_owned()));
    }
    Ok(())
}

fn fingerprints(repository: &Repository, spec: &RunSpec) -> Result<Vec<InputFingerprint>, CreateError> {
    spec.inputs
        .iter()
        .map(|input| {
            let (path, absolute) = inside("the input", repository, &input.path, repository.root())?;
            let (size, sha256) = digest(&absolute).map_err(|error| path_problem("the input", &absolute, &error))?;
            Ok(InputFingerprint { path, size, sha256 })
        })
        .collect()
}

fn digest(path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    let mut size = 0;
    loop {
        let length = file.read(&mut buffer)?;
        if length == 0 {
            break;
        }
        size += length as u64;
        hasher.update(buffer.get(..length).unwrap_or_default());
    }
    let hex = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((size, hex))
}

/// Resolves a path to a file inside the repository: relative to its root, and where it really lies.
fn inside(
    what: &'static str,
    repository: &Repository,
    path: &str,
    here: &Path,
) -> Result<(String, PathBuf), CreateError> {
    let refuse = |why: String, code| CreateError::Path {
        what,
        path: path.into(),
        why,
        code,
    };
    let root = repository.root();
    let absolute = root.join(path).canonicalize().map_err(|error| {
        if error.kind() == io::ErrorKind::PermissionDenied {
            return refuse(error.to_string(), ErrorCode::PermissionDenied);
        }
        if error.kind() != io::ErrorKind::NotFound {
            return refuse(error.to_string(), ErrorCode::InvalidPath);
        }
        let meant = here.join(path);
        let why = if here != root && meant.exists() {
            let meant = meant.strip_prefix(root).unwrap_or(&meant).display();
            format!("it does not exist; paths are relative to the repository, so say '{meant}'")
        } else {
            "it does not exist in the repository".to_owned()
        };
        refuse(why, ErrorCode::InvalidPath)
    })?;
    let relative = absolute
        .strip_prefix(root)
        .map_err(|_| refuse("it lies outside the repository".to_owned(), ErrorCode::InvalidPath))?;
    if !absolute.is_file() {
        let kind = if absolute.is_dir() {
            "a directory"
        } else {
            "not a regular file"
        };
        return Err(refuse(
            format!("it is {kind}; a file is expected"),
            ErrorCode::InputNotFile,
        ));
    }
    let relative = relative
        .to_str()
        .ok_or_else(|| refuse("its path is not UTF-8".into(), ErrorCode::InvalidPath))?;
    Ok((relative.to_owned(), absolute))
}
