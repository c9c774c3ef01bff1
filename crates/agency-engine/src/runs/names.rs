//! Names for runs that were created before every run had one.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use agency_model::{RunId, generated_name};
use tracing::{debug, info};

use crate::agency::Agency;
use crate::store::{RunRow, StoreError};

/// How much of a prompt is read for a name.
const MAX_PROMPT_BYTES: u64 = 4096;

impl Agency {
    /// Gives runs without a name one that is made of their prompt. A database that cannot be written is read as it is.
    pub(crate) fn name_unnamed(&mut self) -> Result<(), StoreError> {
        let unnamed = self.store.unnamed()?;
        if unnamed.is_empty() {
            return Ok(());
        }
        let proposed: Vec<(RunId, String)> =
            unnamed.iter().map(|row| (row.id.clone(), self.proposed_name(row))).collect();
        match self.store.set_generated_names(&proposed) {
            Ok(()) => info!(runs = proposed.len(), "runs of an earlier version named"),
            Err(error) => debug!(code = error.code().as_str(), "runs without a name stay so"),
        }
        Ok(())
    }

    fn proposed_name(&self, row: &RunRow) -> String {
        let prompt = first_bytes(&self.home.run(&row.id).file("prompt.md"));
        let file = || {
            let path = self.spec_of(row).ok()?.prompt?.path;
            let stem = Path::new(&path).file_stem()?.to_str()?.to_owned();
            // Every prompt that is given as text has this name in the worktree.
            Some(stem).filter(|stem| stem != "prompt").as_deref().and_then(generated_name)
        };
        let branch =
            || row.new_branch.as_deref().filter(|branch| *branch != row.id.default_branch()).and_then(generated_name);
        prompt
            .as_deref()
            .and_then(generated_name)
            .or_else(file)
            .or_else(branch)
            .or_else(|| generated_name(&row.runner_kind))
            .unwrap_or_else(|| "run".to_owned())
    }
}

/// The beginning of a file of a run, if it is one.
fn first_bytes(path: &Path) -> Option<String> {
    let file = File::open(path).ok().filter(|file| file.metadata().is_ok_and(|found| found.is_file()))?;
    let mut bytes = vec![];
    file.take(MAX_PROMPT_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
