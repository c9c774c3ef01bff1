//! Problems with landing.

use agency_engine::land::LandError;
use agency_engine::project::ProjectError;
use agency_model::{ErrorCode, shell_quoted};
use agency_workspace::{Conflict, DirtyCheckout};
use serde_json::{Value, json};

use super::{Coded, Problem};

impl Coded for LandError {
    fn code(&self) -> ErrorCode {
        self.code()
    }

    fn explain(&self, problem: Problem) -> Problem {
        match self {
            Self::NotReady { id, .. } => problem.detail("run", id),
            Self::Removed { id } => problem
                .detail("run", id)
                .hint("agency restore <run> brings back what was saved; agency show <run> says whether it had landed"),
            Self::Nothing { id, target } => {
                problem.detail("run", id).detail("target", target).hint("agency diff <run> shows what it changed")
            }
            Self::Conflicts { id, target, files, worktree } => {
                let files: Vec<Value> = files.iter().map(conflict).collect();
                let hint = format!(
                    "merge {target} in {}, resolve the files, commit, and agency land <run>; or let its agent do it: \
                     agency land --on-conflict agent <run>",
                    shell_quoted(worktree)
                );
                let problem = problem.detail("run", id).detail("target", target).detail("files", files);
                problem.detail("worktree", worktree).hint(hint)
            }
            Self::Unresolved { id, target, markers, dropped } => {
                let problem = problem.detail("run", id).detail("target", target);
                problem.detail("markers", markers).detail("dropped", dropped)
            }
            Self::CheckFailed(failed) => problem
                .detail("run", &failed.id)
                .detail("target", &failed.target)
                .detail("command", &failed.command)
                .detail("exit_code", failed.end.exit_code())
                .detail("log", &failed.log)
                .detail("output", &failed.output),
            Self::Dirty { id, target, checkouts } => {
                let checkouts: Vec<Value> = checkouts.iter().map(dirty).collect();
                let hint = "commit or stash your changes, then try again; or --save-changes saves them to a ref, also files \
                            that git ignores or skips, and the answer says how to bring them back; the target \
                            branch was not changed";
                problem.detail("run", id).detail("target", target).detail("checkouts", checkouts).hint(hint)
            }
            Self::Denied { id, question, .. } => problem.detail("run", id).detail("question", question),
            Self::Unanswered { id, question } => problem
                .detail("run", id)
                .detail("question", question)
                .hint("the question stays in the user's inbox; call land_run again after the answer"),
            Self::Create(error) => error.explain(problem),
            Self::NotPublished { id, .. } => problem.detail("run", id).hint("repeat the command when that is settled"),
            Self::Setup(_) => problem,
            Self::Project(error @ ProjectError::NotTrusted { .. }) => error
                .explain(problem)
                .hint("agency trust shows the commands and approves them; agency inbox has the same as a question"),
            Self::Project(error) => error.explain(problem),
            Self::Workspace(error) => error.explain(problem),
            Self::Delivery(error) => error.explain(problem),
            Self::Wait(error) => error.explain(problem),
            Self::Home(error) => error.explain(problem),
            Self::Store(error) => error.explain(problem),
            Self::Interrupted | Self::NotAllowed(_) | Self::Merge(_) | Self::Record(_) => problem,
        }
    }
}

fn conflict(conflict: &Conflict) -> Value {
    json!({ "path": conflict.path.display().to_string(), "kind": conflict.kind, "message": conflict.message })
}

fn dirty(checkout: &DirtyCheckout) -> Value {
    let files: Vec<String> = checkout.files.iter().map(|file| file.display().to_string()).collect();
    json!({ "path": checkout.path.display().to_string(), "files": files })
}
