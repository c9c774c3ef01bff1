//! What to do about a failure of each kind. An error with a more specific hint gives it in `Coded::explain`.

use std::str::FromStr;

use agency_model::{ErrorCode, QuestionId, RunId};
use serde_json::{Map, Value};

/// Puts the real ids where a hint has a placeholder. A hint that needs an id which the failure does not name is replaced by
/// the command that lists them.
pub(super) fn filled(hint: &str, message: &str, details: &Map<String, Value>) -> String {
    let facts = |names: &[&str]| names.iter().find_map(|name| details.get(*name)?.as_str().map(str::to_owned));
    let fill = |hint: &str, placeholder: &str, value: Option<String>, list: &str| match value {
        _ if !hint.contains(placeholder) => hint.to_owned(),
        Some(value) => hint.replace(placeholder, &value),
        None => list.to_owned(),
    };
    let run = id_in::<RunId>(message).or_else(|| facts(&["run_id", "run", "id"]));
    let hint = fill(hint, "<run>", run, "agency ls --all lists all runs");
    let question = id_in::<QuestionId>(message).or_else(|| facts(&["question_id", "id"]));
    let hint = fill(&hint, "<question>", question, "agency inbox lists the open questions");
    fill(&hint, "<source>", facts(&["name"]), "agency source ls lists them")
}

/// The first id in a text.
fn id_in<Id: FromStr>(text: &str) -> Option<String> {
    let mut words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words.find(|word| word.parse::<Id>().is_ok()).map(str::to_owned)
}

/// The way out that usually helps.
pub(super) const fn usual_hint(code: ErrorCode) -> Option<&'static str> {
    match code {
        ErrorCode::NotGitRepo => Some("go to a git repository, or name one with --repo"),
        ErrorCode::GitNotFound => Some("install git (apt-get install git)"),
        ErrorCode::NotJjRepo => Some("go to a jj repository, or use --vcs git"),
        ErrorCode::JjNotFound => Some("install jj 0.40 or newer, or use --vcs git"),
        ErrorCode::BadRef => Some("git branch -a and git log show possible refs"),
        ErrorCode::InvalidPath => Some("name a file inside the repository, relative to its root"),
        ErrorCode::InputNotFile => Some("inputs and prompts are single files; name each one"),
        ErrorCode::TmuxNotFound => Some("install tmux (apt-get install tmux), or use --host detached"),
        ErrorCode::TmuxStartFailed => Some("agency doctor checks tmux; --host detached does without it"),
        ErrorCode::HostStartFailed => Some("agency doctor checks the home and the configuration"),
        ErrorCode::WorktreeCreateFailed => Some("see git's message above; nothing was left behind"),
        ErrorCode::RunnerNotConfigured => Some("agency config show lists the configured agents"),
        ErrorCode::NotTrusted => Some("agency trust shows the commands and approves them"),
        ErrorCode::SetupFailed => Some("see the log; correct .agency/project.toml or its command, then try again"),
        ErrorCode::InvalidComment => Some("name a file and lines that agency diff shows"),
        ErrorCode::NotReady => Some("agency show <run> shows what is missing"),
        ErrorCode::MergeConflict => Some(
            "agency land --on-conflict agent <run> lets its agent resolve it; or merge the branch in a checkout of yours",
        ),
        ErrorCode::CheckFailed => Some("see the output above; the target branch was not changed"),
        ErrorCode::CheckoutDirty => {
            Some("commit or stash your changes, then try again; the target branch was not changed")
        }
        ErrorCode::CheckpointNotFound => Some("agency checkpoint ls lists the checkpoints of a run"),
        ErrorCode::RunNotFound => Some("agency ls --all lists all runs"),
        ErrorCode::AmbiguousRun => Some("give more of the id"),
        ErrorCode::InvalidState => Some("agency show <run> shows its state"),
        ErrorCode::CleanupFailed => Some("do what the message says; agency rm can be repeated at any time"),
        ErrorCode::MergeFailed => Some("do what the message says, then try again; the target branch was not changed"),
        ErrorCode::BranchExists => Some("choose another name with --branch"),
        ErrorCode::DbLocked => Some("another program holds the database; find it with fuser, or try again"),
        ErrorCode::DbError => Some("agency doctor examines the database; nothing was overwritten"),
        ErrorCode::PermissionDenied => Some("check who owns the path, or set AGENCY_HOME to a directory of yours"),
        ErrorCode::NotAllowed => Some("run the command from a terminal of your own"),
        ErrorCode::TmuxSessionNotFound => Some("agency logs <run> shows its output"),
        ErrorCode::RunnerDisappeared => Some("agency logs <run> shows its progress"),
        ErrorCode::MaxAgents => Some("wait, stop one, leave out --no-queue, or raise max_agents"),
        ErrorCode::AgentExists => Some("choose another name; agency agent ls lists all agents"),
        ErrorCode::InvalidSpec => Some("agency schema run-spec prints the shape of a spec"),
        ErrorCode::InvalidConfig => Some("agency schema config prints the shape of the configuration"),
        ErrorCode::InvalidWorkflow => Some("agency schema workflow prints the shape of a workflow, for editors"),
        ErrorCode::NothingSaved => Some("agency rm saves only work that was not committed"),
        ErrorCode::NotDelivered => Some("agency why <run> shows what the agent is doing"),
        ErrorCode::QuestionNotFound => Some("agency inbox lists the open questions"),
        ErrorCode::AlreadyAnswered => Some("agency inbox show <question> shows the answer"),
        ErrorCode::QuestionExpired => Some("agency inbox lists the open questions"),
        ErrorCode::InvalidAnswer => Some("agency inbox show <question> shows the possible answers"),
        ErrorCode::NotAnOrphan => Some("agency agent orphans lists them"),
        ErrorCode::SourceNotFound => Some("agency source ls lists them"),
        ErrorCode::SourceExists => Some("choose another name; agency source ls lists those that are taken"),
        ErrorCode::InvalidSource => Some("agency source add --help shows what can be added"),
        ErrorCode::SourceGone => Some("agency source show <source> shows where it should be"),
        ErrorCode::SyncFailed => Some("see git's message above; agency source sync tries again"),
        ErrorCode::InvalidTemplate => Some("a template has ${question} and ${sourcesList}; docs/ask.md shows one"),
        ErrorCode::Recursion => Some("answer from the available sources; the caller can ask about further ones"),
        ErrorCode::Timeout => Some("agency show <run> shows its state"),
        ErrorCode::SessionNotFound => Some("agency workflow ls lists all sessions"),
        ErrorCode::StepNotFound => Some("agency workflow show lists the steps of a session"),
        ErrorCode::Usage => Some("agency --help lists the commands"),
        ErrorCode::Io | ErrorCode::Interrupted | ErrorCode::RunFailed => None,
    }
}
