//! Sessions in repositories of jj, colocated and not: the work is merged into a bookmark, and the user's own working copy
//! and revision stay as they are.

use std::path::Path;
use std::process::Command;

use agency_testkit::{JjKind, Repo, World};

use super::fixture::{Place, step};

const WORKFLOW: &str = r#"
name: with-jj
defaults: { adapter: worker, mode: headless }
steps:
  - { name: implement, type: agent, prompt: go }
  - { name: test, type: script, command: 'grep -q made made.txt && test ! -e mine.txt' }
  - { name: own, type: agent, prompt: go, workspace: own, env: { NAME: other.txt } }
  - { name: bring, type: merge, commit_message: Bring it in }
"#;

/// A place whose repository jj keeps, with a bookmark `main` and a change of the user that is in no bookmark.
fn place(kind: JjKind) -> Place {
    let world = World::with_jj(Path::new(env!("CARGO_BIN_EXE_agency")));
    world.set("host", "\"detached\"");
    world.configure("\n[limits]\nstop_grace_seconds = 1\n\n[restart]\npauses_seconds = [0]\n");
    let repo = world.jj_repo("project", kind);
    repo.jj(&["bookmark", "create", "main", "-r", "@-"]);
    repo.write("mine.txt", "not committed\n");
    Place { world, repo }.with_agent("worker", "echo made >\"${NAME:-made.txt}\"")
}

fn subjects(repo: &Repo, revset: &str) -> String {
    repo.jj(&["--ignore-working-copy", "log", "--no-graph", "-r", revset, "-T", "description.first_line() ++ \"\\n\""])
}

#[test]
fn a_session_in_a_repository_of_jj_merges_into_the_nearest_bookmark() {
    for kind in JjKind::ALL {
        let place = place(kind);
        let session = place.begin(WORKFLOW, &["--title", "T"]);
        let shown = place.wait_for_state(&session, "pending_merge");
        assert_eq!(step(&shown, "test")["state"], "done", "{kind:?}: {shown:#}");
        let before = place.repo.jj_commits("main");
        place.does(&["approve", &session]);
        let shown = place.wait_for_state(&session, "completed");
        let summary = step(&shown, "bring")["summary"].as_str().unwrap().to_owned();
        assert!(summary.starts_with("merged into main"), "{kind:?}: {summary}");
        // In a colocated repository, this is the first command of jj after the merge.
        place.repo.jj(&["status"]);
        assert_ne!(place.repo.jj_commits("main"), before, "{kind:?}: the bookmark moved");
        assert_eq!(place.repo.jj_file("main", "made.txt"), "made");
        assert!(subjects(&place.repo, "main").contains("Bring it in"), "{}", subjects(&place.repo, "main"));
        assert!(place.repo.jj(&["diff", "-r", "@", "--name-only"]).contains("mine.txt"), "the user's change stays");
        assert_eq!(std::fs::read_to_string(place.repo.path.join("mine.txt")).unwrap(), "not committed\n");
        assert!(!place.repo.jj(&["bookmark", "list", "main"]).contains("conflicted"));
        if kind == JjKind::Alone {
            assert!(!place.repo.path.join(".git").exists(), "it is not colocated by this");
        }
        // What a session leaves is looked at and removed like everywhere.
        let driver = place.driver(&session).id;
        let diff = place.world.json(&["diff", &driver])["data"]["diff"].to_string();
        assert!(diff.contains("+made") && !diff.contains("mine.txt"), "{diff}");
        place.world.ok(&["rm", "--all-finished"]);
        assert!(!Path::new(shown["worktree_path"].as_str().unwrap()).exists());
    }
}

#[test]
fn a_bookmark_that_moved_meanwhile_is_merged_with_and_conflicts_are_listed() {
    let place = place(JjKind::Alone);
    let text = "name: m\nsteps:\n  - { name: work, type: script, command: echo ours >shared.txt }\n  - { name: bring, type: merge, into: main }\n";
    let session = place.begin(text, &[]);
    place.wait_for_state(&session, "pending_merge");
    place.does(&["reject", &session]);
    place.wait_for_state(&session, "blocked");
    // The user continues with jj alone; git learns of it only from jj.
    place.repo.jj(&["new", "main", "-m", "theirs"]);
    place.repo.write("shared.txt", "theirs\n");
    place.repo.jj(&["bookmark", "set", "main", "-r", "@"]);
    place.does(&["retry", &session, "--detach"]);
    let shown = place.wait_for_state(&session, "blocked");
    assert!(step(&shown, "bring")["error"].as_str().unwrap().contains("shared.txt"), "{shown:#}");
    place.repo.write("shared.txt", "# resolved by the user\n");
    place.repo.write("theirs.txt", "theirs\n");
    place.repo.jj(&["restore", "--from", "main-", "shared.txt"]);
    place.repo.jj(&["status"]);
    place.does(&["retry", &session, "--detach"]);
    place.wait_for_state(&session, "pending_merge");
    place.does(&["approve", &session]);
    place.wait_for_state(&session, "completed");
    assert_eq!(place.repo.jj_file("main", "shared.txt"), "ours");
    assert_eq!(place.repo.jj_file("main", "theirs.txt"), "theirs");
}

#[test]
fn without_one_nearest_bookmark_the_merge_says_what_to_do() {
    for kind in JjKind::ALL {
        let place = place(kind);
        place.repo.jj(&["bookmark", "create", "other", "-r", "@-"]);
        let text = "name: m\nsteps:\n  - { name: work, type: script, command: echo ours >ours.txt }\n  - { name: bring, type: merge }\n";
        let session = place.begin(text, &[]);
        let shown = place.wait_for_state(&session, "blocked");
        let error = step(&shown, "bring")["error"].as_str().unwrap().to_owned();
        assert!(error.contains("'into'") && error.contains("bookmark"), "{kind:?}: {error}");
        assert!(!error.contains("git switch"), "{kind:?}: {error}");
        place.repo.jj(&["bookmark", "delete", "other"]);
        place.does(&["retry", &session, "--detach"]);
        place.wait_for_state(&session, "pending_merge");
        place.does(&["approve", &session]);
        place.wait_for_state(&session, "completed");
        place.repo.jj(&["status"]);
        assert_eq!(place.repo.jj_file("main", "ours.txt"), "ours");
    }
}

/// A merge that was made and that jj did not learn of yet is not made again.
#[test]
fn a_driver_that_dies_after_the_merge_tells_jj_of_it_when_it_comes_back() {
    let place = place(JjKind::Alone);
    let text = "name: m\nsteps:\n  - { name: work, type: script, command: echo ours >ours.txt }\n  - { name: bring, type: merge, require_review: false }\n";
    let file = place.workflow(text);
    // A base that only jj understands.
    let mut begin = place.command(&["run", file.to_str().unwrap(), "--detach", "--base", "bookmarks(main)"]);
    begin.env("AGENCY_FAULT_POINT", "merge.moved");
    let session = place.answer(&mut begin)["session"].as_str().unwrap().to_owned();
    let shown = place.wait_for_state(&session, "completed");
    let summary = step(&shown, "bring")["summary"].as_str().unwrap().to_owned();
    assert_eq!(summary, "main has everything already");
    assert_eq!(place.repo.jj_file("main", "ours.txt"), "ours");
}

/// What jj makes of the HEAD of git in a repository that is not colocated, and of any that stands on the root revision.
const ODD_HEAD: &str = "ref: refs/jj/root";

fn head(repo: &Repo, git_directory: &str) -> String {
    std::fs::read_to_string(repo.path.join(git_directory).join("HEAD")).unwrap().trim_end().to_owned()
}

#[test]
fn sessions_follow_one_another_with_a_merge_each() {
    for kind in JjKind::ALL {
        let place = place(kind);
        for number in ["one", "two", "three"] {
            let text = format!(
                "name: m\nsteps:\n  - {{ name: work, type: script, command: echo {number} >{number}.txt }}\n  - {{ name: bring, \
                 type: merge, require_review: false }}\n  - {{ name: own, type: agent, adapter: worker, mode: headless, prompt: go, workspace: own }}\n"
            );
            let session = place.begin(&text, &[]);
            let shown = place.wait_for_state(&session, "completed");
            assert_eq!(step(&shown, "own")["state"], "done", "{kind:?}: {shown:#}");
            place.repo.jj(&["status"]);
            assert_eq!(place.repo.jj_file("main", &format!("{number}.txt")), number, "{kind:?}");
            // The next session begins from the merged work.
            place.repo.jj(&["rebase", "--revision", "@", "--destination", "main"]);
        }
        if kind == JjKind::Alone {
            assert_eq!(head(&place.repo, ".jj/repo/store/git"), ODD_HEAD);
        }
        place.world.ok(&["rm", "--all-finished"]);
        assert_eq!(std::fs::read_to_string(place.repo.path.join("mine.txt")).unwrap(), "not committed\n");
    }
}

#[test]
fn a_session_after_an_export_to_git_is_removed_and_restored() {
    let place = place(JjKind::Alone);
    place.repo.jj(&["git", "export"]);
    assert_eq!(head(&place.repo, ".jj/repo/store/git"), ODD_HEAD);
    let session = place.begin("name: w\nsteps:\n  - { name: work, type: script, command: echo x >x.txt }\n", &[]);
    place.wait_for_state(&session, "completed");
    let driver = place.driver(&session).id;
    let removed = place.world.json(&["rm", &driver])["data"].take();
    assert_eq!(removed["saved_ref"], format!("refs/agency/saved/{driver}"), "{removed:#}");
    let said = place.world.ok(&["restore", &driver]).stdout;
    let bookmark = format!("agency/restored-{driver}");
    assert_eq!(place.repo.jj_file(&format!("{bookmark:?}"), "x.txt"), "x", "jj knows it");
    // The command that is printed works, wherever it is run.
    let look = said.lines().find_map(|line| line.trim_start().strip_prefix("look  ")).unwrap();
    let output = place.world.run(Command::new("sh").args(["-c", look]).current_dir(place.world.root()));
    assert!(output.stdout.contains("+x"), "{look}: {output}");
    assert_eq!(head(&place.repo, ".jj/repo/store/git"), ODD_HEAD, "it is left to jj");
}

#[test]
fn a_run_with_git_begins_where_head_is_on_no_branch_of_git() {
    for (kind, git_directory) in [(JjKind::Alone, ".jj/repo/store/git"), (JjKind::Colocated, ".git")] {
        let place = place(kind);
        place.repo.jj(&["new", "root()"]);
        place.repo.jj(&["git", "export"]);
        assert_eq!(head(&place.repo, git_directory), ODD_HEAD, "{kind:?}");
        let options = ["--vcs", "git", "--base", "main", "--host", "detached", "--mode", "headless", "--wait"];
        let run = place.world.begin(&place.repo, "worker", &options).id;
        let removed = place.world.json(&["rm", &run])["data"].take();
        assert_eq!(removed["saved_ref"], format!("refs/agency/saved/{run}"), "{kind:?}: {removed:#}");
        place.world.json(&["restore", "--branch", "back", &run]);
        place.repo.jj(&["status"]);
        assert_eq!(place.repo.jj_file("back", "made.txt"), "made", "{kind:?}");
        assert_eq!(head(&place.repo, git_directory), ODD_HEAD, "{kind:?}: it is left to jj");
    }
}
