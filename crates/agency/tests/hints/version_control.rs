//! Printed commands of git and jj that take a name away or change files, and what stays.

use std::fs;
use std::path::{Path, PathBuf};

use agency_model::ErrorCode;
use agency_testkit::{JjKind, Repo, World};

use super::work::{Work, follow};

struct JjPlace {
    world: World,
    repo: Repo,
    id: String,
    worktree: PathBuf,
}

impl JjPlace {
    fn new() -> Self {
        let world = World::with_jj(Path::new(env!("CARGO_BIN_EXE_agency")));
        let repo = world.jj_repo("project", JjKind::Colocated);
        world.agent("worker", "echo loose > b.txt; echo x >> README.md");
        let run = world.begin(&repo, "worker", &["--vcs", "jj", "--host", "detached", "--mode", "headless"]);
        let worktree = PathBuf::from(world.ended(&run)["worktree_path"].as_str().unwrap());
        Self { world, repo, id: run.id, worktree }
    }
}

// The message that names it needs two runs with the same id, which a test cannot make; the command is as printed.
#[test]
fn a_workspace_is_forgotten_and_its_files_stay() {
    let place = JjPlace::new();
    let work = Work::of(&place.repo, &place.worktree);
    let command = format!("jj -R {} workspace forget agency-{}", place.repo.path.display(), place.id);
    follow(&place.world, &place.repo, &command);
    work.is_nowhere_lost(&place.world, &place.repo, &place.worktree);
    place.world.ok(&["rm", &place.id]);
    work.is_nowhere_lost(&place.world, &place.repo, &place.worktree);
    assert!(!place.worktree.exists());
}

#[test]
fn a_bookmark_is_deleted_and_the_revision_stays() {
    let place = JjPlace::new();
    let work = Work::of(&place.repo, &place.worktree);
    let error = place.world.error(&["rm", "--delete-branch", &place.id], ErrorCode::Usage);
    let message = error["message"].as_str().unwrap();
    let command = &message[message.find("jj bookmark delete").unwrap()..];
    place.world.ok(&["rm", &place.id]);
    follow(&place.world, &place.repo, command);
    work.is_nowhere_lost(&place.world, &place.repo, &place.worktree);
    assert!(!place.worktree.exists());
}

#[test]
fn a_saved_stash_is_applied_and_stays() {
    let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
    let repo = world.repo("project");
    fs::write(repo.path.join("README.md"), "changed\n").unwrap();
    let stash = repo.git(&["stash", "create"]);
    repo.git(&["update-ref", "refs/agency/saved/changes", stash.trim()]);
    repo.git(&["checkout", "-q", "--", "README.md"]);
    fs::write(repo.path.join("mine.txt"), "mine\n").unwrap();
    follow(&world, &repo, &format!("git -C {} stash apply refs/agency/saved/changes", repo.path.display()));
    assert_eq!(fs::read_to_string(repo.path.join("README.md")).unwrap(), "changed\n");
    assert_eq!(fs::read_to_string(repo.path.join("mine.txt")).unwrap(), "mine\n");
    assert_eq!(repo.git(&["rev-parse", "refs/agency/saved/changes"]), stash);
}
