//! Progress notifications to a client during a call.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};

/// After so much silence a sign of life is sent: many clients give up on a call that shows none.
pub(super) const SILENCE: Duration = Duration::from_secs(5);

/// Sends the progress of one call, if the client asked for it.
pub(super) struct ProgressNotifications {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    told: u32,
}

impl ProgressNotifications {
    /// For the call in that context.
    pub(super) fn new(context: &RequestContext<RoleServer>) -> Self {
        Self { peer: context.peer.clone(), token: context.meta.get_progress_token(), told: 0 }
    }

    /// Says what happens now.
    pub(super) async fn tell(&mut self, message: &str) {
        let Some(token) = &self.token else { return };
        self.told += 1;
        let news = ProgressNotificationParam::new(token.clone(), f64::from(self.told)).with_message(message);
        // If the write fails, the client is gone, or it gets its answer anyway.
        let _ = self.peer.notify_progress(news).await;
    }
}
