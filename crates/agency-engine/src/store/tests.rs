//! The database on its own: what it refuses, and what many processes at once do to it.

use std::path::Path;
use std::time::Duration;

use agency_model::run::{Exit, Input, RestartPolicy, State, StopCause, Verdict};
use agency_model::spec::{Defaults, LimitsSpec, RunSpec, RunnerDraft, SpecDraft};
use agency_model::{Answer, Caller, ErrorCode, Host, Mode, RunId, Usage, VcsChoice, WorkspaceKind};
use rusqlite::Connection;
use ulid::Ulid;

use super::*;

const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

pub(super) fn new_run() -> RunRow {
    let id = RunId::from_ulid(Ulid::generate());
    RunRow {
        repo_fingerprint: "f".into(),
        base_commit: "0".repeat(40),
        new_branch: Some(id.default_branch()),
        worktree_path: Some(format!("/worktrees/{id}")),
        ..RunRow::queued(id, now(), &RunSpec { host: Host::Tmux, ..spec("--fast") })
    }
}

/// The spec of an interactive run in a worktree, with one argument for its agent.
fn spec(argument: &str) -> RunSpec {
    let flags = SpecDraft {
        repo: Some("/repo".into()),
        base_ref: Some("main".into()),
        runner: Some(RunnerDraft { kind: Some("codex".into()), args: Some(vec![argument.into()]) }),
        ..SpecDraft::default()
    };
    let defaults = Defaults {
        repo: None,
        base_ref: None,
        runner: None,
        host: Host::Detached,
        vcs: VcsChoice::Git,
        limits: LimitsSpec::default(),
        needs_prompt: false,
    };
    flags.materialise(defaults).unwrap()
}

fn insert(store: &mut Store, row: &RunRow) -> Result<RunRow, StoreError> {
    store.insert(row, StartedBy::default())
}

fn store(directory: &Path) -> Store {
    Store::open(&directory.join("agency.db"), LOCK_TIMEOUT).unwrap()
}

// proves L10
#[test]
fn the_table_has_every_column_of_the_document_and_a_worktree_belongs_to_one_run() {
    let directory = tempfile::tempdir().unwrap();
    let mut store = store(directory.path());
    let first = new_run();
    insert(&mut store, &first).unwrap();
    let columns: Vec<String> = store
        .connection()
        .unwrap()
        .prepare("SELECT name FROM pragma_table_info('runs')")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    for column in
        "id repo_path repo_fingerprint base_ref new_branch worktree_path runner_kind runner_args_json state name \
        created_at updated_at exit_code stdout_log_path stderr_log_path tmux_session_name error removed_at"
            .split_whitespace()
    {
        assert!(columns.iter().any(|known| known == column), "{column}");
    }
    let twin = RunRow { worktree_path: first.worktree_path.clone(), ..new_run() };
    assert!(insert(&mut store, &twin).is_err());
    assert!(insert(&mut store, &first).is_err(), "an id is used once");
}

// proves L7
#[test]
fn the_database_itself_refuses_every_illegal_transition() {
    let directory = tempfile::tempdir().unwrap();
    let mut store = store(directory.path());
    let raw = Connection::open(directory.path().join("agency.db")).unwrap();
    for from in State::ALL {
        for to in State::ALL {
            let run = new_run();
            insert(&mut store, &run).unwrap();
            let set = |state: &State| {
                raw.execute("UPDATE runs SET state = ?1 WHERE id = ?2", [state.as_str(), run.id.as_str()])
            };
            // The way to `from` is itself legal.
            if matches!(from, State::Running | State::Completed | State::Failed | State::Killed) {
                set(&State::Running).unwrap();
            }
            set(from).unwrap();
            let legal = from == to
                || matches!(
                    (from, to),
                    (State::Queued, State::Running | State::Failed | State::Killed)
                        | (State::Running, State::Completed | State::Failed | State::Killed)
                );
            assert_eq!(set(to).is_ok(), legal, "{from} → {to}");
        }
    }
}

// proves L7
#[test]
fn a_row_is_removed_once_when_it_is_over_and_never_deleted() {
    let directory = tempfile::tempdir().unwrap();
    let mut store = store(directory.path());
    let run = new_run();
    insert(&mut store, &run).unwrap();
    assert!(store.mark_removed(&run.id, None).is_err(), "a queued run is not removed");
    store.apply(&run.id, &Input::Stop(StopCause::Requested), None).unwrap();
    let first = store.mark_removed(&run.id, None).unwrap();
    assert_eq!(first.state, State::Killed);
    assert_eq!(store.mark_removed(&run.id, None).unwrap().removed_at, first.removed_at);
    assert!(store.connection().unwrap().execute("DELETE FROM runs", []).is_err());
}

#[test]
fn an_ended_run_takes_no_input_and_keeps_its_end() {
    let directory = tempfile::tempdir().unwrap();
    let mut store = store(directory.path());
    let run = new_run();
    insert(&mut store, &run).unwrap();
    store.apply(&run.id, &Input::SlotGranted, None).unwrap();
    let exit = Exit { exit_code: Some(3), signal: None };
    let applied =
        store.apply(&run.id, &Input::Exited { attempt: 1, exit, verdict: Verdict::None }, Some("it failed")).unwrap();
    assert!(matches!(applied, Applied::Moved { from: State::Running, .. }));
    let row = store.run(&run.id).unwrap();
    assert_eq!((row.state, row.exit_code, row.error.as_deref()), (State::Failed, Some(3), Some("it failed")));
    assert!(matches!(store.apply(&run.id, &Input::SupervisorGone(None), None).unwrap(), Applied::Stale(_)));
    let refused = store.apply(&run.id, &Input::Stop(StopCause::Requested), None).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::InvalidState);
    assert_eq!(store.run(&run.id).unwrap(), row);
}

#[test]
fn a_newer_file_is_refused_and_left_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    drop(store(directory.path()));
    let path = directory.path().join("agency.db");
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = Store::open(&path, LOCK_TIMEOUT).unwrap_err();
    assert!(matches!(error, StoreError::Newer { found: 99, known: SCHEMA_VERSION, .. }), "{error}");
    assert_eq!(error.code(), ErrorCode::DbError);
}

#[test]
fn slots_are_granted_in_order_of_arrival_and_the_dead_hold_none() {
    let directory = tempfile::tempdir().unwrap();
    let mut store = store(directory.path());
    let runs = [new_run(), new_run(), new_run()];
    let mut ids: Vec<RunId> = runs.iter().map(|run| run.id.clone()).collect();
    ids.sort();
    runs.iter().for_each(|run| drop(insert(&mut store, run).unwrap()));
    let granted = |store: &mut Store, id: &RunId, dead: &[&RunId]| {
        let answer = store.claim_slot(id, 1, |other| !dead.contains(&other)).unwrap();
        matches!(answer, SlotAnswer::Granted(_))
    };
    assert!(!granted(&mut store, &ids[1], &[]), "an older one waits too");
    assert!(granted(&mut store, &ids[0], &[]));
    assert!(!granted(&mut store, &ids[1], &[]), "the slot is taken");
    assert!(!granted(&mut store, &ids[2], &[&ids[0]]), "the second is older than the third");
    assert!(granted(&mut store, &ids[1], &[&ids[0]]), "the first died");
}

#[test]
fn many_writers_at_once_see_no_lock_error_and_the_last_slot_goes_to_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agency.db");
    let winners: usize = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..12)
            .map(|_| {
                scope.spawn(|| {
                    let mut store = Store::open(&path, LOCK_TIMEOUT).unwrap();
                    let run = new_run();
                    insert(&mut store, &run).unwrap();
                    let answer = store.claim_slot(&run.id, 1, |_| true).unwrap();
                    usize::from(matches!(answer, SlotAnswer::Granted(_)))
                })
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).sum()
    });
    // The oldest gets it, unless it looked before it was the oldest that was there.
    assert_eq!(winners, 1, "{winners} runs got the only slot");
    assert_eq!(store(directory.path()).list(&RunFilter::default()).unwrap().len(), 12);
}

#[test]
fn a_short_name_finds_one_run_none_or_the_candidates() {
    let directory = tempfile::tempdir().unwrap();
    let mut store = store(directory.path());
    let run = RunRow { name: Some("fix".into()), ..new_run() };
    insert(&mut store, &run).unwrap();
    insert(&mut store, &new_run()).unwrap();
    let id = run.id.as_str();
    let select = |text| store.select(text, Purpose::Read).unwrap();
    assert!(matches!(select(id), Selected::One(row) if row.id == run.id));
    assert!(matches!(select("fix"), Selected::One(row) if row.id == run.id));
    assert!(matches!(select("r_01"), Selected::Several(rows) if rows.len() == 2));
    for nothing in ["", "%", "r_zz", "' OR 1=1 --", "unknown"] {
        assert!(matches!(select(nothing), Selected::None), "{nothing}");
    }
}

// a home of the version before `answered_from`
#[test]
fn an_answer_of_an_older_version_has_no_caller_and_a_new_one_does() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agency.db");
    let old = Connection::open(&path).unwrap();
    for migration in schema::MIGRATIONS.iter().take(4) {
        old.execute_batch(migration).unwrap();
    }
    old.pragma_update(None, "user_version", 4).unwrap();
    old.execute_batch("PRAGMA journal_mode = WAL").unwrap();
    let (run, questions) = (new_run(), ["q_01ARZ3NDEKTSV4RRFFQ69G5FAV", "q_01ARZ3NDEKTSV4RRFFQ69G5FAW"]);
    let content = r#"{"key":"k","kind":"permission","title":"t","detail":"d","options":[],"several":false,"free_text":false,"tool":null}"#;
    let at = "2026-01-01T00:00:00Z";
    old.execute(
        "INSERT INTO runs (id, repo_path, repo_fingerprint, base_ref, base_commit, workspace, runner_kind, \
         runner_args_json, mode, host, restart_policy, state, created_at, updated_at, stdout_log_path, stderr_log_path) \
         VALUES (?1, '/repo', 'f', 'main', 'c', 'worktree', 'codex', '[]', 'headless', 'detached', 'never', 'queued', \
         ?2, ?2, 'o', 'e')",
        [run.id.as_str(), at],
    )
    .unwrap();
    for (id, state) in questions.iter().zip(["answered", "open"]) {
        old.execute(
            "INSERT INTO questions (id, run_id, attempt, state, kind, content, asked_at, answer, answered_by) \
             VALUES (?1, ?2, 1, ?3, 'permission', ?4, ?5, '{\"answer\":\"allow\"}', 'ann')",
            [id, run.id.as_str(), state, content, at],
        )
        .unwrap();
    }
    drop(old);
    let mut store = Store::open(&path, LOCK_TIMEOUT).unwrap();
    let [answered, open] = questions.map(|id| id.parse().unwrap());
    let row = store.question(&answered).unwrap().unwrap();
    assert_eq!((row.answered_by.as_deref(), row.answered_from), (Some("ann"), None));
    assert!(!store.allows_self_answer(&run.id).unwrap(), "what an older version did not record is not allowed");
    let newer = new_run();
    assert!(!store.is_started_by_agent(&run.id).unwrap(), "it counts as the user's, as before");
    store.insert(&newer, StartedBy { agent: true, allow_self_answer: true }).unwrap();
    assert!(store.is_started_by_agent(&newer.id).unwrap());
    assert!(store.allows_self_answer(&newer.id).unwrap());
    let from = Caller { uid: 1, pid: 2, terminal: Some("/dev/pts/3".into()), run: Some(run.id) };
    let answering = store.answer(&open, &Answer::Allow { message: None }, "bob", &from).unwrap();
    assert!(matches!(answering, Answering::Recorded(_)), "{answering:?}");
    assert_eq!(store.question(&open).unwrap().unwrap().answered_from, Some(from));
}

#[test]
fn a_database_of_every_earlier_version_is_opened_and_keeps_its_runs() {
    for version in 1..=schema::MIGRATIONS.len() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("agency.db");
        let old = Connection::open(&path).unwrap();
        for migration in schema::MIGRATIONS.iter().take(version) {
            old.execute_batch(migration).unwrap();
        }
        old.pragma_update(None, "user_version", i64::try_from(version).unwrap()).unwrap();
        let (id, at) = (new_run().id, "2026-01-01T00:00:00Z");
        old.execute(
            "INSERT INTO runs (id, name, repo_path, repo_fingerprint, base_ref, base_commit, worktree_path, workspace, \
             runner_kind, runner_args_json, mode, host, restart_policy, state, created_at, updated_at, stdout_log_path, \
             stderr_log_path) VALUES (?1, 'old', '/repo', 'f', 'main', 'c', '/w', 'worktree', 'codex', '[\"-x\"]', \
             'headless', 'detached', 'on-crash', 'queued', ?2, ?2, 'o', 'e')",
            [id.as_str(), at],
        )
        .unwrap();
        old.execute("UPDATE runs SET state = 'running', phase = 'working', attempt = 2 WHERE id = ?1", [id.as_str()])
            .unwrap();
        drop(old);
        let mut store = Store::open(&path, LOCK_TIMEOUT).unwrap();
        let kept = RunRow {
            name: Some("old".into()),
            state: State::Running,
            phase: Some("working".into()),
            attempt: 2,
            repo_fingerprint: "f".into(),
            base_commit: "c".into(),
            worktree_path: Some("/w".into()),
            mode: Mode::Headless,
            restart_policy: RestartPolicy::OnCrash,
            stdout_log_path: "o".into(),
            stderr_log_path: "e".into(),
            ..RunRow::queued(id.clone(), at.parse().unwrap(), &spec("-x"))
        };
        assert_eq!(store.run(&id).unwrap(), kept, "version {version}");
        let new = new_run();
        assert_eq!(insert(&mut store, &new).unwrap(), new, "version {version}");
        assert_eq!(store.list(&RunFilter::default()).unwrap().len(), 2, "version {version}");
    }
}

#[test]
fn every_column_is_read_as_it_was_written() {
    let directory = tempfile::tempdir().unwrap();
    let mut store = store(directory.path());
    let row = RunRow {
        name: Some("a name".into()),
        workspace: WorkspaceKind::Shared,
        parent_id: None,
        agent_version: Some("1.2.3".into()),
        agent_session: Some("s".into()),
        usage: Usage {
            input_tokens: Some(u64::from(u32::MAX)),
            output_tokens: Some(0),
            cached_tokens: None,
            cost_usd: Some(0.25),
        },
        signal: Some(9),
        exit_code: Some(-1),
        saved_ref: Some("refs/agency/x".into()),
        ..new_run()
    };
    assert_eq!(insert(&mut store, &row).unwrap(), row);
    assert_eq!(store.run(&row.id).unwrap(), row);
}

#[test]
fn comments_of_the_version_before_keep_their_numbers_and_can_be_gone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agency.db");
    let old = Connection::open(&path).unwrap();
    for migration in schema::MIGRATIONS.iter().take(10) {
        old.execute_batch(migration).unwrap();
    }
    old.pragma_update(None, "user_version", 10).unwrap();
    let (run, at) = (new_run().id, "2026-01-01T00:00:00Z");
    old.execute(
        "INSERT INTO runs (id, name, repo_path, repo_fingerprint, base_ref, base_commit, worktree_path, workspace, \
         runner_kind, runner_args_json, mode, host, restart_policy, state, created_at, updated_at, stdout_log_path, \
         stderr_log_path) VALUES (?1, 'old', '/repo', 'f', 'main', 'c', '/w', 'worktree', 'codex', '[]', \
         'headless', 'detached', 'never', 'queued', ?2, ?2, 'o', 'e')",
        [run.as_str(), at],
    )
    .unwrap();
    old.execute(
        "INSERT INTO comments (id, run_id, tree, path, side, first_line, last_line, quoted, body, state, created_at) \
         VALUES (7, ?1, 't', 'a.rs', 'new', 2, 3, 'x', 'why', 'open', ?2)",
        [run.as_str(), at],
    )
    .unwrap();
    drop(old);
    let mut store = Store::open(&path, LOCK_TIMEOUT).unwrap();
    let kept = store.comments_of(&run).unwrap();
    assert_eq!((kept[0].id, kept[0].path.as_str(), kept[0].body.as_str()), (7, "a.rs", "why"));
    assert_eq!(kept[0].lines.map(|lines| (lines.first, lines.last)), Some((2, 3)));
    let draft = comments::CommentDraft {
        path: "b.rs".into(),
        side: kept[0].side,
        lines: None,
        quoted: String::new(),
        body: "x".into(),
        anchor: comments::Anchor::default(),
        content: None,
    };
    assert_eq!(store.add_comments(&run, "t", "ann", &[draft]).unwrap(), [8], "numbers are not used again");
    // Only what the agent has can be gone.
    let gone = [(7, agency_model::review::CommentState::Gone)];
    assert_eq!(store.settle_comments(&gone).unwrap(), Vec::<i64>::new());
}
