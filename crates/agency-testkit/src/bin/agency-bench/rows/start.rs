//! From `agency run` to the first instruction of the agent, beside a shell that starts it in a session of its own.

use crate::Bench;
use crate::fixture::{BenchFixture, run_id, settle, succeed};
use crate::row::Row;
use crate::sample::Sample;
use crate::stamp;
use agency_testkit::Repo;
use std::time::Duration;

/// Detached and without a workspace.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let place = BenchFixture::new(bench, 8);
    let repo = place.repo(100);
    let (mut ours, mut theirs) = (Sample::default(), Sample::default());
    for round in 0..=bench.rounds(60, 15) {
        let times = [agency(&place, &repo), floor(&place)];
        if round > 0 {
            ours.add(times[0]);
            theirs.add(times[1]);
        }
    }
    vec![Row {
        what: "`agency run --host detached --workspace none` until the agent has started".to_owned(),
        ours: ours.to_string(),
        floor: "`setsid sh -c … &` from a shell",
        theirs: theirs.to_string(),
        ratio: Some(ours.ratio(&theirs)),
        limit: "≤ 25 ms",
        met: Some(ours.median() <= Duration::from_millis(25)),
    }]
}

fn agency(place: &BenchFixture, repo: &Repo) -> Duration {
    let mut command = place.run(repo, "report", &["--host", "detached", "--workspace", "none"]);
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
