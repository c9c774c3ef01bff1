//! Finds the conversation of a run whose agent did not tell its name: by what the agent itself keeps about the run's
//! worktree, which is no other run's.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::Deserialize;

use crate::config::KeepsConversations;
use crate::process::answer_of;

/// How long opencode may take for its list, and how much it may print.
const LIMIT: Duration = Duration::from_secs(60);
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// How many of Codex' files are looked at, the newest first.
const MOST_FILES: usize = 5000;

/// The agent's own id of the newest conversation in this directory.
pub(crate) fn find(
    keeps: KeepsConversations,
    program: &Path,
    directory: &Path,
    environment: &BTreeMap<OsString, OsString>,
) -> Option<String> {
    match keeps {
        KeepsConversations::Unknown => None,
        KeepsConversations::CodexFiles => in_codex_files(&codex_sessions(environment)?, directory),
        KeepsConversations::OpencodeList => in_opencode_list(program, directory, environment),
    }
}

fn codex_sessions(environment: &BTreeMap<OsString, OsString>) -> Option<PathBuf> {
    let variable = |name: &str| environment.get(OsStr::new(name)).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = variable("CODEX_HOME").or_else(|| variable("HOME").map(|home| home.join(".codex")))?;
    Some(home.join("sessions"))
}

#[derive(Deserialize)]
struct Rollout {
    payload: Meta,
}

#[derive(Deserialize)]
struct Meta {
    id: String,
    cwd: PathBuf,
}

/// The files lie in folders by year, month and day, and their names begin with the time.
fn in_codex_files(sessions: &Path, directory: &Path) -> Option<String> {
    let mut files = vec![sessions.to_owned()];
    for _ in 0..4 {
        files = files.iter().flat_map(|folder| newest_first(folder)).collect();
        files.truncate(MOST_FILES);
    }
    files.into_iter().find_map(|file| {
        let mut first = String::new();
        BufReader::new(fs::File::open(file).ok()?).read_line(&mut first).ok()?;
        let Rollout { payload } = serde_json::from_str(&first).ok()?;
        (payload.cwd == directory).then_some(payload.id)
    })
}

fn newest_first(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort_unstable_by(|one, other| other.cmp(one));
    paths
}

#[derive(Deserialize)]
struct Listed {
    id: String,
    directory: PathBuf,
    updated: u64,
}

fn in_opencode_list(program: &Path, directory: &Path, environment: &BTreeMap<OsString, OsString>) -> Option<String> {
    let mut command = Command::new(program);
    command.args(["session", "list", "--format", "json"]).current_dir(directory);
    command.env_clear().envs(environment);
    let listed: Vec<Listed> = serde_json::from_slice(&answer_of(&mut command, LIMIT, MOST_BYTES)?).ok()?;
    let here = listed.into_iter().filter(|listed| listed.directory == directory);
    here.max_by_key(|listed| listed.updated).map(|listed| listed.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_conversation_of_the_directory_is_found_among_codex_files() {
        let home = tempfile::tempdir().unwrap();
        let write = |day: &str, name: &str, id: &str, cwd: &str| {
            let folder = home.path().join("sessions/2026/11").join(day);
            fs::create_dir_all(&folder).unwrap();
            let meta = format!(r#"{{"type":"session_meta","payload":{{"id":"{id}","cwd":"{cwd}"}}}}"#);
            fs::write(folder.join(name), format!("{meta}\n{{}}\n")).unwrap();
        };
        write("15", "rollout-2026-11-15T10-00-00-a.jsonl", "old", "/w");
        write("16", "rollout-2026-11-16T10-00-00-b.jsonl", "new", "/w");
        write("16", "rollout-2026-11-16T11-00-00-c.jsonl", "other", "/elsewhere");
        fs::write(home.path().join("sessions/2026/11/16/rollout-9-torn.jsonl"), "{").unwrap();
        let environment = BTreeMap::from([("CODEX_HOME".into(), home.path().as_os_str().to_owned())]);
        let found = |directory: &str| {
            find(KeepsConversations::CodexFiles, Path::new("codex"), Path::new(directory), &environment)
        };
        assert_eq!(found("/w").as_deref(), Some("new"));
        assert_eq!(found("/nowhere"), None);
    }
}
