//! What takes a while to read, since git is asked: at most one at a time, and never for what is only passed by.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use agency_engine::remove::RemoveError;
use agency_engine::store::RunRow;
use agency_model::RunKind;

use super::Opener;
use super::desk::{Desk, Rest};
use super::info::info;
use crate::command::diff::removed;
use crate::problem::Problem;
use crate::tui::bell::Bell;
use crate::tui::detail::{Content, Patch, Subject, Tab};
use crate::tui::input::News;
use crate::tui::pace::Presence;

/// Who goes through the list does not stay longer at a run.
const PASSING: Duration = Duration::from_millis(80);
/// How long after one reading the same is read again.
const PAUSE: Duration = Duration::from_secs(3);
/// The same while nobody is there.
const LONG_PAUSE: Duration = Duration::from_secs(60);

/// Reads what takes a while, in a thread of its own.
pub(super) struct Errands {
    open: Opener,
    desk: Arc<Desk>,
    bell: Bell,
    presence: Presence,
    /// Whether one is under way.
    busy: Arc<AtomicBool>,
    /// For which generation the last one was, and when it was seen to be done.
    last: Option<(u64, Option<Instant>)>,
    /// What the last patch was, so that the same one is not told again.
    patch: Arc<AtomicU64>,
}

impl Errands {
    pub(super) fn new(open: Opener, desk: Arc<Desk>, bell: Bell, presence: Presence) -> Self {
        Self { open, desk, bell, presence, busy: Arc::default(), last: None, patch: Arc::default() }
    }

    /// Begins what is wanted, when it is time.
    pub(super) fn turn(&mut self, subject: &Subject, wanted: &mut Option<Instant>) -> Rest {
        let Some(since) = *wanted else { return Rest::UNTIL_TOUCHED };
        if self.busy.load(Ordering::Acquire) {
            // Its end wakes us.
            return Rest { limit: None, deaf: true };
        }
        let due = match &mut self.last {
            Some((generation, done)) if *generation == subject.generation => {
                *done.get_or_insert_with(Instant::now) + self.presence.pause(PAUSE, LONG_PAUSE)
            }
            Some(_) | None => since + PASSING,
        };
        let left = due.saturating_duration_since(Instant::now());
        if !left.is_zero() {
            // Whoever comes back does not wait for the long one.
            return Rest { limit: Some(left.min(PAUSE)), deaf: true };
        }
        *wanted = None;
        self.last = Some((subject.generation, None));
        self.begin(subject.clone());
        Rest::UNTIL_TOUCHED
    }

    fn begin(&self, subject: Subject) {
        self.busy.store(true, Ordering::Release);
        let (open, desk, bell) = (Arc::clone(&self.open), Arc::clone(&self.desk), self.bell.clone());
        let (busy, last_patch) = (Arc::clone(&self.busy), Arc::clone(&self.patch));
        std::thread::spawn(move || {
            let content = match subject.tab {
                Tab::Info => info(&open, &subject.row),
                Tab::Diff | Tab::Output | Tab::Events | Tab::Logs => diff(&open, &subject, &last_patch),
            };
            let content = content.unwrap_or_else(|problem| {
                let (message, hint) = problem.into_words();
                Some(Content::Nothing(hint.map_or(message.clone(), |hint| format!("{message}\n{hint}"))))
            });
            if let Some(content) = content {
                bell.report(News::Detail { generation: subject.generation, content });
            }
            busy.store(false, Ordering::Release);
            desk.put(|_| {});
        });
    }
}

/// What a run changed, if it is something else than the last time.
fn diff(open: &Opener, subject: &Subject, last: &AtomicU64) -> Result<Option<Content>, Problem> {
    let row = &subject.row;
    if row.removed_at.is_some() {
        return Err(removed(row));
    }
    let bytes = open()?.workspace_of(row)?.diff().map_err(RemoveError::from)?;
    let mut hasher = DefaultHasher::new();
    (subject.generation, &bytes).hash(&mut hasher);
    if last.swap(hasher.finish(), Ordering::Relaxed) == hasher.finish() {
        return Ok(None);
    }
    Ok(Some(match bytes.is_empty() {
        true => Content::Nothing(nothing_changed(row)),
        false => Content::Diff(Patch::read(&bytes)),
    }))
}

fn nothing_changed(row: &RunRow) -> String {
    match (row.kind, row.state.is_terminal()) {
        (RunKind::Ask, _) => "A question changes nothing.".to_owned(),
        (_, true) => "Nothing was changed.".to_owned(),
        (_, false) => "Nothing changed yet.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use agency_model::{ErrorCode, Mode};

    use super::*;
    use crate::tui::bell;
    use crate::tui::detail::fixture::row;

    const LATER: Duration = Duration::from_secs(3600);

    #[test]
    fn what_is_only_passed_by_is_not_read_and_the_same_not_at_once_again() {
        let (bell, mut letterbox) = bell::hang().unwrap();
        let open: Opener = Arc::new(|| Err(Problem::new(ErrorCode::Io, "asked")));
        let mut errands = Errands::new(open, Arc::new(Desk::new().unwrap()), bell, Presence::new());
        let subject = |generation| Subject { generation, row: row(Mode::Headless), tab: Tab::Diff };
        // Whoever came just now, seen from a clock that stands still.
        let mut wanted = Some(Instant::now() + LATER);
        assert!(matches!(errands.turn(&subject(1), &mut wanted), Rest { limit: Some(_), deaf: true }));
        assert!(wanted.is_some() && errands.last.is_none(), "nothing was begun");
        // Whoever stayed.
        let mut wanted = Instant::now().checked_sub(PASSING);
        assert_eq!(errands.turn(&subject(2), &mut wanted), Rest::UNTIL_TOUCHED);
        assert_eq!(wanted, None);
        while errands.busy.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        assert!(matches!(letterbox.empty().as_slice(), [News::Detail { generation: 2, content: Content::Nothing(_) }]));
        errands.last = Some((2, Some(Instant::now() + LATER)));
        let mut wanted = Instant::now().checked_sub(PASSING);
        assert!(matches!(errands.turn(&subject(2), &mut wanted), Rest { limit: Some(_), deaf: true }));
        assert!(wanted.is_some(), "it waits for its turn");
    }
}
