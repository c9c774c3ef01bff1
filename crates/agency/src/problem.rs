//! Every failure as a user meets it: a stable code, what happened, a way out, an exit code.

mod agent;
mod checkpoint;
mod coded;
mod config;
mod forecast;
mod hint;
mod housekeeping;
mod land;
mod messages;
mod mistakes;
mod project;
mod race;
mod removed;
mod review;
mod run;
mod session;
mod source;
mod workflow;
mod workspace;

use std::fmt::Write;
use std::io;
use std::process::ExitCode;

use agency_model::ErrorCode;
use serde::Serialize;
use serde_json::{Map, Value, json};

pub(crate) use coded::Coded;
use hint::{filled, usual_hint};
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

    /// What to do about it, with the ids that the failure is about.
    fn filled_hint(&self) -> Option<String> {
        self.hint.as_deref().map(|hint| filled(hint, &self.message, &self.details))
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

    pub(crate) const fn code(&self) -> ErrorCode {
        self.code
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
        if let (Some(object), Some(hint)) = (error.as_object_mut(), self.filled_hint()) {
            object.insert("hint".to_owned(), json!(hint));
        }
        error
    }

    pub(crate) fn to_json(&self, schema_version: u32) -> Value {
        json!({ "ok": false, "schema_version": schema_version, "error": self.error_object() })
    }

    /// The message and the hint, for other places that show them.
    pub(crate) fn into_words(self) -> (String, Option<String>) {
        let hint = self.filled_hint();
        (self.message, hint)
    }

    pub(crate) fn to_text(&self) -> String {
        let surface = Surface::stderr();
        let label = styled(anstyle::AnsiColor::Red.on_default().bold(), "error");
        let mut text = format!("{label} [{}]: {}\n", self.code, surface.indented(&self.message));
        if let Some(hint) = self.filled_hint() {
            let label = styled(anstyle::AnsiColor::Cyan.on_default(), "hint");
            // Writing to a string does not fail.
            let _ = writeln!(text, "{label}: {}", surface.indented(&hint));
        }
        text
    }
}

/// The exit code of each error; `docs/errors.md` has the table.
pub(crate) const fn exit_code_of(code: ErrorCode) -> u8 {
    match code {
        ErrorCode::RunFailed
        | ErrorCode::RunnerDisappeared
        | ErrorCode::Io
        | ErrorCode::SyncFailed
        | ErrorCode::MergeConflict
        | ErrorCode::CheckFailed => 1,
        ErrorCode::Usage
        | ErrorCode::InvalidSpec
        | ErrorCode::InvalidConfig
        | ErrorCode::InvalidWorkflow
        | ErrorCode::InvalidAnswer
        | ErrorCode::InvalidComment
        | ErrorCode::InvalidSource
        | ErrorCode::InvalidTemplate => 2,
        ErrorCode::RunNotFound
        | ErrorCode::CheckpointNotFound
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
        | ErrorCode::QuestionExpired
        | ErrorCode::NotReady
        | ErrorCode::CheckoutDirty => 4,
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
        | ErrorCode::SetupFailed
        | ErrorCode::CleanupFailed => 6,
        ErrorCode::DbLocked | ErrorCode::DbError => 7,
        ErrorCode::PermissionDenied | ErrorCode::NotAllowed | ErrorCode::NotTrusted => 8,
        ErrorCode::Timeout => 124,
        ErrorCode::Interrupted => 130,
    }
}

impl<E: Coded> From<E> for Problem {
    fn from(error: E) -> Self {
        error.explain(Self::new(error.code(), error.message()))
    }
}

#[cfg(test)]
mod tests;
