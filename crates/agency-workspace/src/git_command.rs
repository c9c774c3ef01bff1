//! The only place that starts git.
//!
//! The one rule: the caller names the repository, never the environment.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tracing::debug;

use super::captured::CapturedOutput;
use super::pipes::{self, Sources, Watched};
use super::{Result, WorkspaceError, jj_link, search_path};

/// Variables by which a git that starts us, as for a hook or an alias, names its repository, index or object store. Every
/// git command in the environment works there, whatever directory it is started in.
pub const REPOSITORY_VARIABLES: [&str; 12] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// Further variables that would change what git reads or prints.
const OTHER_VARIABLES: [&str; 13] = [
    "GIT_ATTR_SOURCE",
    "GIT_CONFIG",
    "GIT_DIFF_OPTS",
    "GIT_EXTERNAL_DIFF",
    "GIT_GLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_INDEX_VERSION",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REFLOG_ACTION",
    "GIT_REPLACE_REF_BASE",
];

/// Variables that let git and jj read the objects that were committed. An agent can put other objects and other parents
/// in their place (`git replace`, grafts): what is shown would not be what is merged.
pub(super) const TRUE_OBJECTS: [(&str, &str); 2] = [
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    // Below a file, so that there never is one. Git takes an empty file for grafts, and warns that they are deprecated.
    ("GIT_GRAFT_FILE", "/dev/null/none"),
];

/// Variables that git and jj do not get from our own environment.
pub(super) fn cleared() -> impl Iterator<Item = &'static str> {
    REPOSITORY_VARIABLES.into_iter().chain(OTHER_VARIABLES)
}

/// The pauses between attempts when git met a worktree that another git was just making.
pub(super) fn pauses() -> impl Iterator<Item = Duration> {
    let quick = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144];
    // On a busy machine the other git may be kept waiting in the middle of it.
    let patient = std::iter::repeat_n(250, 120);
    quick.into_iter().chain(patient).map(Duration::from_millis)
}

/// One git command, as it is put together.
pub(super) struct GitCommand {
    pub(super) command: Command,
    pub(super) directory: PathBuf,
    /// The git directory, where git does not search for it.
    git_dir: Option<PathBuf>,
    /// The working tree, if the command looks at its files.
    work_tree: Option<PathBuf>,
    /// The words of the subcommand that an error names.
    pub(super) named: String,
}

/// What a git command that ended said.
pub(super) struct Finished {
    /// Whether git exited with zero.
    pub(super) success: bool,
    /// What it printed.
    pub(super) stdout: Vec<u8>,
    /// Its complaints, without the last newline.
    pub(super) stderr: String,
}

impl Finished {
    /// What git says of a directory that it passed over, because it could not open it.
    fn unopened_directories(&self) -> impl Iterator<Item = &str> {
        let warnings = self.stderr.lines().filter_map(|line| line.strip_prefix("warning: "));
        warnings.filter(|warning| warning.starts_with("could not open directory"))
    }

    /// Whether git failed only because it read another worktree's files while those were being made or removed.
    pub(super) fn met_half_made_worktree(&self) -> bool {
        let met = |line: &str| line.starts_with("fatal: failed to read ") && line.contains("/commondir: ");
        !self.success && self.stderr.lines().any(met)
    }

    /// Whether `git branch` refused to do anything, since HEAD names a ref that is not a branch.
    pub(super) fn refused_head(&self) -> bool {
        !self.success && self.stderr.lines().any(|line| line == "fatal: HEAD not found below refs/heads!")
    }
}

impl GitCommand {
    /// Starts to describe a command that git runs in `directory`.
    #[expect(clippy::disallowed_methods, reason = "git is started here")]
    pub(super) fn at(directory: &Path) -> Self {
        let mut command = Command::new("git");
        for variable in cleared() {
            command.env_remove(variable);
        }
        command.env("GIT_TERMINAL_PROMPT", "0").env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C");
        if let Some(path) = search_path::without_relative() {
            command.env("PATH", path);
        }
        command.envs(TRUE_OBJECTS).stdin(Stdio::null());
        // Not the child's working directory: a missing one would look like a missing git.
        command.arg("-C").arg(directory);
        Self { command, directory: directory.to_owned(), git_dir: None, work_tree: None, named: String::new() }
    }

    /// Starts to describe a command in the user's own repository, also where only jj knows its git directory.
    pub(super) fn in_repository(root: &Path) -> Self {
        let mut git = Self::at(root);
        if let Some(store) = jj_link::hidden_git_store(root) {
            git.command.arg(option_with_path("--git-dir=", &store));
            git.git_dir = Some(store);
        }
        git
    }

    /// Starts to describe a command on the refs and worktrees of the repository with this git directory.
    pub(super) fn on(git_dir: &Path) -> Self {
        let mut git = Self { git_dir: Some(git_dir.to_owned()), ..Self::at(git_dir) };
        git.command.arg(option_with_path("--git-dir=", git_dir));
        git
    }

    /// Starts to describe a command on a working tree, whatever its own `.git` says.
    pub(super) fn on_tree(git_dir: &Path, work_tree: &Path) -> Self {
        let (git_dir_given, work_tree_given) = (Some(git_dir.to_owned()), Some(work_tree.to_owned()));
        let mut git = Self { git_dir: git_dir_given, work_tree: work_tree_given, ..Self::at(work_tree) };
        git.command.arg(option_with_path("--git-dir=", git_dir));
        git.command.arg(option_with_path("--work-tree=", work_tree));
        git
    }

    /// Starts to describe a command that reads settings, as they hold where `git_dir` is git's directory and `shared` the
    /// part that all worktrees share. `common_dir` is where an agent could make git wait.
    pub(super) fn on_config(git_dir: &Path, shared: &Path, common_dir: &Path) -> Self {
        let mut git = Self { git_dir: Some(common_dir.to_owned()), ..Self::at(shared) };
        git.command.arg(option_with_path("--git-dir=", git_dir));
        git.env("GIT_COMMON_DIR", shared)
    }

    /// Sets a configuration value for this command. Comes before the subcommand.
    pub(super) fn config(mut self, key_and_value: &str) -> Self {
        self.command.arg("-c").arg(key_and_value);
        self
    }

    /// Names the subcommand and its fixed arguments.
    pub(super) fn run<const N: usize>(mut self, words: [&str; N]) -> Self {
        self.named = subcommand(&words);
        self.command.args(words);
        self
    }

    /// Lets a comparison name each link to another repository by its commit, and look at no file behind it. What
    /// `.gitmodules` or a setting says of a link could hide it, or make git fail.
    pub(super) fn comparing_links(self) -> Self {
        self.arg("--ignore-submodules=dirty")
    }

    /// Adds an argument.
    pub(super) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// Adds arguments.
    pub(super) fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.command.args(arguments);
        self
    }

    /// Sets a variable.
    pub(super) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Keeps what the user's terminal interrupts away from git, which would stop half way through the files of a checkout.
    pub(super) fn uninterrupted(mut self) -> Self {
        self.command.process_group(0);
        self
    }

    /// Gives git something to read.
    pub(super) fn input(mut self, file: File) -> Self {
        self.command.stdin(file);
        self
    }

    /// Leaves the user's language to git and to the hooks that it runs: they may read files that are not ASCII.
    #[expect(clippy::disallowed_methods, reason = "the user's language is in the environment")]
    pub(super) fn in_users_language(mut self) -> Self {
        match std::env::var_os("LC_ALL") {
            Some(language) => self.command.env("LC_ALL", language),
            None => self.command.env_remove("LC_ALL"),
        };
        self
    }

    /// Runs git to its end, whatever its exit code.
    pub(super) fn finish(mut self) -> Result<Finished> {
        for pause in pauses() {
            let finished = self.finish_once()?;
            if !finished.met_half_made_worktree() {
                return Ok(finished);
            }
            debug!(ms = pause.as_millis(), "git met a worktree that was being made, which is tried again");
            thread::sleep(pause);
        }
        self.finish_once()
    }

    fn finish_once(&mut self) -> Result<Finished> {
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let started = Instant::now();
        let output = self.wait(Child::wait_with_output)?;
        self.record(started, output.status);
        let stderr = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
        Ok(Finished { success: output.status.success(), stdout: output.stdout, stderr })
    }

    /// Records a command that has ended. Of its arguments only the subcommand: others may have secrets.
    pub(super) fn record(&self, started: Instant, status: ExitStatus) {
        let (command, ms) = (self.named.split(' ').next(), started.elapsed().as_millis());
        debug!(command, directory = %self.directory.display(), exit_code = status.code(), ms, "git command");
    }

    /// Starts git and waits for its end. A pipe that an agent put where git reads a file is an error.
    fn wait<T>(&mut self, wait: impl FnOnce(Child) -> io::Result<T>) -> Result<T> {
        let git = self.command.spawn().map_err(|source| cannot_start(&self.directory, source))?;
        let (git_dir, work_tree) = (self.git_dir.clone(), self.work_tree.clone());
        let sources = Sources { git_dir, directory: self.directory.clone(), work_tree };
        match pipes::watch(git, &sources, wait).map_err(|source| cannot_start(&self.directory, source))? {
            Watched::Ended(ended) => Ok(ended),
            Watched::Waited(path) => Err(WorkspaceError::NamedPipe { command: self.named.clone(), path }),
        }
    }

    /// Runs git to its own end, even if a hook leaves a program behind that keeps our pipes open.
    pub(super) fn finish_despite_hooks(mut self) -> Result<Finished> {
        let complaints = CapturedOutput::new()?;
        self.command.stdout(Stdio::null()).stderr(complaints.writer()?);
        let started = Instant::now();
        let status = self.wait(|mut git| git.wait())?;
        self.record(started, status);
        Ok(Finished { success: status.success(), stdout: Vec::new(), stderr: complaints.into_text()? })
    }

    /// Runs git and returns what it printed; any other exit code than zero is an error.
    pub(super) fn read(self) -> Result<Vec<u8>> {
        let (command, directory) = (self.named.clone(), self.directory.clone());
        let finished = self.finish()?;
        if finished.success {
            return Ok(finished.stdout);
        }
        Err(WorkspaceError::Git { command, directory, message: finished.stderr })
    }

    /// The same, but a directory that git cannot open is an error. Git warns of it, passes it over and succeeds, so that
    /// its files would be missing in what git adds or lists.
    pub(super) fn read_every_directory(self) -> Result<Vec<u8>> {
        let (command, directory) = (self.named.clone(), self.directory.clone());
        let finished = self.finish()?;
        let unopened = finished.unopened_directories().next().map(str::to_owned);
        match unopened {
            None if finished.success => Ok(finished.stdout),
            None => Err(WorkspaceError::Git { command, directory, message: finished.stderr }),
            Some(message) => Err(WorkspaceError::Git { command, directory, message }),
        }
    }

    /// Runs git and returns what it printed, and what it said of each directory that it could not open.
    pub(super) fn read_with_unopened(self) -> Result<(Vec<u8>, Vec<String>)> {
        let (command, directory) = (self.named.clone(), self.directory.clone());
        let finished = self.finish()?;
        if !finished.success {
            return Err(WorkspaceError::Git { command, directory, message: finished.stderr });
        }
        let unopened = finished.unopened_directories().map(str::to_owned).collect();
        Ok((finished.stdout, unopened))
    }

    /// Runs git and returns the one line it printed.
    pub(super) fn read_line(self) -> Result<String> {
        let mut line = String::from_utf8_lossy(&self.read()?).into_owned();
        line.truncate(line.trim_end_matches('\n').len());
        Ok(line)
    }
}

/// The words of a command line before its first option, which errors name.
pub(super) fn subcommand(words: &[&str]) -> String {
    words.iter().copied().take_while(|word| !word.starts_with('-')).collect::<Vec<_>>().join(" ")
}

/// Joins an option and a path that need not be text.
fn option_with_path(option: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(option);
    argument.push(path);
    argument
}

pub(super) fn cannot_start(directory: &Path, source: io::Error) -> WorkspaceError {
    if source.kind() == io::ErrorKind::NotFound {
        return WorkspaceError::GitMissing;
    }
    WorkspaceError::Io { action: "start git in", path: directory.to_owned(), source }
}
