//! Makes, finds and locks sessions.

use std::time::Duration;

use agency_model::SessionId;
use agency_model::workflow::Fact;
use agency_system::fault;
use agency_system::lock::{Lock, is_held};

use super::{Journal, NewSession, SessionDirectory, SessionError, SessionRecord, WorkflowSession};
use crate::home::{Home, HomeError, create_private_directory, sync_directory, write_atomically};
use crate::store::now;

/// Knows where sessions are kept.
#[derive(Debug, Clone)]
pub struct SessionManager {
    home: Home,
}

impl SessionManager {
    /// The sessions of this home.
    #[must_use]
    pub const fn new(home: Home) -> Self {
        Self { home }
    }

    /// The directory of a session.
    #[must_use]
    pub fn directory(&self, id: &SessionId) -> SessionDirectory {
        SessionDirectory::of(&self.home, id)
    }

    /// Makes a session without a driver.
    pub fn create(&self, new: NewSession) -> Result<WorkflowSession, SessionError> {
        let record = SessionRecord::of(new, now());
        let directory = self.directory(&record.id);
        create_private_directory(directory.path())?;
        let path = directory.record();
        let text = serde_json::to_vec(&record)
            .map_err(|error| HomeError::new("encode", &path, std::io::Error::other(error)))?;
        // The first fact comes before the record: what has a record is a whole session.
        let (mut journal, _) = Journal::open(&directory.history())?;
        let (goal, task) = (record.goal.clone(), record.task.clone());
        journal.append(Fact::SessionStarted { session: record.id.to_string(), goal, task })?;
        write_atomically(&path, &text)?;
        // Without the record, the facts belong to no session.
        let synced = std::fs::File::open(&path).and_then(|file| file.sync_all());
        synced
            .and_then(|()| sync_directory(directory.path()))
            .map_err(|source| HomeError::new("store", &path, source))?;
        fault::point("session.made");
        self.load(&record.id)
    }

    /// Takes a session back that never had a driver.
    pub fn discard(&self, id: &SessionId) {
        // What stays is a session without a driver, which can be resumed or cancelled.
        let _ = std::fs::remove_dir_all(self.directory(id).path());
    }

    /// A session as it is now.
    pub fn load(&self, id: &SessionId) -> Result<WorkflowSession, SessionError> {
        WorkflowSession::read(self.directory(id), id)
    }

    /// Whether a session can still be resumed or retried, so that it needs its worktree. A session that cannot be read
    /// counts: nothing says that it has finished. One without a record does not exist.
    pub fn is_open(&self, id: &SessionId) -> Result<bool, SessionError> {
        match self.load(id) {
            Ok(session) => Ok(session.state().can_continue()),
            Err(SessionError::NotFound(_)) => Ok(false),
            Err(
                SessionError::BadRecord { .. } | SessionError::BadHistory { .. } | SessionError::WrongHistory { .. },
            ) => Ok(true),
            Err(error @ (SessionError::Ambiguous { .. } | SessionError::InUse(_) | SessionError::Home(_))) => {
                Err(error)
            }
        }
    }

    /// Takes the lock of a session, if it is free within `patience`.
    pub fn lock(&self, id: &SessionId, patience: Duration) -> Result<Lock, SessionError> {
        let lock = Lock::take(&self.directory(id).lock(), patience)?;
        lock.ok_or_else(|| SessionError::InUse(id.to_string()))
    }

    /// Whether a session has a driver.
    pub fn is_driven(&self, id: &SessionId) -> Result<bool, SessionError> {
        Ok(is_held(&self.directory(id).lock())?)
    }

    /// The ids of all sessions, newest first.
    pub fn ids(&self) -> Result<Vec<SessionId>, SessionError> {
        let path = self.home.sessions();
        let entries = match std::fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(vec![]),
            Err(source) => return Err(HomeError::new("read", path, source).into()),
        };
        let names = entries.filter_map(Result::ok).filter(|entry| entry.path().join("session.json").exists());
        let mut ids: Vec<SessionId> =
            names.filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse().ok())).collect();
        ids.sort_unstable_by(|one, other| other.cmp(one));
        Ok(ids)
    }

    /// The one session that an id, the beginning of one, or `last` stands for.
    pub fn select(&self, text: &str) -> Result<SessionId, SessionError> {
        if let Ok(id) = text.parse::<SessionId>() {
            return if self.directory(&id).record().exists() {
                Ok(id)
            } else {
                Err(SessionError::NotFound(text.into()))
            };
        }
        let rest = text.strip_prefix("s_").unwrap_or(text).to_ascii_uppercase();
        let mut ids = self.ids()?;
        if text == "last" {
            ids.truncate(1);
        } else {
            ids.retain(|id| !rest.is_empty() && id.as_str().get(2..).is_some_and(|ulid| ulid.starts_with(&rest)));
        }
        match (ids.len(), ids.pop()) {
            (1, Some(id)) => Ok(id),
            (_, None) => Err(SessionError::NotFound(text.to_owned())),
            (_, Some(oldest)) => {
                let ids = ids.iter().chain([&oldest]).map(SessionId::to_string).collect();
                Err(SessionError::Ambiguous { text: text.to_owned(), ids })
            }
        }
    }
}
