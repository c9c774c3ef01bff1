//! How other threads reach the main one, which sleeps until a key is pressed or the bell rings.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use super::input::News;

/// Where news are dropped.
#[derive(Debug, Clone)]
pub(super) struct Bell {
    news: Sender<News>,
    wire: Arc<UnixStream>,
}

/// Where they arrive.
#[derive(Debug)]
pub(super) struct Letterbox {
    news: Receiver<News>,
    wire: UnixStream,
}

/// A bell and its letterbox.
pub(super) fn hang() -> io::Result<(Bell, Letterbox)> {
    let (sender, receiver) = channel();
    let (near, far) = UnixStream::pair()?;
    near.set_nonblocking(true)?;
    far.set_nonblocking(true)?;
    Ok((Bell { news: sender, wire: Arc::new(far) }, Letterbox { news: receiver, wire: near }))
}

impl Bell {
    /// Leaves news and rings; false if nobody will come.
    pub(super) fn leave(&self, news: News) -> bool {
        let left = self.news.send(news).is_ok();
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
        self.news.try_iter().collect()
    }
}
