//! 2,000 runs in one repository beside 20: what takes longer may do so only as much as the git commands that it needs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use agency_testkit::Repo;
use rusqlite::Connection;

use crate::Bench;
use crate::fixture::{BenchFixture, object, run_id, settle, succeed, timed};
use crate::row::Row;
use crate::sample::Sample;

const FEW: usize = 20;
const MANY: usize = 2000;
/// How many worktrees git reads at once, as agency does.
const AT_ONCE: usize = 2;

/// A repository with so many finished runs, each with its worktree.
struct Filled {
    place: BenchFixture,
    repo: Repo,
    runs: Vec<(String, PathBuf)>,
}

/// Every command with few and with many runs.
pub(crate) fn measure(bench: &Bench) -> Vec<Row> {
    let sizes = [filled(bench, FEW), filled(bench, MANY)];
    let rounds = bench.rounds(8, 3);
    let mut rows = vec![
        quotient("`agency show`", &sizes, "`git status`, `git diff --numstat`", rounds, show, status_and_diff),
        quotient("`agency run --host detached`", &sizes, "`git worktree add`", rounds, run, worktree_add),
        quotient("`agency rm <one>`", &sizes, "`git status`, `git worktree remove`", rounds, rm, worktree_remove),
    ];
    rows.push(dry_run(&sizes[1], bench.rounds(3, 1)));
    rows
}

type Action = fn(&Filled, usize) -> Duration;

/// How many times as long something takes with many runs as with few, beside the same of git.
fn quotient(what: &str, sizes: &[Filled; 2], floor: &'static str, rounds: usize, ours: Action, theirs: Action) -> Row {
    let mut samples = [[Sample::default(), Sample::default()], [Sample::default(), Sample::default()]];
    for round in 0..rounds {
        for (side, size) in sizes.iter().enumerate() {
            samples[side][0].add(ours(size, round));
            samples[side][1].add(theirs(size, round));
        }
    }
    let [few, many] = &samples;
    let (our_quotient, their_quotient) = (many[0].ratio(&few[0]), many[1].ratio(&few[1]));
    let ratio = our_quotient / their_quotient;
    Row {
        what: format!("{what}, {MANY} runs beside {FEW}"),
        ours: format!("{} / {} = {our_quotient:.2}×", many[0], few[0]),
        floor,
        theirs: format!("{} / {} = {their_quotient:.2}×", many[1], few[1]),
        ratio: Some(ratio),
        limit: "≤ 1.5×",
        met: Some(ratio <= 1.5),
    }
}

fn show(filled: &Filled, round: usize) -> Duration {
    timed(&mut filled.place.world().command(&["show", "--json", &filled.runs[round].0])).0
}

fn status_and_diff(filled: &Filled, round: usize) -> Duration {
    let at = &filled.runs[round].1;
    let status = timed(filled.git(at).args(["status", "--porcelain"])).0;
    status + timed(filled.git(at).args(["diff", "--numstat", "HEAD"])).0
}

fn run(filled: &Filled, _round: usize) -> Duration {
    let (time, output) = timed(&mut filled.place.run(&filled.repo, "true", &["--host", "detached"]));
    filled.place.wait_for_end(&run_id(&output));
    time
}

fn worktree_add(filled: &Filled, round: usize) -> Duration {
    let target = filled.place.world().root().join(format!("added-{round}"));
    let branch = format!("added-{round}");
    timed(filled.git(&filled.repo.path).args(["worktree", "add", "--quiet", "-b", &branch]).arg(target)).0
}

/// From the end, where no other row looks.
fn rm(filled: &Filled, round: usize) -> Duration {
    let (id, _) = &filled.runs[filled.runs.len() - 1 - round];
    timed(&mut filled.place.world().command(&["rm", "--json", id])).0
}

fn worktree_remove(filled: &Filled, round: usize) -> Duration {
    let target = filled.place.world().root().join(format!("added-{round}"));
    let status = timed(filled.git(&target).args(["status", "--porcelain"])).0;
    status + timed(filled.git(&filled.repo.path).args(["worktree", "remove", "--force"]).arg(target)).0
}

fn dry_run(filled: &Filled, rounds: usize) -> Row {
    let (mut ours, mut theirs) = (Sample::default(), Sample::default());
    for _ in 0..rounds {
        let (time, output) = timed(&mut filled.place.world().command(&["rm", "--all-finished", "--dry-run", "--json"]));
        assert!(object(&output)["data"]["runs"].as_array().unwrap().len() > MANY / 2);
        ours.add(time);
        theirs.add(every_status(filled));
    }
    let ratio = ours.ratio(&theirs);
    Row {
        what: format!("`agency rm --all-finished --dry-run`, {MANY} runs"),
        ours: ours.to_string(),
        floor: "`git worktree list`, every worktree's `git status`, two at a time",
        theirs: theirs.to_string(),
        ratio: Some(ratio),
        limit: "≤ 3×",
        met: Some(ratio <= 3.0),
    }
}

fn every_status(filled: &Filled) -> Duration {
    let begun = Instant::now();
    succeed(filled.git(&filled.repo.path).args(["worktree", "list", "--porcelain"]));
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some((_, path)) = filled.runs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // Those that another row removed.
                    if path.exists() {
                        succeed(filled.git(path).args(["status", "--porcelain"]));
                    }
                }
            });
        }
    });
    begun.elapsed()
}

impl Filled {
    fn git(&self, at: &Path) -> Command {
        let mut command = self.place.program("git");
        command.arg("-C").arg(at);
        command
    }
}

/// Makes a run and copies of it: row, branch, worktree and git's entry. `git worktree add` would take minutes.
fn filled(bench: &Bench, copies: usize) -> Filled {
    let place = BenchFixture::new(bench, 8);
    let repo = place.repo(20);
    let output = succeed(&mut place.run(&repo, "true", &["--host", "detached"]));
    let model = run_id(&output);
    let path = PathBuf::from(object(&output)["data"]["worktree_path"].as_str().unwrap());
    place.wait_for_end(&model);
    place.wait_for_recorded_end(&model);
    let runs: Vec<(String, PathBuf)> = (0..copies)
        .map(|number| format!("r_01ARZ3NDEK{number:016}"))
        .map(|id| (id.clone(), path.with_file_name(id)))
        .collect();
    let entries = repo.path.join(".git/worktrees");
    let logs = repo.path.join(".git/logs/refs/heads/agency");
    // The branches of a packed repository are in no files of their own.
    let tip = format!("{}\n", repo.git(&["rev-parse", "HEAD"]).trim());
    for (id, worktree) in &runs {
        copy_directory(&path, worktree);
        let entry = entries.join(id);
        copy_directory(&entries.join(&model), &entry);
        fs::write(worktree.join(".git"), format!("gitdir: {}\n", entry.display())).unwrap();
        fs::write(entry.join("gitdir"), format!("{}\n", worktree.join(".git").display())).unwrap();
        fs::write(entry.join("HEAD"), format!("ref: refs/heads/agency/{id}\n")).unwrap();
        fs::write(repo.path.join(".git/refs/heads/agency").join(id), &tip).unwrap();
        // Without the log of the branch, git has to be asked about each commit that the worktree's entry names.
        fs::copy(logs.join(&model), logs.join(id)).unwrap();
    }
    copy_rows(&place.world().agency_home().join("agency.db"), &model, &runs);
    settle();
    Filled { place, repo, runs }
}

fn copy_directory(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_directory(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Copies a row; the database requires that a run begins as queued and continues from there.
fn copy_rows(database: &Path, model: &str, runs: &[(String, PathBuf)]) {
    let mut connection = Connection::open(database).unwrap();
    let transaction = connection.transaction().unwrap();
    let columns: Vec<String> = {
        let mut statement = transaction.prepare("SELECT name FROM pragma_table_info('runs')").unwrap();
        let names = statement.query_map([], |row| row.get(0)).unwrap();
        names.map(Result::unwrap).collect()
    };
    let value = |column: &String| match column.as_str() {
        "id" => "?1".to_owned(),
        "name" => "?1".to_owned(),
        "worktree_path" => "?2".to_owned(),
        "new_branch" => "'agency/' || ?1".to_owned(),
        "state" => "'queued'".to_owned(),
        other => other.to_owned(),
    };
    let values: Vec<String> = columns.iter().map(value).collect();
    let copy =
        format!("INSERT INTO runs ({}) SELECT {} FROM runs WHERE id = ?3", columns.join(", "), values.join(", "));
    for (id, path) in runs {
        transaction.execute(&copy, [id.as_str(), path.to_str().unwrap(), model]).unwrap();
    }
    transaction.execute("UPDATE runs SET state = 'running' WHERE state = 'queued'", []).unwrap();
    transaction.execute("UPDATE runs SET state = 'completed' WHERE state = 'running'", []).unwrap();
    transaction.commit().unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
}
