//! Puts a spec together: the file, the flags and the configuration.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use agency_model::spec::{Defaults, MAX_SPEC_BYTES, PromptDraft, RunSpec, SpecDraft};
use agency_model::{ErrorCode, RunKind};

use super::files::path_problem;
use super::find_agent::host_of;
use super::{CreateError, PROMPT_IN_WORKTREE, PathUse, RunRequest};
use crate::config::Config;

/// The spec that a request means.
pub(super) fn materialise(config: &Config, request: &RunRequest) -> Result<RunSpec, CreateError> {
    let mut flags = request.flags.clone();
    if request.prompt_text.is_some() {
        flags.prompt = Some(PromptDraft { path: Some(PROMPT_IN_WORKTREE.to_owned()) });
    }
    let text = request.spec_file.as_deref().map(read_spec).transpose()?;
    let file = request.spec_file.as_deref().map(|file| file.display().to_string()).unwrap_or_default();
    let draft = match &text {
        Some(text) => SpecDraft::parse(&file, text).map_err(CreateError::Spec)?,
        None => SpecDraft::default(),
    };
    // A file is complete; flags alone mean the repository of the current directory.
    let standing_here = text.is_none();
    let here = request.current_directory.to_str().map(str::to_owned);
    let defaults = Defaults {
        repo: here.filter(|_| standing_here),
        base_ref: standing_here.then(|| "HEAD".to_owned()),
        runner: standing_here.then(|| config.default_agent.clone()),
        host: host_of(config.host, &request.search_path()),
        vcs: config.vcs,
        limits: config.limits,
        needs_prompt: match request.kind {
            RunKind::Run | RunKind::Ask => true,
            RunKind::Agent | RunKind::Task | RunKind::Workflow => false,
        },
    };
    let mut spec = draft.overridden_by(flags).materialise(defaults).map_err(|missing| match &text {
        Some(text) => CreateError::Spec(SpecDraft::located(missing, &file, text)),
        None => CreateError::Spec(missing.into()),
    })?;
    spec.runner.kind = config.recorded_agent(&spec.runner.kind);
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
        return Err(CreateError::Spec(SpecDraft::too_large(&path.display().to_string(), size)));
    }
    let mut bytes = vec![];
    // One byte more than allowed, so that a device without a size is noticed too.
    file.take(MAX_SPEC_BYTES + 1).read_to_end(&mut bytes).map_err(problem)?;
    Ok(bytes)
}
