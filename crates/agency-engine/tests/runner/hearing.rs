//! Starting programs and hearing them out, with a limit.

use std::time::Duration;

use agency_engine::runner::{Listener, RunnerCommand, Stream};

const LIMIT: Duration = Duration::from_secs(60);

/// Does something that waits, with a limit.
pub(crate) fn on_time<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(LIMIT, work).await.unwrap() })
}

/// A shell with this script.
pub(crate) fn shell(script: &str) -> RunnerCommand {
    RunnerCommand::new("/bin/sh").args(["-c", script]).environment([("PATH", "/usr/bin:/bin")])
}

/// What a program wrote.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    /// Of both streams.
    pub(crate) clean: String,
}

impl Heard {
    /// Listens until the text has these words.
    pub(crate) async fn until(&mut self, listener: &mut Listener, words: &str) {
        while !self.clean.contains(words) {
            assert!(self.next(listener).await, "{words:?} never came: {self:?}");
        }
    }

    /// Listens to the end.
    pub(crate) async fn to_end(listener: &mut Listener) -> Self {
        let mut heard = Self::default();
        while heard.next(listener).await {}
        heard
    }

    async fn next(&mut self, listener: &mut Listener) -> bool {
        let Some(output) = listener.next().await else { return false };
        match output.stream {
            Stream::Stdout => self.stdout.extend(output.raw),
            Stream::Stderr => self.stderr.extend(output.raw),
        }
        self.clean.push_str(&output.clean);
        true
    }
}
