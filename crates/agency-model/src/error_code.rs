//! The stable codes that scripts match on.

use crate::string_enum::string_enum;

string_enum! {
    /// Why a command failed or a run ended badly. A code, once published, keeps its meaning.
    ErrorCode {
        /// The path is not a git repository with a working tree.
        NotGitRepo = "E_NOT_GIT_REPO",
        /// git is not installed.
        GitNotFound = "E_GIT_NOT_FOUND",
        /// The path is not in a jj repository that keeps its revisions in git.
        NotJjRepo = "E_NOT_JJ_REPO",
        /// jj is not installed, or too old.
        JjNotFound = "E_JJ_NOT_FOUND",
        /// A ref does not resolve to a commit, or is not a valid name.
        BadRef = "E_BAD_REF",
        /// A path is missing, leaves the repository, or cannot be used.
        InvalidPath = "E_INVALID_PATH",
        /// An input or prompt is a directory or a device.
        InputNotFile = "E_INPUT_NOT_FILE",
        /// tmux is not installed.
        TmuxNotFound = "E_TMUX_NOT_FOUND",
        /// tmux did not start the session.
        TmuxStartFailed = "E_TMUX_START_FAILED",
        /// The supervisor did not start, or did not report in time.
        HostStartFailed = "E_HOST_START_FAILED",
        /// The worktree or its branch could not be made.
        WorktreeCreateFailed = "E_WORKTREE_CREATE_FAILED",
        /// The runner is unknown, or its command is not found or cannot be started.
        RunnerNotConfigured = "E_RUNNER_NOT_CONFIGURED",
        /// The user has not approved the commands of a project file.
        NotTrusted = "E_NOT_TRUSTED",
        /// A command that prepares a worktree failed.
        SetupFailed = "E_SETUP_FAILED",
        /// Work cannot land yet: its agent is at work, or something about it is open.
        NotReady = "E_NOT_READY",
        /// A comment is about a file, a line or a number that does not exist.
        InvalidComment = "E_INVALID_COMMENT",
        /// Work does not merge into its target.
        MergeConflict = "E_MERGE_CONFLICT",
        /// A check of merged work failed.
        CheckFailed = "E_CHECK_FAILED",
        /// The user's own changes are in the way of a merge.
        CheckoutDirty = "E_CHECKOUT_DIRTY",
        /// A worktree has no checkpoint with this number.
        CheckpointNotFound = "E_CHECKPOINT_NOT_FOUND",
        /// No run has that id, prefix or name.
        RunNotFound = "E_RUN_NOT_FOUND",
        /// Several runs match a prefix or name.
        AmbiguousRun = "E_AMBIGUOUS_RUN",
        /// The run's state does not allow this.
        InvalidState = "E_INVALID_STATE",
        /// Something of the run could not be removed.
        CleanupFailed = "E_CLEANUP_FAILED",
        /// Work could not be committed or merged.
        MergeFailed = "E_MERGE_FAILED",
        /// The branch is there already.
        BranchExists = "E_BRANCH_EXISTS",
        /// Another process held the database too long.
        DbLocked = "E_DB_LOCKED",
        /// The database cannot be used.
        DbError = "E_DB_ERROR",
        /// The operating system refused access.
        PermissionDenied = "E_PERMISSION_DENIED",
        /// An agent may not do this: only its user may.
        NotAllowed = "E_NOT_ALLOWED",
        /// The run has no tmux session now.
        TmuxSessionNotFound = "E_TMUX_SESSION_NOT_FOUND",
        /// The supervisor died without a word.
        RunnerDisappeared = "E_RUNNER_DISAPPEARED",
        /// As many agents are live as the configuration allows.
        MaxAgents = "E_MAX_AGENTS",
        /// A live agent has that name.
        AgentExists = "E_AGENT_EXISTS",
        /// The run spec does not have the right shape.
        InvalidSpec = "E_INVALID_SPEC",
        /// The configuration does not have the right shape.
        InvalidConfig = "E_INVALID_CONFIG",
        /// A workflow, or something that it uses, is not right.
        InvalidWorkflow = "E_INVALID_WORKFLOW",
        /// There is no saved work to restore.
        NothingSaved = "E_NOTHING_SAVED",
        /// The agent did not take the message.
        NotDelivered = "E_NOT_DELIVERED",
        /// No question has that id.
        QuestionNotFound = "E_QUESTION_NOT_FOUND",
        /// Another answer was first.
        AlreadyAnswered = "E_ALREADY_ANSWERED",
        /// The agent does not wait for the answer any more.
        QuestionExpired = "E_QUESTION_EXPIRED",
        /// The answer does not fit the question.
        InvalidAnswer = "E_INVALID_ANSWER",
        /// No process without a supervisor has that pid.
        NotAnOrphan = "E_NOT_AN_ORPHAN",
        /// No source, or no group of sources, has that name.
        SourceNotFound = "E_SOURCE_NOT_FOUND",
        /// A source, or a group, has that name already.
        SourceExists = "E_SOURCE_EXISTS",
        /// A source cannot be called so, or cannot be fetched from there.
        InvalidSource = "E_INVALID_SOURCE",
        /// The files of a source are not where they should be.
        SourceGone = "E_SOURCE_GONE",
        /// A source could not be fetched.
        SyncFailed = "E_SYNC_FAILED",
        /// The prompt template lacks a placeholder.
        InvalidTemplate = "E_INVALID_TEMPLATE",
        /// An ask may not start another ask.
        Recursion = "E_RECURSION",
        /// What was waited for did not happen in time.
        Timeout = "E_TIMEOUT",
        /// The command line is wrong.
        Usage = "E_USAGE",
        /// A file could not be read or written.
        Io = "E_IO",
        /// The user interrupted the command.
        Interrupted = "E_INTERRUPTED",
        /// No workflow session has that id.
        SessionNotFound = "E_SESSION_NOT_FOUND",
        /// The workflow has no such step.
        StepNotFound = "E_STEP_NOT_FOUND",
        /// The agent exited with a failure.
        RunFailed = "E_RUN_FAILED",
    }
}
