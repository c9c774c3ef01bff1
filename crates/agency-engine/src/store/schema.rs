//! The tables, and the numbered steps by which older files become current ones.
//!
//! A migration is never changed once released; a change of the schema is a further one.

/// The version that this agency writes.
pub const SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;

/// `MIGRATIONS[n]` turns version `n` into version `n + 1`.
pub(super) const MIGRATIONS: &[&str] = &[
    RUNS_AND_REQUESTS,
    WHAT_THE_AGENT_SAYS,
    CONVERSATIONS,
    KINDS_OF_RUNS,
    WHO_ANSWERED,
    RECOVERY,
    WHO_MAY_ANSWER,
    NAMES,
    WHO_STARTED,
    LANDING,
    REVIEW,
    RACES,
    PORTS,
];

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

/// What the agent reports about itself by its protocol.
const WHAT_THE_AGENT_SAYS: &str = "
ALTER TABLE runs ADD COLUMN agent_session TEXT;
ALTER TABLE runs ADD COLUMN input_tokens INTEGER;
ALTER TABLE runs ADD COLUMN output_tokens INTEGER;
ALTER TABLE runs ADD COLUMN cached_tokens INTEGER;
ALTER TABLE runs ADD COLUMN cost_usd REAL;
";

/// Conversations: runs that continue another one, questions of agents, and requests with an answer.
///
/// A run that continues another works in the same worktree, so the table is made anew without its old constraint. Who
/// refers to it is put aside meanwhile.
const CONVERSATIONS: &str = "
CREATE TABLE requests_aside AS SELECT * FROM requests;
DROP TABLE requests;
CREATE TABLE runs_anew (
    id                TEXT PRIMARY KEY NOT NULL,
    repo_path         TEXT NOT NULL,
    repo_fingerprint  TEXT NOT NULL,
    base_ref          TEXT NOT NULL,
    base_commit       TEXT NOT NULL,
    new_branch        TEXT,
    worktree_path     TEXT,
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
    removed_at        TEXT,
    agent_session     TEXT,
    input_tokens      INTEGER,
    output_tokens     INTEGER,
    cached_tokens     INTEGER,
    cost_usd          REAL,
    parent_id         TEXT,
    agent_version     TEXT,
    activity          TEXT,
    activity_at       TEXT
);
INSERT INTO runs_anew (id, repo_path, repo_fingerprint, base_ref, base_commit, new_branch, worktree_path, workspace, runner_kind,
    runner_args_json, mode, host, restart_policy, state, phase, attempt, name, created_at, updated_at, started_at,
    ended_at, exit_code, signal, reason, error, stdout_log_path, stderr_log_path, tmux_session_name, tmux_socket,
    saved_ref, removed_at, agent_session, input_tokens, output_tokens, cached_tokens, cost_usd)
SELECT id, repo_path, repo_fingerprint, base_ref, base_commit, new_branch, worktree_path, workspace, runner_kind,
    runner_args_json, mode, host, restart_policy, state, phase, attempt, name, created_at, updated_at, started_at,
    ended_at, exit_code, signal, reason, error, stdout_log_path, stderr_log_path, tmux_session_name, tmux_socket,
    saved_ref, removed_at, agent_session, input_tokens, output_tokens, cached_tokens, cost_usd FROM runs;
DROP TABLE runs;
ALTER TABLE runs_anew RENAME TO runs;
CREATE UNIQUE INDEX runs_own_their_worktree ON runs (worktree_path) WHERE parent_id IS NULL;
CREATE INDEX runs_by_worktree ON runs (worktree_path) WHERE worktree_path IS NOT NULL;
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
    content    TEXT,
    created_at TEXT NOT NULL,
    taken_at   TEXT,
    done_at    TEXT,
    succeeded  INTEGER,
    outcome    TEXT
);
CREATE INDEX requests_open ON requests (run_id, id) WHERE taken_at IS NULL;
INSERT INTO requests (id, run_id, kind, created_at, taken_at)
SELECT id, run_id, kind, created_at, taken_at FROM requests_aside;
DROP TABLE requests_aside;

CREATE TABLE questions (
    id           TEXT PRIMARY KEY NOT NULL,
    run_id       TEXT NOT NULL REFERENCES runs (id),
    attempt      INTEGER NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('open', 'answered', 'delivered', 'expired')),
    kind         TEXT NOT NULL,
    content      TEXT NOT NULL,
    asked_at     TEXT NOT NULL,
    answer       TEXT,
    answered_by  TEXT,
    answered_at  TEXT,
    settled_at   TEXT,
    outcome      TEXT,
    repeats      TEXT
);
CREATE INDEX questions_open ON questions (id) WHERE state = 'open';
CREATE INDEX questions_by_run ON questions (run_id, id);

CREATE TRIGGER questions_move_legally BEFORE UPDATE OF state ON questions
WHEN NEW.state <> OLD.state AND NOT (
    (OLD.state = 'open'     AND NEW.state IN ('answered', 'delivered', 'expired')) OR
    (OLD.state = 'answered' AND NEW.state IN ('delivered', 'expired')))
BEGIN SELECT RAISE(ABORT, 'illegal state of a question'); END;
";

/// What runs are for, and in which kind of workspace.
///
/// Tasks of a workflow may share a worktree. The name of an agent is unique among live runs.
const KINDS_OF_RUNS: &str = "
ALTER TABLE runs ADD COLUMN kind TEXT NOT NULL DEFAULT 'run';
ALTER TABLE runs ADD COLUMN vcs TEXT NOT NULL DEFAULT 'git';
ALTER TABLE runs ADD COLUMN workflow_session TEXT;
DROP INDEX runs_own_their_worktree;
CREATE UNIQUE INDEX runs_own_their_worktree ON runs (worktree_path) WHERE parent_id IS NULL AND workspace = 'worktree';
CREATE UNIQUE INDEX agents_own_their_name ON runs (name) WHERE kind = 'agent' AND state IN ('queued', 'running');
CREATE INDEX runs_by_session ON runs (workflow_session, id) WHERE workflow_session IS NOT NULL;
";

/// The process that gave an answer, as JSON.
const WHO_ANSWERED: &str = "
ALTER TABLE questions ADD COLUMN answered_from TEXT;
";

/// Whether the exit markers of a finished run are written, and facts about the database itself.
///
/// A supervisor of an earlier version does not know the column and writes its files itself, hence the default.
const RECOVERY: &str = "
ALTER TABLE runs ADD COLUMN end_recorded INTEGER NOT NULL DEFAULT 1;
CREATE INDEX runs_end_unrecorded ON runs (id) WHERE end_recorded = 0;
CREATE TABLE facts (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL);
";

/// Whether the run's own agent may answer questions, as the configuration said when it was created. Of older runs it is not
/// known, so theirs may not.
const WHO_MAY_ANSWER: &str = "
ALTER TABLE runs ADD COLUMN allow_self_answer INTEGER NOT NULL DEFAULT 0;
";

/// Runs of earlier versions that have no name are found at once. They get one when they are read.
const NAMES: &str = "
CREATE INDEX runs_unnamed ON runs (id) WHERE name IS NULL;
";

/// Whether an agent may have started the run. Of older runs it is not known; they count as the user's, as before.
const WHO_STARTED: &str = "
ALTER TABLE runs ADD COLUMN started_by_agent INTEGER NOT NULL DEFAULT 0;
";

/// The work of a run: where it landed, the comments on it, and which state of it was approved. And the
/// project files whose commands the user approved, by their content.
///
/// The numbers of comments are never used again, since a user may still see an old one on a screen.
const LANDING: &str = "
ALTER TABLE runs ADD COLUMN landed_at TEXT;
ALTER TABLE runs ADD COLUMN landed_commit TEXT;
ALTER TABLE runs ADD COLUMN landed_into TEXT;
ALTER TABLE runs ADD COLUMN race_id TEXT;
CREATE INDEX runs_by_race ON runs (race_id, id) WHERE race_id IS NOT NULL;

CREATE TABLE comments (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id        TEXT NOT NULL REFERENCES runs (id),
    tree          TEXT NOT NULL,
    path          TEXT NOT NULL,
    side          TEXT NOT NULL CHECK (side IN ('old', 'new')),
    first_line    INTEGER,
    last_line     INTEGER,
    quoted        TEXT NOT NULL,
    body          TEXT NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('open', 'sent', 'addressed', 'withdrawn')),
    created_at    TEXT NOT NULL,
    sent_at       TEXT,
    settled_at    TEXT
);
CREATE INDEX comments_by_run ON comments (run_id, id);
CREATE INDEX comments_open ON comments (id) WHERE state IN ('open', 'sent');

CREATE TRIGGER comments_move_legally BEFORE UPDATE OF state ON comments
WHEN NEW.state <> OLD.state AND NOT (
    (OLD.state = 'open' AND NEW.state IN ('sent', 'addressed', 'withdrawn')) OR
    (OLD.state = 'sent' AND NEW.state IN ('addressed', 'withdrawn')))
BEGIN SELECT RAISE(ABORT, 'illegal state of a comment'); END;

CREATE TABLE approvals (
    run_id      TEXT PRIMARY KEY NOT NULL REFERENCES runs (id),
    tree        TEXT NOT NULL,
    approved_by TEXT NOT NULL,
    approved_at TEXT NOT NULL
);

CREATE TABLE trusted_projects (
    repo_path   TEXT NOT NULL,
    sha256      TEXT NOT NULL,
    commands    TEXT NOT NULL,
    trusted_at  TEXT NOT NULL,
    PRIMARY KEY (repo_path, sha256)
);
";

/// Comments that follow their lines: what was reviewed, and how a comment reaches its agent. The table is made anew, since
/// a state is new; numbers stay.
///
/// A comment is `sent` before it is delivered, so that a process that ends in between is noticed: what was not delivered is
/// open again.
const REVIEW: &str = "
CREATE TABLE comments_anew (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id        TEXT NOT NULL REFERENCES runs (id),
    tree          TEXT NOT NULL,
    path          TEXT NOT NULL,
    side          TEXT NOT NULL CHECK (side IN ('old', 'new')),
    first_line    INTEGER,
    last_line     INTEGER,
    quoted        TEXT NOT NULL,
    body          TEXT NOT NULL,
    author        TEXT NOT NULL DEFAULT '',
    state         TEXT NOT NULL CHECK (state IN ('open', 'sent', 'addressed', 'gone', 'withdrawn')),
    created_at    TEXT NOT NULL,
    sent_at       TEXT,
    delivered_at  TEXT,
    settled_at    TEXT,
    request_id    INTEGER,
    resumed_as    TEXT,
    anchor_blob   TEXT,
    anchor_start  INTEGER NOT NULL DEFAULT 0,
    anchor_end    INTEGER NOT NULL DEFAULT 0
);
INSERT INTO comments_anew (id, run_id, tree, path, side, first_line, last_line, quoted, body, state, created_at, sent_at,
    settled_at)
SELECT id, run_id, tree, path, side, first_line, last_line, quoted, body, state, created_at, sent_at, settled_at
FROM comments;
DROP TABLE comments;
ALTER TABLE comments_anew RENAME TO comments;
CREATE INDEX comments_by_run ON comments (run_id, id);
CREATE INDEX comments_open ON comments (id) WHERE state IN ('open', 'sent');

CREATE TRIGGER comments_move_legally BEFORE UPDATE OF state ON comments
WHEN NEW.state <> OLD.state AND NOT (
    (OLD.state = 'open' AND NEW.state IN ('sent', 'withdrawn')) OR
    (OLD.state = 'sent' AND OLD.delivered_at IS NULL AND NEW.state = 'open') OR
    (OLD.state = 'sent' AND NEW.state IN ('addressed', 'gone', 'withdrawn')))
BEGIN SELECT RAISE(ABORT, 'illegal state of a comment'); END;

CREATE TABLE reviewed_files (
    blob     TEXT PRIMARY KEY NOT NULL,
    content  BLOB NOT NULL
);
";

/// Races: what checks the runs of each, and what that showed.
const RACES: &str = "
CREATE TABLE races (
    id           TEXT PRIMARY KEY NOT NULL,
    repo_path    TEXT NOT NULL,
    base_commit  TEXT NOT NULL,
    verify       TEXT,
    protect      TEXT NOT NULL,
    created_at   TEXT NOT NULL
);

CREATE TABLE race_results (
    run_id       TEXT PRIMARY KEY NOT NULL REFERENCES runs (id),
    tree         TEXT NOT NULL,
    succeeded    INTEGER NOT NULL,
    outcome      TEXT NOT NULL,
    duration_ms  INTEGER NOT NULL,
    protected    TEXT NOT NULL,
    verified_at  TEXT NOT NULL
);
";

/// The ports of runs. They belong to the worktree, which several runs can have one after the other.
const PORTS: &str = "
CREATE TABLE ports (
    port           INTEGER PRIMARY KEY NOT NULL,
    worktree_path  TEXT NOT NULL,
    name           TEXT NOT NULL,
    UNIQUE (worktree_path, name)
);
";
