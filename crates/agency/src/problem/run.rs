//! Problems with runs: the home, the database, creating, stopping, removing, orphans.

use std::fmt::Write;

use agency_engine::agency::OpenError;
use agency_engine::home::HomeError;
use agency_engine::runs::create::{CreateError, PathUse};
use agency_engine::runs::orphans::OrphanError;
use agency_engine::runs::remove::RemoveError;
use agency_engine::runs::stop::StopError;
use agency_engine::runs::wait::WaitError;
use agency_engine::store::StoreError;
use agency_model::ErrorCode;

use super::mistakes::with_places;
use super::{Coded, Problem};

impl Coded for OpenError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            Self::Home(error) => error.explain(problem),
            Self::Store(error) => error.explain(problem),
            Self::Config(error) => error.explain(problem),
            Self::NotInitialised(_) | Self::WorkDone(_) | Self::Adapter(_) | Self::Program(_) => problem,
        }
    }
}

impl Coded for WaitError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Home(error) => error.code(),
            Self::Store(error) => error.code(),
        }
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            Self::Home(error) => error.explain(problem),
            Self::Store(error) => error.explain(problem),
        }
    }
}

impl Coded for StoreError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            StoreError::Newer { .. } => {
                problem.hint("use the newer agency, or set AGENCY_HOME to another directory; nothing was changed")
            }
            StoreError::Emptied { .. } => problem
                .hint("agency reconcile makes a new one from the files of the runs; leave running agents as they are"),
            StoreError::Locked { .. }
            | StoreError::Corrupt { .. }
            | StoreError::Missing { .. }
            | StoreError::Access { .. }
            | StoreError::NotFound(_)
            | StoreError::NameTaken
            | StoreError::Refused { .. }
            | StoreError::BadValue { .. }
            | StoreError::Sqlite(_) => problem,
        }
    }
}

impl Coded for StopError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        if matches!(self, StopError::Unrecorded { .. }) {
            return problem.hint("make room on the disk, then agency reconcile");
        }
        problem
    }
}

impl Coded for CreateError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            CreateError::Spec(mistakes) => {
                let first = mistakes.first();
                let problem = match first.and_then(|mistake| mistake.file()) {
                    Some(_) => problem,
                    None => problem.hint("or use flags: agency run --help lists them"),
                };
                let problem = match first.map(|mistake| mistake.field.as_str()) {
                    Some("") | None => problem,
                    Some(field) => problem.detail("field", field),
                };
                with_places(problem, mistakes.as_slice())
            }
            CreateError::Path { what, path, code, .. } => {
                let problem = match path_hint(*what, *code) {
                    Some(hint) => problem.hint(hint),
                    None => problem,
                };
                problem.detail("path", path).detail("what", what.to_string())
            }
            CreateError::Value { field, hint, .. } => problem.detail("field", field).hint(*hint),
            CreateError::Runner { hint, .. } => problem.hint(hint),
            CreateError::State { hint, .. } => problem.hint(*hint),
            CreateError::MaxAgents { live, most } => problem.detail("live", live).detail("max_agents", most),
            CreateError::Workspace(error) => error.explain(problem),
            CreateError::Project(error) => {
                let hint = "agency trust shows what it proposes and approves it; --no-setup starts without it";
                let problem = error.explain(problem);
                if error.code() == ErrorCode::NotTrusted { problem.hint(hint) } else { problem }
            }
            CreateError::Ports(_) => problem.hint("agency rm gives back the ports of finished runs"),
            CreateError::Tmux(_)
            | CreateError::Store(_)
            | CreateError::Home(_)
            | CreateError::Host(_)
            | CreateError::NotInitialised(_)
            | CreateError::PlanUsed(_)
            | CreateError::Start { .. }
            | CreateError::Recursion
            | CreateError::Stopped
            | CreateError::Interrupted => problem,
        }
    }
}

/// The way out for a path, where the usual one of its code is about something else.
const fn path_hint(what: PathUse, code: ErrorCode) -> Option<&'static str> {
    match (what, code) {
        (
            PathUse::Spec | PathUse::Prompt | PathUse::Input | PathUse::Environment | PathUse::McpConfig,
            ErrorCode::PermissionDenied,
        ) => Some("make it readable for yourself, with chmod or chown"),
        (PathUse::Spec, _) => Some("--spec takes a JSON file; agency schema run-spec prints its shape"),
        (PathUse::McpConfig, _) => {
            Some("--mcp-config takes a JSON file such as {\"mcpServers\": {\"name\": {\"command\": …}}}")
        }
        (PathUse::Environment, _) => Some("--env-file takes a text file of NAME=value lines"),
        (PathUse::Workspace, _) => Some("start a new run; agency restore brings back work that agency rm saved"),
        (PathUse::Repository, _) => Some("write the absolute path, or name the repository with --repo"),
        (PathUse::Directory, _) => Some("name a directory below the workspace, relative to its top"),
        (PathUse::Prompt | PathUse::Input, _) => None,
    }
}

impl Coded for HomeError {
    fn code(&self) -> ErrorCode {
        self.code()
    }
}

impl Coded for OrphanError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            OrphanError::Supervised { pid, id } => {
                problem.hint(format!("agency stop {id} ends it")).detail("pid", pid).detail("run_id", id)
            }
            OrphanError::PartOf { pid, head } => {
                problem.hint(format!("agency agent kill-orphan {head} ends all of them")).detail("pid", pid)
            }
            OrphanError::NoProcess(pid) | OrphanError::Stranger(pid) => problem.detail("pid", pid),
            OrphanError::Stays { id, staying } => {
                let pids: Vec<u32> = staying.iter().map(|(pid, _)| *pid).collect();
                let words: Vec<String> = pids.iter().map(ToString::to_string).collect();
                let hint =
                    format!("kill -KILL {}, as a user with the permission; then agency reconcile", words.join(" "));
                problem.hint(hint).detail("run_id", id).detail("pids", pids)
            }
            OrphanError::Store(_) => problem,
        }
    }
}

impl Coded for RemoveError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn message(&self) -> String {
        let mut message = self.to_string();
        if let Self::Remains { remaining, .. } = self {
            for left in remaining {
                // Writing to a string does not fail.
                let _ = write!(message, "\n  still there: {}\n  by hand:     {}", left.resource, left.command);
            }
        }
        message
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            RemoveError::Remains { id, remaining } => problem.detail("id", id).detail("remaining", remaining),
            RemoveError::NotEnded { id, .. } => problem.hint(format!("agency stop {id}")),
            RemoveError::NeededBySession { id, session, .. } => problem
                .hint(format!(
                    "agency workflow cancel {session} ends the session; then agency rm {id} removes the run, and \
                     agency rm --force {id} removes it at once"
                ))
                .detail("id", id)
                .detail("session", session),
            RemoveError::Workspace(error) => error.explain(problem),
            RemoveError::InUse(_) | RemoveError::Kept { .. } | RemoveError::Store(_) | RemoveError::BadRow(_) => {
                problem
            }
        }
    }
}
