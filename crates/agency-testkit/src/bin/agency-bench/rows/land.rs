//! `agency land` without checks on a branch that is not checked out, beside the git commands that do the least of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::Bench;
use crate::fixture::{BenchFixture, run_id, succeed, timed};
use crate::row::Row;
use crate::sample::Sample;

const FILES: usize = 5_000;
/// So many files are changed for each landing.
const CHANGED: usize = 5;

pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let place = BenchFixture::new(bench, 8);
    let repo = place.repo(FILES);
    for branch in ["side", "other"] {
        repo.git(&["branch", branch]);
    }
    let (_, output) = timed(&mut place.run(&repo, "true", &["--host", "detached"]));
    let id = run_id(&output);
    place.wait_for_end(&id);
    let worktree = fs::read_to_string(place.run_directory(&id).join("worktree_path.txt")).unwrap();
    let worktree = PathBuf::from(worktree.trim_end());
    let git = |words: &[&str]| {
        let mut git = place.program("git");
        git.arg("-C").arg(&worktree).args(words);
        git
    };
    let (mut ours, mut theirs) = (Sample::default(), Sample::default());
    for round in 0..=bench.rounds(15, 5) {
        change(&worktree, round);
        let land = timed(place.world().command(&["land", &id, "--into", "side", "--no-check", "--json"]).arg("-q")).0;
        let least = least(&git);
        if round > 0 {
            ours.add(land);
            theirs.add(least);
        }
    }
    let ratio = ours.ratio(&theirs);
    vec![Row {
        what: format!("`agency land`, {FILES} files, {CHANGED} changed and not committed, no checks"),
        ours: ours.to_string(),
        floor: "`git status`, `merge-tree`, `commit-tree`, `update-ref`",
        theirs: theirs.to_string(),
        ratio: Some(ratio),
        limit: "≤ 2.5×",
        met: Some(ratio <= 2.5),
    }]
}

/// Changes files as an agent would, in another second than git's index.
fn change(worktree: &Path, round: usize) {
    std::thread::sleep(Duration::from_millis(1100));
    for number in 0..CHANGED {
        fs::write(worktree.join(format!("changed-{number}.txt")), format!("round {round}\n")).unwrap();
    }
}

/// What merges the branch of the worktree into another one at the least.
fn least(git: &dyn Fn(&[&str]) -> Command) -> Duration {
    let line = |mut command: Command| {
        let (time, output) = timed(&mut command);
        (time, String::from_utf8(output.stdout).unwrap().trim().to_owned())
    };
    let head = String::from_utf8(succeed(&mut git(&["rev-parse", "HEAD"])).stdout).unwrap().trim().to_owned();
    let (status, _) = line(git(&["status", "--porcelain"]));
    let (merge, tree) = line(git(&["merge-tree", "--write-tree", "other", "HEAD"]));
    let (commit, made) = line(git(&["commit-tree", "-p", "other", "-p", &head, "-m", "merge", &tree]));
    let (update, _) = line(git(&["update-ref", "refs/heads/other", &made]));
    status + merge + commit + update
}
