//! Removing runs and getting work back.

use std::fs;
use std::path::Path;
use std::process::Command;

use agency_model::ErrorCode;
use agency_testkit::agent::{self, Agent};
use serde_json::Value;

use super::{end, start, text, world};

fn untidy() -> Agent {
    Agent::new("echo committed > a.txt; git add a.txt; git commit -qm a; echo loose > b.txt; echo changed >> README.md")
}

// proves L17
#[test]
fn removing_saves_uncommitted_work_and_restore_brings_it_back() {
    let world = world();
    let repo = world.repo("project");
    world.agent("untidy", untidy());
    let run = start(&world, &repo, "untidy", &["--mode", "headless"]);
    let id = text(&run, "id");
    end(&world, &run);
    let removed = world.json(&["rm", id])["data"].take();
    assert_eq!((&removed["state"], &removed["removed"]), (&Value::from("completed"), &Value::from(true)));
    assert!(removed["removed_at"].is_string());
    assert_eq!(removed["saved_ref"], format!("refs/agency/saved/{id}"));
    assert!(!Path::new(text(&run, "worktree_path")).exists());
    assert_eq!(repo.worktrees().len(), 1);
    assert!(!world.tmux_sessions().contains(&format!("agency_{id}")));
    assert!(repo.branches().contains(&format!("agency/{id}")), "the branch stays");
    let restored = world.json(&["restore", id])["data"].take();
    let branch = format!("refs/heads/{}", text(&restored, "branch"));
    assert_eq!(repo.git(&["show", &format!("{branch}:b.txt")]).trim(), "loose");
    let readme = repo.git(&["show", &format!("{branch}:README.md")]);
    assert!(readme.trim_end().ends_with("changed"), "{readme}");
    assert_eq!(world.json(&["show", id])["data"]["state"], "completed", "removal does not change the state");
}

// proves L17
#[test]
fn files_that_git_ignores_go_with_the_worktree_and_are_named() {
    let world = world();
    let repo = world.repo("project");
    repo.commit_file(".gitignore", "*.log\nbuild/\n");
    world.agent("building", Agent::new("mkdir build; echo x > build/x; echo y > a.log"));
    let run = start(&world, &repo, "building", &["--host", "detached", "--mode", "headless"]);
    end(&world, &run);
    let planned = world.json(&["rm", "--dry-run", text(&run, "id")])["data"]["notes"].to_string();
    let removed = world.json(&["rm", text(&run, "id")])["data"]["notes"].to_string();
    for notes in [planned, removed] {
        assert!(notes.contains("not saved: a.log, build"), "{notes}");
    }
}

// proves L17
#[test]
fn a_clean_run_leaves_nothing_to_restore_and_is_removed_once() {
    let world = world();
    let repo = world.repo("project");
    world.agent("quiet", agent::quiet());
    let run = start(&world, &repo, "quiet", &["--host", "detached"]);
    let id = text(&run, "id");
    end(&world, &run);
    let first = world.json(&["rm", id])["data"].take();
    let second = world.json(&["rm", id])["data"].take();
    assert_eq!(first["removed_at"], second["removed_at"]);
    world.error(&["restore", id], ErrorCode::NothingSaved);
    let listed = |arguments: &[&str]| world.json(arguments)["data"]["runs"].as_array().unwrap().len();
    assert_eq!((listed(&["ls"]), listed(&["ls", "--all"])), (0, 1));
}

// proves L17, L18
#[test]
fn a_live_run_is_not_removed() {
    let world = world();
    let repo = world.repo("project");
    world.agent("waiting", agent::waiting());
    let run = start(&world, &repo, "waiting", &["--host", "detached"]);
    world.error(&["rm", text(&run, "id")], ErrorCode::InvalidState);
    assert!(Path::new(text(&run, "worktree_path")).exists());
}

// proves L17
#[test]
fn what_cannot_be_removed_is_named_with_the_command_that_removes_it() {
    let world = world();
    let repo = world.repo("project");
    world.agent("quiet", agent::quiet());
    let run = start(&world, &repo, "quiet", &["--host", "detached"]);
    let (id, worktree) = (text(&run, "id"), text(&run, "worktree_path"));
    end(&world, &run);
    repo.git(&["worktree", "lock", "--reason", "mine", worktree]);
    let error = world.error(&["rm", id], ErrorCode::CleanupFailed);
    let remaining = &error["details"]["remaining"][0];
    assert!(text(remaining, "resource").contains(worktree), "{remaining}");
    assert_eq!(text(remaining, "command"), format!("agency rm --force {id}"));
    assert!(Path::new(worktree).exists());
    repo.git(&["worktree", "unlock", worktree]);
    assert_eq!(world.json(&["rm", id])["data"]["removed"], true);
}

#[test]
fn all_finished_shows_its_plan_first_and_spares_the_living() {
    let world = world();
    let repo = world.repo("project");
    world.agent("untidy", untidy());
    world.agent("waiting", agent::waiting());
    let done = start(&world, &repo, "untidy", &["--host", "detached", "--mode", "headless"]);
    let alive = start(&world, &repo, "waiting", &["--host", "detached"]);
    end(&world, &done);
    let plan = world.json(&["rm", "--all-finished", "--dry-run"])["data"]["runs"].take();
    assert_eq!(plan.as_array().unwrap().len(), 1);
    assert_eq!(plan[0]["removed"], false);
    assert!(text(&plan[0], "why").starts_with("ended "), "{plan}");
    assert!(Path::new(text(&done, "worktree_path")).exists(), "a plan touches nothing");
    let young = world.json(&["rm", "--all-finished", "--older-than", "7d"])["data"]["runs"].take();
    assert_eq!(young, Value::Array(vec![]));
    let gone = world.json(&["rm", "--all-finished"])["data"]["runs"].take();
    assert_eq!((&gone[0]["id"], &gone[0]["removed"]), (&done["id"], &Value::from(true)));
    assert!(Path::new(text(&alive, "worktree_path")).exists());
}

#[test]
fn a_branch_is_deleted_only_on_request_and_an_unmerged_one_only_by_force() {
    let world = world();
    let repo = world.repo("project");
    world.agent("untidy", untidy());
    let run = start(&world, &repo, "untidy", &["--host", "detached", "--mode", "headless"]);
    let (id, branch) = (text(&run, "id"), text(&run, "new_branch"));
    end(&world, &run);
    world.error(&["rm", "--delete-branch", id], ErrorCode::CleanupFailed);
    assert!(repo.branches().contains(&branch.to_owned()));
    world.ok(&["rm", "--delete-branch", "--force", id]);
    assert!(!repo.branches().contains(&branch.to_owned()));
}

#[test]
fn a_worktree_deleted_by_hand_and_a_repository_that_moved_have_their_own_ways_out() {
    let world = world();
    let repo = world.repo("project");
    world.agent("quiet", agent::quiet());
    let by_hand = start(&world, &repo, "quiet", &["--host", "detached"]);
    let moved = start(&world, &repo, "quiet", &["--host", "detached"]);
    end(&world, &by_hand);
    end(&world, &moved);
    fs::remove_dir_all(text(&by_hand, "worktree_path")).unwrap();
    let removed = world.json(&["rm", text(&by_hand, "id")])["data"].take();
    assert!(removed["notes"].to_string().contains("by hand"), "{removed}");
    let (id, worktree, now) = (text(&moved, "id"), text(&moved, "worktree_path"), repo.path.with_extension("moved"));
    fs::write(Path::new(worktree).join("work"), "work").unwrap();
    fs::rename(&repo.path, &now).unwrap();
    let error = world.error(&["rm", id], ErrorCode::CleanupFailed);
    assert!(text(&error, "message").contains("worktree repair"), "{error}");
    assert!(Path::new(worktree).exists(), "files are kept");
    // What that message says leads to the end, and back.
    let repaired = Command::new("git").arg("-C").arg(&now).args(["worktree", "repair", worktree]).status().unwrap();
    assert!(repaired.success());
    world.ok(&["rm", id]);
    let plan = world.ok(&["rm", "--dry-run", id]).stdout;
    assert!(plan.contains("it was removed before"), "{plan}");
    let error = world.error(&["restore", id], ErrorCode::NotGitRepo);
    assert!(text(&error, "hint").contains("--repo"), "{error}");
    let restored = world.json(&["restore", "--repo", now.to_str().unwrap(), id])["data"].take();
    let commit = text(&restored, "commit");
    let shown = Command::new("git").arg("-C").arg(&now).args(["show", &format!("{commit}:work")]).output().unwrap();
    assert_eq!(shown.stdout, b"work");
}

#[test]
fn a_plan_does_not_count_nothing() {
    let world = world();
    let repo = world.repo("project");
    world.agent("tidy", Agent::new("echo committed > a.txt; git add a.txt; git commit -qm a"));
    world.agent("loose", Agent::new("echo loose > b.txt"));
    for (name, said) in [("tidy", "everything is committed"), ("loose", "1 file is not committed; it is saved first")] {
        let run = start(&world, &repo, name, &["--host", "detached", "--mode", "headless"]);
        end(&world, &run);
        let plan = world.ok(&["rm", "--dry-run", text(&run, "id")]).stdout;
        assert!(plan.contains(said) && !plan.contains("0 files"), "{plan}");
    }
}

/// Whatever is in the path of a repository and in the name of a branch, the printed command can be run as it is.
#[test]
fn the_command_that_restore_prints_can_be_run() {
    let world = world();
    let repo = world.repo("it's $HOME; here");
    world.agent("untidy", untidy());
    let run = start(&world, &repo, "untidy", &["--host", "detached", "--mode", "headless"]);
    end(&world, &run);
    let id = text(&run, "id");
    world.ok(&["rm", id]);
    let restored = world.ok(&["restore", "--branch", "it's;back", id]).stdout;
    let command = restored.lines().find_map(|line| line.trim().strip_prefix("look  ")).unwrap();
    let shown = Command::new("sh").args(["-c", command]).env("GIT_PAGER", "cat").output().unwrap();
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.status.success() && text.contains("+loose"), "{command}: {text}");
}

/// A plan that promises to save work is kept; one that would be refused says so, and what `--force` does.
#[test]
fn a_plan_names_what_a_removal_refuses() {
    let world = world();
    let repo = world.repo("project");
    world.agent("piping", Agent::new("mkdir q; echo x > q/new; mkfifo q/.gitattributes"));
    let run = start(&world, &repo, "piping", &["--host", "detached", "--mode", "headless"]);
    end(&world, &run);
    let id = text(&run, "id");
    let plan = world.ok(&["rm", "--dry-run", id]).stdout;
    assert!(plan.contains("is not removed without --force") && plan.contains("q/.gitattributes"), "{plan}");
    assert!(!plan.contains("saved first"), "{plan}");
    let forced = world.ok(&["rm", "--dry-run", "--force", id]).stdout;
    assert!(forced.contains("all its files are kept"), "{forced}");
    world.error(&["rm", id], ErrorCode::CleanupFailed);
    world.ok(&["rm", "--force", id]);
    let nothing = world.error(&["restore", id], ErrorCode::NothingSaved);
    let kept = world.agency_home().join("kept").join(id);
    assert!(text(&nothing, "message").contains(kept.to_str().unwrap()), "{nothing:#}");
}

/// Of a link that is in place of a worktree, only the link is kept.
#[test]
fn what_is_kept_of_a_worktree_that_became_a_link_is_said_exactly() {
    let world = world();
    let repo = world.repo("project");
    world.agent("untidy", untidy());
    let run = start(&world, &repo, "untidy", &["--host", "detached", "--mode", "headless"]);
    end(&world, &run);
    let (id, worktree) = (text(&run, "id"), Path::new(text(&run, "worktree_path")));
    let moved = world.root().join("moved");
    fs::rename(worktree, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, worktree).unwrap();
    let plan = world.ok(&["rm", "--dry-run", "--force", id]).stdout;
    assert!(plan.contains("neither saved nor touched") && !plan.contains("all its files"), "{plan}");
    let done = world.ok(&["rm", "--force", id]).stdout;
    let kept = world.agency_home().join("kept").join(id).join("worktree");
    let expected = format!("a link to {}; the link is kept as {}", moved.display(), kept.display());
    assert!(done.contains(&expected) && !done.contains("all its files"), "{done}");
    assert_eq!(fs::read_to_string(moved.join("b.txt")).unwrap(), "loose\n");
}

#[test]
fn an_edited_prompt_is_saved_and_one_that_is_as_it_was_given_is_not() {
    let world = world();
    let repo = world.repo("project");
    world.agent("editing", Agent::new("if [ -e \"$0.edit\" ]; then echo 'do more' >> .agency/prompt.md; fi"));
    for edited in [false, true] {
        if edited {
            fs::write(world.root().join("agents/editing.edit"), "").unwrap();
        }
        let run = start(&world, &repo, "editing", &["--host", "detached", "--mode", "headless"]);
        end(&world, &run);
        let id = text(&run, "id");
        let saved = world.agency_home().join("runs").join(id).join("prompt.edited.md");
        let plan = world.ok(&["rm", "--dry-run", id]).stdout;
        let done = world.ok(&["rm", id]).stdout;
        for said in [&plan, &done] {
            assert_eq!(said.contains(saved.to_str().unwrap()), edited, "{said}");
        }
        let given = fs::read_to_string(saved.with_file_name("prompt.md")).unwrap();
        let expected = edited.then(|| format!("{given}do more\n"));
        assert_eq!(fs::read_to_string(&saved).ok(), expected, "{done}");
    }
}

#[test]
fn diff_and_show_name_a_directory_that_git_cannot_open() {
    let world = world();
    let repo = world.repo("project");
    world.agent("deep", Agent::new("echo x > new"));
    let run = start(&world, &repo, "deep", &["--host", "detached", "--mode", "headless"]);
    end(&world, &run);
    let id = text(&run, "id");
    // Two paths that can be opened make one that cannot.
    let below = |top: &Path| (0..15).fold(top.to_owned(), |path, _| path.join("d".repeat(200)));
    let (outer, inner) = (below(Path::new(text(&run, "worktree_path"))), world.root().join("inner"));
    fs::create_dir_all(&outer).unwrap();
    fs::create_dir_all(below(&inner)).unwrap();
    fs::write(below(&inner).join("precious"), "deep\n").unwrap();
    fs::rename(&inner, outer.join("inner")).unwrap();
    for arguments in [["diff", id], ["show", id]] {
        let shown = world.ok(&arguments);
        let said = format!("{}{}", shown.stdout, shown.stderr);
        assert!(said.contains("could not open directory") && said.contains("new"), "{arguments:?}: {said}");
        let unread = world.json(&arguments)["data"]["unread"].take();
        assert!(unread[0].as_str().unwrap().contains("could not open directory"), "{unread}");
    }
}
