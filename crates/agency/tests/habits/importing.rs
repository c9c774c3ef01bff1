//! `import`: the worktrees of other programs become finished runs, and nothing of them is changed.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use agency_testkit::{Repo, World};
use serde_json::{Value, json};

use super::{data, here, world};

/// A worktree of the repository with a commit and a file that is not committed.
fn worktree(world: &World, repo: &Repo, branch: &str) -> PathBuf {
    let path = world.root().join("elsewhere").join(branch);
    repo.git(&["worktree", "add", "--quiet", "-b", branch, path.to_str().unwrap()]);
    std::fs::write(path.join("done.txt"), "done\n").unwrap();
    path
}

/// The state file of claude-squad, as its source describes it.
fn squad(world: &World, repo: &Repo, instances: &[(&str, PathBuf)]) -> String {
    let base = repo.git(&["rev-parse", "HEAD"]);
    let instance = |(title, path): &(&str, PathBuf)| {
        json!({
            "title": title, "path": repo.path, "branch": title, "status": 1, "height": 40, "width": 120,
            "created_at": "2025-06-01T10:00:00.5+02:00", "updated_at": "2025-06-01T10:05:00.5+02:00",
            "auto_yes": false, "program": "claude --model opus",
            "worktree": {
                "repo_path": repo.path, "worktree_path": path, "session_name": title,
                "branch_name": title, "base_commit_sha": base
            },
            "diff_stats": { "added": 1, "removed": 0, "content": "" }
        })
    };
    let state = json!({ "help_screens_seen": 3, "instances": instances.iter().map(instance).collect::<Vec<Value>>() });
    let place = world.root().join("home/.claude-squad");
    std::fs::create_dir_all(&place).unwrap();
    std::fs::write(place.join("state.json"), state.to_string()).unwrap();
    state.to_string()
}

#[test]
fn instances_of_claude_squad_become_runs_that_are_only_forgotten() {
    let (world, repo) = world();
    let path = worktree(&world, &repo, "fix-login");
    let outside = world.repo("other");
    let state = squad(
        &world,
        &repo,
        &[("fix-login", path.clone()), ("gone", world.root().join("gone")), ("foreign", outside.path.clone())],
    );
    let before = data(&world, &repo, &["import", "claude-squad", "--dry-run"]);
    assert_eq!(before["runs"].as_array().unwrap().len(), 1, "{before}");
    assert_eq!(before["left_out"].as_array().unwrap().len(), 2, "{before}");
    assert_eq!(data(&world, &repo, &["ls"])["runs"], json!([]), "a dry run does nothing");
    let imported = data(&world, &repo, &["import", "claude-squad"]);
    let run = &imported["runs"][0];
    assert_eq!(run["reason"], "imported", "{run}");
    assert_eq!(
        (&run["state"], &run["name"], &run["runner"]),
        (&json!("completed"), &json!("fix-login"), &json!("claude"))
    );
    let diff = world.run(&mut here(&world, &repo, &["diff", "fix-login"])).stdout;
    assert!(diff.contains("done.txt"), "{diff}");
    // What is a run already is left out.
    let again = data(&world, &repo, &["import", "claude-squad"]);
    assert_eq!(again["runs"], json!([]));
    assert!(again["left_out"][0]["why"].as_str().unwrap().contains("fix-login already"), "{again}");
    // A lost database comes back, this run included.
    for name in ["agency.db", "agency.db-wal", "agency.db-shm"] {
        let _ = std::fs::remove_file(world.root().join("agency").join(name));
    }
    world.run(&mut here(&world, &repo, &["reconcile"]));
    assert_eq!(data(&world, &repo, &["show", "fix-login"])["reason"], "imported");
    let planned = data(&world, &repo, &["rm", "--dry-run", "--delete-branch", "fix-login"]);
    let removed = data(&world, &repo, &["rm", "--delete-branch", "fix-login"]);
    let stays =
        format!("the worktree {} stays: it belongs to the program that the run was imported from", path.display());
    assert_eq!(planned["notes"], json!([stays, "the branch fix-login stays"]), "{planned}");
    assert_eq!(removed["notes"], planned["notes"], "{removed}");
    assert_eq!(std::fs::read_to_string(path.join("done.txt")).unwrap(), "done\n");
    assert!(repo.git(&["worktree", "list"]).contains("fix-login"));
    repo.git(&["rev-parse", "--verify", "fix-login"]);
    assert_eq!(repo.git(&["for-each-ref", "refs/agency"]), "", "nothing is saved, because nothing goes away");
    let state_now = std::fs::read_to_string(world.root().join("home/.claude-squad/state.json")).unwrap();
    assert_eq!(state_now, state);
}

/// Plants a program wherever git would start one for a worktree, and a repository of its own in the place of its `.git`.
fn plant(world: &World, path: &Path, note: &Path) {
    let planted = path.join("planted");
    let script = format!("#!/bin/sh\necho ran \"$@\" >> '{}'\ncat\n", note.display());
    std::fs::write(&planted, script).unwrap();
    std::fs::set_permissions(&planted, std::fs::Permissions::from_mode(0o755)).unwrap();
    let planted = planted.display();
    let config = format!(
        "[core]\n\tfsmonitor = {planted}\n[filter \"x\"]\n\tclean = {planted}\n[diff]\n\texternal = {planted}\n\
         [diff \"x\"]\n\ttextconv = {planted}\n\tcommand = {planted}\n"
    );
    std::fs::write(path.join(".gitattributes"), "* filter=x diff=x\n").unwrap();
    std::fs::write(path.join("README.md"), "changed\n").unwrap();
    let git = |arguments: &[&str]| {
        let output = world.program("git").arg("-C").arg(path).args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let admin = git(&["rev-parse", "--absolute-git-dir"]);
    std::fs::write(Path::new(&admin).join("config.worktree"), &config).unwrap();
    let evil = world.root().join("evil");
    world.program("git").args(["clone", "-q", "--bare", "."]).arg(&evil).current_dir(path).output().unwrap();
    let config =
        format!("{}{config}", std::fs::read_to_string(evil.join("config")).unwrap().replace("bare = true", ""));
    std::fs::write(evil.join("config"), config).unwrap();
    std::fs::write(path.join(".git"), format!("gitdir: {}\n", evil.display())).unwrap();
    let _ = std::fs::remove_file(note);
    // It is alive: git itself would run it.
    git(&["status"]);
    assert!(note.exists(), "git does not run what was planted");
    std::fs::remove_file(note).unwrap();
}

/// `core.fsmonitor`, filters, `textconv` and external diffs in `config.worktree` and in a repository that `.git` names.
#[test]
fn nothing_that_an_agent_planted_in_an_imported_worktree_runs() {
    let (world, repo) = world();
    repo.git(&["config", "extensions.worktreeConfig", "true"]);
    let note = world.root().join("ran");
    let [early, late] = ["planted-before", "planted-after"].map(|branch| worktree(&world, &repo, branch));
    squad(&world, &repo, &[("planted-before", early.clone()), ("planted-after", late.clone())]);
    plant(&world, &early, &note);
    let imported = data(&world, &repo, &["import", "claude-squad"]);
    assert_eq!(imported["runs"].as_array().unwrap().len(), 2, "{imported}");
    std::fs::remove_dir_all(world.root().join("evil")).unwrap();
    plant(&world, &late, &note);
    for name in ["planted-before", "planted-after"] {
        let diff = world.run(&mut here(&world, &repo, &["diff", name])).stdout;
        assert!(diff.contains("+changed") && diff.contains("done.txt"), "{diff}");
        let shown = data(&world, &repo, &["show", name]);
        assert!(shown["changed_files"].to_string().contains("README.md"), "{shown}");
        data(&world, &repo, &["rm", name]);
    }
    assert!(!note.exists(), "{}", std::fs::read_to_string(&note).unwrap_or_default());
    assert_eq!(std::fs::read_to_string(early.join("README.md")).unwrap(), "changed\n");
}

#[test]
fn worktrees_of_workmux_are_those_that_the_repository_has_notes_of() {
    let (world, repo) = world();
    worktree(&world, &repo, "tidy-cart");
    worktree(&world, &repo, "by-hand");
    repo.git(&["config", "workmux.worktree.tidy-cart.mode", "window"]);
    repo.git(&["config", "branch.tidy-cart.workmux-base", "main"]);
    let imported = data(&world, &repo, &["import", "workmux"]);
    let names: Vec<&str> =
        imported["runs"].as_array().unwrap().iter().map(|run| run["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["tidy-cart"]);
    assert_eq!(imported["runs"][0]["runner"], "workmux");
}

#[test]
fn state_that_is_not_there_or_not_understood_is_named() {
    let (world, repo) = world();
    for program in ["claude-squad", "vibe-kanban"] {
        let refused = world.run(&mut here(&world, &repo, &["import", program]));
        assert!(!refused.status.success() && refused.stderr.contains("--from PATH"), "{refused}");
    }
    std::fs::create_dir_all(world.root().join("home/.claude-squad")).unwrap();
    std::fs::write(world.root().join("home/.claude-squad/state.json"), "{\"instances\": 3}").unwrap();
    let refused = world.run(&mut here(&world, &repo, &["import", "claude-squad"]));
    assert!(refused.stderr.contains("state.json"), "{refused}");
}
