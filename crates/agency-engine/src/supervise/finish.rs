//! The end of a supervisor: markers, events, the row.

use std::time::{Duration, Instant};

use agency_model::conversation::Input;
use agency_model::run::{ChangedPath, Ending, Progress, Reason, State};
use agency_model::{ErrorCode, Event};
use agency_system::fault;
use agency_system::process::end_run;
use agency_workspace::ChangedFile;
use tracing::{info, warn};

use super::Supervisor;
use super::notifier::Notifier;
use super::notify::BELL;
use crate::record::finish::{Ended, after_end};
use crate::record::pid_file::PidFile;
use crate::runs::remove::workspace_of;
use crate::store::now;

/// How long the last writes are tried again on a full disk or a busy database.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// How long to wait between two tries.
const RETRY_DELAY: Duration = Duration::from_millis(200);
/// How long processes with another parent get before they are killed.
const HIDDEN_GRACE: Duration = Duration::from_millis(500);

impl Supervisor<'_> {
    /// Records the end. If the supervisor dies here, reconciliation repeats every step.
    pub(super) async fn finish(mut self) -> Notifier {
        let Progress::Ended(ending) = self.run.progress.clone() else {
            return self.notifier;
        };
        self.end_hidden(&ending);
        self.converse(Input::RunEnded(ending.state));
        self.begin_last_checkpoint().await;
        // At the same time.
        let changed_files = self.changed_files();
        self.finish_last_checkpoint().await;
        let details = self.details(&ending);
        let ended = Ended {
            ending,
            details,
            started_at: self.row.started_at,
            ended_at: now(),
            summary: self.protocol.summary(),
            changed_files,
        };
        if let Some(message) = self.giving_up(&ended.ending) {
            self.append(Event::Error { message });
        }
        self.files.record_losses(ended.ending.attempts);
        fault::point("finish.begin");
        self.files.release_reserve();
        let started = Instant::now();
        let until = started + WRITE_TIMEOUT;
        persist("exit markers", until, || self.files.write_markers(&ended));
        fault::point("finish.marked");
        self.files.append_end(&ended);
        fault::point("finish.told");
        let mut saved = None;
        persist("row", until, || {
            self.files.flush_events();
            match self.store.save(&self.id, &self.run, ended.details.as_deref()) {
                Ok(row) => saved = Some(row),
                // The row is rebuilt from the files.
                Err(error) => return error.is_lost_row(),
            }
            true
        });
        let Ending { state, reason, .. } = ended.ending;
        info!(%state, reason = reason.as_str(), row = saved.is_some(), ms = started.elapsed().as_millis(), "end recorded");
        fault::point("finish.saved");
        PidFile::remove_if_gone(&self.home.pid_dir(self.launch.pid_dir.as_deref()), &self.id);
        fault::point("finish.forgotten");
        self.waiters.clear();
        match saved {
            Some(row) => {
                if after_end(self.home, &row) && self.files.has_all_events() {
                    // Otherwise a later command writes the files again.
                    let _ = self.store.end_is_recorded(&self.id);
                }
                self.notify_end(row);
            }
            None => {
                let row = ended.applied_to(self.row_in_memory());
                after_end(self.home, &row);
                self.notify_end(row);
            }
        }
        self.files.remove_control_socket();
        let bell = if self.notifier.rings() { BELL } else { "" };
        self.display.close_pane(&(last_line(&ended) + bell));
        // Before the disk is waited for.
        self.inputs.control.close().await;
        self.store.tidy();
        self.notifier
    }

    /// A stopped run leaves nothing behind, not even what went to another parent.
    fn end_hidden(&mut self, ending: &Ending) {
        match ending.reason {
            Reason::Stopped | Reason::WallTime | Reason::Timeout => {
                for process in end_run(&self.id, HIDDEN_GRACE) {
                    let message = format!("could not be ended: {} ({})", process.pid(), process.command_line());
                    self.append(Event::Error { message });
                }
            }
            Reason::Exited | Reason::CouldNotStart | Reason::Disappeared | Reason::Imported => {}
        }
    }

    /// Why an agent with a restart policy is not restarted any more.
    fn giving_up(&self, ending: &Ending) -> Option<String> {
        let allowed = self.launch.restart.failures_allowed;
        let crashed = ending.exit.is_some_and(|exit| !exit.is_success());
        match (ending.state, ending.reason) {
            (State::Failed, Reason::Exited) if allowed > 1 && crashed => {
                Some(format!("the agent crashed {allowed} times in a row and is not started again"))
            }
            (_, _) => None,
        }
    }

    /// The files that the agent changed. A workspace that cannot be read has none.
    fn changed_files(&self) -> Option<Vec<ChangedPath>> {
        self.row.worktree_path.as_ref()?;
        let changes = workspace_of(self.home, &self.row).ok()?.changes().ok()?;
        Some(changes.files.iter().map(ChangedFile::noted).collect())
    }

    /// What did not come in time.
    fn silence(&self) -> String {
        let minutes = |limit: Option<u64>| limit.unwrap_or_default() / 60_000;
        if self.conversation.timed_out() {
            let minutes = minutes(self.launch.question_ms);
            return format!("a question waited {minutes} minutes without an answer");
        }
        let minutes = minutes(self.launch.no_progress_ms);
        format!("the agent made no progress for {minutes} minutes")
    }

    /// What an agent left unfinished that called its last turn a success.
    fn cut_off(&self) -> Option<String> {
        let cut_off = self.protocol.has_succeeded() && self.conversation.is_cut_off();
        if cut_off { self.conversation.shortcoming() } else { None }
    }

    fn details(&self, ending: &Ending) -> Option<String> {
        match (ending.state, ending.reason, ending.exit) {
            (State::Killed, _, _) => None,
            (State::Completed, _, _) => self.conversation.shortcoming(),
            (_, Reason::WallTime, _) => {
                let minutes = self.launch.wall_time_ms.unwrap_or_default() / 60_000;
                Some(format!("the wall time of {minutes} minutes is over"))
            }
            (_, Reason::Timeout, _) => Some(self.silence()),
            (_, Reason::CouldNotStart, _) => {
                let failure = self.setup.failure().map(str::to_owned);
                failure.or_else(|| self.process.start_error().map(ToString::to_string))
            }
            (_, _, Some(exit)) if exit.is_success() => {
                if let Some(shortcoming) = self.cut_off() {
                    return Some(format!("{}: {shortcoming}", ErrorCode::RunFailed));
                }
                let complaint = self.protocol.complaint().unwrap_or("it gave no reason");
                Some(format!("{}: the agent reported a failure: {complaint}", ErrorCode::RunFailed))
            }
            (_, _, Some(exit)) => {
                if let Some(panic) = self.process.panic() {
                    return Some(format!("{}: the runner of the agent panicked: {panic}", ErrorCode::RunFailed));
                }
                let how = match (exit.exit_code, exit.signal) {
                    (Some(code), _) => format!("the agent exited with code {code}"),
                    (None, Some(signal)) => format!("the agent was ended by signal {signal}"),
                    (None, None) => "the agent's exit code is not known".to_owned(),
                };
                let why = self.cut_off();
                let why = why.as_deref().or(self.protocol.complaint());
                let why = why.map_or_else(String::new, |why| format!(": {why}"));
                Some(format!("{}: {how}{why}", ErrorCode::RunFailed))
            }
            (_, _, None) => None,
        }
    }
}

/// Tries until it works or the limit is over. What did not work then is left to reconciliation.
fn persist(what: &str, until: Instant, mut attempt: impl FnMut() -> bool) {
    while !attempt() && Instant::now() < until {
        warn!(what, "write failed, retrying");
        std::thread::sleep(RETRY_DELAY);
    }
}

fn last_line(ended: &Ended) -> String {
    let exit = ended.ending.exit.and_then(|exit| exit.exit_code);
    let code = exit.map_or_else(String::new, |code| format!(", exit code {code}"));
    format!("\r\n[agency: the run is {}{code}]\r\n", ended.ending.state)
}
