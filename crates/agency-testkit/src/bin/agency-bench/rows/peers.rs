//! Other programs that start commands or worktrees, beside agency doing the same. Those that are not installed are
//! left out. Nothing is demanded here.

use crate::Bench;
use crate::fixture::{BenchFixture, LIMIT, run_id, settle, succeed, timed};
use crate::row::Row;
use crate::sample::Sample;
use agency_testkit::{Repo, wait_for};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How many tasks a list has.
const TASKS: usize = 1000;

/// Starting a command and waiting for it, listing a thousand, and a worktree with a tmux window.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let mut rows = vec![];
    rows.extend(pueue(bench));
    rows.extend(task_spooler(bench));
    rows.extend([100, 5000].into_iter().filter_map(|files| workmux(bench, files)));
    rows
}

/// A program by its name, if it is installed.
fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(name)).find(|program| program.is_file())
}

fn row(what: String, ours: &Sample, floor: &'static str, theirs: &Sample) -> Row {
    Row {
        what,
        ours: ours.to_string(),
        floor,
        theirs: theirs.to_string(),
        ratio: Some(ours.ratio(theirs)),
        limit: "",
        met: None,
    }
}

/// Two rows of one program that queues commands: what `start` does with `true` until it has ended, and a list.
fn queue(
    bench: &Bench,
    (place, repo): (&BenchFixture, &Repo),
    floors: [&'static str; 2],
    start: impl Fn() -> Duration,
    list: impl Fn() -> Command,
) -> Vec<Row> {
    let (mut ours, mut theirs) = (Sample::default(), Sample::default());
    for _ in 0..bench.rounds(15, 3) {
        let run = place.run(repo, "true", &["--host", "detached", "--workspace", "none", "--wait"]);
        ours.add(timed(&mut { run }).0);
        settle();
        theirs.add(start());
        settle();
    }
    let filled = super::ls::filled(bench, TASKS * 2);
    let (mut listed, mut their_list) = (Sample::default(), Sample::default());
    for _ in 0..bench.rounds(30, 5) {
        listed.add(timed(&mut filled.world().command(&["ls", "--json", "--limit", &TASKS.to_string()])).0);
        their_list.add(timed(&mut list()).0);
    }
    let [start_floor, list_floor] = floors;
    vec![
        row("`agency run --wait` of `true`, without a workspace".to_owned(), &ours, start_floor, &theirs),
        row(format!("`agency ls --json` of {TASKS} runs"), &listed, list_floor, &their_list),
    ]
}

fn pueue(bench: &Bench) -> Vec<Row> {
    let (Some(client), Some(daemon)) = (find("pueue"), find("pueued")) else { return vec![] };
    let place = BenchFixture::new(bench, 8);
    let repo = place.repo(5);
    let program = |program: &PathBuf, arguments: &[&str]| {
        let mut command = place.program(program.to_str().unwrap());
        command.args(arguments).env("XDG_RUNTIME_DIR", place.world().root().join("tmp"));
        command
    };
    let mut served =
        program(&daemon, &[]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for("the daemon of pueue", LIMIT, || {
        program(&client, &["status"]).output().is_ok_and(|output| output.status.success()).then_some(())
    });
    let start = || timed(&mut program(&client, &["add", "--", "true"])).0 + timed(&mut program(&client, &["wait"])).0;
    for _ in 0..TASKS {
        succeed(&mut program(&client, &["add", "--stashed", "--", "true"]));
    }
    let rows = queue(bench, (&place, &repo), ["`pueue add`, `pueue wait`", "`pueue status --json`"], start, || {
        program(&client, &["status", "--json"])
    });
    served.kill().unwrap();
    served.wait().unwrap();
    rows
}

fn task_spooler(bench: &Bench) -> Vec<Row> {
    let Some(client) = find("tsp") else { return vec![] };
    let place = BenchFixture::new(bench, 8);
    let repo = place.repo(5);
    let program = |arguments: &[&str]| {
        let mut command = place.program(client.to_str().unwrap());
        command.args(arguments).env("TS_SOCKET", place.world().root().join("tmp/tsp")).env("TS_MAXFINISHED", "2000");
        command
    };
    let start = || timed(&mut program(&["true"])).0 + timed(&mut program(&["-w"])).0;
    for _ in 0..TASKS {
        succeed(&mut program(&["true"]));
    }
    let rows = queue(bench, (&place, &repo), ["`tsp true`, `tsp -w`", "`tsp`"], start, || program(&[]));
    succeed(&mut program(&["-K"]));
    rows
}

/// A worktree and a window in tmux.
fn workmux(bench: &Bench, files: usize) -> Option<Row> {
    let program = find("workmux")?;
    let place = BenchFixture::new(bench, 8);
    let repo = place.repo(files);
    let session = place.tmux().args(["display-message", "-p", "#{socket_path},#{pid},0"]).output().unwrap();
    let session = String::from_utf8(session.stdout).unwrap();
    let (mut ours, mut theirs) = (Sample::default(), Sample::default());
    for round in 0..bench.rounds(10, 3) {
        let (time, output) = timed(&mut place.run(&repo, "true", &["--host", "tmux"]));
        place.wait_for_end(&run_id(&output));
        ours.add(time);
        let mut add = place.program(program.to_str().unwrap());
        add.args(["add", "--background", &format!("peer-{round}")]);
        theirs.add(timed(add.current_dir(&repo.path).env("TMUX", session.trim())).0);
        settle();
    }
    Some(row(format!("`agency run --host tmux`, {files} files"), &ours, "`workmux add --background`", &theirs))
}
