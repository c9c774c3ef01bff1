//! `agency doctor`: examines everything that runs depend on, and names a fix for what is wrong.
//!
//! ```
//! use agency_engine::runs::doctor::{Health, examine_database};
//! # use agency_engine::{agency::Agency, config::Config};
//!
//! # let place = tempfile::tempdir()?;
//! # let agency = Agency::builder().home(place.path().join("home")).config(Config::default()).build()?;
//! let check = examine_database(agency.home(), agency.config());
//! assert_eq!(check.health, Health::Ok, "{}", check.message);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod mirror;
mod surroundings;

use std::ffi::OsStr;
use std::path::Path;

use agency_model::shell_quoted;
use agency_workspace::lock_of_worktree;
use schemars::JsonSchema;
use serde::Serialize;

use crate::agency::Agency;
use crate::config::Config;
use crate::home::Home;
use crate::host::Tmux;
use crate::runs::adopt::{FileFindings, Unadoptable};
use crate::runs::garbage::Survivor;
use crate::runs::reconcile::ReconcilePlan;
use crate::store::{Store, StoreError};

pub use self::surroundings::examine_surroundings;

/// How one thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// As it should be.
    Ok,
    /// It works, but the user should check it.
    Warning,
    /// Runs will fail because of it.
    Problem,
}

/// One thing that was examined.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
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

    /// Something that keeps runs from working, and for which no command is known that mends it.
    #[must_use]
    pub fn problem(name: &str, message: &str) -> Self {
        Self { name: name.to_owned(), health: Health::Problem, message: message.to_owned(), fix: None }
    }

    /// Whether it is a problem of this.
    #[must_use]
    pub fn is_problem_of(&self, name: &str) -> bool {
        self.health == Health::Problem && self.name == name
    }

    fn bad(name: &str, health: Health, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name: name.to_owned(), health, message: message.into(), fix: Some(fix.into()) }
    }
}

/// What was found out about the runs.
#[derive(Debug)]
pub struct RunsExamination {
    /// What was examined. A problem named `database` says that a row cannot be read.
    pub checks: Vec<Check>,
    /// Absent if the rows cannot be read.
    findings: Option<FileFindings>,
}

impl Agency {
    /// Examines the runs and what crashes left of them. Nothing is written: the database may turn out to be damaged.
    #[must_use]
    pub fn examine_runs(&self) -> RunsExamination {
        match self.plan_with(Store::known_runs_thoroughly) {
            Ok(plan) => {
                let mut checks = self.checks_of(&plan);
                checks.extend(self.mirror_checks());
                RunsExamination { checks, findings: Some(plan.findings) }
            }
            Err(error) => RunsExamination { checks: vec![unusable_database(&error, &self.home)], findings: None },
        }
    }

    /// Notes that runs and files agree, if they do, so that the next examination takes less time. For a database that is
    /// known to be sound.
    pub fn note_examination(&mut self, examination: &RunsExamination) {
        if let Some(findings) = &examination.findings {
            // Without the note the next examination only takes longer.
            let _ = self.nothing_differs(findings);
        }
    }

    fn checks_of(&self, plan: &ReconcilePlan) -> Vec<Check> {
        let mut checks = vec![];
        for dead in &plan.runs {
            let log = self.home.run(&dead.id).supervisor_log();
            let log = if log.is_file() { format!("; its log is {}", log.display()) } else { String::new() };
            let message = format!("{} is {} in the database, but {}{log}", dead.id, dead.from, dead.why);
            checks.push(Check::bad("runs", Health::Warning, message, "agency reconcile"));
        }
        let adoptable = plan.findings.adopted();
        if !adoptable.is_empty() {
            let message = format!("the files of {} contain more than the database", counted(adoptable.len(), "run"));
            checks.push(Check::bad("runs", Health::Warning, message, "agency reconcile"));
        }
        if !plan.completed.is_empty() {
            let message = format!("the files of {} do not record the end", counted(plan.completed.len(), "ended run"));
            checks.push(Check::bad("runs", Health::Warning, message, "agency reconcile"));
        }
        let garbage = &plan.garbage;
        let tmux = Tmux::new(self.config.tmux_socket.clone());
        for session in &garbage.sessions {
            let fix = if garbage.own_sessions.contains(session) {
                tmux.typed(&format!("kill-session -t ={session}"))
            } else {
                format!(
                    "it may be of another AGENCY_HOME; look at it: {}",
                    tmux.typed(&format!("attach -t ={session}"))
                )
            };
            checks.push(Check::bad("sessions", Health::Warning, format!("{session} belongs to no run"), fix));
        }
        for path in &garbage.worktrees {
            let message = format!("{} belongs to no run", path.display());
            let fix = match lock_of_worktree(path) {
                // Otherwise git forgets in some months what only this worktree leads to.
                Some(lock) => format!(
                    "move it aside with all that is in it, and let git keep its commits: touch {0} && {1}",
                    shell_quoted(&lock),
                    moving_aside(&self.home, path)
                ),
                None => format!("move it aside with all that is in it: {}", moving_aside(&self.home, path)),
            };
            checks.push(Check::bad("worktrees", Health::Warning, message, fix));
        }
        for path in &garbage.run_directories {
            let message = format!("{} never became a run", path.display());
            checks.push(Check::bad("runs", Health::Warning, message, "agency reconcile"));
        }
        for unadoptable in &garbage.unadoptable {
            let Unadoptable { path, why } = unadoptable;
            let message = format!("{} has no row and not enough files to rebuild one: {why}", path.display());
            let fix = format!("move it aside: {}", moving_aside(&self.home, path));
            checks.push(Check::bad("runs", Health::Warning, message, fix));
        }
        let by_run = garbage.survivors.chunk_by(|one, next| one.id == next.id);
        checks.extend(by_run.filter_map(survivor_check));
        for unclear in self.unclear_pid_files() {
            let message = format!("{} is not a usable pid file: {}", unclear.path.display(), unclear.why);
            let fix = format!("move it aside: {}", moving_aside(&self.home, &unclear.path));
            checks.push(Check::bad("pid files", Health::Warning, message, fix));
        }
        if !garbage.trash.is_empty() {
            let message = format!("the trash holds {}", counted(garbage.trash.len(), "item"));
            checks.push(Check::bad("trash", Health::Warning, message, "agency reconcile"));
        }
        if checks.is_empty() {
            checks.push(Check::ok("runs", "every run agrees with its files and processes; no leftovers"));
        }
        checks
    }
}

/// What is left of a run, named by its first process: ending that one ends all of them.
fn survivor_check(processes: &[Survivor]) -> Option<Check> {
    let (Survivor { id, pid, command }, others) = processes.split_first()?;
    let more = if others.is_empty() { String::new() } else { format!(", with {} more", others.len()) };
    let message = format!("process {pid} of {id} still runs without a supervisor{more}: {command}");
    let fix = format!("agency agent kill-orphan {pid}, or agency reconcile to end all that such runs left");
    Some(Check::bad("processes", Health::Warning, message, fix))
}

/// Examines the structure of the database.
#[must_use]
pub fn examine_database(home: &Home, config: &Config) -> Check {
    let path = home.database();
    if !path.exists() {
        return Check::ok("database", "there is none yet; the first run creates it");
    }
    match Store::open(&path, config.lock_timeout).and_then(|store| store.integrity_problems()) {
        Ok(problems) if problems.is_empty() => Check::ok("database", path.display().to_string()),
        Ok(problems) => Check::bad("database", Health::Problem, problems.join("; "), rebuild(home)),
        Err(error) => unusable_database(&error, home),
    }
}

fn unusable_database(error: &StoreError, home: &Home) -> Check {
    Check::bad("database", Health::Problem, error.to_string(), fix_of(error, home))
}

/// What to do about a database that cannot be used. One that is sound is never moved away.
fn fix_of(error: &StoreError, home: &Home) -> String {
    let is_sound = || Store::problems_of_file(&home.database()).is_ok_and(|problems| problems.is_empty());
    match error {
        StoreError::Newer { .. } if is_sound() => {
            "upgrade agency: a newer version wrote this database; nothing is wrong with it".to_owned()
        }
        StoreError::Locked { .. } => {
            "try again; if it stays so, fuser names the processes: end one that is not agency's".to_owned()
        }
        StoreError::Emptied { .. } => {
            "agency reconcile, which makes a new one from the files of the runs; leave running agents as they are"
                .to_owned()
        }
        StoreError::Access { .. } => "correct the owner and the permissions of the file".to_owned(),
        StoreError::Sqlite(_) if error.is_disk_full() && is_sound() => "make room on the disk".to_owned(),
        StoreError::Newer { .. }
        | StoreError::Corrupt { .. }
        | StoreError::Missing { .. }
        | StoreError::NotFound(_)
        | StoreError::NameTaken
        | StoreError::Refused { .. }
        | StoreError::BadValue { .. }
        | StoreError::Sqlite(_) => rebuild(home),
    }
}

/// The command that moves something into a directory of its own below the home's `kept`, where nothing can be overwritten.
fn moving_aside(home: &Home, path: &Path) -> String {
    let aside = home.kept().join(format!("aside-{}", moment()));
    format!("mkdir -p {0} && mv {1} {0}/", shell_quoted(&aside), shell_quoted(path))
}

fn counted(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// The time, for the name of a new directory.
fn moment() -> impl std::fmt::Display {
    jiff::Timestamp::now().strftime("%Y%m%dT%H%M%S%fZ").to_string()
}

/// Moves the database aside with its log, which would otherwise be applied to the next one, and rebuilds it.
fn rebuild(home: &Home) -> String {
    let aside = home.root().join(format!("damaged-{}", moment()));
    format!(
        "mkdir {0} && mv {1}* {0}/ && agency reconcile, which rebuilds it from the files of the runs",
        shell_quoted(&aside),
        shell_quoted(home.database())
    )
}

/// Examines whether the agents are installed.
#[must_use]
pub fn examine_agents(config: &Config, search_path: &OsStr) -> Vec<Check> {
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
            let fix =
                agent.adapter.install_hint().map_or_else(|| format!("correct [agents.{name}] command"), str::to_owned);
            if agent.built_in && *name != config.default_agent {
                // Not every agent is needed.
                return Check { fix: Some(fix), ..Check::ok(&label, format!("{message}; only needed if you use it")) };
            }
            Check::bad(&label, Health::Warning, message, fix)
        })
        .collect()
}
