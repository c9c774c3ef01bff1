//! Finds the agent of a run: its configuration, its program and its version.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use agency_model::spec::RunSpec;
use agency_model::{Host, HostChoice, RunKind, nearest};

use super::{CreateError, version};
use crate::agency::Agency;
use crate::config::{AgentConfig, Config, driver};

/// Where programs are looked up.
pub(crate) struct SearchPath<'a> {
    pub(crate) current_directory: &'a Path,
    pub(crate) environment: &'a BTreeMap<OsString, OsString>,
}

impl Agency {
    /// What supervisors run in by the configuration, where programs are looked up with this environment.
    #[must_use]
    pub fn usual_host(&self, current_directory: &Path, environment: &BTreeMap<OsString, OsString>) -> Host {
        host_of(self.config.host, &SearchPath { current_directory, environment })
    }

    /// The agent of a run, with its program. A workflow is driven by this very program.
    pub(super) fn agent_of(
        &self,
        kind: RunKind,
        spec: &RunSpec,
        search_path: &SearchPath<'_>,
    ) -> Result<(AgentConfig, PathBuf), CreateError> {
        match kind {
            RunKind::Workflow => Ok((driver(), self.executable.clone())),
            RunKind::Run | RunKind::Agent | RunKind::Task | RunKind::Ask => {
                find_runner(&self.config, &self.executable, &spec.runner.kind, search_path)
            }
        }
    }

    /// The version of an agent that agency knows, and a warning if it is not the one that was tested.
    pub(super) fn probe_version(
        &self,
        agent: &AgentConfig,
        program: &Path,
        environment: &BTreeMap<OsString, OsString>,
    ) -> (Option<String>, Vec<String>) {
        if !agent.built_in || agent.own_command || agent.own_runner {
            return (None, vec![]);
        }
        let version = version::of(&self.home, program, environment);
        let untested = match (&version, agent.adapter.tested_version()) {
            (Some(version), Some(tested)) if version != tested => Some(format!(
                "{} is version {version}; agency was tested with {tested}, and may misread another",
                agent.command
            )),
            (_, _) => None,
        };
        (version, untested.into_iter().collect())
    }
}

fn find_runner(
    config: &Config,
    own_executable: &Path,
    kind: &str,
    search_path: &SearchPath<'_>,
) -> Result<(AgentConfig, PathBuf), CreateError> {
    let Some((_, agent)) = config.agent(kind) else {
        if let Some(why) = config.adapter_missing_for(kind) {
            return Err(CreateError::Runner {
                message: format!("'{kind}' cannot be used: {why}"),
                hint: "give every program of a session the same adapters".to_owned(),
            });
        }
        let names: Vec<String> = config.agents.keys().map(|name| name.replace('_', "-")).collect();
        let meant = nearest(kind, names.iter().map(String::as_str))
            .map_or_else(String::new, |name| format!("did you mean {name}? "));
        return Err(CreateError::Runner {
            message: format!("no agent is named '{kind}'"),
            hint: format!("{meant}configured are {}; add [agents.{kind}] to the configuration", names.join(", ")),
        });
    };
    if agent.own_command {
        return Ok((agent.clone(), own_executable.to_owned()));
    }
    if agent.own_runner {
        return Ok((agent.clone(), PathBuf::from(&agent.command)));
    }
    let found = find_program(OsStr::new(&agent.command), search_path);
    found.map(|program| (agent.clone(), program)).map_err(|why| CreateError::Runner {
        message: format!("the command of {kind}, '{}', {why}", agent.command),
        hint: match agent.adapter.install_hint() {
            Some(install) => format!("install it ({install}) or set [agents.{kind}] command in the configuration"),
            None => format!("correct [agents.{kind}] command in the configuration"),
        },
    })
}

/// The host that a choice means where programs are looked up so.
pub(super) fn host_of(choice: HostChoice, search_path: &SearchPath<'_>) -> Host {
    match choice {
        HostChoice::Auto => choice.host(find_program(OsStr::new("tmux"), search_path).is_ok()),
        HostChoice::Tmux | HostChoice::Detached => choice.host(false),
    }
}

/// Looks a command up as a shell would, with the caller's PATH.
pub(crate) fn find_program(command: &OsStr, search_path: &SearchPath<'_>) -> Result<PathBuf, &'static str> {
    let executable = |path: &Path| {
        path.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    if Path::new(command).components().count() > 1 {
        let path = search_path.current_directory.join(command);
        return match (path.exists(), executable(&path)) {
            (_, true) => Ok(path),
            (true, false) => Err("is not an executable file"),
            (false, false) => Err("does not exist"),
        };
    }
    let search = search_path.environment.get(OsStr::new("PATH")).cloned().unwrap_or_default();
    std::env::split_paths(&search)
        .map(|directory| search_path.current_directory.join(directory).join(command))
        .find(|path| executable(path))
        .ok_or("is not on the PATH")
}
