//! How other threads reach the main one, which sleeps until a key is pressed or the bell rings.
//!
//! The one rule: while the main one is away, for an hour at an agent's terminal perhaps, nothing piles up. Whoever reports
//! what goes on all the time waits when there are enough reports.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use super::input::News;

/// So many reports may wait.
const MOST: usize = 16;

/// Where news are dropped.
#[derive(Debug, Clone)]
pub(super) struct Bell {
    news: Sender<News>,
    reports: SyncSender<News>,
    wire: Arc<UnixStream>,
}

/// Where they arrive.
#[derive(Debug)]
pub(super) struct Letterbox {
    news: Receiver<News>,
    reports: Receiver<News>,
    wire: UnixStream,
}

/// A bell and its letterbox.
pub(super) fn hang() -> io::Result<(Bell, Letterbox)> {
    let (news, told) = channel();
    let (reports, reported) = sync_channel(MOST);
    let (near, far) = UnixStream::pair()?;
    near.set_nonblocking(true)?;
    far.set_nonblocking(true)?;
    Ok((Bell { news, reports, wire: Arc::new(far) }, Letterbox { news: told, reports: reported, wire: near }))
}

impl Bell {
    /// Leaves news that come once, and rings. Never waits.
    pub(super) fn leave(&self, news: News) {
        // Who is not there any more misses nothing.
        let _ = self.news.send(news);
        self.ring();
    }

    /// Leaves news of what goes on all the time, and rings; waits while there are enough of them. False if nobody will
    /// come.
    pub(super) fn report(&self, news: News) -> bool {
        let left = self.reports.send(news).is_ok();
        self.ring();
        left
    }

    /// Only rings. A full wire rings already.
    pub(super) fn ring(&self) {
        let _ = (&*self.wire).write(&[0]);
    }

    /// The wire, for signals to ring by.
    pub(super) fn wire(&self) -> io::Result<UnixStream> {
        self.wire.try_clone()
    }
}

impl Letterbox {
    /// What can be waited for.
    pub(super) const fn wire(&self) -> &UnixStream {
        &self.wire
    }

    /// Everything that has come.
    pub(super) fn empty(&mut self) -> Vec<News> {
        let mut rings = [0; 256];
        while matches!(self.wire.read(&mut rings), Ok(length) if length == rings.len()) {}
        // No more than there are now: those who waited for room have more to tell.
        self.news.try_iter().chain(self.reports.try_iter().take(MOST)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::RecvTimeoutError;
    use std::time::Duration;

    use super::*;

    /// Reports so often as told, and says how far it has come.
    fn reporter(bell: Bell, count: usize) -> Receiver<usize> {
        let (progress, come) = channel();
        std::thread::spawn(move || {
            for number in 0..count {
                if !bell.report(News::Said(number.to_string())) {
                    return;
                }
                let _ = progress.send(number);
            }
        });
        come
    }

    fn told(letterbox: &mut Letterbox) -> Vec<String> {
        let words = |news| if let News::Said(text) = news { Some(text) } else { None };
        letterbox.empty().into_iter().filter_map(words).collect()
    }

    #[test]
    fn while_nobody_empties_the_box_only_so_much_waits_in_it_and_nothing_is_lost() {
        let (bell, mut letterbox) = hang().unwrap();
        let come = reporter(bell.clone(), 5 * MOST);
        for number in 0..MOST {
            assert_eq!(come.recv_timeout(Duration::from_secs(20)), Ok(number));
        }
        // What comes once is left all the same.
        bell.leave(News::Said("once".to_owned()));
        assert_eq!(come.recv_timeout(Duration::from_millis(50)), Err(RecvTimeoutError::Timeout));
        let mut all = told(&mut letterbox);
        assert_eq!(all.remove(0), "once");
        while all.len() < 5 * MOST {
            assert!(come.recv_timeout(Duration::from_secs(20)).is_ok(), "{all:?}");
            all.extend(told(&mut letterbox));
        }
        assert_eq!(all, (0..5 * MOST).map(|number| number.to_string()).collect::<Vec<_>>());
    }

    #[test]
    fn who_waits_for_room_is_let_go_when_nobody_will_come() {
        let (bell, letterbox) = hang().unwrap();
        let come = reporter(bell, 5 * MOST);
        for number in 0..MOST {
            assert_eq!(come.recv_timeout(Duration::from_secs(20)), Ok(number));
        }
        drop(letterbox);
        assert_eq!(come.recv_timeout(Duration::from_secs(20)), Err(RecvTimeoutError::Disconnected));
    }
}
