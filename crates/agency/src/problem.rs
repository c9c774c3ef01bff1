//! Every failure as a user meets it: a stable code, what happened, a way out, an exit code.

mod agent;
mod hint;
mod session;
mod source;
mod telling;
mod workflow;

use std::fmt::Write;
use std::io;
use std::process::ExitCode;

use agency_engine::agency::OpenError;
use agency_engine::config::{ConfigError, PolicyFileError, PolicyMistake};
use agency_engine::create::CreateError;
use agency_engine::home::HomeError;
use agency_engine::orphans::OrphanError;
use agency_engine::remove::RemoveError;
use agency_engine::stop::StopError;
use agency_engine::store::StoreError;
use agency_engine::watch::WaitError;
use agency_engine::workspace::WorkspaceError;
use agency_model::ErrorCode;
use serde::Serialize;
use serde_json::{Map, Value, json};

use hint::{path_hint, usual_hint, workspace_hint};
pub(crate) use workflow::problems;

use crate::output::{Surface, styled};

/// Why a command failed.
#[derive(Debug)]
pub(crate) struct Problem {
    code: ErrorCode,
    message: String,
    hint: Option<String>,
    // In a box, since every function returns a problem by value.
    details: Box<Map<String, Value>>,
    exit: Option<u8>,
    silent: bool,
}

impl Problem {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let hint = usual_hint(code).map(str::to_owned);
        Self { code, message: message.into(), hint, details: Box::default(), exit: None, silent: false }
    }

    /// Says what to do about it.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds a fact for scripts.
    pub(crate) fn detail(mut self, name: &str, value: impl Serialize) -> Self {
        self.details.insert(name.to_owned(), serde_json::to_value(value).unwrap_or(Value::Null));
        self
    }

    /// An end without a word: what there was to say is said.
    pub(crate) fn silent(code: u8) -> Self {
        Self { exit: Some(code), silent: true, ..Self::new(ErrorCode::Io, "") }
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

    /// The code, the message, the facts and the way out, for programs.
    pub(crate) fn error_object(&self) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message, "details": self.details });
        if let (Some(object), Some(hint)) = (error.as_object_mut(), &self.hint) {
            object.insert("hint".to_owned(), json!(hint));
        }
        error
    }

    pub(crate) fn to_json(&self, schema_version: u32) -> Value {
        json!({ "ok": false, "schema_version": schema_version, "error": self.error_object() })
    }

    /// The message and the way out, for whoever shows them elsewhere.
    pub(crate) fn into_words(self) -> (String, Option<String>) {
        (self.message, self.hint)
    }

    pub(crate) fn to_human(&self) -> String {
        let surface = Surface::stderr();
        let label = styled(anstyle::AnsiColor::Red.on_default().bold(), "error");
        let mut text = format!("{label} [{}]: {}\n", self.code, surface.indented(&self.message));
        if let Some(hint) = &self.hint {
            let label = styled(anstyle::AnsiColor::Cyan.on_default(), "hint");
            // Writing to a string does not fail.
            let _ = writeln!(text, "{label}: {}", surface.indented(hint));
        }
        text
    }
}

/// The exit code of each error; `docs/errors.md` has the table.
pub(crate) const fn exit_code_of(code: ErrorCode) -> u8 {
    match code {
        ErrorCode::RunFailed | ErrorCode::RunnerDisappeared | ErrorCode::Io | ErrorCode::SyncFailed => 1,
        ErrorCode::Usage
        | ErrorCode::InvalidSpec
        | ErrorCode::InvalidConfig
        | ErrorCode::InvalidWorkflow
        | ErrorCode::InvalidAnswer
        | ErrorCode::InvalidSource
        | ErrorCode::InvalidTemplate => 2,
        ErrorCode::RunNotFound
        | ErrorCode::AmbiguousRun
        | ErrorCode::TmuxSessionNotFound
        | ErrorCode::NothingSaved
        | ErrorCode::SourceNotFound
        | ErrorCode::QuestionNotFound
        | ErrorCode::NotAnOrphan
        | ErrorCode::SessionNotFound
        | ErrorCode::StepNotFound => 3,
        ErrorCode::InvalidState
        | ErrorCode::BranchExists
        | ErrorCode::MaxAgents
        | ErrorCode::AgentExists
        | ErrorCode::NotDelivered
        | ErrorCode::SourceExists
        | ErrorCode::Recursion
        | ErrorCode::AlreadyAnswered
        | ErrorCode::QuestionExpired => 4,
        ErrorCode::NotGitRepo
        | ErrorCode::NotJjRepo
        | ErrorCode::BadRef
        | ErrorCode::InvalidPath
        | ErrorCode::InputNotFile
        | ErrorCode::SourceGone => 5,
        ErrorCode::GitNotFound
        | ErrorCode::JjNotFound
        | ErrorCode::TmuxNotFound
        | ErrorCode::TmuxStartFailed
        | ErrorCode::HostStartFailed
        | ErrorCode::WorktreeCreateFailed
        | ErrorCode::RunnerNotConfigured
        | ErrorCode::MergeFailed
        | ErrorCode::CleanupFailed => 6,
        ErrorCode::DbLocked | ErrorCode::DbError => 7,
        ErrorCode::PermissionDenied | ErrorCode::NotAllowed => 8,
        ErrorCode::Timeout => 124,
        ErrorCode::Interrupted => 130,
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

impl From<PolicyFileError> for Problem {
    fn from(error: PolicyFileError) -> Self {
        let message = error.to_string();
        match error {
            PolicyFileError::Config(error) => error.into(),
            PolicyFileError::Spec { path, error } => {
                let problem = Self::new(ErrorCode::InvalidSpec, message).detail("file", path);
                match error.position() {
                    Some((line, column)) => problem.detail("line", line).detail("column", column),
                    None => problem,
                }
            }
            PolicyFileError::Rules(mistakes) => {
                let mistake = |mistake: &PolicyMistake| {
                    let PolicyMistake { at, key, message } = mistake;
                    json!({ "file": at.path, "line": at.line, "column": at.column, "key": key, "message": message })
                };
                let mistakes: Vec<Value> = mistakes.iter().map(mistake).collect();
                Self::new(ErrorCode::InvalidConfig, message)
                    .detail("mistakes", mistakes)
                    .hint("agency schema policy prints the shape of rules")
            }
        }
    }
}

impl From<OpenError> for Problem {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Home(error) => Self::new(error.code(), error.to_string()),
            OpenError::Store(error) => error.into(),
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let problem = Self::new(error.code(), error.to_string());
        if matches!(error, StoreError::Newer { .. }) {
            return problem.hint("use the newer agency, or set AGENCY_HOME to another directory; nothing was changed");
        }
        problem
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
        let problem = Self::new(error.code(), error.to_string());
        if matches!(error, StopError::Unrecorded { .. }) {
            return problem.hint("make room on the disk, then agency reconcile");
        }
        problem
    }
}

impl From<CreateError> for Problem {
    fn from(error: CreateError) -> Self {
        let problem = Self::new(error.code(), error.to_string());
        match error {
            CreateError::Spec { file, error } => {
                let mut problem = match file {
                    Some(file) => problem.detail("file", file),
                    None => problem.hint("or use flags: agency run --help lists them"),
                };
                if let Some(field) = error.field() {
                    problem = problem.detail("field", field);
                }
                if let Some((line, column)) = error.position() {
                    problem = problem.detail("line", line).detail("column", column);
                }
                problem
            }
            CreateError::Path { what, path, code, .. } => {
                let problem = match path_hint(what, code) {
                    Some(hint) => problem.hint(hint),
                    None => problem,
                };
                problem.detail("path", path).detail("what", what.to_string())
            }
            CreateError::Value { field, hint, .. } => problem.detail("field", field).hint(hint),
            CreateError::Runner { hint, .. } => problem.hint(hint),
            CreateError::State { hint, .. } => problem.hint(hint),
            CreateError::MaxAgents { live, most } => problem.detail("live", live).detail("max_agents", most),
            CreateError::Workspace(error) => with_facts(problem, &error),
            CreateError::Tmux(_)
            | CreateError::Store(_)
            | CreateError::Home(_)
            | CreateError::Host(_)
            | CreateError::Start { .. }
            | CreateError::Recursion
            | CreateError::Stopped
            | CreateError::Interrupted => problem,
        }
    }
}

impl From<HomeError> for Problem {
    fn from(error: HomeError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl From<OrphanError> for Problem {
    fn from(error: OrphanError) -> Self {
        let problem = Self::new(error.code(), error.to_string());
        match error {
            OrphanError::Supervised { pid, id } => {
                problem.hint(format!("agency stop {id} ends it")).detail("pid", pid).detail("run_id", id)
            }
            OrphanError::PartOf { pid, head } => {
                problem.hint(format!("agency agent kill-orphan {head} ends all of them")).detail("pid", pid)
            }
            OrphanError::NoProcess(pid) | OrphanError::Stranger(pid) => problem.detail("pid", pid),
            OrphanError::Stays { id, staying } => {
                let pids: Vec<u32> = staying.into_iter().map(|(pid, _)| pid).collect();
                let words: Vec<String> = pids.iter().map(ToString::to_string).collect();
                let hint =
                    format!("kill -KILL {}, as a user with the permission; then agency reconcile", words.join(" "));
                problem.hint(hint).detail("run_id", id).detail("pids", pids)
            }
            OrphanError::Store(_) => problem,
        }
    }
}

fn with_facts(problem: Problem, error: &WorkspaceError) -> Problem {
    let problem = match workspace_hint(error) {
        Some(hint) => problem.hint(hint),
        None => problem,
    };
    error.facts().into_iter().fold(problem, |problem, (name, value)| problem.detail(name, value))
}

impl From<RemoveError> for Problem {
    fn from(error: RemoveError) -> Self {
        let mut message = error.to_string();
        if let RemoveError::Remains { remaining, .. } = &error {
            for left in remaining {
                // Writing to a string does not fail.
                let _ = write!(message, "\n  still there: {}\n  by hand:     {}", left.resource, left.command);
            }
        }
        let problem = Self::new(error.code(), message);
        match error {
            RemoveError::Remains { id, remaining } => problem.detail("id", id).detail("remaining", remaining),
            RemoveError::NotEnded { id, .. } => problem.hint(format!("agency stop {id}")),
            RemoveError::NeededBySession { id, session, .. } => problem
                .hint(format!(
                    "agency workflow cancel {session} ends the session; then agency rm {id} removes the run, and \
                     agency rm --force {id} removes it at once"
                ))
                .detail("id", id)
                .detail("session", session),
            RemoveError::Workspace(error) => with_facts(problem, &error),
            RemoveError::InUse(_) | RemoveError::Store(_) | RemoveError::BadRow(_) => problem,
        }
    }
}

#[cfg(test)]
mod tests;
