//! Writes the files of a run that is created, before its supervisor owns them.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;

use agency_adapters::{FileContent, LaunchFile};
use agency_model::run::State;
use agency_model::{Event, RunKind, WorkspaceKind};
use agency_workspace::{UncommittedCheck, write_prompt};

use super::execute::Creation;
use super::origin::RunOrigin;
use super::{CreateError, PROMPT_IN_WORKTREE, PlannedPrompt};
use crate::home::{BASE_BRANCH_FILE, HomeError, create_private_directory, open_for_append, write_atomically};
use crate::record::event_log::EventLog;

impl Creation<'_> {
    /// Writes the first files of the run: its spec, its logs, its prompt and its first events.
    pub(super) fn write_files(&self) -> Result<(), CreateError> {
        let row = self.agency.store.run(&self.plan.id)?;
        self.directory.write_json("spec.json", &self.plan.spec)?;
        self.directory.write_json("inputs.json", &self.plan.inputs)?;
        self.directory.write_json("meta.json", &row)?;
        for log in [self.directory.stdout_log(), self.directory.stderr_log(), self.directory.combined_log()] {
            open_for_append(&log)?;
        }
        if let Some(PlannedPrompt::Text(prompt)) = &self.plan.prompt {
            self.directory.write("prompt.md", prompt.as_bytes())?;
        }
        if let Some(scratch) = self.plan.origin.scratch() {
            self.directory.write("prompt.md", scratch.prompt_text().unwrap_or_default().as_bytes())?;
            self.directory.write_json("sources.json", &scratch.links().iter().cloned().collect::<BTreeMap<_, _>>())?;
        }
        if self.plan.kind == RunKind::Workflow {
            let path = self.directory.driver_config();
            let text = self.agency.config.stored().map_err(|error| HomeError::new("write", &path, error.into()))?;
            write_atomically(&path, &text)?;
        }
        if let Some(path) = &row.worktree_path {
            self.directory.write("worktree_path.txt", format!("{path}\n").as_bytes())?;
        }
        if let Some(branch) = self.base_branch() {
            self.directory.write(BASE_BRANCH_FILE, format!("{branch}\n").as_bytes())?;
        }
        if let Some(session) = &row.tmux_session_name {
            self.directory.write("tmux_session.txt", format!("{session}\n").as_bytes())?;
        }
        let mut events = EventLog::open(&self.directory.events())?;
        events.append(0, Event::StateChange { from: None, to: State::Queued });
        for message in &self.plan.notices {
            events.append(0, Event::Notice { message: message.clone() });
        }
        Ok(())
    }

    /// The branch that the user has checked out, into which the work lands unless its base names one.
    fn base_branch(&self) -> Option<String> {
        match &self.plan.origin {
            RunOrigin::NewWorktree { .. } => self.plan.repository.branch_in_file(),
            RunOrigin::InPlace | RunOrigin::Beside(_) | RunOrigin::Resumes(_) | RunOrigin::Ask(_) => None,
        }
    }

    /// Records what is known by now about uncommitted files; else returns what the supervisor has to check.
    pub(super) fn note_uncommitted(&self) -> Result<Option<UncommittedCheck>, CreateError> {
        let warnings = match self.plan.origin.uncommitted().map(|lookup| lookup.take()) {
            None => return Ok(None),
            Some(Err(check)) => return Ok(Some(check)),
            Some(Ok(warnings)) => warnings,
        };
        if !warnings.is_empty() {
            // The supervisor opens it once it has its orders.
            let mut events = EventLog::open(&self.directory.events())?;
            for message in warnings {
                events.append(0, Event::Notice { message: message.clone() });
            }
        }
        Ok(None)
    }

    /// Puts the prompt where an agent that takes a file finds it, and returns where that is.
    pub(super) fn place_prompt(&self) -> Result<String, CreateError> {
        let given = self.plan.spec.prompt.as_ref().map(|prompt| prompt.path.clone()).unwrap_or_default();
        let Some(prompt) = &self.plan.prompt else { return Ok(given) };
        if self.plan.origin.scratch().is_some() {
            return Ok(given);
        }
        if matches!(self.plan.spec.workspace, WorkspaceKind::None | WorkspaceKind::Shared) {
            return Ok(self.plan.repository.root().join(&given).display().to_string());
        }
        let worktree = self.workspace.directory();
        // A prompt that is not committed, or was changed since, is not in the worktree as the user sees it.
        let same = || std::fs::read(worktree.join(&given)).is_ok_and(|found| found == prompt.text().as_bytes());
        if matches!(prompt, PlannedPrompt::Text(_)) || !same() {
            write_prompt(worktree, prompt.text())?;
            return Ok(PROMPT_IN_WORKTREE.to_owned());
        }
        Ok(given)
    }
}

/// Puts a file where the agent looks for it.
pub(super) fn place_file(file: &LaunchFile) -> Result<(), HomeError> {
    create_private_directory(file.path.parent().unwrap_or(&file.path))?;
    match &file.content {
        FileContent::Text(text) => write_atomically(&file.path, text.as_bytes()),
        FileContent::Link(target) => {
            symlink(target, &file.path).map_err(|source| HomeError::new("link", &file.path, source))
        }
    }
}
