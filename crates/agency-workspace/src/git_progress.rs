//! Git commands that take long: their progress is read while they run, and they end when they are cancelled.
//!
//! The one rule: git and all that it starts end with us, even if we are killed.

use std::io::Read;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;

use super::git_command::{Finished, GitCommand, cannot_start};
use super::{Result, WorkspaceError};
use agency_system::lock::Lock;
use agency_system::process::{ProcessHandle, in_new_session, signal_group};

/// How often the cancellation is checked.
const CANCEL_POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Git prints its progress; if it prints nothing for so long, it waits for a server that does not answer.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(300);
/// How long git may take to end by itself.
const TERM_GRACE_PERIOD: Duration = Duration::from_secs(2);
/// Complaints are short; what is longer is progress, and its beginning is of no interest.
const MAX_STDERR_BYTES: usize = 64 * 1024;

/// Starts git beside a process that waits for the end of its input, which comes when we close it or die, and then kills
/// the whole process group: git does not end by itself while it waits for a server, nor do the helpers that it starts.
const WATCHED_GIT_SCRIPT: &str = r#"exec 3<&0 </dev/null
(trap '' HUP INT TERM; exec >/dev/null 2>&1; read -r end <&3; kill -KILL 0) &
exec git "$@" 3<&-"#;
/// What a shell says of a command that it does not find.
const COMMAND_NOT_FOUND: i32 = 127;

impl GitCommand {
    /// Runs git away from our terminal, so that it cannot prompt. It holds `lock` as long as any of its
    /// processes lives. `None` if it was ended because `cancelled` was set.
    pub(super) fn run_with_progress(
        self,
        lock: Option<&Lock>,
        on_progress: &mut dyn FnMut(&str),
        cancelled: &AtomicBool,
    ) -> Result<Option<Finished>> {
        let mut command = self.watched();
        if let Some(lock) = lock {
            lock.share_with(&mut command);
        }
        in_new_session(&mut command).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let started = Instant::now();
        let mut child = command.spawn().map_err(|source| cannot_start(&self.directory, source))?;
        // Waiting for a child closes its input, and that would end it.
        let alive = child.stdin.take();
        let mut said = vec![];
        let ended = match child.stderr.take() {
            Some(stderr) => read_progress(stderr, &mut said, on_progress, cancelled),
            None => GitEnd::ByItself,
        };
        if ended != GitEnd::ByItself {
            end(&mut child);
        }
        let status = child.wait().map_err(|source| cannot_start(&self.directory, source))?;
        drop(alive);
        self.record(started, status);
        if status.code() == Some(COMMAND_NOT_FOUND) {
            return Err(WorkspaceError::GitMissing);
        }
        let mut stderr = complaints(&said);
        match ended {
            GitEnd::Cancelled => return Ok(None),
            GitEnd::Silent => stderr.push_str("\nnothing came for five minutes"),
            GitEnd::ByItself => {}
        }
        Ok(Some(Finished { success: status.success() && ended == GitEnd::ByItself, stdout: vec![], stderr }))
    }

    #[expect(clippy::disallowed_methods, reason = "git is started here, by a shell that ends it with us")]
    fn watched(&self) -> Command {
        let mut watched = Command::new("/bin/sh");
        watched.args(["-c", WATCHED_GIT_SCRIPT, "git"]).args(self.command.get_args());
        for (name, value) in self.command.get_envs() {
            match value {
                Some(value) => watched.env(name, value),
                None => watched.env_remove(name),
            };
        }
        watched
    }
}

#[derive(PartialEq, Eq)]
enum GitEnd {
    ByItself,
    Cancelled,
    Silent,
}

fn read_progress(
    mut stderr: ChildStderr,
    said: &mut Vec<u8>,
    on_progress: &mut dyn FnMut(&str),
    cancelled: &AtomicBool,
) -> GitEnd {
    let mut last_output_at = Instant::now();
    let limit = Timespec::try_from(CANCEL_POLL_INTERVAL).ok();
    let mut line = vec![];
    loop {
        if cancelled.load(Ordering::Relaxed) {
            return GitEnd::Cancelled;
        }
        if last_output_at.elapsed() > SILENCE_TIMEOUT {
            return GitEnd::Silent;
        }
        if poll(&mut [PollFd::new(&stderr, PollFlags::IN)], limit.as_ref()) == Ok(0) {
            continue;
        }
        let mut piece = [0; 4096];
        let Ok(length @ 1..) = stderr.read(&mut piece) else { return GitEnd::ByItself };
        last_output_at = Instant::now();
        for byte in piece.iter().take(length) {
            match byte {
                b'\r' | b'\n' => on_progress(String::from_utf8_lossy(&std::mem::take(&mut line)).trim()),
                byte => line.push(*byte),
            }
        }
        said.extend_from_slice(piece.get(..length).unwrap_or_default());
        let excess = said.len().saturating_sub(MAX_STDERR_BYTES);
        said.drain(..excess);
    }
}

/// TERM lets git remove its half-made files.
fn end(child: &mut Child) {
    signal_group(child.id(), Signal::TERM);
    if ProcessHandle::open(child.id()).is_some_and(|git| !git.wait(TERM_GRACE_PERIOD)) {
        signal_group(child.id(), Signal::KILL);
    }
}

/// What git said without its progress, which ends in carriage returns.
fn complaints(said: &[u8]) -> String {
    let text = String::from_utf8_lossy(said);
    let lines = text.lines().map(|line| line.rsplit('\r').next().unwrap_or(line).trim_end());
    let is_progress = |line: &&str| line.contains("% (") || line.ends_with("done.") || line.is_empty();
    lines.filter(|line| !is_progress(line)).collect::<Vec<_>>().join("\n")
}
