//! Trust in a worktree: one entry in Claude Code's `.claude.json`, noted in the run directory so that it can be removed.
//!
//! The one rule: nothing else in that file changes.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

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

/// Adds the trust for one directory, unless it is there.
pub(super) fn grant(
    run: &RunDirectory,
    directory: &Path,
    environment: &BTreeMap<OsString, OsString>,
) -> Result<(), HomeError> {
    let Some(file) = settings_file(environment) else { return Ok(()) };
    let note = Note { file, directory: directory.display().to_string() };
    let mut noted = Ok(());
    change(&note.file, |settings| {
        let project = entry(settings, "projects").and_then(|projects| entry(projects, &note.directory));
        let Some(project) = project else { return false };
        if project.get(ACCEPTED) == Some(&Value::Bool(true)) {
            return false;
        }
        project.insert(ACCEPTED.to_owned(), Value::Bool(true));
        // The note comes first: a crash in between leaves a note of an entry that does not exist.
        noted = run.write_json(NOTE, &note);
        noted.is_ok()
    })
    .map_err(|source| HomeError::new("change", &note.file, source))?;
    noted
}

/// Removes what [`grant`] added for this run, if it did.
pub(super) fn revoke(run: &RunDirectory) -> Result<(), HomeError> {
    let Some(note) = read_whole(&run.file(NOTE)).ok().and_then(|text| serde_json::from_slice::<Note>(&text).ok())
    else {
        return Ok(());
    };
    change(&note.file, |settings| {
        let Some(projects) = settings.get_mut("projects").and_then(Value::as_object_mut) else { return false };
        // What Claude Code remembers about a directory that is gone is of no use to anybody.
        projects.shift_remove(&note.directory).is_some()
    })
    .map_err(|source| HomeError::new("change", &note.file, source))?;
    fs::remove_file(run.file(NOTE)).map_err(|source| HomeError::new("remove", run.file(NOTE), source))
}

const ACCEPTED: &str = "hasTrustDialogAccepted";

fn settings_file(environment: &BTreeMap<OsString, OsString>) -> Option<PathBuf> {
    let directory = |name: &str| environment.get(OsStr::new(name)).filter(|value| !value.is_empty()).map(PathBuf::from);
    Some(directory("CLAUDE_CONFIG_DIR").or_else(|| directory("HOME"))?.join(".claude.json"))
}

/// The object under a key, made if it is not there or is none.
fn entry<'a>(parent: &'a mut Map<String, Value>, key: &str) -> Option<&'a mut Map<String, Value>> {
    let value = parent.entry(key).or_insert(Value::Null);
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut()
}

/// Changes the settings under the lock that Claude Code itself takes; writes only if `edit` says so.
fn change(file: &Path, edit: impl FnOnce(&mut Map<String, Value>) -> bool) -> io::Result<()> {
    let _lock = Locked::take(file)?;
    let mut settings: Map<String, Value> = match read_whole(file) {
        Ok(text) => serde_json::from_slice(&text)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Map::new(),
        Err(error) => return Err(error),
    };
    if !edit(&mut settings) {
        return Ok(());
    }
    let text = serde_json::to_vec_pretty(&settings)?;
    // A link to a file elsewhere stays a link.
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    write_atomically(&target, &text).map_err(|error| error.source)
}

/// The directory beside the file that stands for its lock.
struct Locked {
    path: PathBuf,
}

impl Locked {
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
                        // Whoever else removes it does the same.
                        let _ = fs::remove_dir(&path);
                    }
                    std::thread::sleep(RETRY_DELAY);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // A lock that stays is stale soon.
        let _ = fs::remove_dir(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::Home;
    use agency_model::RunId;

    fn world() -> (tempfile::TempDir, RunDirectory, BTreeMap<OsString, OsString>) {
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
        grant(&run, Path::new("/work tree"), &environment).unwrap();
        let settings: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        assert_eq!(settings["projects"]["/work tree"]["hasTrustDialogAccepted"], true);
        assert_eq!(settings["projects"]["/mine"]["a"], 1);
        revoke(&run).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), before);
        revoke(&run).unwrap();
        assert!(!directory.path().join(".claude.json.lock").exists());
    }

    #[test]
    fn what_the_user_trusts_already_is_not_taken_back() {
        let (directory, run, environment) = world();
        let file = directory.path().join(".claude.json");
        let before = r#"{"projects":{"/w":{"hasTrustDialogAccepted":true}}}"#;
        fs::write(&file, before).unwrap();
        grant(&run, Path::new("/w"), &environment).unwrap();
        revoke(&run).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), before);
    }

    #[test]
    fn a_file_that_is_no_json_is_left_alone() {
        let (directory, run, environment) = world();
        let file = directory.path().join(".claude.json");
        fs::write(&file, "{ broken").unwrap();
        assert!(grant(&run, Path::new("/w"), &environment).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "{ broken");
    }
}
