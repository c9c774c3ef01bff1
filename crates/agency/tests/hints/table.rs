//! Every command that the sources print, and why it is safe to follow.

use std::collections::BTreeSet;

use super::collected::{collected, git_places, starts_git_elsewhere};

/// Why a printed command is safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Safe {
    /// It only reads; `reading.rs` runs those of agency.
    Reads,
    /// It makes something new, or continues something, and takes nothing away.
    Adds,
    /// It ends or removes something; the named test follows it where it is printed.
    Followed(&'static str),
}

use Safe::{Adds, Followed, Reads};

/// The commands, by program and subcommand.
pub(super) const TABLE: &[(&str, Safe)] = &[
    ("agency adapters", Reads),
    ("agency agent kill-orphan", Followed("orphans: kill-orphan ends processes only")),
    ("agency agent ls", Reads),
    ("agency agent orphans", Reads),
    ("agency agent restart", Adds),
    ("agency agent show", Reads),
    ("agency agent shutdown", Followed("agents::shutting_down: worktrees stay")),
    ("agency agent spawn", Adds),
    ("agency agent stop", Followed("agents: worktrees stay")),
    ("agency answer", Adds),
    ("agency ask", Adds),
    ("agency attach", Reads),
    ("agency cd", Reads),
    ("agency chat", Adds),
    ("agency checkpoint diff", Reads),
    ("agency checkpoint ls", Reads),
    ("agency checkpoint restore", Followed("landing::a_restore_is_taken_back_by_the_printed_command")),
    ("agency checkpoint show", Reads),
    ("agency completions", Reads),
    ("agency config path", Reads),
    ("agency config show", Reads),
    ("agency cost", Reads),
    ("agency demo", Adds),
    ("agency diff", Reads),
    ("agency doctor", Reads),
    ("agency du", Reads),
    ("agency events", Reads),
    ("agency forecast", Reads),
    ("agency gc", Followed("housekeeping::gc_work: work that is nowhere else stays")),
    ("agency help", Reads),
    ("agency inbox", Reads),
    ("agency import", Adds),
    ("agency init", Adds),
    ("agency interrupt", Adds),
    ("agency land", Followed("landing::*")),
    ("agency logs", Reads),
    ("agency ls", Reads),
    ("agency man", Adds),
    ("agency mcp", Adds),
    ("agency open", Adds),
    ("agency policy check", Reads),
    ("agency policy test", Reads),
    ("agency race", Followed("landing::the_best_run_of_a_race_is_looked_at_and_lands_by_the_printed_commands")),
    ("agency reconcile", Followed("following::reconcile_after_a_crash_takes_no_work")),
    ("agency restore", Adds),
    ("agency resume", Adds),
    ("agency review", Followed("landing::commands_of_a_project_are_shown_and_approved_by_the_printed_command")),
    ("agency rm", Followed("following::*")),
    ("agency run", Adds),
    ("agency schema", Reads),
    ("agency send", Adds),
    ("agency serve", Adds),
    ("agency shell", Adds),
    ("agency show", Reads),
    ("agency source add", Adds),
    ("agency source group", Adds),
    ("agency source import", Adds),
    ("agency source ls", Reads),
    ("agency source rm", Followed("ask::sources: only the clone that agency made goes")),
    ("agency source show", Reads),
    ("agency source sync", Adds),
    ("agency status", Reads),
    ("agency stop", Followed("following::a_live_run_is_stopped_and_then_removed")),
    ("agency trust", Followed("landing::commands_of_a_project_are_shown_and_approved_by_the_printed_command")),
    ("agency tui", Reads),
    ("agency wait", Reads),
    ("agency why", Reads),
    ("agency workflow approve", Adds),
    ("agency workflow cancel", Followed("following::a_run_that_a_session_needs_is_given_up_and_removed")),
    ("agency workflow complete-task", Adds),
    ("agency workflow logs", Reads),
    ("agency workflow ls", Reads),
    ("agency workflow reject", Adds),
    ("agency workflow render", Reads),
    ("agency workflow resume", Adds),
    ("agency workflow retry", Adds),
    ("agency workflow run", Adds),
    ("agency workflow show", Reads),
    ("agency workflow validate", Reads),
    ("agency worktree plan", Reads),
    ("chmod", Adds),
    ("git apply", Reads),
    ("git branch", Adds),
    ("git commit", Followed("following::a_repository_without_a_commit_gets_one")),
    ("git config", Adds),
    ("git diff", Reads),
    ("git log", Reads),
    ("git merge", Followed("following::work_beside_the_branch_is_merged_by_the_printed_command")),
    ("git stash apply", Followed("version_control::a_saved_stash_is_applied_and_stays")),
    ("git switch", Adds),
    ("git worktree repair", Followed("following::a_moved_repository_is_repaired")),
    ("git worktree unlock", Followed("following::a_locked_worktree_is_unlocked")),
    ("jj bookmark delete", Followed("version_control::a_bookmark_is_deleted_and_the_revision_stays")),
    ("jj bookmark set", Adds),
    ("jj diff", Reads),
    ("jj show", Reads),
    ("jj workspace forget", Followed("version_control::a_workspace_is_forgotten_and_its_files_stay")),
    ("kill -KILL", Followed("orphans: processes only")),
    ("mkdir", Adds),
    ("mv", Followed("doctor: into a new directory, where nothing is overwritten")),
    ("tmux attach", Reads),
    ("tmux kill-session", Followed("doctor::a_session_of_this_home_without_a_run_is_ended")),
    ("touch", Adds),
];

/// What no message may name: it deletes or moves work without saving it.
const NEVER: &[&str] = &[
    "git worktree remove",
    "git clean",
    "git reset",
    "git checkout",
    "git stash drop",
    "git stash clear",
    "rm",
    "rmdir",
    "dd",
    "truncate",
    "tmux kill-server",
];

/// The texts that start git in another directory, by a part of each, and whose directory that is. A worktree of a run is
/// never one: git would run what the agent wrote for it there. Name a command of agency instead.
const GIT_PLACES: &[(&str, &str, &str)] = &[
    ("agency-workspace/src/error.rs", "git -C <repository> worktree repair", "the user's repository, where it is now"),
    ("agency-workspace/src/error.rs", "git -C {} worktree unlock", "the recorded repository"),
    ("agency-workspace/src/error.rs", "git -C <new place> worktree repair", "the user's repository, where it is now"),
    ("agency-workspace/src/commit_all/elsewhere.rs", "git -C {repository} merge", "the recorded repository"),
    ("agency-workspace/src/merge/save.rs", "git -C {} stash apply", "a checkout outside the worktrees of runs"),
    ("agency-engine/src/runs/doctor/mirror.rs", "git -C {} config", "the recorded repository"),
    ("agency/src/command/restore.rs", "git -C {root} log", "the recorded repository"),
    ("agency/src/problem/removed.rs", "git -C {} diff", "the recorded repository"),
    (
        "agency/src/problem/workspace.rs",
        "git -C {} commit --allow-empty",
        "the user's repository, which has no run yet",
    ),
];

#[test]
fn no_printed_command_starts_git_where_an_agent_could_write() {
    let found = git_places();
    let is_known =
        |file: &str, text: &str| GIT_PLACES.iter().any(|(known, part, _)| file == *known && text.contains(part));
    let new: Vec<_> = found.iter().filter(|(file, text)| !is_known(file, text)).collect();
    assert!(new.is_empty(), "print a command of agency, or say why no agent can write there: {new:#?}");
    let is_used = |known: &str, part: &str| found.iter().any(|(file, text)| file == known && text.contains(part));
    let unused: Vec<_> = GIT_PLACES.iter().filter(|(file, part, _)| !is_used(file, part)).collect();
    assert!(unused.is_empty(), "{unused:#?}");
    // What was printed once, and other forms of it.
    for refused in [
        "to see how: git -C {} status",
        "bring the work there, as with: git -C {} switch {}",
        "cd {worktree} && git status",
        "git --work-tree={} status",
    ] {
        assert!(starts_git_elsewhere(refused), "{refused}");
    }
    assert!(!starts_git_elsewhere("agency diff {run}") && !starts_git_elsewhere("git --git-dir={store} log"));
}

// A hint without a situation fails here.
#[test]
fn every_command_that_is_printed_is_in_the_table() {
    let found = collected();
    let known: BTreeSet<&str> = TABLE.iter().map(|(command, _)| *command).collect();
    assert_eq!(known.len(), TABLE.len(), "a command is listed twice");
    let new: Vec<_> = found.iter().filter(|(command, _)| !known.contains(command.as_str())).collect();
    assert!(new.is_empty(), "say why these are safe to follow, and follow them: {new:#?}");
    for command in NEVER {
        assert!(!found.contains_key(*command), "{command}: {:?}", found[*command]);
    }
}

#[test]
fn the_table_names_no_command_that_nothing_prints() {
    let found = collected();
    let unused: Vec<_> = TABLE.iter().filter(|(command, _)| !found.contains_key(*command)).collect();
    assert!(unused.is_empty(), "{unused:#?}");
}
