//! What to do about a failure.

use agency_engine::runs::create::PathUse;
use agency_engine::workspace::WorkspaceError;
use agency_model::{ErrorCode, shell_quoted};

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
        ErrorCode::SourceGone => Some("agency source show <name> shows where it should be"),
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

/// The way out for a path, where the usual one of its code is about something else.
pub(super) const fn path_hint(what: PathUse, code: ErrorCode) -> Option<&'static str> {
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

/// The way out of a trouble with the repository, where the usual one of its code is about something else.
pub(super) fn workspace_hint(error: &WorkspaceError) -> Option<String> {
    let hint = if let WorkspaceError::NoCommit { root } = error {
        format!("git -C {} commit --allow-empty -m 'First commit'", shell_quoted(root))
    } else if let WorkspaceError::InvalidBranchName { .. } = error {
        "choose another name with --branch; git help check-ref-format has the rules".to_owned()
    } else if let WorkspaceError::BranchBlocked { by, .. } = error {
        format!("choose another name with --branch, or rename '{by}' with git branch -m")
    } else if let WorkspaceError::UnsafePromptPath { .. } = error {
        "give the prompt as a file of the repository, with --prompt-file".to_owned()
    } else {
        return None;
    };
    Some(hint)
}
