//! What a client is told while a call takes its time.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};

/// After so much silence a sign of life is sent: many clients give up on a call that shows none.
pub(super) const SILENCE: Duration = Duration::from_secs(5);

/// Tells one client of one call, if it wants to know.
pub(super) struct Progress {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    told: u32,
}

impl Progress {
    /// For the call in that context.
    pub(super) fn new(context: &RequestContext<RoleServer>) -> Self {
        Self { peer: context.peer.clone(), token: context.meta.get_progress_token(), told: 0 }
    }

    /// Says what happens now.
    pub(super) async fn tell(&mut self, message: &str) {
        let Some(token) = &self.token else { return };
        self.told += 1;
        let news = ProgressNotificationParam::new(token.clone(), f64::from(self.told)).with_message(message);
        // A client that cannot be told gets its answer, or is gone.
        let _ = self.peer.notify_progress(news).await;
    }
}
