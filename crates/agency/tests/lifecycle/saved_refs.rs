//! Where saved work is kept, and that the refs of older versions still serve.

use std::fs;
use std::os::unix::process::ExitStatusExt;

use agency_testkit::{Repo, World};
use rusqlite::Connection;
use serde_json::Value;

use super::{end, start, text, world};

const UNTIDY: &str = "echo committed > a.txt; git add a.txt; git commit -qm a; echo loose > b.txt";

/// A removed run with saved work; its id and the commit of that work.
fn removed(world: &World, repo: &Repo) -> (String, String) {
    world.agent("untidy", UNTIDY);
    let run = start(world, repo, "untidy", &["--host", "detached", "--mode", "headless"]);
    end(world, &run);
    let id = text(&run, "id").to_owned();
    world.ok(&["rm", &id]);
    let commit = repo.git(&["rev-parse", &format!("refs/agency/saved/{id}")]);
    (id, commit.trim().to_owned())
}

/// The same, as an older version leaves it.
fn removed_by_older_version(world: &World, repo: &Repo) -> (String, String) {
    let (id, commit) = removed(world, repo);
    let (old, new) = (format!("refs/agency/{id}"), format!("refs/agency/saved/{id}"));
    repo.git(&["update-ref", &old, &commit]);
    repo.git(&["update-ref", "-d", &new]);
    let database = Connection::open(world.agency_home().join("agency.db")).unwrap();
    database.execute("UPDATE runs SET saved_ref = ?1 WHERE id = ?2", [&old, &id]).unwrap();
    let meta = world.agency_home().join("runs").join(&id).join("meta.json");
    fs::write(&meta, fs::read_to_string(&meta).unwrap().replace(&new, &old)).unwrap();
    (id, commit)
}

fn refs(repo: &Repo) -> Vec<String> {
    let printed = repo.git(&["for-each-ref", "--format=%(refname)", "refs/agency"]);
    printed.lines().map(str::to_owned).collect()
}

fn meta(world: &World, id: &str) -> Value {
    let text = fs::read(world.agency_home().join("runs").join(id).join("meta.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// Everything says that the work is at the new ref, and only there.
#[track_caller]
fn is_moved(world: &World, repo: &Repo, id: &str, commit: &str) {
    let new = format!("refs/agency/saved/{id}");
    assert_eq!(refs(repo), [new.as_str()]);
    assert_eq!(repo.git(&["rev-parse", &new]).trim(), commit);
    assert_eq!(world.json(&["show", id])["data"]["saved_ref"], new.as_str());
    assert_eq!(meta(world, id)["saved_ref"], new.as_str());
}

// proves L17: after rm, the short name of the branch means the branch
#[test]
fn after_rm_git_merge_of_the_short_name_merges_the_branch() {
    let world = world();
    let repo = world.repo("project");
    let (id, _) = removed(&world, &repo);
    repo.git(&["merge", "-q", "--no-edit", &format!("agency/{id}")]);
    assert!(repo.path.join("a.txt").exists(), "the branch is merged");
    assert!(!repo.path.join("b.txt").exists(), "the saved work is not");
}

#[test]
fn restore_show_and_rm_read_the_ref_of_an_older_version() {
    let world = world();
    let repo = world.repo("project");
    let (id, commit) = removed_by_older_version(&world, &repo);
    let old = format!("refs/agency/{id}");
    assert_eq!(world.json(&["show", &id])["data"]["saved_ref"], old.as_str());
    assert_eq!(world.json(&["rm", &id])["data"]["saved_ref"], old.as_str());
    assert_eq!(world.json(&["restore", &id])["data"]["commit"], commit.as_str());
    assert_eq!(refs(&repo), [old]);
}

#[test]
fn reconcile_moves_the_refs_of_older_versions_and_then_the_branch_is_meant() {
    let world = world();
    let repo = world.repo("project");
    let (id, commit) = removed_by_older_version(&world, &repo);
    let planned = world.json(&["reconcile", "--dry-run"])["data"]["swept"].to_string();
    assert!(planned.contains("would move"), "{planned}");
    assert_eq!(refs(&repo), [format!("refs/agency/{id}")], "a plan changes nothing");
    let swept = world.json(&["reconcile"])["data"]["swept"].to_string();
    assert!(swept.contains(&format!("refs/agency/saved/{id}")), "{swept}");
    is_moved(&world, &repo, &id, &commit);
    assert_eq!(world.json(&["reconcile"])["data"]["swept"], Value::Array(vec![]), "there is nothing left to move");
    repo.git(&["merge", "-q", "--no-edit", &format!("agency/{id}")]);
    assert!(!repo.path.join("b.txt").exists());
}

#[test]
fn a_reconcile_that_is_killed_while_it_moves_refs_is_repeated() {
    for point in ["refs.moved", "refs.noted"] {
        let world = world();
        let repo = world.repo("project");
        let (id, commit) = removed_by_older_version(&world, &repo);
        let killed = world.run(world.command(&["reconcile"]).env("AGENCY_FAULT_POINT", point));
        assert_eq!(killed.status.signal(), Some(9), "{point}: {killed}");
        assert_eq!(world.json(&["restore", &id])["data"]["commit"], commit.as_str(), "{point}");
        world.ok(&["reconcile"]);
        is_moved(&world, &repo, &id, &commit);
    }
}

#[test]
fn a_new_ref_is_never_overwritten_and_both_stay_readable() {
    let world = world();
    let repo = world.repo("project");
    let (id, commit) = removed_by_older_version(&world, &repo);
    let other = repo.git(&["rev-parse", "main"]).trim().to_owned();
    repo.git(&["update-ref", &format!("refs/agency/saved/{id}"), &other]);
    let swept = world.json(&["reconcile"])["data"]["swept"].to_string();
    assert!(swept.contains("both were kept"), "{swept}");
    assert_eq!(repo.git(&["rev-parse", &format!("refs/agency/{id}")]).trim(), commit);
    assert_eq!(repo.git(&["rev-parse", &format!("refs/agency/saved/{id}")]).trim(), other);
}

#[test]
fn work_that_an_older_version_saved_before_it_was_killed_is_in_what_rm_saves() {
    let world = world();
    let repo = world.repo("project");
    world.agent("untidy", UNTIDY);
    let run = start(&world, &repo, "untidy", &["--host", "detached", "--mode", "headless"]);
    end(&world, &run);
    let id = text(&run, "id");
    let killed = world.run(world.command(&["rm", id]).env("AGENCY_FAULT_POINT", "worktree.saved"));
    assert_eq!(killed.status.signal(), Some(9), "{killed}");
    let (old, new) = (format!("refs/agency/{id}"), format!("refs/agency/saved/{id}"));
    repo.git(&["update-ref", &old, &new]);
    repo.git(&["update-ref", "-d", &new]);
    fs::write(format!("{}/later.txt", text(&run, "worktree_path")), "later\n").unwrap();
    assert_eq!(world.json(&["rm", id])["data"]["saved_ref"], new.as_str());
    assert_eq!(repo.git(&["show", &format!("{new}:later.txt")]).trim(), "later");
    repo.git(&["merge-base", "--is-ancestor", &old, &new]);
}
