//! A checkpoint of a worktree, beside `git status`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agency_model::RunId;
use agency_workspace::{CheckpointCause, CheckpointMoment, GitWorktree, Workspace};

use crate::Bench;
use crate::fixture::{BenchFixture, timed};
use crate::row::Row;
use crate::sample::Sample;

/// How many files an agent wrote in its turn.
const CHANGED: usize = 5;

/// With few and with many files.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let place = BenchFixture::new(bench, 8);
    let rounds = bench.rounds(25, 7);
    [5_000, 50_000].into_iter().flat_map(|files| beside_status(&place, files, rounds)).collect()
}

fn beside_status(place: &BenchFixture, files: usize, rounds: usize) -> Vec<Row> {
    let worktree = prepared(place, files);
    let moment = CheckpointMoment::of(worktree.run.clone(), CheckpointCause::Turn);
    let take = || {
        let begun = Instant::now();
        worktree.take_checkpoint(&moment).unwrap();
        begun.elapsed()
    };
    let status = || {
        let mut git = place.program("git");
        timed(git.arg("-C").arg(&worktree.path).args(["--no-optional-locks", "status", "--porcelain"])).0
    };
    let [mut changed, mut unchanged, mut dirty, mut clean] = std::array::from_fn(|_| Sample::default());
    for round in 0..=rounds {
        write(&worktree.path, round);
        let (ours, theirs) = (take(), status());
        let (again, plain) = (take(), status());
        if round > 0 {
            changed.add(ours);
            dirty.add(theirs);
            unchanged.add(again);
            clean.add(plain);
        }
    }
    let row = |what: String, ours: &Sample, theirs: &Sample| {
        let ratio = ours.ratio(theirs);
        Row {
            what,
            ours: ours.to_string(),
            floor: "`git status`",
            theirs: theirs.to_string(),
            ratio: Some(ratio),
            limit: "≤ 2.2×",
            met: Some(ratio <= 2.2),
        }
    };
    vec![
        row(format!("a checkpoint, {CHANGED} of {files} files changed"), &changed, &dirty),
        row(format!("a checkpoint, none of {files} files changed"), &unchanged, &clean),
    ]
}

/// A worktree whose files are older than the first look, as those of an agent that has thought for a while.
fn prepared(place: &BenchFixture, files: usize) -> GitWorktree {
    let repo = place.repo(files);
    let run: RunId = "r_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap();
    let home = place.world().root().join(format!("checkpoints-{files}"));
    let looks = home.join("runs").join(run.as_str()).join("git");
    fs::create_dir_all(looks.parent().unwrap()).unwrap();
    let worktrees_root = home.join("worktrees");
    let worktree = GitWorktree {
        repository: repo.path.clone(),
        base: repo.git(&["rev-parse", "HEAD"]).trim().parse().unwrap(),
        branch: run.default_branch(),
        path: worktrees_root.join("0123456789abcdef").join(run.as_str()),
        trash: home.join("trash"),
        worktrees_root,
        looks: Some(looks),
        run,
    };
    worktree.prepare().unwrap();
    std::thread::sleep(Duration::from_millis(1100));
    // An agent's first command refreshes its index.
    timed(place.program("git").arg("-C").arg(&worktree.path).arg("status"));
    worktree
}

fn write(directory: &Path, round: usize) {
    let files = fs::read_dir(directory.join("folder-0")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
    files.sort();
    for file in files.iter().take(CHANGED) {
        fs::write(file, format!("round {round}\n")).unwrap();
    }
}
