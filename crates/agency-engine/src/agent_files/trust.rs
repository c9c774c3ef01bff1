//! Trust in a worktree: one entry in the user's settings of an agent, noted in the run directory so that it can be removed.
//!
//! The one rule: the settings are changed under the lock that the agent itself takes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use agency_adapters::{AgentAdapter, TrustSettings, Variables, built_in};
use serde::{Deserialize, Serialize};

use crate::home::{HomeError, RunDirectory, read_whole, write_atomically};

/// The note in the run directory.
const NOTE: &str = "trust.json";
/// How long another process may hold the file.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// A lock that is older was left by a process that died.
const STALE_LOCK_AGE: Duration = Duration::from_secs(10);
const RETRY_DELAY: Duration = Duration::from_millis(20);

/// What was added, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    file: PathBuf,
    directory: String,
}

/// Marks a directory as trusted in the user's settings of an agent, unless it is; for agents that have such settings.
pub fn grant_trust(
    adapter: &dyn AgentAdapter,
    run: &RunDirectory,
    directory: &Path,
    environment: &Variables,
) -> Result<(), HomeError> {
    let Some(settings) = adapter.trust_settings() else { return Ok(()) };
    let Some(file) = (settings.file)(environment) else { return Ok(()) };
    let note = Note { file, directory: directory.display().to_string() };
    let mut noted = Ok(());
    change(&note.file, |text| {
        let granted = (settings.grant)(text, &note.directory)?;
        if granted.is_some() {
            // The note comes first: a crash in between leaves a note of an entry that does not exist.
            noted = run.write_json(NOTE, &note);
        }
        Ok(granted.filter(|_| noted.is_ok()))
    })
    .map_err(|source| HomeError::new("change", &note.file, source))?;
    noted
}

/// Removes the trust that was granted for a run, if it was, whichever agent it was.
pub fn revoke_trust(run: &RunDirectory) -> Result<(), HomeError> {
    built_in().filter_map(AgentAdapter::trust_settings).try_for_each(|settings| revoke(settings, run))
}

fn revoke(settings: TrustSettings, run: &RunDirectory) -> Result<(), HomeError> {
    let Some(note) = read_whole(&run.file(NOTE)).ok().and_then(|text| serde_json::from_slice::<Note>(&text).ok())
    else {
        return Ok(());
    };
    change(&note.file, |text| Ok((settings.revoke)(text, &note.directory)?))
        .map_err(|source| HomeError::new("change", &note.file, source))?;
    fs::remove_file(run.file(NOTE)).map_err(|source| HomeError::new("remove", run.file(NOTE), source))
}

/// Changes the settings under the lock of the agent; `edit` returns none where nothing is written.
fn change(file: &Path, edit: impl FnOnce(Option<&[u8]>) -> io::Result<Option<Vec<u8>>>) -> io::Result<()> {
    let _lock = SettingsLock::take(file)?;
    let before = match read_whole(file) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let Some(text) = edit(before.as_deref())? else { return Ok(()) };
    // A link to a file elsewhere stays a link.
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    write_atomically(&target, &text).map_err(|error| error.source)
}

/// The directory beside the file that stands for its lock.
struct SettingsLock {
    path: PathBuf,
}

impl SettingsLock {
    fn take(file: &Path) -> io::Result<Self> {
        let path = PathBuf::from(format!("{}.lock", file.display()));
        let deadline = Instant::now() + LOCK_TIMEOUT;
        loop {
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && Instant::now() < deadline => {
                    let age = path.metadata().and_then(|metadata| metadata.modified()).ok();
                    let age = age.and_then(|changed| SystemTime::now().duration_since(changed).ok());
                    if age.is_some_and(|age| age > STALE_LOCK_AGE) {
                        // Another process that removes it does the same.
                        let _ = fs::remove_dir(&path);
                    }
                    std::thread::sleep(RETRY_DELAY);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for SettingsLock {
    fn drop(&mut self) {
        // A lock that stays is stale soon.
        let _ = fs::remove_dir(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use agency_adapters::adapter;
    use agency_model::RunId;
    use serde_json::Value;

    use super::*;
    use crate::home::Home;

    fn world() -> (tempfile::TempDir, RunDirectory, Variables) {
        let directory = tempfile::tempdir().unwrap();
        let id: RunId = "r_01ARZ3NDEKTSV4RRFFQ69G5FAV".parse().unwrap();
        let run = Home::new(directory.path().join("agency")).run(&id);
        fs::create_dir_all(run.path()).unwrap();
        let environment = BTreeMap::from([("HOME".into(), directory.path().as_os_str().to_owned())]);
        (directory, run, environment)
    }

    #[test]
    fn one_entry_comes_and_goes_and_the_rest_stays_as_it_is() {
        let (directory, run, environment) = world();
        let file = directory.path().join(".claude.json");
        let before =
            "{\n  \"z\": 1,\n  \"projects\": {\n    \"/mine\": {\n      \"a\": 1\n    }\n  },\n  \"b\": null\n}";
        fs::write(&file, before).unwrap();
        grant_trust(adapter("claude_code"), &run, Path::new("/work tree"), &environment).unwrap();
        let settings: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        assert_eq!(settings["projects"]["/work tree"]["hasTrustDialogAccepted"], true);
        assert_eq!(settings["projects"]["/mine"]["a"], 1);
        revoke_trust(&run).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), before);
        revoke_trust(&run).unwrap();
        assert!(!directory.path().join(".claude.json.lock").exists());
    }

    #[test]
    fn what_the_user_trusts_already_is_not_taken_back() {
        let (directory, run, environment) = world();
        let file = directory.path().join(".claude.json");
        let before = r#"{"projects":{"/w":{"hasTrustDialogAccepted":true}}}"#;
        fs::write(&file, before).unwrap();
        grant_trust(adapter("claude_code"), &run, Path::new("/w"), &environment).unwrap();
        revoke_trust(&run).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), before);
    }

    #[test]
    fn a_file_that_is_no_json_is_left_alone() {
        let (directory, run, environment) = world();
        let file = directory.path().join(".claude.json");
        fs::write(&file, "{ broken").unwrap();
        assert!(grant_trust(adapter("claude_code"), &run, Path::new("/w"), &environment).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "{ broken");
    }
}
