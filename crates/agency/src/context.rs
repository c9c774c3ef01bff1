//! What every command has at hand: where to print, what is configured, which runs there are.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use agency_engine::agency::{Agency, OpenError};
use agency_engine::agents::{AgentManager, ManagerConfig};
use agency_engine::ask::SubagentRunner;
use agency_engine::config::{Config, Environment, locate};
use agency_engine::home::Home;
use agency_engine::orchestrator::CallerEnv;
use agency_engine::runs::create::{RunRequest, SetupChoice};
use agency_engine::runs::wait::WaitError;
use agency_engine::sources::Sources;
use agency_engine::watch::Tail;
use agency_model::spec::SpecDraft;
use agency_model::{ErrorCode, RunId, RunKind};
use agency_system::process::own_terminal_size;
use serde::Serialize;
use tracing::level_filters::LevelFilter;

use crate::output::Surface;
use crate::problem::Problem;
use crate::run_names::{called, with_names};

/// The version of every JSON answer.
const SCHEMA_VERSION: u32 = 1;

/// The usual size of the longest answer.
const ANSWER_BYTES: usize = 64 * 1024;

/// Every answer is wrapped alike.
#[derive(Serialize)]
struct Envelope<'a, T> {
    ok: bool,
    schema_version: u32,
    data: &'a T,
}

/// The surroundings of one command.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    json: bool,
    config_file: Option<PathBuf>,
    quiet: bool,
}

impl Context {
    pub(crate) const fn new(json: bool, config_file: Option<PathBuf>) -> Self {
        Self { json, config_file, quiet: false }
    }

    /// The same, without notes and progress.
    pub(crate) const fn quiet(mut self, quiet: bool) -> Self {
        self.quiet = quiet;
        self
    }

    /// The same with JSON as the answer.
    pub(crate) const fn with_json(mut self) -> Self {
        self.json = true;
        self
    }

    /// Whether only what was asked for is printed.
    pub(crate) const fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether one JSON object is all that may be printed.
    pub(crate) const fn json(&self) -> bool {
        self.json
    }

    /// Whether standard error is a terminal.
    pub(crate) fn is_watched(&self) -> bool {
        let has_diagnostics = LevelFilter::current() != LevelFilter::OFF;
        !self.json && !self.quiet && !has_diagnostics && io::stderr().is_terminal()
    }

    /// Whether standard input and standard error are terminals: they are not in a script, a job or a test.
    pub(crate) fn is_at_terminal(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    /// Whether there is a terminal to draw on and to type at.
    pub(crate) fn has_screen(&self) -> bool {
        io::stdin().is_terminal() && io::stdout().is_terminal()
    }

    pub(crate) fn config(&self) -> Result<Config, Problem> {
        Ok(Config::load(self.config_file.as_deref(), &Environment::of_process())?)
    }

    /// The file that `--config` names.
    pub(crate) fn config_file(&self) -> Option<&std::path::Path> {
        self.config_file.as_deref()
    }

    /// Where the configuration file is, or would be.
    pub(crate) fn usual_config_file(&self) -> String {
        let location = locate(self.config_file(), &Environment::of_process());
        location.map_or_else(|| "config.toml".to_owned(), |location| location.path().display().to_string())
    }

    /// Where everything is kept.
    pub(crate) fn home(&self) -> Result<Home, Problem> {
        home_from_environment()
    }

    pub(crate) fn agency(&self) -> Result<Agency, Problem> {
        self.open(Agency::open)
    }

    /// The runs, opened in one of the ways that [`Agency`] has.
    pub(crate) fn open(&self, open: fn(Home, Config, PathBuf) -> Result<Agency, OpenError>) -> Result<Agency, Problem> {
        let executable = agency_engine::own_executable()
            .map_err(|error| Problem::new(ErrorCode::Io, format!("the agency executable was not found: {error}")))?;
        Ok(open(self.home()?, self.config()?, executable)?)
    }

    /// The working directory of the user.
    pub(crate) fn current_directory(&self) -> Result<PathBuf, Problem> {
        std::env::current_dir()
            .map_err(|error| Problem::new(ErrorCode::InvalidPath, format!("the current directory: {error}")))
    }

    /// What questions can be about: the list beside the configuration file.
    pub(crate) fn sources(&self) -> Result<Sources, Problem> {
        let Some(location) = locate(self.config_file(), &Environment::of_process()) else {
            return Err(Problem::new(
                ErrorCode::InvalidPath,
                "there is no home directory to keep a list of sources in",
            )
            .hint("set HOME, or name a configuration file with --config"));
        };
        let file = std::path::absolute(location.path()).unwrap_or_else(|_| location.path().to_owned());
        let clones = self.config()?.sources_dir.map_or_else(|| self.home().map(|home| home.sources()), Ok)?;
        Ok(Sources::beside(&file, &clones))
    }

    /// What answers questions about them.
    pub(crate) fn subagent_runner(&self) -> Result<SubagentRunner, Problem> {
        Ok(SubagentRunner::new(self.agency()?, self.sources()?))
    }

    /// What manages the named agents.
    pub(crate) fn agent_manager(&self) -> Result<AgentManager, Problem> {
        let agency = self.agency()?;
        let config = ManagerConfig::of(agency.config());
        Ok(AgentManager::new(agency, config))
    }

    /// The request for a run that begins here, with our environment and our terminal.
    pub(crate) fn run_request(&self, flags: SpecDraft) -> Result<RunRequest, Problem> {
        Ok(RunRequest {
            kind: RunKind::Run,
            spec_file: None,
            flags,
            prompt_text: None,
            include_changes: false,
            current_directory: self.current_directory()?,
            environment: std::env::vars_os().collect(),
            may_wait: true,
            terminal: own_terminal_size(std::io::stdout()),
            notify: self.is_at_terminal(),
            workflow: None,
            setup: SetupChoice::Project,
        })
    }

    /// What the driver of a workflow session takes along from here.
    pub(crate) fn caller_env(&self) -> Result<CallerEnv, Problem> {
        let current_directory = self.current_directory()?;
        let mut environment: BTreeMap<_, _> = std::env::vars_os().collect();
        if let Some(file) = self.config_file() {
            environment.insert("AGENCY_CONFIG".into(), current_directory.join(file).into());
        }
        Ok(CallerEnv { current_directory, environment, notify: self.is_at_terminal() })
    }

    /// Prints the answer of a command: one JSON object, or text.
    pub(crate) fn answer(
        &self,
        data: &impl Serialize,
        human: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<ExitCode, Problem> {
        if self.json {
            let answer = Envelope { ok: true, schema_version: SCHEMA_VERSION, data };
            // Room for a screenful of runs, so that a list is not copied while it grows.
            let mut text = Vec::with_capacity(ANSWER_BYTES);
            serde_json::to_writer(&mut text, &answer).map_err(|error| Problem::output(&error.into()))?;
            text.push(b'\n');
            self.print_json(text).map_err(|error| Problem::output(&error))?;
        } else {
            self.print(human)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Writes text to standard output. If the reader closes the pipe, the program exits quietly.
    pub(crate) fn print(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Problem> {
        let mut text = vec![];
        write(&mut text).and_then(|()| self.print_text(&text)).map_err(|error| Problem::output(&error))
    }

    /// Writes text to standard output: on a terminal, all but our own styles is escaped.
    pub(crate) fn print_text(&self, text: &[u8]) -> io::Result<()> {
        self.print_raw(&Surface::stdout().shown(text))
    }

    /// Writes JSON to standard output. On a terminal, characters that it would obey or hide are written as `\\u` escapes.
    pub(crate) fn print_json(&self, document: Vec<u8>) -> io::Result<()> {
        self.print_raw(&Surface::stdout().json(document))
    }

    /// Writes bytes to standard output as they are: control sequences of our own.
    pub(crate) fn print_raw(&self, bytes: &[u8]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()
    }

    /// Prints a growing file of a run until the run has finished. If the reader closes the pipe, the program exits quietly.
    pub(crate) fn follow(
        &self,
        agency: &mut Agency,
        id: &RunId,
        cursor: &mut Tail,
        mut print: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<ExitCode, Problem> {
        until_closed(&mut print, |print| agency.follow(id, cursor, print))
    }

    /// The same until the run is removed.
    pub(crate) fn follow_work(
        &self,
        agency: &mut Agency,
        id: &RunId,
        cursor: &mut Tail,
        mut print: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<ExitCode, Problem> {
        until_closed(&mut print, |print| agency.follow_work(id, cursor, print))
    }

    /// Prints a note on standard error, beside the answer.
    pub(crate) fn say(&self, text: &str) {
        if !self.json && !self.quiet {
            self.say_always(text);
        }
    }

    fn say_always(&self, text: &str) {
        // Standard error may be closed; nothing depends on it.
        let _ = io::stderr().write_all(&Surface::stderr().shown(format!("{text}\n").as_bytes()));
    }

    /// Prints why a command failed, and gives its exit code.
    pub(crate) fn report(&self, problem: &Problem) -> ExitCode {
        if problem.is_silent() {
            return problem.exit_code();
        }
        // If this fails, there is no stream left to report it on.
        let _ = if self.json {
            self.print_json(format!("{}\n", problem.to_json(SCHEMA_VERSION)).into_bytes())
        } else {
            io::stderr().write_all(&Surface::stderr().shown(self.text_of(problem).as_bytes()))
        };
        problem.exit_code()
    }

    /// A problem in words, in which runs have their names.
    fn text_of(&self, problem: &Problem) -> String {
        let text = problem.to_text();
        // The list of an ambiguity has names and ids, as has an agent that exists, and a database that cannot be read has no names.
        let keeps_ids = matches!(
            problem.code(),
            ErrorCode::AmbiguousRun | ErrorCode::AgentExists | ErrorCode::DbLocked | ErrorCode::DbError
        );
        if keeps_ids || !text.contains("r_") {
            return text;
        }
        match self.agency() {
            Ok(agency) => with_names(&text, |id| called(&agency, id)),
            Err(_) => text,
        }
    }

    /// Prints a problem that is not the answer.
    pub(crate) fn report_to_people(&self, problem: &Problem) {
        if !self.json {
            self.say_always(self.text_of(problem).trim_end());
        }
    }

    pub(crate) fn print_help(&self, help: &clap::Error) -> ExitCode {
        // All of it is ours.
        let mut out = anstream::AutoStream::auto(io::stdout().lock());
        let _ = write!(out, "{}", help.render().ansi()).and_then(|()| out.flush());
        ExitCode::SUCCESS
    }

    pub(crate) fn print_usage_error(&self, error: &clap::Error) -> ExitCode {
        // It repeats what was typed, so it is shown without clap's colours.
        self.say_always(&format!("{}\n[{}]", error.render(), ErrorCode::Usage));
        Problem::new(ErrorCode::Usage, "").exit_code()
    }
}

/// The name of the user, which an answer is recorded under.
pub(crate) fn user_name() -> String {
    let variable = |name: &&str| std::env::var(name).ok().filter(|value| !value.is_empty());
    ["USER", "LOGNAME"].iter().find_map(variable).unwrap_or_else(agency_system::user::user_name)
}

/// The home by `$AGENCY_HOME`, or `~/.agency`.
pub(crate) fn home_from_environment() -> Result<Home, Problem> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let root = variable("AGENCY_HOME").or_else(|| variable("HOME").map(|home| home.join(".agency")));
    match root {
        Some(root) if root.is_absolute() => Ok(Home::new(root)),
        Some(root) => std::path::absolute(&root).map(Home::new).map_err(|error| {
            Problem::new(ErrorCode::InvalidPath, format!("{} cannot be used as home: {error}", root.display()))
        }),
        None => Err(Problem::new(ErrorCode::InvalidPath, "neither AGENCY_HOME nor HOME is set")
            .hint("set AGENCY_HOME to a directory of yours")),
    }
}

type Print<'a> = &'a mut dyn FnMut(&[u8]) -> io::Result<()>;

/// Follows something. If the reader closes the pipe, the program exits quietly.
fn until_closed(
    print: Print<'_>,
    follow: impl FnOnce(Print<'_>) -> Result<(), WaitError>,
) -> Result<ExitCode, Problem> {
    let mut closed = None;
    let outcome = follow(&mut |piece| print(piece).inspect_err(|error| closed = Some(error.kind())));
    if closed == Some(io::ErrorKind::BrokenPipe) {
        return Ok(ExitCode::SUCCESS);
    }
    outcome?;
    Ok(ExitCode::SUCCESS)
}
