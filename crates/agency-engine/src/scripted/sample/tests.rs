use super::{SampleError, SampleTask, create};
use crate::scripted::bare_environment::in_bare_environment;
use crate::scripted::{execute, git, parse};
use std::fs;
use std::path::Path;

fn ask(directory: &Path, arguments: &[&str]) -> String {
    git(directory, arguments).unwrap().into_success().unwrap()
}

/// Does a task in a worktree of its own, without its waits.
fn perform(repository: &Path, worktree: &Path, task: &SampleTask) -> String {
    ask(repository, &["worktree", "add", "--quiet", "-b", task.name, worktree.to_str().unwrap(), "main"]);
    let without_waits: Vec<_> = task.prompt.lines().filter(|line| !line.starts_with("wait ")).collect();
    let script = parse(&without_waits.join("\n")).unwrap();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    assert_eq!(execute(&script, worktree, &mut out, &mut err).unwrap(), 0);
    String::from_utf8(out).unwrap()
}

fn waits(task: &SampleTask) -> u32 {
    let waits = task.prompt.lines().filter_map(|line| line.strip_prefix("wait "));
    waits.map(|wait| wait.strip_suffix("ms").unwrap().parse::<u32>().unwrap()).sum()
}

#[test]
fn the_repository_is_clean_and_has_one_commit() {
    in_bare_environment("scripted::sample::tests::the_repository_is_clean_and_has_one_commit", || {
        let directory = tempfile::tempdir().unwrap();
        let sample = create(&directory.path().join("new/sample")).unwrap();
        assert_eq!(ask(&sample.path, &["status", "--porcelain", "--branch"]), "## main");
        assert_eq!(ask(&sample.path, &["log", "--format=%an %s"]), "agency A small text adventure");
    });
}

#[test]
fn every_task_commits_and_one_leaves_work_behind() {
    in_bare_environment("scripted::sample::tests::every_task_commits_and_one_leaves_work_behind", || {
        let directory = tempfile::tempdir().unwrap();
        let sample = create(&directory.path().join("sample")).unwrap();
        let mut unfinished = Vec::new();
        for task in &sample.tasks {
            let worktree = directory.path().join(task.name);
            let said = perform(&sample.path, &worktree, task);
            assert!(said.lines().count() >= 5, "{said}");
            assert_eq!(ask(&worktree, &["rev-list", "--count", "main..HEAD"]), "2");
            if !ask(&worktree, &["status", "--porcelain"]).is_empty() {
                unfinished.push(task.name);
            }
        }
        assert_eq!(unfinished, ["write-a-walkthrough"]);
    });
}

#[test]
fn the_branches_of_all_tasks_merge() {
    in_bare_environment("scripted::sample::tests::the_branches_of_all_tasks_merge", || {
        let directory = tempfile::tempdir().unwrap();
        let sample = create(&directory.path().join("sample")).unwrap();
        for task in &sample.tasks {
            perform(&sample.path, &directory.path().join(task.name), task);
            let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
            ask(&sample.path, &[&identity[..], &["merge", "--quiet", "--no-ff", task.name]].concat());
        }
        assert_eq!(ask(&sample.path, &["rev-list", "--count", "HEAD"]), "10");
    });
}

#[test]
fn a_task_takes_two_to_four_seconds() {
    let directory = tempfile::tempdir().unwrap();
    for task in create(directory.path()).unwrap().tasks {
        assert!((2000..=4000).contains(&waits(&task)), "{}: {} ms", task.name, waits(&task));
    }
}

#[test]
fn a_directory_that_holds_something_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("mine"), "precious").unwrap();
    assert!(matches!(create(directory.path()), Err(SampleError::NotEmpty { .. })));
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
}
