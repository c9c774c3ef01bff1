//! The call at the top of `main`: a program that runs agents is started again by the library, to supervise them.
//!
//! The one rule: [`init`] returns only in a process that was started by a user.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use agency_adapters::AgentAdapter;
use agency_model::{RunId, SessionId};

use crate::agency::{Agency, OpenError};
use crate::config::{
    AdapterRefused, Config, ConfigError, Environment, StoredConfigError, environment_of_process, register_adapter,
};
use crate::forecast::{ForecastError, run_in_background};
use crate::home::{Home, HomeError};
use crate::orchestrator::{DriveError, DriverContext, DriverProtocol, DriverStream, WorkflowExecutor};
use crate::own_program::{
    CONFIG_OPTION, DRIVE, FORECAST, RESERVED_ARGUMENT, SCRIPTED, own_executable, set_initialised, set_work_done,
    supervised_run,
};
use crate::scripted::{PROTOCOL_OPTION, ScriptFileError, converse_here, execute_file};
use crate::supervise::{SuperviseError, supervise};

/// Makes this program one that can run agents. Call it first in `main`, before arguments are parsed and threads are
/// started, so in a `main` that is not `async`.
///
/// The library starts its program again, with reserved arguments, to supervise a run, to drive a workflow session, and
/// as the agent `scripted`. A configured wrapper starts `<program> supervise <run-id>`, which is recognised, too: a
/// program cannot have that command itself. In such a process this call does that work and ends the process. In any other it returns at
/// once. [`Init`] also registers adapters and reports errors in the program's own way. The crate's documentation has an
/// example.
pub fn init() {
    // Only an adapter can be refused.
    let _ = Init::new().run();
}

/// What a process was started for by the library.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChildProcess {
    /// It supervises a run.
    Supervisor {
        /// Where the run is kept.
        home: Home,
        /// The run.
        run: RunId,
    },
    /// It drives a workflow session.
    Driver {
        /// Where the session is kept.
        home: Home,
        /// The session.
        session: SessionId,
        /// The version of the driver protocol that its supervisor understands.
        protocol: Option<u32>,
        /// The configuration that the session was started with; without it, the user's file.
        config: Option<PathBuf>,
    },
    /// It forecasts the conflicts in a repository.
    Forecast {
        /// Where the runs are kept.
        home: Home,
        /// The root of the repository.
        repository: PathBuf,
    },
    /// It is the agent that follows a script.
    Scripted {
        /// The script.
        file: PathBuf,
    },
}

/// Why a process that was started for the library could not do its work.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChildError {
    /// Its arguments are not understood: the program that started it is of another version.
    #[error("the arguments of this process are not those of this version: {0:?}")]
    Arguments(Vec<OsString>),
    /// There is no home.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// It could not supervise.
    #[error(transparent)]
    Supervise(#[from] SuperviseError),
    /// It could not read the configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// It could not use the configuration that it was started with.
    #[error(transparent)]
    StoredConfig(#[from] StoredConfigError),
    /// It could not drive its session.
    #[error(transparent)]
    Drive(#[from] DriveError),
    /// It could not open the home.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It could not forecast.
    #[error(transparent)]
    Forecast(#[from] ForecastError),
    /// It could not follow its script.
    #[error(transparent)]
    Script(#[from] ScriptFileError),
    /// Its own executable was not found.
    #[error("the executable of this program was not found: {0}")]
    Executable(io::Error),
}

type BeforeChild = Box<dyn FnOnce(&ChildProcess)>;

/// [`init`] with options.
#[derive(Default)]
#[must_use = "nothing is done before `run` or `execute`"]
pub struct Init {
    adapters: Vec<(String, &'static dyn AgentAdapter)>,
    before_child: Option<BeforeChild>,
}

impl fmt::Debug for Init {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Init").field("adapters", &self.adapters).finish_non_exhaustive()
    }
}

impl Init {
    /// Without options, as [`init`].
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers an adapter of the program's own under its name, in this process and in those that supervise its agents.
    pub fn adapter(mut self, name: impl Into<String>, adapter: &'static dyn AgentAdapter) -> Self {
        self.adapters.push((name.into(), adapter));
        self
    }

    /// Calls `prepare` before this process does what the library started it for: to record diagnostics, for example.
    pub fn before_child(mut self, prepare: impl FnOnce(&ChildProcess) + 'static) -> Self {
        self.before_child = Some(Box::new(prepare));
        self
    }

    /// Does what the library started this process for, and ends it; returns if a user started it.
    ///
    /// # Errors
    ///
    /// Fails when an adapter cannot be registered.
    pub fn run(self) -> Result<(), AdapterRefused> {
        match self.execute()? {
            Execution::NotNeeded => Ok(()),
            Execution::Done(Ok(code)) => std::process::exit(code.into()),
            Execution::Done(Err(error)) => {
                // The tmux pane, or a log of the run, has it; without either it is lost.
                let _ = writeln!(io::stderr(), "agency: {error}");
                std::process::exit(1);
            }
        }
    }

    /// Does what the library started this process for, and gives the exit code that the process must end with. For a
    /// program that reports errors in its own way. Once the work is done, the process can open nothing any more.
    ///
    /// # Errors
    ///
    /// Fails when an adapter cannot be registered.
    pub fn execute(self) -> Result<Execution, AdapterRefused> {
        for (name, adapter) in self.adapters {
            register_adapter(&name, adapter)?;
        }
        set_initialised();
        let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
        let Some(child) = child(&arguments) else { return Ok(Execution::NotNeeded) };
        let outcome = child.and_then(|child| {
            if let Some(prepare) = self.before_child {
                prepare(&child);
            }
            child.work()
        });
        set_work_done();
        Ok(Execution::Done(outcome))
    }
}

/// What [`Init::execute`] did.
#[derive(Debug)]
#[must_use = "a process that the library started must end after its work: match on this, or call `Init::run`"]
pub enum Execution {
    /// A user started this process, and its program continues.
    NotNeeded,
    /// The library started this process, and its work is done: it must end with this exit code, or fail.
    Done(Result<u8, ChildError>),
}

/// What the arguments mean; `None` if they are the program's own.
fn child(arguments: &[OsString]) -> Option<Result<ChildProcess, ChildError>> {
    if let Some(run) = supervised_run(arguments) {
        return Some(Home::of_process().map(|home| ChildProcess::Supervisor { home, run }).map_err(ChildError::from));
    }
    let (first, rest) = arguments.split_first()?;
    if first != RESERVED_ARGUMENT {
        return None;
    }
    let words: Option<Vec<&str>> = rest.iter().map(|word| word.to_str()).collect();
    let child = match words.as_deref() {
        Some([DRIVE, words @ ..]) => driver(words),
        _ => None,
    };
    let script = match rest {
        [verb, file] if verb == OsStr::new(SCRIPTED) => Some(Ok(ChildProcess::Scripted { file: file.into() })),
        [verb, root] if verb == OsStr::new(FORECAST) => Some(forecaster(root)),
        _ => None,
    };
    Some(child.or(script).unwrap_or_else(|| Err(ChildError::Arguments(rest.to_vec()))))
}

fn driver(words: &[&str]) -> Option<Result<ChildProcess, ChildError>> {
    let (mut session, mut protocol, mut config) = (None, None, None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--protocol" => protocol = Some(words.next()?.parse().ok()?),
            CONFIG_OPTION => config = Some(PathBuf::from(words.next()?)),
            id => session = Some(id.parse().ok()?),
        }
    }
    let session = session?;
    let driver = |home| ChildProcess::Driver { home, session, protocol, config };
    Some(Home::of_process().map(driver).map_err(ChildError::from))
}

fn forecaster(root: &OsStr) -> Result<ChildProcess, ChildError> {
    Ok(ChildProcess::Forecast { home: Home::of_process()?, repository: root.into() })
}

impl ChildProcess {
    fn work(&self) -> Result<u8, ChildError> {
        match self {
            Self::Supervisor { home, run } => supervise(home, run).map(|()| 0).map_err(ChildError::from),
            Self::Driver { home, session, protocol, config } => {
                let protocol = DriverProtocol::for_version(*protocol)
                    .ok_or_else(|| ChildError::Arguments(std::env::args_os().skip(1).collect()))?;
                let mut stream = DriverStream::new(Box::new(io::stdout()), protocol);
                let config = match config.as_deref().map(Config::restored) {
                    Some(Ok(config)) => config,
                    Some(Err(error)) => {
                        // Another attempt would find the same.
                        stream.report_refusal(session, error.to_string());
                        return Ok(0);
                    }
                    None => Config::load(None, &Environment::of_process())?,
                };
                let context = DriverContext {
                    home: home.clone(),
                    config,
                    executable: own_executable().map_err(ChildError::Executable)?,
                    environment: environment_of_process(),
                };
                // The protocol reports how the session ended; the exit code only that it was reported.
                WorkflowExecutor::open(context, session, stream)?.drive(io::stdin())?;
                Ok(0)
            }
            Self::Forecast { home, repository } => {
                let config = Config::load(None, &Environment::of_process())?;
                let executable = own_executable().map_err(ChildError::Executable)?;
                let mut agency = Agency::open(home.clone(), config, executable)?;
                run_in_background(&mut agency, repository)?;
                Ok(0)
            }
            Self::Scripted { file } if file == Path::new(PROTOCOL_OPTION) => Ok(converse_here()?),
            Self::Scripted { file } => Ok(execute_file(file, &mut io::stdout(), &mut io::stderr())?),
        }
    }
}
