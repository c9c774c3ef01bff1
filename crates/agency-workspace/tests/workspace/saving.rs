//! What no branch holds is saved before it goes, and comes back.

use std::fs;
use std::path::Path;

use agency_model::ErrorCode;
use agency_workspace::{GitWorktree, Repository, Workspace, restore};

use crate::world::{World, commit_all, git, try_git, write};

/// The content of a file in the saved work.
fn saved(world: &World, worktree: &GitWorktree, file: &str) -> Option<String> {
    let name = format!("{}:{file}", worktree.run.saved_work_ref());
    let (found, text) = try_git(&world.repository, ["cat-file", "-p", &name]);
    found.then_some(text)
}

/// Leaves a merge with a conflict in `a.txt`.
pub(crate) fn conflict(world: &World, path: &Path) {
    write(&path.join("a.txt"), "ours\n");
    git(path, ["commit", "-q", "-a", "-m", "ours"]);
    world.write("a.txt", "theirs\n");
    world.git(["commit", "-q", "-a", "-m", "theirs"]);
    assert!(!try_git(path, ["merge", "-q", "main"]).0);
}

// proves L17
#[test]
fn everything_uncommitted_is_saved_and_nothing_the_agent_left_is_touched() {
    let world = World::new();
    let worktree = world.prepared();
    let path = &worktree.path;
    write(&path.join("a.txt"), "modified\n");
    write(&path.join("staged"), "staged\n");
    git(path, ["add", "staged"]);
    write(&path.join("deep/untracked"), "untracked\n");
    fs::remove_file(path.join("dir/b.txt")).unwrap();
    write(&path.join(".gitignore"), "ignored\n");
    write(&path.join("ignored"), "x");
    let status = git(path, ["status", "--porcelain"]);

    let work = worktree.snapshot().unwrap().unwrap();
    assert_eq!(work.reference, worktree.run.saved_work_ref());
    assert_eq!(work.files, 5);
    assert_eq!(saved(&world, &worktree, "a.txt").as_deref(), Some("modified"));
    assert_eq!(saved(&world, &worktree, "staged").as_deref(), Some("staged"));
    assert_eq!(saved(&world, &worktree, "deep/untracked").as_deref(), Some("untracked"));
    assert_eq!(saved(&world, &worktree, "dir/b.txt"), None);
    assert_eq!(saved(&world, &worktree, "ignored"), None);
    assert_eq!(git(path, ["status", "--porcelain"]), status);
    assert_eq!(git(path, ["rev-parse", "HEAD"]), worktree.base.as_str());
    assert_eq!(git(path, ["symbolic-ref", "HEAD"]), format!("refs/heads/{}", worktree.branch));
    // Once more: the same work is not saved as something new.
    assert_eq!(worktree.snapshot().unwrap().unwrap().commit, work.commit);
}

#[test]
fn nothing_to_save_makes_no_ref() {
    let world = World::new();
    let worktree = world.prepared();
    assert_eq!(worktree.snapshot().unwrap(), None);
    write(&worktree.path.join("new"), "x");
    commit_all(&worktree.path, "on the branch");
    assert_eq!(worktree.snapshot().unwrap(), None);
    assert!(!world.has(&worktree.run.saved_work_ref()));
}

// proves L17
#[test]
fn work_that_changes_after_it_was_saved_is_saved_again_and_the_first_is_kept() {
    let world = World::new();
    let worktree = world.prepared();
    write(&worktree.path.join("new"), "first");
    let first = worktree.snapshot().unwrap().unwrap();
    write(&worktree.path.join("new"), "second");
    let second = worktree.snapshot().unwrap().unwrap();
    assert_eq!(saved(&world, &worktree, "new").as_deref(), Some("second"));
    world.git(["merge-base", "--is-ancestor", first.commit.as_str(), second.commit.as_str()]);
}

// proves L17
#[test]
fn what_is_only_staged_is_saved_too() {
    let world = World::new();
    let worktree = world.prepared();
    write(&worktree.path.join("gone"), "only in the index");
    git(&worktree.path, ["add", "gone"]);
    fs::remove_file(worktree.path.join("gone")).unwrap();
    let work = worktree.snapshot().unwrap().unwrap();
    let staged = format!("{}^2:gone", work.reference);
    assert_eq!(world.git(["cat-file", "-p", &staged]), "only in the index");
    assert_eq!(worktree.snapshot().unwrap().unwrap().commit, work.commit);
}

// proves L17
#[test]
fn commits_of_a_detached_head_are_saved() {
    let world = World::new();
    let worktree = world.prepared();
    git(&worktree.path, ["checkout", "-q", "--detach"]);
    assert_eq!(worktree.snapshot().unwrap(), None, "the commit is still in a branch");
    write(&worktree.path.join("new"), "x");
    commit_all(&worktree.path, "nowhere else");
    let work = worktree.snapshot().unwrap().unwrap();
    assert_eq!(work.commit.as_str(), git(&worktree.path, ["rev-parse", "HEAD"]));
    assert_eq!(work.files, 1);
    assert_eq!(worktree.snapshot().unwrap().unwrap(), work);
}

#[test]
fn a_clean_checkout_of_another_branch_needs_no_saving() {
    let world = World::new();
    let worktree = world.prepared();
    git(&worktree.path, ["checkout", "-q", "-b", "other"]);
    write(&worktree.path.join("new"), "x");
    commit_all(&worktree.path, "elsewhere");
    assert_eq!(worktree.snapshot().unwrap(), None);
}

// proves L17
#[test]
fn a_merge_with_conflicts_and_a_rebase_in_progress_are_saved() {
    let world = World::new();
    let merging = world.prepared();
    conflict(&world, &merging.path);
    write(&merging.path.join("new"), "x");
    let state = git(&merging.path, ["status", "--porcelain"]);
    merging.snapshot().unwrap().unwrap();
    assert!(saved(&world, &merging, "a.txt").unwrap().contains("<<<<<<<"));
    assert_eq!(saved(&world, &merging, "new").as_deref(), Some("x"));
    assert_eq!(git(&merging.path, ["status", "--porcelain"]), state);

    let rebasing = GitWorktree { base: merging.base.clone(), ..world.worktree() };
    rebasing.prepare().unwrap();
    write(&rebasing.path.join("a.txt"), "mine\n");
    git(&rebasing.path, ["commit", "-q", "-a", "-m", "mine"]);
    assert!(!try_git(&rebasing.path, ["rebase", "-q", "main"]).0);
    rebasing.snapshot().unwrap().unwrap();
    assert!(saved(&world, &rebasing, "a.txt").unwrap().contains("<<<<<<<"));
}

// proves L17
#[test]
fn a_branch_without_a_commit_and_a_lost_git_file_are_saved() {
    let world = World::new();
    let orphan = world.prepared();
    git(&orphan.path, ["checkout", "-q", "--orphan", "fresh"]);
    orphan.snapshot().unwrap().unwrap();
    assert_eq!(saved(&world, &orphan, "a.txt").as_deref(), Some("one\ntwo"));

    let torn = world.prepared();
    write(&torn.path.join("new"), "x");
    fs::remove_file(torn.path.join(".git")).unwrap();
    torn.snapshot().unwrap().unwrap();
    assert_eq!(saved(&world, &torn, "new").as_deref(), Some("x"));
}

#[test]
fn a_user_without_a_name_a_signature_or_hooks_does_not_matter() {
    let world = World::new();
    let worktree = world.prepared();
    write(&worktree.path.join("new"), "x\r\n");
    for (key, value) in [
        ("user.name", ""),
        ("user.useConfigOnly", "true"),
        ("commit.gpgSign", "true"),
        ("gpg.program", "false"),
        ("core.safecrlf", "true"),
        ("core.autocrlf", "input"),
    ] {
        world.git(["config", key, value]);
    }
    let hooks = world.repository.join(".git/hooks");
    for name in ["reference-transaction", "post-index-change", "pre-commit"] {
        write(&hooks.join(name), "#!/bin/sh\nexit 1\n");
        let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(hooks.join(name), executable).unwrap();
    }
    world.git(["config", "core.hooksPath", hooks.to_str().unwrap()]);
    let work = worktree.snapshot().unwrap().unwrap();
    assert_eq!(world.git(["log", "-1", "--format=%an", work.commit.as_str()]), "agency");
}

// proves L17
#[test]
fn a_sparse_checkout_saves_what_is_outside_its_cone_and_drops_nothing() {
    let world = World::new();
    let worktree = world.prepared();
    git(&worktree.path, ["sparse-checkout", "set", "other"]);
    assert!(!worktree.path.join("dir").exists());
    write(&worktree.path.join("elsewhere/new"), "x");
    worktree.snapshot().unwrap().unwrap();
    assert_eq!(saved(&world, &worktree, "elsewhere/new").as_deref(), Some("x"));
    assert_eq!(saved(&world, &worktree, "dir/b.txt").as_deref(), Some("bee"));
}

// proves L17
#[test]
fn saved_work_comes_back_as_a_new_branch() {
    let world = World::new();
    let worktree = world.prepared();
    let repository = Repository::open(&world.repository).unwrap();
    let none = restore(&repository, &worktree.run, "back").unwrap_err();
    assert_eq!(none.code(), ErrorCode::NothingSaved);
    write(&worktree.path.join("new"), "x");
    let work = worktree.snapshot().unwrap().unwrap();
    for taken in ["main", &worktree.branch] {
        assert_eq!(restore(&repository, &worktree.run, taken).unwrap_err().code(), ErrorCode::BranchExists);
    }
    assert_eq!(restore(&repository, &worktree.run, "--help").unwrap_err().code(), ErrorCode::BadRef);
    let restored = restore(&repository, &worktree.run, "back").unwrap();
    assert_eq!(restored.commit, work.commit);
    assert_eq!(world.git(["cat-file", "-p", "back:new"]), "x");
    assert!(world.has(&work.reference), "the ref stays");
}

/// The setting of a repository that was made where names do not differ by their case, such as on macOS.
#[test]
fn files_whose_names_differ_only_by_case_are_all_saved() {
    let world = World::new();
    world.write("Dir/x", "tracked\n");
    world.write("File", "tracked\n");
    commit_all(&world.repository, "names");
    world.git(["config", "core.ignoreCase", "true"]);
    let worktree = world.prepared();
    let path = &worktree.path;
    for (name, text) in
        [("A.txt", "beside a tracked file\n"), ("dir/X", "in a directory\n"), ("q/z", "one\n"), ("Q/z", "two\n")]
    {
        write(&path.join(name), text);
    }
    fs::rename(path.join("File"), path.join("file")).unwrap();
    let patch = String::from_utf8(worktree.patch().unwrap().text).unwrap();
    for name in ["A.txt", "dir/X", "q/z", "Q/z", "file"] {
        assert!(patch.contains(&format!(" b/{name}\n")), "{name} is not in {patch}");
    }
    worktree.snapshot().unwrap().unwrap();
    for (name, text) in
        [("A.txt", "beside a tracked file"), ("dir/X", "in a directory"), ("q/z", "one"), ("Q/z", "two")]
    {
        assert_eq!(saved(&world, &worktree, name).as_deref(), Some(text), "{name}");
    }
    assert_eq!(saved(&world, &worktree, "file").as_deref(), Some("tracked"));
    assert_eq!(saved(&world, &worktree, "File"), None);
    assert_eq!(saved(&world, &worktree, "a.txt").as_deref(), Some("one\ntwo"));
}
