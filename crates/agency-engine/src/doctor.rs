//! `agency doctor`: examines everything that runs depend on, and names a fix for what is wrong.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use agency_model::{Host, VcsChoice};
use schemars::JsonSchema;
use serde::Serialize;

use crate::agency::Agency;
use crate::config::Config;
use crate::home::Home;
use crate::host::Tmux;
use crate::orphans::Orphan;
use crate::store::Store;
use crate::workspace::{JjError, OLDEST_JJ, WorkspaceError, jj_version};

/// How one thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// As it should be.
    Ok,
    /// It works, but somebody should look at it.
    Warning,
    /// Runs will fail because of it.
    Problem,
}

/// One thing that was examined.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Check {
    /// What.
    pub name: String,
    /// How it is.
    pub health: Health,
    /// What was found.
    pub message: String,
    /// What to do about it.
    pub fix: Option<String>,
}

impl Check {
    fn ok(name: &str, message: impl Into<String>) -> Self {
        Self { name: name.to_owned(), health: Health::Ok, message: message.into(), fix: None }
    }

    fn bad(name: &str, health: Health, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name: name.to_owned(), health, message: message.into(), fix: Some(fix.into()) }
    }
}

/// Examines what does not need the database.
#[must_use]
pub fn examine_surroundings(home: &Home, config: &Config, search_path: &OsStr) -> Vec<Check> {
    let mut checks = vec![git(), jj(config), tmux(config), home_access(home), database(home, config)];
    checks.extend(agents(config, search_path));
    checks
}

impl Agency {
    /// Examines the runs and what crashes left of them.
    pub fn examine_runs(&self) -> Result<Vec<Check>, crate::store::StoreError> {
        let mut checks = vec![];
        for dead in self.reconcile_plan()? {
            let message = format!("{} is {} in the database, but {}", dead.id, dead.from, dead.why);
            checks.push(Check::bad("runs", Health::Warning, message, "agency reconcile"));
        }
        let strays = self.strays()?;
        let tmux = Tmux::new(self.config.tmux_socket.clone());
        for session in &strays.sessions {
            let fix = tmux.typed(&format!("kill-session -t ={session}"));
            checks.push(Check::bad("sessions", Health::Warning, format!("{session} belongs to no run"), fix));
        }
        for path in &strays.worktrees {
            let message = format!("{} belongs to no run", path.display());
            let forget = if path.join(".jj").is_dir() {
                format!("jj -R '{}' workspace forget; ", path.display())
            } else {
                String::new()
            };
            let fix = format!("look into it; if it holds nothing you need: {forget}rm -r '{}'", path.display());
            checks.push(Check::bad("worktrees", Health::Warning, message, fix));
        }
        for path in &strays.run_directories {
            let message = format!("{} never became a run", path.display());
            checks.push(Check::bad("runs", Health::Warning, message, "agency reconcile"));
        }
        checks.extend(self.orphans()?.iter().filter_map(orphan_check));
        for unclear in self.unclear_pid_files() {
            let message = format!("{} is no pid file that can be used: {}", unclear.path.display(), unclear.why);
            let fix = format!("look at it; nobody needs it if it is not yours: rm '{}'", unclear.path.display());
            checks.push(Check::bad("pid files", Health::Warning, message, fix));
        }
        if !strays.trash.is_empty() {
            let message = format!("{} directories wait in the trash", strays.trash.len());
            checks.push(Check::bad("trash", Health::Warning, message, "agency reconcile"));
        }
        if checks.is_empty() {
            checks.push(Check::ok("runs", "every run agrees with what is there; nothing lies about"));
        }
        Ok(checks)
    }
}

/// What is left of a run, named by its first process: whoever ends that one ends them all.
fn orphan_check(orphan: &Orphan) -> Option<Check> {
    let (head, others) = orphan.processes.split_first()?;
    let more = if others.is_empty() { String::new() } else { format!(", with {} more", others.len()) };
    let (pid, id) = (head.pid(), &orphan.row.id);
    let message = format!("process {pid} of {id} still runs without a supervisor{more}: {}", head.command_line());
    let fix = format!("agency agent kill-orphan {pid}, or agency reconcile to end all that such runs left");
    Some(Check::bad("processes", Health::Warning, message, fix))
}

fn git() -> Check {
    match first_line(Command::new("git").arg("--version")) {
        Some(version) => Check::ok("git", version),
        None => Check::bad("git", Health::Problem, "git does not answer", "install git (apt-get install git)"),
    }
}

fn jj(config: &Config) -> Check {
    let error = match jj_version() {
        Ok(version) => return Check::ok("jj", version),
        Err(error) => error,
    };
    let fix = format!("install jj {OLDEST_JJ} or newer, or set vcs = \"git\"");
    let missing = matches!(error, WorkspaceError::Jj(JjError::Missing));
    match config.vcs {
        VcsChoice::Jj => Check::bad("jj", Health::Problem, error.to_string(), fix),
        VcsChoice::Auto if !missing => Check::bad("jj", Health::Warning, error.to_string(), fix),
        // Git makes the workspaces, also in repositories of jj where it can.
        VcsChoice::Auto | VcsChoice::Git => {
            Check { fix: Some(fix), ..Check::ok("jj", format!("{error}; only needed if you use it")) }
        }
    }
}

fn tmux(config: &Config) -> Check {
    match Tmux::new(config.tmux_socket.clone()).version() {
        Ok(version) => Check::ok("tmux", version),
        Err(error) => {
            let health = if config.host == Host::Tmux { Health::Problem } else { Health::Warning };
            Check::bad("tmux", health, error.to_string(), "apt-get install tmux, or set host = \"detached\"")
        }
    }
}

fn first_line(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).lines().next()?.to_owned();
    output.status.success().then_some(text)
}

fn home_access(home: &Home) -> Check {
    let path = home.root();
    let Ok(metadata) = path.metadata() else {
        return Check::ok("home", format!("{} does not exist yet; the first run creates it", path.display()));
    };
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        let message = format!("others can look into {} (mode {mode:o})", path.display());
        return Check::bad("home", Health::Warning, message, format!("chmod 700 '{}'", path.display()));
    }
    match tempfile::tempfile_in(path) {
        Ok(_) => Check::ok("home", path.display().to_string()),
        Err(error) => {
            let message = format!("{} cannot be written: {error}", path.display());
            Check::bad("home", Health::Problem, message, "make room, correct its owner, or set AGENCY_HOME")
        }
    }
}

fn database(home: &Home, config: &Config) -> Check {
    let path = home.database();
    if !path.exists() {
        return Check::ok("database", "there is none yet; the first run creates it");
    }
    let problems = Store::open(&path, config.lock_timeout).and_then(|store| store.integrity_problems());
    let backup =
        format!("mv '{0}' '{0}.damaged', or bring a backup back; the runs' files are not lost", path.display());
    match problems {
        Ok(problems) if problems.is_empty() => Check::ok("database", path.display().to_string()),
        Ok(problems) => Check::bad("database", Health::Problem, problems.join("; "), backup),
        Err(error) => Check::bad("database", Health::Problem, error.to_string(), backup),
    }
}

fn agents(config: &Config, search_path: &OsStr) -> Vec<Check> {
    let found = |command: &str| {
        if command.contains('/') {
            return Path::new(command).is_file();
        }
        std::env::split_paths(search_path).any(|directory| directory.join(command).is_file())
    };
    config
        .agents
        .iter()
        .map(|(name, agent)| {
            let label = format!("agent {name}");
            if agent.own_command || found(&agent.command) {
                return Check::ok(&label, agent.command.clone());
            }
            let message = format!("'{}' is not on the PATH", agent.command);
            let fix = agent.install_hint.map_or_else(|| format!("correct [agents.{name}] command"), str::to_owned);
            if agent.built_in && *name != config.default_agent {
                // Nobody needs all of them.
                return Check { fix: Some(fix), ..Check::ok(&label, format!("{message}; only needed if you use it")) };
            }
            Check::bad(&label, Health::Warning, message, fix)
        })
        .collect()
}
