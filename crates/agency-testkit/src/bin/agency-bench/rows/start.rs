//! A run without a workspace: from `agency run` to the first instruction of the agent, to the end of one that does
//! nothing, and what `agency show` of it takes.

use crate::Bench;
use crate::fixture::{BenchFixture, run_id, settle, succeed, timed};
use crate::row::Row;
use crate::sample::Sample;
use crate::stamp;
use agency_testkit::Repo;
use std::time::Duration;

const OPTIONS: [&str; 4] = ["--host", "detached", "--workspace", "none"];
/// A run that ends at once may take so many times as long as one takes until its agent has started.
const MOST_OF_START: f64 = 1.5;

/// Detached and without a workspace.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let place = BenchFixture::new(bench, 8);
    let repo = place.repo(100);
    let mut samples: [Sample; 6] = Default::default();
    for round in 0..=bench.rounds(60, 15) {
        let started = agency(&place, &repo);
        let floor = floor(&place);
        let (waited, id) = waited(&place, &repo);
        let shell = spawned(&place, "sh", &["-c", "true"]);
        let shown = timed(&mut place.world().command(&["show", "--json", &id])).0;
        let nothing = spawned(&place, "/bin/true", &[]);
        if round > 0 {
            for (sample, time) in samples.iter_mut().zip([started, floor, waited, shell, shown, nothing]) {
                sample.add(time);
            }
        }
    }
    let [started, floor, waited, shell, shown, nothing] = samples;
    let soon = waited.ratio(&started) <= MOST_OF_START;
    let row = |what: &str, (ours, theirs): (&Sample, &Sample), floor, limit, met: bool| Row {
        what: what.to_owned(),
        ours: ours.to_string(),
        floor,
        theirs: theirs.to_string(),
        ratio: Some(ours.ratio(theirs)),
        limit,
        met: Some(met),
    };
    vec![
        row(
            "`agency run --host detached --workspace none` until the agent has started",
            (&started, &floor),
            "`setsid sh -c … &` from a shell",
            "≤ 2.0×",
            started.ratio(&floor) <= 2.0,
        ),
        row(
            "the same of `true` with `--wait` until it returns",
            (&waited, &shell),
            "`sh -c true`",
            "≤ 12×, and ≤ 1.5× of the row above",
            waited.ratio(&shell) <= 12.0 && soon,
        ),
        row("`agency show` of such a run", (&shown, &nothing), "`/bin/true`", "≤ 8×", shown.ratio(&nothing) <= 8.0),
    ]
}

fn agency(place: &BenchFixture, repo: &Repo) -> Duration {
    let mut command = place.run(repo, "report", &OPTIONS);
    let before = stamp::now();
    let output = succeed(&mut command);
    let mut report = place.next_report();
    report.release();
    place.wait_for_end(&run_id(&output));
    report.started - before
}

/// The same agent, so that the start of its program counts on both sides.
fn floor(place: &BenchFixture) -> Duration {
    let mut command = place.program("sh");
    command.args(["-c", r#"setsid sh -c 'exec "$0" "$@"' "$0" "$@" >/dev/null 2>&1 &"#]);
    command.arg(std::env::current_exe().unwrap());
    command.args(["agent", "report"]).arg(place.world().root().join("reports"));
    let before = stamp::now();
    succeed(&mut command);
    let mut report = place.next_report();
    report.release();
    settle();
    report.started - before
}

/// A run that ends at once, and its id.
fn waited(place: &BenchFixture, repo: &Repo) -> (Duration, String) {
    let (time, output) = timed(place.run(repo, "true", &OPTIONS).arg("--wait"));
    settle();
    (time, run_id(&output))
}

fn spawned(place: &BenchFixture, program: &str, arguments: &[&str]) -> Duration {
    timed(place.program(program).args(arguments)).0
}
