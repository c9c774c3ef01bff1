//! What takes a while to read, since git is asked: at most one at a time, and never for what is only passed by.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use agency_engine::runs::remove::RemoveError;
use agency_engine::runs::review::Comment;
use agency_engine::store::RunRow;
use agency_model::patch::Patch;
use agency_model::review::CommentState;
use agency_model::{RunKind, escaped_line};
use agency_workspace::PatchContext;
use jiff::Timestamp;

use super::Opener;
use super::info::info;
use super::orders::{OrdersMailbox, Sleep};
use crate::highlight::{Highlights, TIME_LIMIT};
use crate::output::ago;
use crate::problem::Problem;
use crate::tui::channel::EventSender;
use crate::tui::detail::{Content, DiffPart, LineComment, Subject, Tab, Timeline, TimelineEntry};
use crate::tui::frame_timer::Presence;
use crate::tui::input::BackgroundEvent;
use crate::view::{CheckpointView, Checkpoints};

/// A user who goes through the list stays shorter than this at a run.
const SELECTION_DELAY: Duration = Duration::from_millis(80);
/// How long after one reading the same is read again.
const RELOAD_INTERVAL: Duration = Duration::from_secs(3);
/// The same while the user is inactive.
const IDLE_RELOAD_INTERVAL: Duration = Duration::from_secs(60);

/// Reads what takes a while, in a thread of its own.
pub(super) struct BackgroundLoads {
    open: Opener,
    orders: OrdersMailbox,
    sender: EventSender,
    presence: Presence,
    /// Whether one is under way.
    busy: Arc<AtomicBool>,
    /// For which generation the last one was, and when it was seen to be done.
    last: Option<(u64, Option<Instant>)>,
    /// The last patch, so that the same one is not sent again.
    patch: Arc<AtomicU64>,
}

impl BackgroundLoads {
    pub(super) fn new(open: Opener, orders: OrdersMailbox, sender: EventSender, presence: Presence) -> Self {
        Self { open, orders, sender, presence, busy: Arc::default(), last: None, patch: Arc::default() }
    }

    /// Begins what is wanted, when it is time.
    pub(super) fn turn(&mut self, subject: &Subject, wanted: &mut Option<Instant>) -> Sleep {
        let Some(since) = *wanted else { return Sleep::UNTIL_CHANGE };
        if self.busy.load(Ordering::Acquire) {
            // Its end wakes us.
            return Sleep { limit: None, ignore_changes: true };
        }
        let due = match &mut self.last {
            Some((generation, done)) if *generation == subject.generation => {
                *done.get_or_insert_with(Instant::now) + self.presence.pause(RELOAD_INTERVAL, IDLE_RELOAD_INTERVAL)
            }
            Some(_) | None => since + SELECTION_DELAY,
        };
        let left = due.saturating_duration_since(Instant::now());
        if !left.is_zero() {
            // A user who becomes active again does not wait for the long one.
            return Sleep { limit: Some(left.min(RELOAD_INTERVAL)), ignore_changes: true };
        }
        *wanted = None;
        self.last = Some((subject.generation, None));
        self.begin(subject.clone());
        Sleep::UNTIL_CHANGE
    }

    fn begin(&self, subject: Subject) {
        self.busy.store(true, Ordering::Release);
        let (open, orders, sender) = (Arc::clone(&self.open), self.orders.clone(), self.sender.clone());
        let (busy, last_patch) = (Arc::clone(&self.busy), Arc::clone(&self.patch));
        std::thread::spawn(move || {
            let generation = subject.generation;
            let report = |content| {
                sender.report(BackgroundEvent::Detail { generation, content });
            };
            let read = match subject.tab {
                Tab::Info => info(&open, &subject.row).map(|info| info.into_iter().for_each(report)),
                Tab::Diff | Tab::Output | Tab::Events | Tab::Logs => diff(&open, &subject, &last_patch, &report),
            };
            if let Err(problem) = read {
                let (message, hint) = problem.into_words();
                report(Content::Nothing(hint.map_or(message.clone(), |hint| format!("{message}\n{hint}"))));
            }
            busy.store(false, Ordering::Release);
            orders.wake();
        });
    }
}

/// Reports what a run changed, if it is something else than the last time; then what the parts of the lines are.
fn diff(open: &Opener, subject: &Subject, last: &AtomicU64, report: &impl Fn(Content)) -> Result<(), Problem> {
    let row = &subject.row;
    if row.removed_at.is_some() {
        let repo_path = open()?.repository_of(row).map_err(RemoveError::from)?.display().to_string();
        return Err(Problem::removed(&RunRow { repo_path, ..row.clone() }));
    }
    let (bytes, timeline) = match part_of(open, subject)? {
        Some((bytes, timeline)) => (bytes, Some(timeline)),
        None if subject.part == DiffPart::Whole => {
            (open()?.workspace_of(row)?.diff().map_err(RemoveError::from)?, None)
        }
        None => {
            report(Content::Nothing("No turn has changed a file yet. } shows all that changed.".to_owned()));
            return Ok(());
        }
    };
    // The diff is shown without comments.
    let comments = if timeline.is_none() { comments(open, row).unwrap_or_default() } else { vec![] };
    let mut hasher = DefaultHasher::new();
    (subject.generation, &bytes, timeline.as_ref().map(|timeline| timeline.entries.len()), &comments).hash(&mut hasher);
    if last.swap(hasher.finish(), Ordering::Relaxed) == hasher.finish() {
        return Ok(());
    }
    if bytes.is_empty() && timeline.is_none() {
        report(Content::Nothing(nothing_changed(row)));
        return Ok(());
    }
    report(Content::Diff(Patch::read(&bytes), timeline));
    report(Content::Comments(comments));
    report(Content::Highlights(Highlights::read(&Patch::read(&bytes), Instant::now() + TIME_LIMIT)));
    Ok(())
}

/// The comments on the lines of a run that are not settled.
fn comments(open: &Opener, row: &RunRow) -> Result<Vec<LineComment>, Problem> {
    let mut agency = open()?;
    if agency.open_comments(row)? == (0, 0) {
        return Ok(vec![]);
    }
    let shown = |comment: Comment| {
        let now = comment.now.filter(|_| matches!(comment.row.state, CommentState::Open | CommentState::Sent))?;
        let first = comment.row.body.lines().next().unwrap_or_default();
        let state = if now.changed { "changed since" } else { comment.row.state.as_str() };
        let words = escaped_line(&format!("#{} {state}: {first}", comment.row.id));
        Some(LineComment { path: escaped_line(&now.path), side: comment.row.side, line: now.last_line, words })
    };
    Ok(agency.review(row)?.comments.into_iter().filter_map(shown).collect())
}

/// What changed in one checkpoint, with all of them; `None` if the whole is wanted, or there are none.
fn part_of(open: &Opener, subject: &Subject) -> Result<Option<(Vec<u8>, Timeline)>, Problem> {
    let wanted = match subject.part {
        DiffPart::Whole => return Ok(None),
        DiffPart::LastTurn => None,
        DiffPart::Checkpoint(number) => Some(number),
    };
    let (agency, row) = (open()?, &subject.row);
    let list = Checkpoints::new(row, agency.checkpoint_sizes(row)?);
    let Some(last) = list.checkpoints.first() else { return Ok(None) };
    let shown = wanted.unwrap_or(last.number).min(last.number);
    let compared = agency.compared_checkpoints(row, None, Some(shown))?;
    let bytes = agency.checkpoint_diff(row, &compared, PatchContext::Usual)?;
    let now = Timestamp::now();
    let entry = |checkpoint: &CheckpointView| TimelineEntry {
        number: checkpoint.number,
        words: format!("{} ago, {}", ago(now, checkpoint.taken_at), checkpoint.cause_words()),
        size: checkpoint.size_words(),
    };
    Ok(Some((bytes, Timeline { entries: list.checkpoints.iter().map(entry).collect(), shown })))
}

fn nothing_changed(row: &RunRow) -> String {
    match (row.kind, row.state.is_terminal()) {
        (RunKind::Ask, _) => "An ask changes no files.".to_owned(),
        (_, true) => "Nothing was changed.".to_owned(),
        (_, false) => "Nothing changed yet.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use agency_model::{ErrorCode, Mode};

    use super::*;
    use crate::tui::channel::channel;
    use crate::tui::detail::fixture::row;

    const LATER: Duration = Duration::from_secs(3600);

    #[test]
    fn what_is_only_passed_by_is_not_read_and_the_same_not_at_once_again() {
        let (sender, mut receiver) = channel().unwrap();
        let open: Opener = Arc::new(|| Err(Problem::new(ErrorCode::Io, "asked")));
        let mut loads = BackgroundLoads::new(open, OrdersMailbox::new().unwrap(), sender, Presence::new());
        let subject =
            |generation| Subject { generation, row: row(Mode::Headless), tab: Tab::Diff, part: DiffPart::Whole };
        // A user who became active just now, with a clock that does not advance.
        let mut wanted = Some(Instant::now() + LATER);
        assert!(matches!(loads.turn(&subject(1), &mut wanted), Sleep { limit: Some(_), ignore_changes: true }));
        assert!(wanted.is_some() && loads.last.is_none(), "nothing was begun");
        // A user who stayed active.
        let mut wanted = Instant::now().checked_sub(SELECTION_DELAY);
        assert_eq!(loads.turn(&subject(2), &mut wanted), Sleep::UNTIL_CHANGE);
        assert_eq!(wanted, None);
        while loads.busy.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        assert!(matches!(
            receiver.drain().as_slice(),
            [BackgroundEvent::Detail { generation: 2, content: Content::Nothing(_) }]
        ));
        loads.last = Some((2, Some(Instant::now() + LATER)));
        let mut wanted = Instant::now().checked_sub(SELECTION_DELAY);
        assert!(matches!(loads.turn(&subject(2), &mut wanted), Sleep { limit: Some(_), ignore_changes: true }));
        assert!(wanted.is_some(), "it waits for its turn");
    }
}
