//! When to draw and to read: at once after a key, often while the user is active, seldom otherwise.
//!
//! The one rule: an unwatched screen costs next to nothing, whatever the agents do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A user who pressed a key within this time is active.
const PRESENCE_TIMEOUT: Duration = Duration::from_secs(20);
/// The time between two frames that show news, while the user is active.
const FRAME_INTERVAL: Duration = Duration::from_millis(50);
/// How soon otherwise.
const IDLE_FRAME_INTERVAL: Duration = Duration::from_secs(1);
/// A frame is followed by a pause of so many times what it cost, so that drawing takes a small part of the time.
const COST_FACTOR: u32 = 20;

/// Whether the user is active, for background readers.
#[derive(Debug, Clone)]
pub(super) struct Presence(Arc<AtomicBool>);

impl Presence {
    pub(super) fn new() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }

    fn set(&self, present: bool) {
        self.0.store(present, Ordering::Relaxed);
    }

    /// The pause while the user is active, or the one for an inactive user.
    pub(super) fn pause(&self, present: Duration, away: Duration) -> Duration {
        if self.0.load(Ordering::Relaxed) { present } else { away }
    }
}

/// Knows when the next frame is due.
#[derive(Debug)]
pub(super) struct FrameTimer {
    drawn: Instant,
    cost: Duration,
    touched: Instant,
    redraw: Redraw,
    presence: Presence,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Redraw {
    None,
    Soon,
    Now,
}

impl FrameTimer {
    pub(super) const fn new(now: Instant, presence: Presence) -> Self {
        Self { drawn: now, cost: Duration::ZERO, touched: now, redraw: Redraw::Now, presence }
    }

    /// The user did something.
    pub(super) fn touched(&mut self, now: Instant) {
        self.touched = now;
        self.redraw = Redraw::Now;
        self.presence.set(true);
    }

    /// Something changed by itself.
    pub(super) fn changed(&mut self) {
        self.redraw = self.redraw.max(Redraw::Soon);
    }

    /// A frame was drawn, which took so long.
    pub(super) fn drawn(&mut self, now: Instant, cost: Duration) {
        self.drawn = now;
        self.cost = cost;
        self.redraw = Redraw::None;
        self.presence.set(self.is_there(now));
    }

    fn is_there(&self, now: Instant) -> bool {
        now.duration_since(self.touched) < PRESENCE_TIMEOUT
    }

    /// How long until the next frame; none if there is nothing to draw.
    pub(super) fn due(&self, now: Instant) -> Option<Duration> {
        let pause = match self.redraw {
            Redraw::None => return None,
            Redraw::Now => return Some(Duration::ZERO),
            Redraw::Soon if self.is_there(now) => FRAME_INTERVAL.max(self.cost * COST_FACTOR),
            Redraw::Soon => IDLE_FRAME_INTERVAL.max(self.cost * COST_FACTOR * 10),
        };
        Some(pause.saturating_sub(now.duration_since(self.drawn)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_answered_at_once_and_news_wait_for_their_turn() {
        let begin = Instant::now();
        let mut pace = FrameTimer::new(begin, Presence::new());
        assert_eq!(pace.due(begin), Some(Duration::ZERO));
        pace.drawn(begin, Duration::from_millis(1));
        assert_eq!(pace.due(begin), None);
        pace.changed();
        assert_eq!(pace.due(begin), Some(FRAME_INTERVAL));
        let later = begin + PRESENCE_TIMEOUT;
        pace.drawn(later, Duration::from_millis(1));
        pace.changed();
        assert_eq!(pace.due(later), Some(IDLE_FRAME_INTERVAL));
        pace.touched(later);
        pace.changed();
        assert_eq!(pace.due(later), Some(Duration::ZERO));
    }

    #[test]
    fn costly_frames_come_less_often() {
        let begin = Instant::now();
        let mut pace = FrameTimer::new(begin, Presence::new());
        pace.drawn(begin, Duration::from_millis(10));
        pace.changed();
        assert_eq!(pace.due(begin), Some(Duration::from_millis(200)));
    }
}
