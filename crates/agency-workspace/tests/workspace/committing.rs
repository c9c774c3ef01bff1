//! What an agent left is committed as a person would commit it.

use std::fs;

use agency_workspace::{InPlace, MergeError, MergeStrategy, Workspace, write_prompt};

use crate::merging::{merged, request};
use crate::saving::conflict;
use crate::world::{World, commit_all, executable, git, write};

// proves W10
#[test]
fn everything_but_ignored_files_and_the_prompt_is_committed() {
    let world = World::new();
    let worktree = world.prepared();
    let path = &worktree.path;
    write_prompt(path, "do it").unwrap();
    git(path, ["add", "--force", ".agency/prompt.md"]);
    write(&path.join("a.txt"), "modified\n");
    write(&path.join("deep/new file"), "new\n");
    write(&path.join(".gitignore"), "*.log\n");
    write(&path.join("noise.log"), "x");
    fs::remove_file(path.join("dir/b.txt")).unwrap();

    let committed = worktree.commit_all("what the agent did").unwrap();
    assert_eq!(committed.files, 4);
    assert_eq!(committed.commit.as_str(), git(path, ["rev-parse", &format!("refs/heads/{}", worktree.branch)]));
    assert_eq!(git(path, ["log", "-1", "--format=%an %s"]), "Tester what the agent did");
    let files = git(path, ["show", "--name-status", "--format=", "HEAD"]);
    assert_eq!(files, "A\t.gitignore\nM\ta.txt\nA\tdeep/new file\nD\tdir/b.txt");
    assert_eq!(git(path, ["status", "--porcelain"]), "");
    assert!(path.join(".agency/prompt.md").exists() && path.join("noise.log").exists());
}

// proves W10
#[test]
fn with_nothing_to_commit_the_branch_stays() {
    let world = World::new();
    let worktree = world.prepared();
    write_prompt(&worktree.path, "do it").unwrap();
    let committed = worktree.commit_all("nothing").unwrap();
    assert_eq!((committed.files, committed.commit), (0, worktree.base.clone()));
    write(&worktree.path.join("new"), "x");
    commit_all(&worktree.path, "by the agent itself");
    assert_eq!(worktree.commit_all("nothing").unwrap().files, 0);
}

// proves W10
#[test]
fn a_prompt_that_the_repository_tracks_is_not_committed_as_the_agents_work() {
    let world = World::new();
    world.write(".agency/prompt.md", "the project's own\n");
    commit_all(&world.repository, "a prompt");
    let worktree = world.prepared();
    write_prompt(&worktree.path, "do it").unwrap();
    assert_eq!(worktree.commit_all("x").unwrap().files, 0);
    assert_eq!(git(&worktree.path, ["show", "HEAD:.agency/prompt.md"]), "the project's own");
}

// proves W10
#[test]
fn hooks_change_and_refuse_a_commit_as_for_a_person() {
    let world = World::new();
    world.git(["config", "--unset", "core.hooksPath"]);
    world.hook("pre-commit", "echo formatted >a.txt; git add a.txt");
    world.hook("prepare-commit-msg", "echo \"prepared $2\" >>\"$1\"");
    world.hook(
        "commit-msg",
        "grep -q refuse \"$1\" && { echo 'not with that message' >&2; exit 1; }; echo checked >>\"$1\"",
    );
    world.hook("post-commit", "touch \"$(git rev-parse --git-common-dir)/told\"");
    let worktree = world.prepared();
    write(&worktree.path.join("a.txt"), "unformatted\n");
    let error = worktree.commit_all("refuse this").unwrap_err();
    assert!(matches!(error, MergeError::NotCommitted { .. }));
    assert!(error.to_string().contains("not with that message"), "{error}");
    assert!(!world.repository.join(".git/told").exists());

    world.hook("pre-commit", "exit 1");
    let error = worktree.commit_all("refuse this, too").unwrap_err();
    assert!(error.to_string().contains("refused it and printed nothing"), "{error}");
    world.hook("pre-commit", "echo formatted >a.txt; git add a.txt");

    worktree.commit_all("fine").unwrap();
    assert_eq!(git(&worktree.path, ["show", "HEAD:a.txt"]), "formatted");
    assert_eq!(git(&worktree.path, ["log", "-1", "--format=%B"]), "fine\nprepared message\nchecked");
    assert!(world.repository.join(".git/told").exists());
}

// proves W10
#[test]
fn a_user_whom_git_does_not_know_is_told_what_to_do() {
    let world = World::new();
    let worktree = world.prepared();
    // Whatever the configuration of the machine says.
    world.git(["config", "user.name", ""]);
    write(&worktree.path.join("new"), "x");
    let error = worktree.commit_all("x").unwrap_err();
    assert!(matches!(error, MergeError::NoIdentity { .. }), "{error}");
    assert!(error.to_string().contains("git config --global user.email"), "{error}");
    assert_eq!(git(&worktree.path, ["rev-parse", "HEAD"]), worktree.base.as_str());
}

// proves W10
#[test]
fn a_merge_with_conflicts_is_refused_with_its_files() {
    let world = World::new();
    let worktree = world.prepared();
    conflict(&world, &worktree.path);
    let error = worktree.commit_all("x").unwrap_err();
    let MergeError::HalfDone { operation, files, .. } = &error else { panic!("{error}") };
    assert_eq!((*operation, files.as_slice()), ("merge", ["a.txt".into()].as_slice()));
    // Aborting would throw away what was resolved so far.
    assert!(error.to_string().contains("agency diff") && !error.to_string().contains("--abort"), "{error}");
    // In a place that an agent can write, git runs what the agent wrote.
    assert!(!error.to_string().contains("git -C"), "{error}");
    git(&worktree.path, ["merge", "--abort"]);
    assert_eq!(worktree.commit_all("x").unwrap().files, 0);
}

// proves W10
#[test]
fn work_on_another_branch_or_beside_the_branch_is_not_guessed_about() {
    let world = World::new();
    let worktree = world.prepared();
    write(&worktree.path.join("new"), "x");
    let refused = |named: &str| {
        let error = worktree.commit_all("x").unwrap_err();
        let MergeError::OtherBranch { found, .. } = &error else { panic!("{error}") };
        assert_eq!(found, named);
        // A git that starts in the worktree runs what the agent wrote; and to switch back leaves the work behind.
        let in_worktree = format!("git -C {}", worktree.path.display());
        assert!(!error.to_string().contains(&in_worktree) && !error.to_string().contains("switch"), "{error}");
    };
    git(&worktree.path, ["switch", "-q", "--create", "other"]);
    refused("other");
    git(&worktree.path, ["switch", "-q", &worktree.branch]);
    git(&worktree.path, ["commit", "-q", "--allow-empty", "-m", "on the branch"]);
    let tip = git(&worktree.path, ["rev-parse", "HEAD"]);
    git(&worktree.path, ["switch", "-q", "--detach", "HEAD~1"]);
    git(&worktree.path, ["commit", "-q", "--allow-empty", "-m", "beside it"]);
    refused("no branch");
    assert_eq!(world.git(["rev-parse", &format!("refs/heads/{}", worktree.branch)]), tip);
}

fn to_reftable(world: &World) {
    // Git does not migrate logs.
    fs::remove_dir_all(world.repository.join(".git/logs")).unwrap();
    world.git(["refs", "migrate", "--ref-format=reftable"]);
}

/// The refusal names a command; when it was followed, the work is merged, and nothing is refused any more.
#[test]
fn commits_beside_the_branch_are_merged_by_the_printed_command() {
    for (reftable, loose) in [(false, false), (false, true), (true, true)] {
        let world = World::new();
        if reftable {
            to_reftable(&world);
        }
        let worktree = world.prepared();
        write(&worktree.path.join("on"), "x");
        commit_all(&worktree.path, "on the branch");
        git(&worktree.path, ["switch", "-q", "--detach", "HEAD~1"]);
        write(&worktree.path.join("beside"), "x");
        commit_all(&worktree.path, "beside it");
        if loose {
            write(&worktree.path.join("loose"), "x");
        }
        let MergeError::OtherBranch { command, found, .. } = worktree.commit_all_for("loose", "main").unwrap_err()
        else {
            panic!("it was not refused");
        };
        assert_eq!(found, "no branch");
        let command = command.unwrap();
        let (_, commit) = command.rsplit_once(' ').unwrap();
        assert_eq!(git(&worktree.path, ["rev-parse", "HEAD"]), commit, "what was loose is committed");
        assert_eq!(git(&worktree.path, ["status", "--porcelain"]), "");
        worktree.commit_all_for("loose", "main").unwrap_err();
        world.git(["merge", "-q", "--no-edit", commit]);
        worktree.commit_all("loose").unwrap_err();
        let committed = worktree.commit_all_for("loose", "main").unwrap();
        assert_eq!(committed.files, 0);
        merged(worktree.merge(&request(MergeStrategy::Merge)));
        for file in ["on", "beside"].into_iter().chain(loose.then_some("loose")) {
            world.git(["cat-file", "-e", &format!("main:{file}")]);
        }
    }
}

#[test]
fn commits_of_a_detached_head_that_follow_the_branch_are_its_work() {
    for (crashed, reftable) in [(false, false), (true, false), (false, true), (true, true)] {
        let world = World::new();
        if reftable {
            to_reftable(&world);
        }
        let worktree = world.prepared();
        let branch = format!("refs/heads/{}", worktree.branch);
        git(&worktree.path, ["switch", "-q", "--detach", "HEAD"]);
        write(&worktree.path.join("committed"), "x");
        commit_all(&worktree.path, "by the agent, on no branch");
        let detached = git(&worktree.path, ["rev-parse", "HEAD"]);
        write(&worktree.path.join("loose"), "x");
        if crashed {
            // The branch was moved, and HEAD was not.
            world.git(["update-ref", &branch, &detached]);
        }
        let committed = worktree.commit_all("what is loose").unwrap();
        assert_eq!(committed.files, 1);
        assert_eq!(world.git(["rev-parse", &branch]), committed.commit.as_str());
        assert_eq!(world.git(["rev-parse", &format!("{branch}^")]), detached);
        assert_eq!(git(&worktree.path, ["symbolic-ref", "HEAD"]), branch);
        assert_eq!(git(&worktree.path, ["status", "--porcelain"]), "");
        merged(worktree.merge(&request(MergeStrategy::Merge)));
        world.git(["merge-base", "--is-ancestor", &detached, "main"]);
    }
}

#[test]
fn a_branch_that_is_checked_out_elsewhere_does_not_move_under_its_user() {
    let world = World::new();
    let worktree = world.prepared();
    git(&worktree.path, ["switch", "-q", "--detach", "HEAD"]);
    git(&worktree.path, ["commit", "-q", "--allow-empty", "-m", "detached"]);
    world.git(["switch", "-q", &worktree.branch]);
    let before = world.git(["rev-parse", "HEAD"]);
    let error = worktree.commit_all("x").unwrap_err();
    assert!(matches!(error, MergeError::OtherBranch { .. }), "{error}");
    assert_eq!(world.git(["rev-parse", "HEAD"]), before);
}

// proves W10
#[test]
fn a_repository_inside_is_left_out_and_said() {
    let world = World::new();
    let worktree = world.prepared();
    git(&worktree.path, ["init", "-q", "inner"]);
    write(&worktree.path.join("inner/file"), "x");
    write(&worktree.path.join("new"), "x");
    let committed = worktree.commit_all("x").unwrap();
    assert_eq!((committed.files, committed.left_out), (1, vec!["inner".into()]));
}

// proves W10
#[test]
fn a_worktree_that_lost_its_link_commits_to_no_other_repository() {
    let world = World::new();
    let worktree = world.prepared();
    write(&worktree.path.join("new"), "x");
    fs::remove_file(worktree.path.join(".git")).unwrap();
    assert!(matches!(worktree.commit_all("x"), Err(MergeError::Workspace(_))));
}

// proves W10
#[test]
fn a_workspace_without_a_branch_of_its_own_is_not_merged() {
    let world = World::new();
    let place = InPlace {
        repository: world.repository.clone(),
        base: world.head(),
        worktrees_root: world.root().join("home/worktrees"),
        looks: None,
    };
    let Err(error) = place.branch_work() else { panic!("no branch is the run's own") };
    assert!(matches!(error, MergeError::NoBranch { .. }), "{error}");
    let worktree = world.prepared();
    assert_eq!(worktree.branch_work().unwrap().commit_all("x").unwrap().files, 0);
}

/// A repository of which `.husky/pre-commit` is the hook, and a worktree in which the agent changed it.
fn with_hooks_in_the_tree() -> (World, agency_workspace::GitWorktree) {
    let world = World::new();
    let by_user = format!("echo user >>'{}'", world.root().join("by-user").display());
    executable(&world.repository.join(".husky/pre-commit"), &by_user);
    world.git(["config", "core.hooksPath", ".husky"]);
    world.git(["add", "-A"]);
    world.git(["commit", "-q", "--no-verify", "-m", "hooks"]);
    let worktree = world.prepared();
    for hook in ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "reference-transaction"] {
        executable(&worktree.path.join(".husky").join(hook), &witness(&world));
    }
    write(&worktree.path.join("new"), "new\n");
    (world, worktree)
}

fn witness(world: &World) -> String {
    format!("touch '{}'", world.root().join("witness").display())
}

// A relative core.hooksPath (husky): the user's hooks run, those that the agent edited do not.
#[test]
fn hooks_come_from_the_users_checkout_and_not_from_the_worktree() {
    let (world, worktree) = with_hooks_in_the_tree();
    worktree.commit_all("work").unwrap();
    assert!(!world.root().join("witness").exists(), "a hook that the agent wrote ran");
    assert_eq!(fs::read_to_string(world.root().join("by-user")).unwrap(), "user\n");
    assert_eq!(git(&worktree.path, ["status", "--porcelain"]), "", "the worktree's index has the commit");
    assert_eq!(git(&worktree.path, ["show", "HEAD:new"]), "new");
    worktree.merge(&crate::merging::request(agency_workspace::MergeStrategy::Merge)).unwrap();
    assert!(!world.root().join("witness").exists(), "a hook that the agent wrote ran");
}

// Settings that an agent can write beside its worktree: a hooks directory, a filter, a monitor of files.
#[test]
fn settings_of_the_worktree_run_nothing() {
    let (world, worktree) = with_hooks_in_the_tree();
    world.git(["config", "extensions.worktreeConfig", "true"]);
    let script = world.root().join("script");
    executable(&script, &format!("{}; cat", witness(&world)));
    let script = script.display().to_string();
    let hooks = worktree.path.join(".husky").display().to_string();
    for (key, value) in
        [("core.hooksPath", &hooks), ("core.fsmonitor", &script), ("filter.x.clean", &script), ("gpg.program", &script)]
    {
        git(&worktree.path, ["config", "--worktree", key, value]);
    }
    git(&worktree.path, ["config", "--worktree", "commit.gpgSign", "true"]);
    write(&worktree.path.join(".gitattributes"), "* filter=x\n");
    let _ = fs::remove_file(world.root().join("witness"));
    worktree.commit_all("work").unwrap();
    assert!(!world.root().join("witness").exists(), "a setting of the worktree was used");
    assert!(world.root().join("by-user").exists(), "the user's hook ran");
}

// A crash after the commit and before the worktree's index has it.
#[test]
fn an_index_that_is_behind_is_brought_up_to_date() {
    let world = World::new();
    let worktree = world.prepared();
    let index = world.repository.join(".git/worktrees").join(worktree.run.as_str()).join("index");
    let before = fs::read(&index).unwrap();
    write(&worktree.path.join("new"), "new\n");
    worktree.commit_all("work").unwrap();
    fs::write(&index, before).unwrap();
    assert_ne!(git(&worktree.path, ["status", "--porcelain"]), "");
    assert_eq!(worktree.commit_all("work").unwrap().files, 0);
    assert_eq!(git(&worktree.path, ["status", "--porcelain"]), "");
}

#[test]
fn an_index_that_another_git_holds_is_named() {
    let world = World::new();
    let worktree = world.prepared();
    write(&worktree.path.join("new"), "new\n");
    let lock = world.repository.join(".git/worktrees").join(worktree.run.as_str()).join("index.lock");
    fs::write(&lock, "").unwrap();
    let error = worktree.commit_all("work").unwrap_err();
    assert!(matches!(error, MergeError::CheckoutLocked { .. }), "{error}");
    fs::remove_file(&lock).unwrap();
    worktree.commit_all("work").unwrap();
    assert_eq!(git(&worktree.path, ["status", "--porcelain"]), "");
    assert_eq!(git(&worktree.path, ["log", "--format=%s", "-2"]), "work\nfirst", "committed once");
}

#[test]
fn a_new_commit_of_a_repository_inside_is_told_from_one_that_is_not_committed() {
    let world = World::new();
    let worktree = world.prepared();
    for name in ["linked", "untracked"] {
        let inner = worktree.path.join(name);
        git(&worktree.path, ["init", "-q", name]);
        git(&inner, ["config", "user.name", "An Agent"]);
        git(&inner, ["config", "user.email", "agent@example.com"]);
        write(&inner.join("file"), "x\n");
        commit_all(&inner, "inside");
    }
    git(&worktree.path, ["add", "linked"]);
    let committed = worktree.commit_all("work").unwrap();
    assert_eq!(committed.new_links, [std::path::PathBuf::from("linked")]);
    assert_eq!(committed.left_out, [std::path::PathBuf::from("untracked")]);
    assert!(git(&worktree.path, ["ls-tree", "HEAD", "linked"]).starts_with("160000 "));
    // Also where the agent has committed everything itself.
    assert_eq!(worktree.commit_all("work").unwrap().new_links, [std::path::PathBuf::from("linked")]);
}
