//! From the agent's exit to the return of `agency wait`, beside a parent that waits in the kernel.

use crate::Bench;
use crate::fixture::{BenchFixture, await_readable, object, run_id, settle, succeed, wait_until_connected};
use crate::row::Row;
use crate::sample::Sample;
use crate::stamp;
use agency_testkit::Repo;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::process::Stdio;
use std::time::Duration;

/// With `agency wait` waiting already.
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
        what: "the agent exits until the row is terminal and `agency wait` returns".to_owned(),
        ours: ours.to_string(),
        floor: "pidfd",
        theirs: theirs.to_string(),
        ratio: Some(ours.ratio(&theirs)),
        limit: "≤ 10 ms",
        met: Some(ours.median() <= Duration::from_millis(10)),
    }]
}

fn agency(place: &BenchFixture, repo: &Repo) -> Duration {
    let options = ["--host", "detached", "--workspace", "none"];
    let id = run_id(&succeed(&mut place.run(repo, "report", &options)));
    let mut report = place.next_report();
    let mut wait = place.world().command(&["wait", "--json", &id]);
    let wait = wait.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    wait_until_connected(wait.id());
    report.release();
    let output = wait.wait_with_output().unwrap();
    let returned = stamp::now();
    assert_eq!(object(&output)["data"]["state"], "completed");
    settle();
    returned - report.ended()
}

fn floor(place: &BenchFixture) -> Duration {
    let mut command = place.program(std::env::current_exe().unwrap().to_str().unwrap());
    command.args(["agent", "report"]).arg(place.world().root().join("reports"));
    let mut agent = command.stdin(Stdio::null()).spawn().unwrap();
    let notice = pidfd_open(Pid::from_child(&agent), PidfdFlags::empty()).unwrap();
    let mut report = place.next_report();
    settle();
    report.release();
    await_readable(&notice);
    let noticed = stamp::now();
    agent.wait().unwrap();
    noticed - report.ended()
}
