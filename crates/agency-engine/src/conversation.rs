//! Finds the conversation of a run whose agent did not tell its name: by what the agent itself keeps about the run's
//! worktree, which is no other run's.
//!
//! The one rule: these files are in reach of agents, so whatever stands in them is no more than a name that is checked.

mod gemini;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;

use crate::config::KeepsConversations;
use crate::process::output_with_timeout;

/// How long opencode may take for its list, and how much it may print.
const LIMIT: Duration = Duration::from_secs(60);
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// How many of Codex' files are looked at, the newest first.
const MOST_FILES: usize = 5000;

/// How much of a file is read for what it says about itself.
const MOST_BYTES_OF_HEAD: u64 = 1024 * 1024;
/// A longer name is none of an agent's.
const LONGEST_ID: usize = 128;

/// Whose conversation is looked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Search<'a> {
    /// Where the agent keeps its conversations.
    pub(crate) keeps: KeepsConversations,
    /// The agent's program.
    pub(crate) program: &'a Path,
    /// Where the run works.
    pub(crate) directory: &'a Path,
    /// The environment of the agent.
    pub(crate) environment: &'a BTreeMap<OsString, OsString>,
    /// When the run began, and when it ended if it has. Only for Gemini, whose files say it.
    pub(crate) during: (Timestamp, Option<Timestamp>),
}

/// The agent's own id of the newest conversation in this directory.
pub(crate) fn find(search: &Search<'_>) -> Option<String> {
    let Search { keeps, program, directory, environment, during } = *search;
    let found = match keeps {
        KeepsConversations::Unknown => None,
        KeepsConversations::CodexFiles => in_codex_files(&codex_sessions(environment)?, directory),
        KeepsConversations::OpencodeList => in_opencode_list(program, directory, environment),
        KeepsConversations::GeminiFiles => gemini::newest(&gemini::folder(environment)?, directory, during),
    };
    found.filter(|id| is_id(id))
}

/// Whether a name can only be taken for a name: it becomes an argument of the agent.
fn is_id(id: &str) -> bool {
    let begins_well = id.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    let harmless = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    begins_well && id.len() <= LONGEST_ID && id.chars().all(harmless)
}

/// The beginning of a file, line by line. Of anything else than a file, such as a pipe, nothing is read.
fn lines_of(path: &Path) -> impl Iterator<Item = String> {
    let is_file = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let file = is_file.then(|| fs::File::open(path).ok()).flatten();
    file.into_iter().flat_map(|file| BufReader::new(file.take(MOST_BYTES_OF_HEAD)).lines().map_while(Result::ok))
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
        let Rollout { payload } = serde_json::from_str(&lines_of(&file).next()?).ok()?;
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
    let listed: Vec<Listed> = serde_json::from_slice(&output_with_timeout(&mut command, LIMIT, MOST_BYTES)?).ok()?;
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
            find(&Search {
                keeps: KeepsConversations::CodexFiles,
                program: Path::new("codex"),
                directory: Path::new(directory),
                environment: &environment,
                during: (Timestamp::UNIX_EPOCH, None),
            })
        };
        assert_eq!(found("/w").as_deref(), Some("new"));
        assert_eq!(found("/nowhere"), None);
        write("17", "rollout-2026-11-17T10-00-00-d.jsonl", "--yolo", "/w");
        assert_eq!(found("/w"), None, "an option is no name");
    }
}
