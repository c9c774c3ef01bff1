//! Panes of tmux. Their processes are children of the tmux server, so the process that opened them is not among their parents.
//!
//! The one rule: a pane is the user's if its session is not that of a run, and a terminal was attached to it once. An
//! agent opens sessions in the background; a user who types sits at an attached one.

use std::collections::BTreeSet;

use agency_model::{Host, RunId};
use agency_system::process::Ancestor;

use super::CallerOrigin;
use crate::agency::Agency;
use crate::host::{Tmux, TmuxPane};
use crate::own_program::SUPERVISE;
use crate::store::StoreError;

/// What a tmux server calls itself.
const SERVER_NAME: &str = "tmux: server";

impl Agency {
    /// The caller that opened the pane that the processes `below` run in, if `ancestor` is a tmux server of
    /// this home; else `None`.
    pub(super) fn opener_of_pane(
        &self,
        ancestor: &Ancestor,
        below: &[Ancestor],
    ) -> Result<Option<CallerOrigin>, StoreError> {
        if ancestor.name() != SERVER_NAME {
            return Ok(None);
        }
        let Some(root) = below.last() else { return Ok(None) };
        let panes: Vec<TmuxPane> = self
            .tmux_servers()?
            .filter_map(|tmux| tmux.panes().ok())
            .find(|panes| panes.iter().any(|pane| pane.server_pid == ancestor.process().pid()))
            .unwrap_or_default();
        // A window can be in several sessions. What is in none is a popup or a command of a key binding.
        let pid = root.process().pid();
        let sessions: Vec<&TmuxPane> = panes.iter().filter(|pane| pane.pid == pid).collect();
        for pane in &sessions {
            // A supervisor of another version of this program is not recognised as one, but is none of an agent's.
            if let Some(run) = RunId::of_tmux_session(&pane.session)
                && self.store.knows(&run)?
                && !root.arguments().iter().any(|word| word == SUPERVISE)
            {
                return Ok(Some(CallerOrigin::Agent(run)));
            }
        }
        let unseen = !sessions.iter().any(|pane| pane.was_seen);
        let session = sessions.first().filter(|_| unseen).map(|pane| pane.session.clone());
        Ok(session.map(CallerOrigin::UnseenSession))
    }

    /// The tmux servers in which runs of this home are. In others it is not known which process opens sessions.
    fn tmux_servers(&self) -> Result<impl Iterator<Item = Tmux>, StoreError> {
        let live = self.store.live()?.into_iter().filter(|row| row.host == Host::Tmux).map(|row| row.tmux_socket);
        let sockets: BTreeSet<Option<String>> = live.chain([self.config.tmux_socket.clone()]).collect();
        Ok(sockets.into_iter().map(Tmux::new))
    }
}
