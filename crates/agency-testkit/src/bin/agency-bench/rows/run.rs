//! `agency run` in tmux, beside the two commands that it cannot do without.

use crate::Bench;
use crate::fixture::{BenchFixture, run_id, settle, timed};
use crate::row::Row;
use crate::sample::Sample;
use agency_testkit::Repo;
use std::time::Duration;

/// In a repository of 5,000 files.
pub(crate) fn large(bench: &Bench) -> Vec<Row> {
    measure(bench, 5000, bench.rounds(15, 5), ("≤ 1.15×", 1.15))
}

/// In a repository of 100 files.
pub(crate) fn small(bench: &Bench) -> Vec<Row> {
    measure(bench, 100, bench.rounds(40, 10), ("≤ 1.3×", 1.3))
}

fn measure(bench: &Bench, files: usize, rounds: usize, (limit, most): (&'static str, f64)) -> Vec<Row> {
    let place = BenchFixture::new(bench, 8);
    let repo = place.repo(files);
    let (mut ours, mut theirs) = (Sample::default(), Sample::default());
    // The first round only warms up. Nothing is deleted before the end: on ext4 that would slow the next round down.
    for round in 0..=rounds {
        let mut times = [Duration::ZERO; 2];
        // Neither side always comes first.
        for side in [round % 2, 1 - round % 2] {
            times[side] = if side == 0 { agency(&place, &repo) } else { floor(&place, &repo, round) };
        }
        if round > 0 {
            ours.add(times[0]);
            theirs.add(times[1]);
        }
    }
    let ratio = ours.ratio(&theirs);
    vec![Row {
        what: format!("`agency run --host tmux` until it prints, {files} files"),
        ours: ours.to_string(),
        floor: "`git worktree add -b`, `tmux new-session -d`",
        theirs: theirs.to_string(),
        ratio: Some(ratio),
        limit,
        met: Some(ratio <= most),
    }]
}

fn agency(place: &BenchFixture, repo: &Repo) -> Duration {
    let (time, output) = timed(&mut place.run(repo, "true", &["--host", "tmux"]));
    place.wait_for_end(&run_id(&output));
    time
}

fn floor(place: &BenchFixture, repo: &Repo, round: usize) -> Duration {
    let name = format!("floor-{round}");
    let path = place.world().root().join("floor").join(&name);
    let mut git = place.program("git");
    git.arg("-C").arg(&repo.path);
    git.args(["worktree", "add", "--quiet", "-b", &name]).arg(&path);
    let mut tmux = place.tmux();
    tmux.args(["new-session", "-d", "-s", &name, "-c"]).arg(&path).arg("true");
    let time = timed(&mut git).0 + timed(&mut tmux).0;
    settle();
    time
}
