//! What every refusal has in common, and the proof that it left nothing behind.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use agency_model::ErrorCode;
use agency_testkit::{Repo, World, agent, wait_for};
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

/// A world with an agent `quiet`, and its one repository.
pub(super) fn world() -> (World, Repo) {
    let world = World::new(env!("CARGO_BIN_EXE_agency"));
    world.agent("quiet", agent::quiet());
    let repo = world.repo("project");
    // The first command makes the home and the database.
    world.ok(&["ls"]);
    (world, repo)
}

/// The path of a repository as an argument.
pub(super) fn path(repo: &Repo) -> &str {
    repo.path.to_str().unwrap()
}

/// `agency run` of the agent `quiet` in the repository, without a session, and with further arguments.
pub(super) fn run<'a>(repo: &'a Repo, more: &[&'a str]) -> Vec<&'a str> {
    let fixed = ["run", "--repo", path(repo), "--runner", "quiet", "--host", "detached"];
    [&fixed, more].concat()
}

/// The same with a prompt.
pub(super) fn run_prompted<'a>(repo: &'a Repo, more: &[&'a str]) -> Vec<&'a str> {
    run(repo, &[&["--prompt", "do nothing"], more].concat())
}

/// The command is refused with that code, and the world is as it was. Returns the error.
#[track_caller]
pub(super) fn refused(world: &World, repo: &Repo, arguments: &[&str], code: ErrorCode) -> Value {
    refused_command(world, repo, || world.command(arguments), code)
}

/// The same for a command that a test has changed.
#[track_caller]
pub(super) fn refused_command(world: &World, repo: &Repo, command: impl Fn() -> Command, code: ErrorCode) -> Value {
    let before = Traces::of(world, repo);
    let error = answers(world, command, code);
    assert_eq!(before, Traces::of(world, repo), "a refused command left something behind");
    error
}

/// The command fails with that code, in JSON and in words, with a way out and the right exit code. Returns the error.
#[track_caller]
pub(super) fn answers(world: &World, command: impl Fn() -> Command, code: ErrorCode) -> Value {
    let said = world.run(&mut command());
    let shown = format!("[{}]", code.as_str());
    assert_eq!(said.status.code(), Some(exit_code(code)), "{said}");
    assert_eq!(said.stdout, "", "{said}");
    assert!(said.stderr.contains(&shown) && said.stderr.contains("hint: "), "{said}");
    let mut json = command();
    // Global flags may stand anywhere before a `--`, so none of these commands has one.
    json.arg("--json");
    let answered = world.run(&mut json);
    assert_eq!(answered.status.code(), Some(exit_code(code)), "{answered}");
    assert_eq!(answered.stderr, "", "{answered}");
    let mut object = answered.object();
    assert_eq!(object["ok"], false, "{object:#}");
    assert_eq!(object["error"]["code"], code.as_str(), "{object:#}");
    assert!(object["error"]["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{object:#}");
    object["error"].take()
}

/// The message of an error holds these words.
#[track_caller]
pub(super) fn says(error: &Value, words: &[&str]) {
    let message = error["message"].as_str().unwrap();
    for word in words {
        assert!(message.contains(word), "`{word}` is not in: {message}");
    }
}

/// The hint of an error holds these words.
#[track_caller]
pub(super) fn hints(error: &Value, words: &str) {
    assert!(error["hint"].as_str().unwrap().contains(words), "{error:#}");
}

/// The documented exit code of an error.
fn exit_code(code: ErrorCode) -> i32 {
    match code {
        ErrorCode::RunFailed
        | ErrorCode::RunnerDisappeared
        | ErrorCode::Io
        | ErrorCode::SyncFailed
        | ErrorCode::MergeConflict
        | ErrorCode::CheckFailed => 1,
        ErrorCode::Usage
        | ErrorCode::InvalidSpec
        | ErrorCode::InvalidConfig
        | ErrorCode::InvalidWorkflow
        | ErrorCode::InvalidAnswer
        | ErrorCode::InvalidComment
        | ErrorCode::InvalidSource
        | ErrorCode::InvalidTemplate => 2,
        ErrorCode::RunNotFound
        | ErrorCode::CheckpointNotFound
        | ErrorCode::AmbiguousRun
        | ErrorCode::TmuxSessionNotFound
        | ErrorCode::NothingSaved
        | ErrorCode::QuestionNotFound
        | ErrorCode::SourceNotFound
        | ErrorCode::NotAnOrphan
        | ErrorCode::SessionNotFound
        | ErrorCode::StepNotFound => 3,
        ErrorCode::InvalidState
        | ErrorCode::BranchExists
        | ErrorCode::MaxAgents
        | ErrorCode::AgentExists
        | ErrorCode::NotDelivered
        | ErrorCode::AlreadyAnswered
        | ErrorCode::QuestionExpired
        | ErrorCode::SourceExists
        | ErrorCode::Recursion
        | ErrorCode::NotReady
        | ErrorCode::CheckoutDirty => 4,
        ErrorCode::NotGitRepo
        | ErrorCode::NotJjRepo
        | ErrorCode::BadRef
        | ErrorCode::InvalidPath
        | ErrorCode::InputNotFile
        | ErrorCode::SourceGone => 5,
        ErrorCode::GitNotFound
        | ErrorCode::JjNotFound
        | ErrorCode::TmuxNotFound
        | ErrorCode::TmuxStartFailed
        | ErrorCode::HostStartFailed
        | ErrorCode::WorktreeCreateFailed
        | ErrorCode::RunnerNotConfigured
        | ErrorCode::MergeFailed
        | ErrorCode::SetupFailed
        | ErrorCode::CleanupFailed => 6,
        ErrorCode::DbLocked | ErrorCode::DbError => 7,
        ErrorCode::PermissionDenied | ErrorCode::NotAllowed | ErrorCode::NotTrusted => 8,
        ErrorCode::Timeout => 124,
        ErrorCode::Interrupted => 130,
    }
}

/// Everything a run would leave somewhere.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Traces {
    rows: Vec<Row>,
    records: PathBuf,
    home: Vec<PathBuf>,
    repository: Vec<PathBuf>,
    contents: [String; 2],
    sessions: String,
}

impl Traces {
    pub(super) fn of(world: &World, repo: &Repo) -> Self {
        let home = world.agency_home();
        let rows = rows(&home.join("agency.db"));
        let (ended, live): (Vec<_>, Vec<_>) = rows.iter().partition(|row| !row.is_live());
        ended.iter().for_each(|row| wait_until_left(&home, &row.id));
        let content = |name: &str| fs::read_to_string(repo.path.join(".git").join(name)).unwrap_or_default();
        // Any command may touch the files of the database itself, and a live supervisor those of its run. A forecast
        // belongs to the repository, and is made in the background.
        let busy: Vec<_> = live.iter().map(|row| home.join("runs").join(&row.id)).collect();
        let at_rest = |path: &PathBuf| {
            let is_shared = ["/agency.db", "/forecasts"].iter().any(|part| path.to_str().unwrap().contains(part));
            !is_shared && !busy.iter().any(|run| path.starts_with(run))
        };
        Self {
            records: home.join("runs"),
            home: below(&home).into_iter().filter(at_rest).collect(),
            // With all of `.git`, and so with every branch, worktree and object.
            repository: below(&repo.path),
            contents: [content("packed-refs"), content("info/exclude")],
            sessions: sessions(world),
            rows,
        }
    }

    /// The repository's files are as they were, no session is left, and the home has only more records of runs.
    #[track_caller]
    pub(super) fn differs_only_in_records_from(&self, after: &Self) {
        assert_eq!(self.sessions, after.sessions);
        let empty = |path: &Path| fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
        let new = after.home.iter().filter(|path| !self.home.contains(path));
        let no_record = new.filter(|path| !path.starts_with(&self.records) && !path.ends_with("bell"));
        let odd: Vec<_> = no_record.filter(|path| !empty(path)).collect();
        assert!(odd.is_empty(), "{odd:?}");
    }
}

/// Every path below a directory.
fn below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.is_symlink() {
            found.extend(below(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}

/// What must not change about a run.
#[derive(Debug, PartialEq, Eq)]
struct Row {
    id: String,
    state: String,
    removed: bool,
}

impl Row {
    fn is_live(&self) -> bool {
        ["queued", "running"].contains(&self.state.as_str())
    }
}

fn rows(database: &Path) -> Vec<Row> {
    let database = Connection::open_with_flags(database, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let sql = "SELECT id, state, removed_at IS NOT NULL FROM runs ORDER BY id";
    let mut statement = database.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| Ok(Row { id: row.get(0)?, state: row.get(1)?, removed: row.get(2)? }));
    rows.unwrap().map(Result::unwrap).collect()
}

/// A supervisor that has recorded the end still tidies up; it holds its lock until it has left.
#[track_caller]
fn wait_until_left(home: &Path, id: &str) {
    let lock = home.join("runs").join(id).join("supervisor.lock");
    wait_for("the supervisor to leave", Duration::from_secs(20), || {
        let free = File::open(&lock).map_or(true, |file| file.try_lock_shared().is_ok());
        free.then_some(())
    });
}

/// The sessions of the private tmux server.
fn sessions(world: &World) -> String {
    if !world.socket().exists() {
        return String::new();
    }
    let mut command = Command::new("tmux");
    command.arg("-S").arg(world.socket());
    world.run(command.args(["list-sessions", "-F", "#{session_name}"])).stdout
}
