//! The commands of `worktree.teardown`, before a worktree is removed.
//!
//! The one rule: what is executed is what the user approved, as the file in the user's own checkout is now. A failure
//! keeps the worktree, so that nothing is lost.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use agency_model::escaped_line;
use agency_system::process::RUN_ID_VARIABLE;

use super::{Remaining, Teardown};
use crate::agency::Agency;
use crate::config::environment_of_process;
use crate::home::HomeError;
use crate::project::Project;
use crate::store::RunRow;
use crate::worktree::{
    CommandEnd, Marker, OwnChild, PreparedState, SETUP_VARIABLE, ShellCommand, WorktreeSettings, port_variables,
};

/// Their output, in the run directory.
const LOG: &str = "teardown.log";

/// What a removal does about a worktree.
pub(super) enum PlannedTeardown {
    /// There is nothing to execute.
    Nothing,
    /// Why nothing is executed.
    Refused(String),
    /// These commands are.
    Commands(WorktreeSettings),
}

impl Agency {
    /// What would be executed before the worktree of a run is removed.
    pub(super) fn planned_teardown(&self, row: &RunRow, choice: Teardown) -> PlannedTeardown {
        let owner = self.home.run(&row.worktree_owner());
        let (Some(worktree), Teardown::Execute) = (&row.worktree_path, choice) else { return PlannedTeardown::Nothing };
        let was_prepared = PreparedState::read(&owner).is_ok_and(|state| state.is_some());
        if !was_prepared || !Path::new(worktree).is_dir() {
            return PlannedTeardown::Nothing;
        }
        let Ok(checkout) = self.repository_of(row) else { return PlannedTeardown::Nothing };
        match self.project(&checkout) {
            Ok(None) => PlannedTeardown::Nothing,
            Ok(Some(project)) if project.proposed_worktree().teardown.is_empty() => PlannedTeardown::Nothing,
            Ok(Some(project)) => match project.worktree() {
                Ok(settings) => PlannedTeardown::Commands(settings.clone()),
                Err(_) => PlannedTeardown::Refused(untrusted(&project)),
            },
            Err(error) => PlannedTeardown::Refused(format!("no teardown: {error}")),
        }
    }

    /// Executes the commands, and returns notes for the user; else the command that failed, with what is left to do.
    pub(super) fn tear_down(&self, row: &RunRow, choice: Teardown) -> Result<Vec<String>, Remaining> {
        let settings = match self.planned_teardown(row, choice) {
            PlannedTeardown::Nothing => return Ok(vec![]),
            PlannedTeardown::Refused(why) => return Ok(vec![why]),
            PlannedTeardown::Commands(settings) => settings,
        };
        let log = self.home.run(&row.id).file(LOG);
        let mut notes = vec![];
        for command in &settings.teardown {
            match self.execute_teardown(row, command, &settings, &log) {
                Ok(CommandEnd::Exited(0)) => notes.push(format!("teardown: {}", escaped_line(command))),
                Ok(end) => return Err(remains(row, command, &format!("{end}; its output is in {}", log.display()))),
                Err(error) => return Err(remains(row, command, &error.to_string())),
            }
        }
        Ok(notes)
    }

    fn execute_teardown(
        &self,
        row: &RunRow,
        command: &str,
        settings: &WorktreeSettings,
        log: &Path,
    ) -> Result<CommandEnd, HomeError> {
        let worktree = PathBuf::from(row.directory());
        let mut environment = environment_of_process();
        // A removal does not fail for the number of a port.
        let ports = row.worktree_path.as_deref().and_then(|path| self.store.ports(path).ok()).unwrap_or_default();
        environment.extend(port_variables(&ports));
        environment.insert(RUN_ID_VARIABLE.into(), row.id.as_str().into());
        environment.insert("AGENCY_RUN_DIR".into(), self.home.run(&row.id).path().into());
        let shell = ShellCommand {
            command,
            place: &worktree,
            marker: Marker { variable: SETUP_VARIABLE, value: &worktree },
            environment: &environment,
            log: log.to_owned(),
            limit: settings.teardown_limit(),
            stop: &AtomicBool::new(false),
            child: &OwnChild::default(),
            is_independent: true,
        };
        shell.announce()?;
        shell.run()
    }
}

fn untrusted(project: &Project) -> String {
    format!("no teardown: {} is not approved as it is now", project.path().display())
}

fn remains(row: &RunRow, command: &str, why: &str) -> Remaining {
    Remaining {
        resource: format!("worktree {}", row.directory()),
        why: format!("teardown: {} {why}", escaped_line(command)),
        command: format!("agency rm --no-teardown {}", row.id),
    }
}
