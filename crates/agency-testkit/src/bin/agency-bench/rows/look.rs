//! `agency show` and `agency diff` with many untracked files, beside git's own commands for them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agency_testkit::Repo;

use crate::Bench;
use crate::fixture::{BenchFixture, run_id, timed};
use crate::row::Row;
use crate::sample::Sample;

const FILES: usize = 10_000;

/// Warm: nothing changed since the last look. Cold: nothing is kept.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let place = BenchFixture::new(bench, 8);
    let repo = place.repo(100);
    let (_, output) = timed(&mut place.run(&repo, "true", &["--host", "detached"]));
    let id = run_id(&output);
    place.wait_for_end(&id);
    let worktree = fs::read_to_string(place.run_directory(&id).join("worktree_path.txt")).unwrap();
    let worktree = PathBuf::from(worktree.trim_end());
    for number in 0..FILES {
        // In directories with tracked files, so that git names each of them as well.
        let directory = worktree.join(format!("folder-{}", number % 2));
        fs::write(directory.join(format!("new-{number}.txt")), format!("file {number}\nof many\n")).unwrap();
    }
    // What was written in the second of a look is read again by the next one.
    std::thread::sleep(Duration::from_millis(1100));
    let rounds = bench.rounds(15, 5);
    let mut rows = cold(&place, &repo, &worktree, &id, rounds.min(5));
    for verb in ["show", "diff"] {
        rows.push(warm(&place, &worktree, &id, verb, rounds));
    }
    rows
}

fn cold(place: &BenchFixture, repo: &Repo, worktree: &Path, id: &str, rounds: usize) -> Vec<Row> {
    let kept = place.run_directory(id).join("git");
    let (mut ours, mut theirs) = (Sample::default(), Sample::default());
    for round in 0..=rounds {
        let _ = fs::remove_dir_all(&kept);
        let look = timed(&mut place.world().command(&["show", "--json", id])).0;
        let private = place.world().root().join(format!("add-{round}"));
        fs::create_dir_all(private.join("objects")).unwrap();
        let index = repo.path.join(".git/worktrees").join(id).join("index");
        fs::copy(index, private.join("index")).unwrap();
        let mut git = place.program("git");
        git.arg("-C").arg(worktree).args(["add", "--all"]);
        git.env("GIT_INDEX_FILE", private.join("index")).env("GIT_OBJECT_DIRECTORY", private.join("objects"));
        git.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", repo.path.join(".git/objects"));
        let add = timed(&mut git).0;
        if round > 0 {
            ours.add(look);
            theirs.add(add);
        }
    }
    let ratio = ours.ratio(&theirs);
    vec![Row {
        what: format!("`agency show`, {FILES} untracked files, first time"),
        ours: ours.to_string(),
        floor: "`git add --all` into a private index",
        theirs: theirs.to_string(),
        ratio: Some(ratio),
        limit: "≤ 1.3×",
        met: Some(ratio <= 1.3),
    }]
}

fn warm(place: &BenchFixture, worktree: &Path, id: &str, verb: &str, rounds: usize) -> Row {
    let (mut ours, mut theirs) = (Sample::default(), Sample::default());
    for round in 0..=rounds {
        let look = timed(&mut place.world().command(&[verb, "--json", id])).0;
        let git = |arguments: &[&str]| {
            let mut git = place.program("git");
            git.arg("-C").arg(worktree).args(arguments);
            timed(&mut git).0
        };
        let own = git(&["status"]) + git(&["diff", "--numstat"]);
        if round > 0 {
            ours.add(look);
            theirs.add(own);
        }
    }
    let ratio = ours.ratio(&theirs);
    Row {
        what: format!("`agency {verb}`, {FILES} untracked files, nothing changed"),
        ours: ours.to_string(),
        floor: "`git status`, `git diff --numstat`",
        theirs: theirs.to_string(),
        ratio: Some(ratio),
        limit: "≤ 3×",
        met: Some(ratio <= 3.0),
    }
}
