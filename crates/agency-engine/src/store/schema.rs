//! The tables, and the numbered steps by which older files become current ones.
//!
//! A migration is never changed once released; a change of the schema is a further one.

/// The version that this agency writes.
pub const SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;

/// `MIGRATIONS[n]` turns version `n` into version `n + 1`.
pub(super) const MIGRATIONS: &[&str] = &[RUNS_AND_REQUESTS, WHAT_THE_AGENT_SAYS];

const RUNS_AND_REQUESTS: &str = "
CREATE TABLE runs (
    id                TEXT PRIMARY KEY NOT NULL,
    repo_path         TEXT NOT NULL,
    repo_fingerprint  TEXT NOT NULL,
    base_ref          TEXT NOT NULL,
    base_commit       TEXT NOT NULL,
    new_branch        TEXT,
    worktree_path     TEXT UNIQUE,
    workspace         TEXT NOT NULL,
    runner_kind       TEXT NOT NULL,
    runner_args_json  TEXT NOT NULL,
    mode              TEXT NOT NULL,
    host              TEXT NOT NULL,
    restart_policy    TEXT NOT NULL,
    state             TEXT NOT NULL CHECK (state IN ('queued', 'running', 'completed', 'failed', 'killed')),
    phase             TEXT,
    attempt           INTEGER NOT NULL DEFAULT 0,
    name              TEXT,
    created_at        TEXT NOT NULL,
    updated_at        TEXT NOT NULL,
    started_at        TEXT,
    ended_at          TEXT,
    exit_code         INTEGER,
    signal            INTEGER,
    reason            TEXT,
    error             TEXT,
    stdout_log_path   TEXT NOT NULL,
    stderr_log_path   TEXT NOT NULL,
    tmux_session_name TEXT,
    tmux_socket       TEXT,
    saved_ref         TEXT,
    removed_at        TEXT
);
CREATE INDEX runs_live ON runs (id) WHERE state IN ('queued', 'running');
CREATE INDEX runs_present ON runs (id) WHERE removed_at IS NULL;
CREATE INDEX runs_by_state ON runs (state, id);
CREATE INDEX runs_by_repo ON runs (repo_path, id);
CREATE INDEX runs_by_name ON runs (name, id) WHERE name IS NOT NULL;

CREATE TRIGGER runs_begin_queued BEFORE INSERT ON runs WHEN NEW.state <> 'queued'
BEGIN SELECT RAISE(ABORT, 'a run begins as queued'); END;

CREATE TRIGGER runs_move_legally BEFORE UPDATE OF state ON runs
WHEN NEW.state <> OLD.state AND NOT (
    (OLD.state = 'queued'  AND NEW.state IN ('running', 'failed', 'killed')) OR
    (OLD.state = 'running' AND NEW.state IN ('completed', 'failed', 'killed')))
BEGIN SELECT RAISE(ABORT, 'illegal state transition'); END;

CREATE TRIGGER runs_are_removed_once BEFORE UPDATE OF removed_at ON runs
WHEN NEW.removed_at IS NOT OLD.removed_at
    AND (OLD.removed_at IS NOT NULL OR OLD.state NOT IN ('completed', 'failed', 'killed'))
BEGIN SELECT RAISE(ABORT, 'only an ended run is removed, and once'); END;

CREATE TRIGGER runs_stay BEFORE DELETE ON runs
BEGIN SELECT RAISE(ABORT, 'a run is never deleted'); END;

CREATE TABLE requests (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id     TEXT NOT NULL REFERENCES runs (id),
    kind       TEXT NOT NULL,
    created_at TEXT NOT NULL,
    taken_at   TEXT
);
CREATE INDEX requests_open ON requests (run_id, id) WHERE taken_at IS NULL;
";

/// What the agent says about itself in its own protocol.
const WHAT_THE_AGENT_SAYS: &str = "
ALTER TABLE runs ADD COLUMN agent_session TEXT;
ALTER TABLE runs ADD COLUMN input_tokens INTEGER;
ALTER TABLE runs ADD COLUMN output_tokens INTEGER;
ALTER TABLE runs ADD COLUMN cached_tokens INTEGER;
ALTER TABLE runs ADD COLUMN cost_usd REAL;
";
