//! The task that a workflow is run over, from wherever it is kept.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use agency_model::workflow::{MAX_WORKFLOW_BYTES, Task, TaskError, parse_values};
use agency_system::process::output_with_timeout;
use serde_json::Value;

use super::WorkflowError;
use super::project::{Project, read};

/// `bd` answers from a local database.
const BEADS_TIMEOUT: Duration = Duration::from_secs(20);
const MAX_ISSUES_BYTES: u64 = 4 * 1024 * 1024;
const ISSUES: &str = ".beads/issues.jsonl";

/// Where a task comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum TaskFrom {
    /// Words.
    Words {
        /// Its title.
        title: String,
        /// What else there is to say.
        body: String,
    },
    /// A JSON or YAML file.
    File(PathBuf),
    /// A bead, by its id.
    Bead(String),
    /// Nowhere: the workflow needs none.
    Nowhere,
}

/// Reads a task.
pub fn read_task(project: &Project, from: &TaskFrom) -> Result<Task, WorkflowError> {
    match from {
        TaskFrom::Words { title, body } => Ok(Task::new(title, body)),
        TaskFrom::Nowhere => Ok(Task::default()),
        TaskFrom::File(path) => {
            let shown = path.display().to_string();
            let values = parse_values(&shown, &read(path, MAX_WORKFLOW_BYTES)?)
                .map_err(|mistakes| WorkflowError::Invalid(mistakes.into()))?;
            Task::from_value(values).map_err(|error| WorkflowError::Task { from: shown, error })
        }
        TaskFrom::Bead(id) => bead(project, id),
    }
}

/// A bead as `bd` reports it, or as it was exported last.
fn bead(project: &Project, id: &str) -> Result<Task, WorkflowError> {
    let no_bead = |why: String| WorkflowError::NoBead { id: id.to_owned(), why };
    // What begins with a dash would be an option of `bd`.
    if id.starts_with('-') || id.trim().is_empty() {
        return Err(no_bead("that is not an id".to_owned()));
    }
    let asked = asked(project, id);
    match asked {
        Ok(value) => {
            Task::from_value(value).map_err(|error| WorkflowError::Task { from: format!("bd show {id}"), error })
        }
        Err(error) => match exported(&project.root().join(ISSUES), id)? {
            Some(value) => {
                Task::from_value(value).map_err(|error| WorkflowError::Task { from: ISSUES.to_owned(), error })
            }
            None => Err(no_bead(format!("{error}, and it is not in {ISSUES}"))),
        },
    }
}

/// Why the issue tracker has no task.
#[derive(Debug, thiserror::Error)]
enum TrackerError {
    #[error("`bd show` gave no answer")]
    NoAnswer,
    #[error("`bd show` did not answer in JSON")]
    NotJson,
    #[error("`bd show` named no such bead")]
    NoSuchBead,
}

#[expect(clippy::disallowed_methods, reason = "the issue tracker is asked for a task")]
fn asked(project: &Project, id: &str) -> Result<Value, TrackerError> {
    let mut command = Command::new("bd");
    command.args(["show", id, "--json"]).current_dir(project.root());
    let answer = output_with_timeout(&mut command, BEADS_TIMEOUT, MAX_ISSUES_BYTES).ok_or(TrackerError::NoAnswer)?;
    let value: Value = serde_json::from_slice(&answer).map_err(|_| TrackerError::NotJson)?;
    let is_task = Task::from_value(value.clone());
    match is_task {
        Err(TaskError::NotOne(_) | TaskError::NoTitle | TaskError::NoObject(_)) => Err(TrackerError::NoSuchBead),
        Ok(_) => Ok(value),
    }
}

/// The last line about a bead in the file that trackers export.
fn exported(path: &Path, id: &str) -> Result<Option<Value>, WorkflowError> {
    let Ok(file) = fs::File::open(path) else { return Ok(None) };
    let mut found = None;
    for line in BufReader::new(file).lines() {
        let line = line.map_err(WorkflowError::io("cannot be read", path))?;
        // A line that is not understood is about something else.
        let value: Option<Value> = serde_json::from_str(&line).ok();
        if let Some(value) = value.filter(|value| value.get("id").and_then(Value::as_str) == Some(id)) {
            found = Some(value);
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project() -> (tempfile::TempDir, Project) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join(".beads")).unwrap();
        fs::create_dir_all(folder.path().join(".git")).unwrap();
        let project = Project::around(folder.path());
        (folder, project)
    }

    #[test]
    fn a_task_file_is_json_or_yaml() {
        let (folder, project) = project();
        for (name, text) in [
            ("t.json", "{\"schema_version\": 1, \"data\": [{\"title\": \"T\", \"description\": \"D\"}]}"),
            ("t.yaml", "title: T\nbody: |\n  D\nextra: [1]\n"),
        ] {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            assert_eq!(read_task(&project, &TaskFrom::File(path)).unwrap().title(), "T");
        }
        let path = folder.path().join("bad.yaml");
        fs::write(&path, "title: [").unwrap();
        assert!(matches!(read_task(&project, &TaskFrom::File(path)), Err(WorkflowError::Invalid(_))));
    }

    #[test]
    fn a_bead_is_found_in_the_exported_file() {
        let (folder, project) = project();
        let lines = "{\"id\":\"bd-1\",\"title\":\"old\"}\nrubbish\n{\"id\":\"bd-1\",\"title\":\"new\"}\n";
        fs::write(folder.path().join(ISSUES), lines).unwrap();
        let value = exported(&folder.path().join(ISSUES), "bd-1").unwrap();
        assert_eq!(value.unwrap()["title"], "new");
        assert_eq!(exported(&folder.path().join(ISSUES), "bd-2").unwrap(), None);
        assert!(matches!(read_task(&project, &TaskFrom::Bead("--all".to_owned())), Err(WorkflowError::NoBead { .. })));
    }
}
