//! Problems with sources and questions.

use agency_engine::ask::{AskError, TemplateError};
use agency_engine::sources::SourceError;
use agency_model::ErrorCode;

use super::{Coded, Problem};

impl Coded for SourceError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            SourceError::File(error) => error.explain(problem),
            SourceError::Home(error) => error.explain(problem),
            SourceError::Workspace(error) => error.explain(problem),
            SourceError::InvalidName { name, .. } => problem.detail("name", name),
            SourceError::Invalid { what, value, .. } => problem.detail("what", what).detail("value", value),
            SourceError::Exists { name, .. } => problem.detail("name", name),
            SourceError::NotFound { what, name, nearest } => {
                let list = if *what == "group" { "agency source group ls" } else { "agency source ls" };
                problem.hint(format!("{list} lists them")).detail("name", name).detail("nearest", nearest)
            }
            SourceError::Gone { name, path, hint, .. } => problem.hint(hint).detail("name", name).detail("path", path),
            SourceError::Import { path, .. } => problem
                .hint("agency source import takes lctx's config.json; docs/ask.md has its shape")
                .detail("file", path),
            SourceError::Sync { name, .. } => problem.detail("name", name),
            SourceError::Busy(path) => problem.hint("try again when the other command is done").detail("path", path),
            SourceError::Interrupted => problem,
        }
    }
}

impl Coded for AskError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            AskError::Source(error) => error.explain(problem),
            AskError::Create(error) => error.explain(problem),
            AskError::Workspace(error) => error.explain(problem),
            AskError::Stop(error) => error.explain(problem),
            AskError::Wait(error) => error.explain(problem),
            AskError::Store(error) => error.explain(problem),
            AskError::Home(error) => error.explain(problem),
            AskError::Template(TemplateError::Missing { path, missing }) => problem
                .hint(format!("add it to {}, or delete the file to get the built-in one", path.display()))
                .detail("file", path)
                .detail("missing", missing),
            AskError::Template(TemplateError::NotText(path)) => problem.detail("file", path),
            AskError::Template(TemplateError::Home(error)) => error.explain(problem),
            AskError::NoSources => problem.hint("name one with -s, or a group with -g; agency source ls lists them"),
            AskError::Failed { run, stderr, .. } => problem
                .hint(format!("agency logs {run} shows all its output"))
                .detail("id", run)
                .detail("stderr", stderr),
            AskError::Stopped(run) | AskError::Timeout { run, .. } => {
                problem.hint(format!("agency events {run} shows its progress")).detail("id", run)
            }
            AskError::Recursion | AskError::Question(_) | AskError::Interrupted | AskError::Start(_) => problem,
        }
    }
}
