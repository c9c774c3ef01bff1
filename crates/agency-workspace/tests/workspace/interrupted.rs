//! Operations of git that a run leaves in the middle: commits that only their files name are saved before a removal.

use std::fs;
use std::path::PathBuf;

use agency_workspace::{GitWorktree, Workspace};

use crate::hidden_work::{FORCED, PLAIN, collect_garbage, commit, pipe, still_has};
use crate::world::{World, commit_all, git, try_git, write};

/// Git's entry for a worktree.
fn entry_of(world: &World, worktree: &GitWorktree) -> PathBuf {
    world.repository.join(".git/worktrees").join(worktree.run.as_str())
}

/// A worktree whose branch conflicts with `main` in `a.txt`, and that has another change which is not committed.
fn conflicting(world: &World) -> GitWorktree {
    let worktree = world.prepared();
    world.write("a.txt", "by the user\n");
    commit_all(&world.repository, "user");
    write(&worktree.path.join("a.txt"), "by the agent\n");
    commit_all(&worktree.path, "agent");
    write(&worktree.path.join("dir/b.txt"), "not committed\n");
    worktree
}

/// Stops in a conflict, and returns the stash that git made of what was not committed.
fn stopped_with_autostash(world: &World, worktree: &GitWorktree, arguments: &[&str], file: &str) -> String {
    let path = &worktree.path;
    let stopped = match *arguments {
        [one, two, three] => try_git(path, [one, two, three]),
        [one, two, three, four] => try_git(path, [one, two, three, four]),
        _ => panic!("{arguments:?}"),
    };
    assert!(!stopped.0, "{}", stopped.1);
    assert_eq!(fs::read_to_string(path.join("dir/b.txt")).unwrap(), "bee\n", "the change is in the stash only");
    fs::read_to_string(entry_of(world, worktree).join(file)).unwrap().trim().to_owned()
}

#[test]
fn what_git_stashed_by_itself_outlives_the_removal() {
    let ways: [(&[&str], &str); 4] = [
        (&["merge", "--autostash", "main"], "MERGE_AUTOSTASH"),
        (&["rebase", "--autostash", "main"], "rebase-merge/autostash"),
        (&["rebase", "--apply", "--autostash", "main"], "rebase-apply/autostash"),
        (&["-c", "rebase.autoStash=true", "rebase", "main"], "rebase-merge/autostash"),
    ];
    for (arguments, file) in ways {
        for options in [PLAIN, FORCED] {
            let world = World::new();
            let worktree = conflicting(&world);
            let stash = stopped_with_autostash(&world, &worktree, arguments, file);
            let removal = worktree.remove(options).unwrap();
            assert_eq!(removal.other_refs, [format!("{}-log", worktree.run.saved_work_ref())], "{arguments:?}");
            collect_garbage(&world);
            still_has(&world, &stash);
            assert_eq!(world.git(["cat-file", "-p", &format!("{stash}:dir/b.txt")]), "not committed", "{arguments:?}");
        }
    }
}

/// Makes a commit that nothing leads to.
fn unnamed(worktree: &GitWorktree, message: &str) -> String {
    git(&worktree.path, ["commit-tree", "-p", "HEAD", "-m", message, "HEAD^{tree}"])
}

/// Each file of an entry in which git notes a commit, and how the commit stands there.
const NOTES: [(&str, &str); 22] = [
    ("ORIG_HEAD", "{}\n"),
    ("MERGE_HEAD", "{}\n"),
    ("MERGE_AUTOSTASH", "{}\n"),
    ("CHERRY_PICK_HEAD", "{}\n"),
    ("REVERT_HEAD", "{}\n"),
    ("REBASE_HEAD", "{}\n"),
    ("BISECT_HEAD", "{}\n"),
    ("BISECT_EXPECTED_REV", "{}\n"),
    ("BISECT_START", "{}\n"),
    ("BISECT_LOG", "git bisect start\n# bad: [{}] subject\n"),
    ("MY_OWN_HEAD", "{}\n"),
    ("rebase-merge/orig-head", "{}\n"),
    ("rebase-merge/onto", "{}\n"),
    ("rebase-merge/stopped-sha", "{}\n"),
    ("rebase-merge/amend", "{}"),
    ("rebase-merge/git-rebase-todo", "pick {} subject\n"),
    ("rebase-merge/update-refs", "refs/heads/x\n{}\n0000000000000000000000000000000000000000\n"),
    ("rebase-apply/original-commit", "{}\n"),
    ("rebase-apply/0001", "From {} Mon Sep 17 00:00:00 2001\nSubject: x\n"),
    ("sequencer/head", "{}\n"),
    ("sequencer/abort-safety", "{}\n"),
    ("logs/refs/worktree/mine", "{} 0000000000000000000000000000000000000000 a <a@b> 0 +0000\tx\n"),
];

#[test]
fn every_commit_that_only_an_entry_names_is_saved() {
    let world = World::new();
    let worktree = world.prepared();
    let entry = entry_of(&world, &worktree);
    let mut made = vec![];
    for (file, content) in NOTES {
        let id = unnamed(&worktree, file);
        write(&entry.join(file), &content.replace("{}", &id));
        made.push((file, id));
    }
    // Git shortens the ids of commits that are still to be picked.
    let later = unnamed(&worktree, "later");
    write(&entry.join("sequencer/todo"), &format!("pick {} later\n", &later[..12]));
    made.push(("sequencer/todo", later));
    worktree.remove(PLAIN).unwrap();
    collect_garbage(&world);
    for (file, id) in made {
        assert!(try_git(&world.repository, ["cat-file", "-e", &id]).0, "the commit in {file} is lost");
    }
}

/// What the agent staged and then deleted is in the index only.
fn stage_and_delete(worktree: &GitWorktree, content: &str) -> String {
    let file = worktree.path.join("s.txt");
    write(&file, content);
    git(&worktree.path, ["add", "s.txt"]);
    let blob = git(&worktree.path, ["hash-object", "s.txt"]);
    fs::remove_file(&file).unwrap();
    blob
}

#[test]
fn what_is_staged_outlives_force_where_git_cannot_look_at_the_files() {
    for pipe_at in [".gitattributes", "q/.gitattributes"] {
        let world = World::new();
        let worktree = world.prepared();
        let blob = stage_and_delete(&worktree, "staged\n");
        pipe(&worktree.path.join(pipe_at));
        write(&worktree.path.join("n.txt"), "x\n");
        write(&worktree.path.join("q/n.txt"), "x\n");
        assert!(worktree.remove(PLAIN).is_err(), "{pipe_at}");
        let removal = worktree.remove(FORCED).unwrap();
        let kept = removal.kept.unwrap();
        assert!(kept.join("worktree/n.txt").exists() && kept.join("git-entry/index").exists(), "{pipe_at}");
        assert!(!world.lists(&worktree.path));
        collect_garbage(&world);
        still_has(&world, &blob);
        let reference = removal.saved.unwrap().reference;
        assert_eq!(world.git(["cat-file", "-p", &format!("{reference}:s.txt")]), "staged", "{pipe_at}");
    }
}

#[test]
fn what_is_staged_beside_a_conflict_is_saved() {
    let world = World::new();
    let worktree = conflicting(&world);
    git(&worktree.path, ["checkout", "-q", "--", "."]);
    assert!(!try_git(&worktree.path, ["merge", "main"]).0);
    let blob = stage_and_delete(&worktree, "staged in a conflict\n");
    worktree.remove(PLAIN).unwrap();
    collect_garbage(&world);
    still_has(&world, &blob);
}

/// A commit whose parent does not exist.
fn incomplete(worktree: &GitWorktree) -> String {
    let tree = git(&worktree.path, ["rev-parse", "HEAD^{tree}"]);
    let parent = "1234567890123456789012345678901234567890";
    let person = "a <a@b> 0 +0000";
    let text = format!("tree {tree}\nparent {parent}\nauthor {person}\ncommitter {person}\n\nincomplete\n");
    let file = worktree.path.with_extension("commit");
    fs::write(&file, text).unwrap();
    git(&worktree.path, ["hash-object", "-t", "commit", "-w", file.to_str().unwrap()])
}

#[test]
fn commits_with_a_missing_history_are_refused_and_by_force_kept_with_the_entry() {
    for in_log in [true, false] {
        let world = World::new();
        let worktree = world.prepared();
        let (broken, whole) = (incomplete(&worktree), unnamed(&worktree, "whole"));
        let entry = entry_of(&world, &worktree);
        write(&entry.join("ORIG_HEAD"), &format!("{whole}\n"));
        let (file, content) = match in_log {
            true => ("logs/HEAD", format!("{broken} {broken} a <a@b> 0 +0000\tx\n")),
            false => ("refs/worktree/x", format!("{broken}\n")),
        };
        write(&entry.join(file), &content);
        let error = worktree.remove(PLAIN).unwrap_err();
        assert!(error.to_string().contains(&format!("a part of the history of {broken} is missing")), "{error}");
        assert!(worktree.path.join("a.txt").exists() && entry.exists());
        let removal = worktree.remove(FORCED).unwrap();
        let kept = removal.kept.unwrap();
        assert_eq!(fs::read_to_string(kept.join("git-entry").join(file)).unwrap(), content);
        assert!(kept.join("worktree/a.txt").exists() && !entry.exists());
        assert!(!world.lists(&worktree.path));
        collect_garbage(&world);
        still_has(&world, &whole);
    }
}

#[test]
fn a_branch_log_that_fits_on_no_command_line_holds_nothing_up() {
    let world = World::new();
    let worktree = world.prepared();
    let head = world.head();
    let line = format!("{head} {head} a <a@b> 1700000000 +0000\tx\n");
    write(&world.repository.join(".git/logs/refs/heads").join(&worktree.branch), &line.repeat(52_000));
    git(&worktree.path, ["checkout", "-q", "--detach"]);
    let left = commit(&worktree.path, "left behind");
    git(&worktree.path, ["checkout", "-q", &worktree.branch]);
    worktree.remove(PLAIN).unwrap();
    collect_garbage(&world);
    still_has(&world, &left);
}
