//! A conversation about sources on the user's own terminal.
//!
//! The agent needs that terminal itself, so it is our child and no run: nothing of what is said is recorded.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agency_system::process::{ProcessHandle, close_on_exec};
use agency_workspace::{REPOSITORY_VARIABLES, Scratch, Workspace};
use rustix::process::Signal;

use super::command::{Purpose, Reader, Subject};
use super::{AskError, SubagentRunner};
use crate::config::environment_of_process;
use crate::runs::create::SearchPath;

/// How often a cancellation is checked for.
const INTERRUPT_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// What a chat is about.
#[derive(Debug, Clone, Default)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ChatRequest {
    /// The names of the sources.
    pub sources: Vec<String>,
    /// The names of groups of sources.
    pub groups: Vec<String>,
    /// The agent; the default one if absent.
    pub runner: Option<String>,
    /// The working directory of the user.
    pub current_directory: PathBuf,
    /// The environment the agent gets.
    pub environment: BTreeMap<OsString, OsString>,
}

impl ChatRequest {
    /// A chat with the default agent, with the environment of this process. It needs at least one
    /// [source](Self::source) or [group](Self::group).
    ///
    /// ```
    /// use std::sync::atomic::AtomicBool;
    ///
    /// use agency_engine::ask::{ChatRequest, SubagentRunner};
    /// # use agency_engine::{agency::Agency, config::{AgentConfig, Config}, sources::{Source, Sources}};
    /// # let place = tempfile::tempdir()?;
    /// # let mut reader = AgentConfig::new("cat");
    /// # reader.chat = Some("cat notes/a.txt".parse()?);
    /// # std::fs::create_dir(place.path().join("notes"))?;
    /// # std::fs::write(place.path().join("notes/a.txt"), "hello\n")?;
    /// # let mut config = Config::default();
    /// # config.agents.insert("reader".to_owned(), reader);
    /// # let agency = Agency::builder().home(place.path().join("home")).config(config).program("agency").build()?;
    /// # let sources = Sources::beside(&place.path().join("config.toml"), &agency.home().sources());
    /// # sources.add(&Source::directory("notes", place.path().join("notes")))?;
    /// let request = ChatRequest::new().source("notes").agent("reader");
    /// let end = SubagentRunner::new(agency, sources).chat(&request, &AtomicBool::new(false))?;
    /// assert_eq!(end.exit_code, 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self { current_directory: PathBuf::from("/"), environment: environment_of_process(), ..Self::default() }
    }

    /// About a source, too.
    #[must_use]
    pub fn source(mut self, name: impl Into<String>) -> Self {
        self.sources.push(name.into());
        self
    }

    /// About the sources of a group, too.
    #[must_use]
    pub fn group(mut self, name: impl Into<String>) -> Self {
        self.groups.push(name.into());
        self
    }

    /// The agent.
    #[must_use]
    pub fn agent(mut self, name: impl Into<String>) -> Self {
        self.runner = Some(name.into());
        self
    }

    /// The environment of the agent, in place of that of this process.
    #[must_use]
    pub fn environment(mut self, environment: BTreeMap<OsString, OsString>) -> Self {
        self.environment = environment;
        self
    }
}

/// How a chat ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct ChatEnd {
    /// The agent's exit code, as a shell would give it.
    pub exit_code: i32,
}

impl SubagentRunner {
    /// Starts an agent on our own terminal and waits until it exits. Once `cancelled` is set, it is ended: TERM, a
    /// grace, KILL. Whatever happens, the scratch directory is gone afterwards.
    pub fn chat(&mut self, request: &ChatRequest, cancelled: &AtomicBool) -> Result<ChatEnd, AskError> {
        self.refuse_recursion(&request.environment)?;
        self.sweep();
        let sources = self.resolve(&request.sources, &request.groups)?;
        let (name, agent) = self.agent(request.runner.as_deref())?;
        let scratch = self.scratch(&sources, Path::new(""))?;
        let search_path =
            SearchPath { current_directory: &request.current_directory, environment: &request.environment };
        let reader = Reader::new(
            &name,
            &agent,
            &Subject { scratch: &scratch, purpose: Purpose::Chat, search_path: &search_path },
        )?;
        let scratch = scratch.with(reader.entries.clone());
        scratch.prepare()?;
        let ended = self.talk(&reader, &scratch, request, cancelled);
        // What cannot be deleted now is swept later.
        let _ = scratch.undo();
        ended
    }

    #[expect(clippy::disallowed_methods, reason = "the agent of a chat is started on the user's own terminal")]
    fn talk(
        &self,
        reader: &Reader,
        scratch: &Scratch,
        request: &ChatRequest,
        cancelled: &AtomicBool,
    ) -> Result<ChatEnd, AskError> {
        // Whatever our caller left open is not the agent's.
        close_on_exec();
        let mut command = Command::new(&reader.program);
        command.args(&reader.args).current_dir(scratch.directory()).env_clear();
        command.envs(&request.environment);
        for name in REPOSITORY_VARIABLES {
            command.env_remove(name);
        }
        command.envs(&reader.env);
        scratch.share_lock(&mut command);
        let mut child = command.spawn().map_err(AskError::Start)?;
        let status = wait(&mut child, self.config().stop_grace, cancelled).map_err(AskError::Start)?;
        let by_signal = || status.signal().map_or(1, |signal| 128 + signal);
        Ok(ChatEnd { exit_code: status.code().unwrap_or_else(by_signal) })
    }
}

fn wait(child: &mut Child, grace: Duration, cancelled: &AtomicBool) -> std::io::Result<ExitStatus> {
    let agent = ProcessHandle::open(child.id());
    let mut asked: Option<Instant> = None;
    loop {
        let gone = agent.as_ref().is_none_or(|agent| agent.wait(INTERRUPT_POLL_INTERVAL));
        if gone {
            return child.wait();
        }
        match (&agent, asked) {
            (Some(agent), None) if cancelled.load(Ordering::Relaxed) => {
                agent.signal(Signal::TERM);
                asked = Some(Instant::now());
            }
            (Some(agent), Some(at)) if at.elapsed() > grace => {
                agent.signal(Signal::KILL);
            }
            (_, _) => {}
        }
    }
}
