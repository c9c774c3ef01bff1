//! `agency worktree plan`, and what commands in a worktree find in their environment.
//!
//! ```
//! # use agency_engine::{agency::Agency, config::Config, scripted::sample};
//! # let place = tempfile::tempdir()?;
//! # let repo = sample::create(&place.path().join("repository"))?;
//! # let root = &repo.path;
//! # std::fs::create_dir_all(root.join(".agency"))?;
//! std::fs::write(root.join(".agency/project.toml"), "[worktree]\nports = { web = 3000 }\n")?;
//! # let agency = Agency::builder().home(place.path().join("home")).config(Config::default()).build()?;
//! let plan = agency.worktree_plan(root)?;
//! assert_eq!((plan.ports[0].variable.as_str(), plan.needs_approval), ("AGENCY_PORT_WEB", false));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use super::create::CreateError;
use crate::agency::Agency;
use crate::store::{RunRow, StoreError};
use crate::worktree::{PlannedFile, PlannedLink, Selection, port_variable, port_variables, select};

/// What a new worktree of a repository would get.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct WorktreePlan {
    /// The top of the repository.
    pub repo: PathBuf,
    /// The file that says so; absent where there is none.
    pub file: Option<PathBuf>,
    /// What identifies its content.
    pub sha256: Option<String>,
    /// Whether the user has to approve it, and did not.
    pub needs_approval: bool,
    /// Files that are copied from the checkout.
    pub copy: Vec<PlannedFile>,
    /// Links to the checkout.
    pub link: Vec<PlannedLink>,
    /// Commands before the agent starts.
    pub setup: Vec<String>,
    /// Commands before the worktree is removed.
    pub teardown: Vec<String>,
    /// The ports that each run gets.
    pub ports: Vec<PlannedPort>,
    /// What is missing or left out, and why.
    pub warnings: Vec<String>,
}

/// A port that each run gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PlannedPort {
    /// Its name.
    pub name: String,
    /// The variable that holds its number.
    pub variable: String,
    /// The port that the project uses in the user's own checkout.
    pub usual: u16,
}

impl Agency {
    /// What a new worktree of a repository would get. Nothing is executed, copied or linked.
    pub fn worktree_plan(&self, repository: &Path) -> Result<WorktreePlan, CreateError> {
        let mut plan = WorktreePlan {
            repo: repository.to_owned(),
            file: None,
            sha256: None,
            needs_approval: false,
            copy: vec![],
            link: vec![],
            setup: vec![],
            teardown: vec![],
            ports: vec![],
            warnings: vec![],
        };
        let Some(project) = self.project(repository)? else { return Ok(plan) };
        let settings = project.proposed_worktree();
        let Selection { copies, links, warnings } = select(repository, settings)?;
        plan.file = Some(project.path());
        plan.sha256 = Some(project.sha256().to_owned());
        plan.needs_approval = project.worktree().is_err();
        (plan.copy, plan.link, plan.warnings) = (copies, links, warnings);
        (plan.setup, plan.teardown) = (settings.setup.clone(), settings.teardown.clone());
        let port = |(name, usual): (&String, &u16)| PlannedPort {
            variable: port_variable(name),
            name: name.clone(),
            usual: *usual,
        };
        plan.ports = settings.ports.iter().map(port).collect();
        Ok(plan)
    }

    /// The variables that commands in the worktree of a run find beside those of the user.
    pub fn worktree_variables(&self, row: &RunRow) -> Result<BTreeMap<OsString, OsString>, StoreError> {
        let ports = row.worktree_path.as_deref().map(|path| self.store.ports(path)).transpose()?.unwrap_or_default();
        let mut variables: BTreeMap<OsString, OsString> = port_variables(&ports).collect();
        variables.insert("AGENCY_RUN_DIR".into(), self.home.run(&row.id).path().into());
        Ok(variables)
    }
}
