//! What is always true once `agency reconcile` has looked.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use agency_testkit::Run;

use super::act::{Act, worktree_of};
use super::cases::Case;
use super::database::{Row, rows};
use super::scene::Scene;

/// Every invariant.
pub(super) fn check(case: &Case, scene: &Scene) {
    let rows = rows(&scene.world.agency_home());
    rows.iter().for_each(check_legal);
    nothing_without_a_row(scene, &rows);
    let target = scene.target();
    for row in &rows {
        let asked_to_go = case.act.removes() && target.as_ref().is_some_and(|run| run.id == row.id);
        if !asked_to_go {
            no_row_without_its_resources(scene, row);
        }
    }
    if let (true, Some(run)) = (case.act.removes(), &target) {
        work_is_kept(scene, run);
        if case.act == Act::RemoveNested {
            assert!(worktree_of(scene, run).join("inner/file").exists() || kept_file(scene, run).exists());
        }
    }
    bystanders_and_doctor(scene);
}

/// Nothing is left of a run that was removed but its record, its logs and its saved work.
pub(super) fn check_removed(case: &Case, scene: &Scene, run: &Run) {
    let rows = rows(&scene.world.agency_home());
    let row = rows.iter().find(|row| row.id == run.id).unwrap();
    assert!(row.removed_at.is_some(), "{row:?}");
    nothing_without_a_row(scene, &rows);
    assert!(!worktree_of(scene, run).exists());
    assert!(!scene.world.tmux_sessions().contains(&format!("agency_{}", run.id)));
    assert!(run.processes().is_empty() && !run.is_supervised());
    let kept = scene.repo.branches().contains(&format!("agency/{}", run.id));
    assert_eq!(kept, matches!(case.act, Act::Remove | Act::RemoveNested), "the branch stays unless it is asked to go");
    if case.act.removes() {
        let saved = format!("refs/agency/saved/{}:new.txt", run.id);
        assert_eq!(scene.repo.git(&["cat-file", "-p", &saved]), "precious");
    }
    if case.act == Act::RemoveNested {
        assert!(kept_file(scene, run).exists(), "what no ref can hold is moved");
    }
    bystanders_and_doctor(scene);
}

fn bystanders_and_doctor(scene: &Scene) {
    for bystander in &scene.bystanders {
        bystander.check(&scene.world, &scene.repo);
    }
    let answer = scene.world.json(&["doctor"]);
    for check in answer["data"]["checks"].as_array().unwrap() {
        // The world has no claude on its PATH, and everybody may look into its home.
        let excused = ["agent claude_code", "home"].contains(&check["name"].as_str().unwrap());
        assert!(excused || check["health"] == "ok", "{check:#}");
    }
}

fn check_legal(row: &Row) {
    assert!(row.is_over() || ["queued", "running"].contains(&row.state.as_str()), "{row:?}");
    assert_eq!(row.ended_at.is_some(), row.is_over(), "{row:?}");
    assert_eq!(row.reason.is_some(), row.is_over(), "{row:?}");
    assert!(row.phase.is_none() || row.state == "running", "{row:?}");
    // A run of which only the exit code is known says so, however it ended.
    let only_exit_code = row.error.as_deref().is_some_and(|error| error.contains("exit_code.txt is all that is known"));
    assert!(only_exit_code || row.error.is_some() == (row.state == "failed"), "{row:?}");
    assert!(row.exit_code.is_none() || row.is_over(), "{row:?}");
    assert!(row.removed_at.is_none() || row.is_over(), "{row:?}");
}

fn nothing_without_a_row(scene: &Scene, rows: &[Row]) {
    let home = scene.world.agency_home();
    let present = || rows.iter().filter(|row| row.removed_at.is_none());
    let ids: Vec<String> = scene.world.runs().into_iter().map(|run| run.id).collect();
    assert_eq!(ids, rows.iter().map(|row| row.id.clone()).collect::<Vec<_>>(), "run directories");

    let branches: BTreeSet<_> = scene.repo.branches().into_iter().filter(|name| name != "main").collect();
    let known = rows.iter().filter_map(|row| row.branch.clone()).collect();
    assert!(branches.is_subset(&known), "{branches:?} {known:?}");

    let known: BTreeSet<PathBuf> = present().filter_map(|row| row.worktree.as_ref().map(PathBuf::from)).collect();
    let listed: BTreeSet<_> = scene.repo.worktrees().into_iter().skip(1).collect();
    assert!(listed.is_subset(&known), "{listed:?} {known:?}");
    let repositories = children(&home.join("worktrees"));
    let found: BTreeSet<_> = repositories.iter().flat_map(|path| children(path)).collect();
    assert!(found.is_subset(&known), "{found:?} {known:?}");
    assert_eq!(children(&home.join("trash")), Vec::<PathBuf>::new());

    let noted: Vec<PathBuf> = children(&home.join("pids"));
    let mut living: Vec<PathBuf> = vec![];
    for row in rows.iter().filter(|row| row.state == "running") {
        living.push(home.join("pids").join(format!("{}.json", row.id)));
    }
    assert_eq!(BTreeSet::from_iter(noted), BTreeSet::from_iter(living), "pid files");

    let sessions: BTreeSet<_> = scene.world.tmux_sessions().into_iter().collect();
    let known = present().filter_map(|row| row.session.clone()).collect();
    assert!(sessions.is_subset(&known), "{sessions:?} {known:?}");
}

fn no_row_without_its_resources(scene: &Scene, row: &Row) {
    let run = scene.world.run_with_id(&row.id);
    let live = !row.is_over();
    assert_eq!(run.is_supervised(), live, "{row:?}");
    if !live {
        assert!(run.processes().is_empty(), "{row:?}: {:?}", run.processes());
    }
    if row.removed_at.is_some() || ["failed", "killed"].contains(&row.state.as_str()) {
        return;
    }
    let worktree = PathBuf::from(row.worktree.as_ref().unwrap());
    assert!(worktree.join("README.md").exists(), "{row:?}");
    assert!(scene.repo.worktrees().contains(&worktree), "{row:?}");
    assert!(scene.repo.branches().contains(row.branch.as_ref().unwrap()), "{row:?}");
    if let (true, Some(session)) = (live, &row.session) {
        assert!(scene.world.tmux_sessions().contains(session), "{row:?}");
    }
}

/// The work that was not committed is where it was, or in the ref that keeps it.
fn work_is_kept(scene: &Scene, run: &Run) {
    let in_place = fs::read_to_string(worktree_of(scene, run).join("new.txt")).is_ok_and(|text| text == "precious\n");
    if !in_place {
        let saved = |name: &str| scene.repo.git(&["cat-file", "-p", &format!("refs/agency/saved/{}:{name}", run.id)]);
        assert_eq!((saved("new.txt"), saved("README.md")), ("precious".into(), "changed".into()));
    }
}

fn children(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Where a file of the nested repository is after it was moved.
fn kept_file(scene: &Scene, run: &Run) -> PathBuf {
    scene.world.agency_home().join("kept").join(&run.id).join("worktree/inner/file")
}
