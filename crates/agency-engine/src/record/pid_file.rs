//! Pid files: each names the process of a run's agent, so that it is found again when its supervisor is gone.
//!
//! The one rule: a file that is not wholly understood proves nothing, and is left where it is.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use agency_model::RunId;
use agency_system::process::{FoundProcess, Identity};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::home::{HomeError, create_private_directory, read_private_file, write_atomically};
use crate::store::now;

/// The version of the format.
const VERSION: u32 = 1;
/// The maximum size of a pid file.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// What a pid file holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PidFile {
    /// The version of the format.
    pub schema_version: u32,
    /// The run.
    pub run_id: RunId,
    /// The label that the user gave it.
    pub name: Option<String>,
    /// The program that was started.
    pub program: String,
    /// The process.
    pub process: Identity,
    /// When this was written.
    pub written_at: Timestamp,
}

/// A pid file that cannot be used, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnclearPidFile {
    /// Where it is.
    pub path: PathBuf,
    /// The run it is named after, where it is named after one.
    pub run_id: Option<RunId>,
    /// What is wrong with it.
    pub why: String,
}

impl PidFile {
    /// What to record of a process that was just started.
    pub fn of(run_id: &RunId, name: Option<&str>, program: &str, pid: u32) -> io::Result<Self> {
        Ok(Self {
            schema_version: VERSION,
            run_id: run_id.clone(),
            name: name.map(str::to_owned),
            program: program.to_owned(),
            process: Identity::of(pid)?,
            written_at: now(),
        })
    }

    /// Writes it, in place of that of an earlier process of the run.
    pub fn write(&self, directory: &Path) -> Result<(), HomeError> {
        create_private_directory(directory)?;
        let path = path_of(directory, &self.run_id);
        let mut text = serde_json::to_vec_pretty(self)
            .map_err(|error| HomeError::new("encode", &path, io::Error::other(error)))?;
        text.push(b'\n');
        write_atomically(&path, &text)
    }

    /// Reads that of a run; `None` if there is none.
    pub fn read(directory: &Path, run_id: &RunId) -> Result<Option<Self>, UnclearPidFile> {
        let path = path_of(directory, run_id);
        let unclear = |why: String| UnclearPidFile { path: path.clone(), run_id: Some(run_id.clone()), why };
        let text = match read_private_file(&path, MAX_FILE_BYTES) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unclear(error.to_string())),
        };
        let read: Self = serde_json::from_slice(&text).map_err(|error| unclear(format!("it is damaged: {error}")))?;
        if read.schema_version != VERSION {
            return Err(unclear(format!(
                "it has the version {}, which this agency does not know",
                read.schema_version
            )));
        }
        if read.run_id != *run_id {
            return Err(unclear(format!("it is about {}, although it is named after {run_id}", read.run_id)));
        }
        Ok(Some(read))
    }

    /// Removes that of a run, unless its process still exists: then it may be needed to find it.
    pub fn remove_if_gone(directory: &Path, run_id: &RunId) {
        let is_there = match Self::read(directory, run_id) {
            Ok(Some(file)) => !matches!(file.process.find(), Ok(FoundProcess::Gone | FoundProcess::AnotherBoot)),
            Ok(None) => return,
            // It is the run's own, and holds no information any more.
            Err(_) => false,
        };
        if !is_there {
            remove(directory, run_id);
        }
    }
}

/// The pid file of a run.
#[must_use]
pub fn path_of(directory: &Path, run_id: &RunId) -> PathBuf {
    directory.join(format!("{run_id}.json"))
}

/// Removes the pid file of a run. One that cannot be removed names a process that has exited, and does no harm.
pub fn remove(directory: &Path, run_id: &RunId) {
    let _ = fs::remove_file(path_of(directory, run_id));
}

/// The runs that have a pid file, whatever is in it. Files with other names are not ours.
pub fn runs_in(directory: &Path) -> Result<Vec<RunId>, UnclearPidFile> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
        Err(error) => {
            return Err(UnclearPidFile { path: directory.to_owned(), run_id: None, why: error.to_string() });
        }
    };
    let names = entries.filter_map(Result::ok).map(|entry| entry.file_name());
    let mut runs: Vec<RunId> =
        names.filter_map(|name| name.to_str()?.strip_suffix(".json")?.parse::<RunId>().ok()).collect();
    runs.sort();
    Ok(runs)
}
