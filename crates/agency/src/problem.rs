//! Every failure as a user meets it: a stable code, what happened, a way out, an exit code.

use std::fmt::Write;
use std::io;
use std::process::ExitCode;

use agency_engine::agency::OpenError;
use agency_engine::attach::AttachError;
use agency_engine::config::ConfigError;
use agency_engine::create::CreateError;
use agency_engine::remove::RemoveError;
use agency_engine::stop::StopError;
use agency_engine::store::StoreError;
use agency_engine::watch::WaitError;
use agency_model::ErrorCode;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct Problem {
    code: ErrorCode,
    message: String,
    hint: Option<String>,
    details: Vec<(String, Value)>,
    exit: Option<u8>,
    silent: bool,
}

impl Problem {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let hint = usual_hint(code).map(str::to_owned);
        Self {
            code,
            message: message.into(),
            hint,
            details: vec![],
            exit: None,
            silent: false,
        }
    }

    /// Says what to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a fact for scripts.
    pub(crate) fn detail(mut self, name: &str, value: impl Serialize) -> Self {
        self.details
            .push((name.to_owned(), serde_json::to_value(value).unwrap_or(Value::Null)));
        self
    }

    /// An end without a word: what there was to say is said.
    pub(crate) fn silent(code: u8) -> Self {
        Self {
            exit: Some(code),
            silent: true,
            ..Self::new(ErrorCode::Io, "")
        }
    }

    /// Standard output is gone or full.
    pub(crate) fn output(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::silent(0);
        }
        Self::new(ErrorCode::Io, format!("the output could not be written: {error}"))
    }

    pub(crate) const fn is_silent(&self) -> bool {
        self.silent
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.exit.unwrap_or_else(|| exit_code_of(self.code)))
    }

    pub(crate) fn to_json(&self, schema_version: u32) -> Value {
        let details: Map<String, Value> = self.details.iter().cloned().collect();
        let mut error = json!({ "code": self.code, "message": self.message, "details": details });
        if let (Some(object), Some(hint)) = (error.as_object_mut(), &self.hint) {
            object.insert("hint".to_owned(), json!(hint));
        }
        json!({ "ok": false, "schema_version": schema_version, "error": error })
    }

    pub(crate) fn to_human(&self) -> String {
        let red = anstyle::AnsiColor::Red.on_default().bold();
        let mut text = format!("{red}error{red:#} [{}]: {}\n", self.code, self.message);
        if let Some(hint) = &self.hint {
            let cyan = anstyle::AnsiColor::Cyan.on_default();
            // Writing to a string does not fail.
            let _ = writeln!(text, "{cyan}hint{cyan:#}: {hint}");
        }
        text
    }
}

/// The exit code of each error; `docs/errors.md` has the table.
pub(crate) const fn exit_code_of(code: ErrorCode) -> u8 {
    match code {
        ErrorCode::RunFailed | ErrorCode::RunnerDisappeared | ErrorCode::Io => 1,
        ErrorCode::Usage | ErrorCode::InvalidSpec | ErrorCode::InvalidConfig => 2,
        ErrorCode::RunNotFound | ErrorCode::AmbiguousRun | ErrorCode::TmuxSessionNotFound | ErrorCode::NothingSaved => {
            3
        }
        ErrorCode::InvalidState | ErrorCode::BranchExists | ErrorCode::MaxAgents => 4,
        ErrorCode::NotGitRepo | ErrorCode::BadRef | ErrorCode::InvalidPath | ErrorCode::InputNotFile => 5,
        ErrorCode::GitNotFound
        | ErrorCode::TmuxNotFound
        | ErrorCode::TmuxStartFailed
        | ErrorCode::HostStartFailed
        | ErrorCode::WorktreeCreateFailed
        | ErrorCode::RunnerNotConfigured
        | ErrorCode::CleanupFailed => 6,
        ErrorCode::DbLocked | ErrorCode::DbError => 7,
        ErrorCode::PermissionDenied => 8,
        ErrorCode::Timeout => 124,
        ErrorCode::Interrupted => 130,
    }
}

/// The way out that usually helps.
const fn usual_hint(code: ErrorCode) -> Option<&'static str> {
    match code {
        ErrorCode::NotGitRepo => Some("go to a git repository, or name one with --repo"),
        ErrorCode::GitNotFound => Some("install git (apt-get install git)"),
        ErrorCode::BadRef => Some("git branch -a and git log show what can be named"),
        ErrorCode::InvalidPath => Some("name a file inside the repository, relative to its root"),
        ErrorCode::InputNotFile => Some("inputs and prompts are single files; name each one"),
        ErrorCode::TmuxNotFound => Some("install tmux (apt-get install tmux), or use --host detached"),
        ErrorCode::TmuxStartFailed => Some("agency doctor checks tmux; --host detached does without it"),
        ErrorCode::HostStartFailed => Some("agency doctor checks the home and the configuration"),
        ErrorCode::WorktreeCreateFailed => Some("git's own words are above; nothing was left behind"),
        ErrorCode::RunnerNotConfigured => Some("agency config show lists the configured agents"),
        ErrorCode::RunNotFound => Some("agency ls --all lists all runs"),
        ErrorCode::AmbiguousRun => Some("give more of the id"),
        ErrorCode::InvalidState => Some("agency show <run> says where the run stands"),
        ErrorCode::CleanupFailed => Some("run the commands above, then agency rm again"),
        ErrorCode::BranchExists => Some("choose another name with --branch"),
        ErrorCode::DbLocked => Some("another program holds the database; find it with fuser, or try again"),
        ErrorCode::DbError => Some("agency doctor examines the database; nothing was overwritten"),
        ErrorCode::PermissionDenied => Some("check who owns the path, or set AGENCY_HOME to a directory of yours"),
        ErrorCode::TmuxSessionNotFound => Some("agency logs <run> shows what it said"),
        ErrorCode::RunnerDisappeared => Some("agency logs <run> shows how far it came"),
        ErrorCode::MaxAgents => Some("wait, stop one, leave out --no-queue, or raise max_agents"),
        ErrorCode::InvalidSpec => Some("agency schema run-spec prints the shape of a spec"),
        ErrorCode::InvalidConfig => Some("agency schema config prints the shape of the configuration"),
        ErrorCode::NothingSaved => Some("agency rm saves only work that was not committed"),
        ErrorCode::Timeout => Some("agency show <run> says where it stands"),
        ErrorCode::Usage => Some("agency --help lists the commands"),
        ErrorCode::Io | ErrorCode::Interrupted | ErrorCode::RunFailed => None,
    }
}

impl From<ConfigError> for Problem {
    fn from(error: ConfigError) -> Self {
        let mut problem = Self::new(ErrorCode::InvalidConfig, error.to_string()).detail("file", error.path());
        if let (Some(line), Some(column)) = (error.line(), error.column()) {
            problem = problem.detail("line", line).detail("column", column);
        }
        problem
    }
}

impl From<OpenError> for Problem {
    fn from(error: OpenError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl From<WaitError> for Problem {
    fn from(error: WaitError) -> Self {
        match error {
            WaitError::Home(error) => Self::new(error.code(), error.to_string()),
            WaitError::Store(error) => error.into(),
        }
    }
}

impl From<StopError> for Problem {
    fn from(error: StopError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl From<AttachError> for Problem {
    fn from(error: AttachError) -> Self {
        let problem = Self::new(error.code(), error.to_string());
        match error {
            AttachError::NoSession { id, alive: true } => {
                problem.hint(format!("its agent is alive: agency attach --direct {id}"))
            }
            AttachError::NotRunning { id, .. } => problem.hint(format!("agency logs {id} shows what it said")),
            AttachError::NoSession { .. }
            | AttachError::Unreachable { .. }
            | AttachError::Tmux(_)
            | AttachError::NoTerminal(_)
            | AttachError::Broken(_) => problem,
        }
    }
}

impl From<CreateError> for Problem {
    fn from(error: CreateError) -> Self {
        let problem = Self::new(error.code(), error.to_string());
        match error {
            CreateError::Spec { file, error } => {
                let mut problem = problem.detail("file", file);
                if let Some(field) = error.field() {
                    problem = problem.detail("field", field);
                }
                if let Some((line, column)) = error.position() {
                    problem = problem.detail("line", line).detail("column", column);
                }
                problem
            }
            CreateError::Path {
                what: what @ ("the spec file" | "the environment file"),
                path,
                ..
            } => problem
                .hint("check the path; it is relative to where you are")
                .detail("path", path)
                .detail("what", what),
            CreateError::Path { what, path, .. } => problem.detail("path", path).detail("what", what),
            CreateError::Runner { hint, .. } => problem.hint(hint),
            CreateError::MaxAgents { live, most } => problem.detail("live", live).detail("max_agents", most),
            CreateError::Workspace(error) => with_facts(problem, &error),
            CreateError::Value(_)
            | CreateError::Tmux(_)
            | CreateError::Store(_)
            | CreateError::Home(_)
            | CreateError::Host(_)
            | CreateError::Start { .. }
            | CreateError::Stopped
            | CreateError::Interrupted => problem,
        }
    }
}

fn with_facts(problem: Problem, error: &agency_engine::workspace::WorkspaceError) -> Problem {
    error
        .facts()
        .into_iter()
        .fold(problem, |problem, (name, value)| problem.detail(name, value))
}

impl From<RemoveError> for Problem {
    fn from(error: RemoveError) -> Self {
        let mut message = error.to_string();
        if let RemoveError::Remains { remaining, .. } = &error {
            for left in remaining {
                // Writing to a string does not fail.
                let _ = write!(
                    message,
                    "\n  still there: {}\n  by hand:     {}",
                    left.resource, left.command
                );
            }
        }
        let problem = Self::new(error.code(), message);
        match error {
            RemoveError::Remains { id, remaining } => problem.detail("id", id).detail("remaining", remaining),
            RemoveError::NotEnded { id, .. } => problem.hint(format!("agency stop {id}")),
            RemoveError::Workspace(error) => with_facts(problem, &error),
            RemoveError::InUse(_) | RemoveError::Store(_) | RemoveError::BadRow(_) => problem,
        }
    }
}

#[cfg(test)]
mod tests;
