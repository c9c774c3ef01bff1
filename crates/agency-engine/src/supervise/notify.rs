//! When the user is notified, and how failures of notifications are reported.

use agency_model::{Event, QuestionId, ShownQuestion};

use super::Supervisor;
use super::notifier::Notification;
use super::timers::Timer;
use crate::store::{RunRow, now};

/// The character at which a terminal rings.
pub(super) const BELL: &str = "\x07";

impl Supervisor<'_> {
    /// The agent waits for an answer.
    pub(super) fn notify_question(&mut self, id: &QuestionId) {
        let Some(asked) = self.conversation.asked.get(id) else { return };
        if self.notifier.rings() {
            self.display.ring();
        }
        let question = ShownQuestion::new(id.clone(), asked.question.clone(), now());
        let notification = Notification::question(self.row.clone(), question);
        let troubles = self.notifier.tell(&notification);
        self.note_notifying(troubles);
    }

    /// The run has finished, and everything about it is on disk. Its record is complete, so nothing is added to it.
    pub(super) fn notify_end(&mut self, row: RunRow) {
        self.notifier.tell(&Notification::ended(row));
    }

    /// Collects notification programs that have ended.
    pub(super) fn collect_notifications(&mut self) {
        let troubles = self.notifier.collect();
        self.note_notifying(troubles);
    }

    /// The time of a program is over.
    pub(super) fn end_overdue_notifications(&mut self) {
        let troubles = self.notifier.end_overdue();
        self.note_notifying(troubles);
    }

    fn note_notifying(&mut self, troubles: Vec<String>) {
        match self.notifier.deadline() {
            Some(due) => self.timers.arm_at(Timer::Notification, due.into()),
            None => self.timers.disarm(&Timer::Notification),
        }
        if let Some(trouble) = self.notifier.first_failure(troubles) {
            let message = format!("you could not be notified: {trouble}; further failures are not reported");
            self.append(Event::Notice { message });
        }
    }
}
