//! The attempts of vibe-kanban, which newer versions call workspaces: tables of an SQLite database.
//!
//! The one rule: a copy of the database is read, so that opening it changes no file of the other program.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, Row};

use super::{Found, ImportError};

/// Reads the database.
#[expect(clippy::disallowed_methods, reason = "it is the database of another program, and a copy of it")]
pub(super) fn read(path: &Path) -> Result<Vec<Found>, ImportError> {
    let unreadable = |error: &dyn std::fmt::Display| ImportError::unreadable(path, error);
    let place = tempfile::tempdir().map_err(|error| unreadable(&error))?;
    let copy = place.path().join("db.sqlite");
    std::fs::copy(path, &copy).map_err(|error| unreadable(&error))?;
    let log = |path: &Path| PathBuf::from(format!("{}-wal", path.display()));
    if log(path).exists() {
        std::fs::copy(log(path), log(&copy)).map_err(|error| unreadable(&error))?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(&copy, flags).map_err(|error| unreadable(&error))?;
    rows(&database).map_err(|error| unreadable(&error))
}

/// What each version calls the tables and columns.
struct Names {
    attempts: &'static str,
    /// The table of an attempt's repositories, and its column for the attempt.
    repositories: Option<(&'static str, &'static str)>,
    /// An expression for the agent.
    agent: String,
    target: String,
    place: &'static str,
}

impl Names {
    fn find(database: &Connection) -> rusqlite::Result<Option<Self>> {
        let has = |table: &str, column: &str| -> rusqlite::Result<bool> {
            let sql = "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2";
            database.query_row(sql, [table, column], |row| row.get::<_, i64>(0)).map(|count| count > 0)
        };
        let attempts = match (has("workspaces", "id")?, has("task_attempts", "id")?) {
            (true, _) => "workspaces",
            (false, true) => "task_attempts",
            (false, false) => return Ok(None),
        };
        let mut repositories = None;
        for (table, column) in
            [("workspace_repos", "workspace_id"), ("attempt_repos", "workspace_id"), ("attempt_repos", "attempt_id")]
        {
            if repositories.is_none() && has(table, column)? {
                repositories = Some((table, column));
            }
        }
        let agent = if has("sessions", "workspace_id")? {
            "(SELECT s.executor FROM sessions s WHERE s.workspace_id = a.id ORDER BY s.created_at LIMIT 1)".to_owned()
        } else if has(attempts, "executor")? {
            "a.executor".to_owned()
        } else {
            "NULL".to_owned()
        };
        let target = match repositories {
            Some(_) => "j.target_branch".to_owned(),
            None if has(attempts, "target_branch")? => "a.target_branch".to_owned(),
            None if has(attempts, "base_branch")? => "a.base_branch".to_owned(),
            None => "NULL".to_owned(),
        };
        let place = if has(attempts, "container_ref")? { "container_ref" } else { "worktree_path" };
        Ok(Some(Self { attempts, repositories, agent, target, place }))
    }

    fn query(&self) -> String {
        let Self { attempts, repositories, agent, target, place } = self;
        let (repository, name, joined) = match repositories {
            Some((table, column)) => {
                ("r.path", "r.name", format!("JOIN {table} j ON j.{column} = a.id JOIN repos r ON r.id = j.repo_id"))
            }
            None => ("p.git_repo_path", "''", "JOIN projects p ON p.id = t.project_id".to_owned()),
        };
        format!(
            "SELECT coalesce(t.title, ''), a.{place}, a.branch, {target}, {agent}, a.created_at, {repository}, {name} \
             FROM {attempts} a LEFT JOIN tasks t ON t.id = a.task_id {joined} \
             WHERE a.{place} IS NOT NULL ORDER BY a.created_at"
        )
    }
}

fn rows(database: &Connection) -> rusqlite::Result<Vec<Found>> {
    let Some(names) = Names::find(database)? else { return Ok(vec![]) };
    let mut statement = database.prepare(&names.query())?;
    let found = statement.query_map([], found)?;
    found.collect()
}

fn found(row: &Row<'_>) -> rusqlite::Result<Found> {
    let place = PathBuf::from(row.get::<_, String>(1)?);
    // A workspace holds a worktree per repository; earlier versions had one.
    let inner = place.join(row.get::<_, String>(7)?);
    let worktree = if inner != place && inner.join(".git").exists() { inner } else { place };
    let created_at: Option<String> = row.get(5)?;
    Ok(Found {
        title: row.get(0)?,
        worktree,
        branch: row.get(2)?,
        base: row.get(3)?,
        agent: row.get::<_, Option<String>>(4)?.map(|agent| agent.to_lowercase()),
        created_at: created_at.and_then(|at| format!("{}Z", at.trim_end_matches('Z').replace(' ', "T")).parse().ok()),
        repo: row.get::<_, String>(6)?.into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASKS: &str = "CREATE TABLE tasks (id BLOB PRIMARY KEY, project_id BLOB, title TEXT NOT NULL);
        INSERT INTO tasks VALUES (x'01', x'09', 'Fix the login');";
    const REPOSITORIES: &str = "CREATE TABLE repos (id BLOB PRIMARY KEY, path TEXT NOT NULL, name TEXT NOT NULL);
        INSERT INTO repos VALUES (x'05', '/home/user/shop', 'shop');";

    /// What is read of a database with these tables, and that its files stay as they are.
    fn read_from(sql: &str) -> Vec<Found> {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("db.sqlite");
        let database = Connection::open(&path).unwrap();
        database.execute_batch("PRAGMA journal_mode = WAL").unwrap();
        database.execute_batch(&format!("{TASKS}{sql}")).unwrap();
        let files = || {
            let names = std::fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().path());
            let mut files: Vec<_> = names.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect();
            files.sort();
            files.retain(|(path, _)| !path.ends_with("db.sqlite-shm"));
            files
        };
        // The other program has it open, with changes in its log.
        let before = files();
        let found = read(&path).unwrap();
        assert_eq!(files(), before);
        found
    }

    fn expected(worktree: &str) -> Found {
        Found {
            title: "Fix the login".to_owned(),
            repo: "/home/user/shop".into(),
            worktree: worktree.into(),
            branch: Some("vk/1234-fix-the-login".to_owned()),
            base: Some("main".to_owned()),
            agent: Some("claude_code".to_owned()),
            created_at: Some("2025-12-16T14:21:23.123Z".parse().unwrap()),
        }
    }

    #[test]
    fn attempts_of_projects_with_one_repository_are_read() {
        let sql = "CREATE TABLE projects (id BLOB PRIMARY KEY, git_repo_path TEXT NOT NULL);
            INSERT INTO projects VALUES (x'09', '/home/user/shop');
            CREATE TABLE task_attempts (id BLOB PRIMARY KEY, task_id BLOB NOT NULL, container_ref TEXT, branch TEXT,
                target_branch TEXT, executor TEXT, created_at TEXT);
            INSERT INTO task_attempts VALUES (x'02', x'01', '/w/1234', 'vk/1234-fix-the-login', 'main', 'CLAUDE_CODE',
                '2025-12-16 14:21:23.123'), (x'03', x'01', NULL, NULL, 'main', 'CODEX', '2025-12-17 00:00:00.000');";
        assert_eq!(read_from(sql), [expected("/w/1234")]);
    }

    #[test]
    fn workspaces_with_several_repositories_are_read() {
        let place = tempfile::tempdir().unwrap();
        let workspace = place.path().display().to_string();
        std::fs::create_dir_all(place.path().join("shop/.git")).unwrap();
        for junction in ["attempt_repos (id BLOB, attempt_id", "workspace_repos (id BLOB, workspace_id"] {
            let table = junction.split(' ').next().unwrap();
            let sql = format!(
                "{REPOSITORIES}
                CREATE TABLE workspaces (id BLOB PRIMARY KEY, task_id BLOB, container_ref TEXT, branch TEXT, created_at TEXT);
                INSERT INTO workspaces VALUES (x'02', x'01', '{workspace}', 'vk/1234-fix-the-login', '2025-12-16 14:21:23.123');
                CREATE TABLE {junction} BLOB, repo_id BLOB, target_branch TEXT NOT NULL);
                INSERT INTO {table} VALUES (x'04', x'02', x'05', 'main');
                CREATE TABLE sessions (id BLOB, workspace_id BLOB, executor TEXT, created_at TEXT);
                INSERT INTO sessions VALUES (x'06', x'02', 'CLAUDE_CODE', '2025-12-16 14:21:24');"
            );
            assert_eq!(read_from(&sql), [expected(&format!("{workspace}/shop"))]);
        }
    }

    #[test]
    fn another_database_has_no_attempts_and_other_files_are_refused() {
        assert_eq!(read_from("CREATE TABLE other (id TEXT);"), []);
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("db.sqlite");
        std::fs::write(&path, "not a database, whatever its name says").unwrap();
        assert!(read(&path).is_err());
        assert!(read(&place.path().join("missing")).is_err());
    }
}
