//! The independent choices of how a run is started.

use crate::string_enum::string_enum;

string_enum! {
    /// What the agent is connected to: a screen or a stream.
    Mode {
        /// Its own screen, on a terminal.
        Interactive = "interactive",
        /// Its structured stream, on pipes.
        Headless = "headless",
    }
}

string_enum! {
    /// What the supervisor runs in.
    Host {
        /// A session of the user's tmux server.
        Tmux = "tmux",
        /// A session of its own, without a terminal.
        Detached = "detached",
    }
}

string_enum! {
    /// What supervisors are asked to run in.
    HostChoice {
        /// tmux where it is installed, else detached.
        Auto = "auto",
        /// A session of the user's tmux server.
        Tmux = "tmux",
        /// A session of its own, without a terminal.
        Detached = "detached",
    }
}

impl HostChoice {
    /// The host of a run where tmux is installed, or is not.
    #[must_use]
    pub const fn host(self, has_tmux: bool) -> Host {
        match (self, has_tmux) {
            (Self::Tmux, _) | (Self::Auto, true) => Host::Tmux,
            (Self::Detached, _) | (Self::Auto, false) => Host::Detached,
        }
    }
}

string_enum! {
    /// Where the agent works.
    WorkspaceKind {
        /// A git worktree and branch of the run's own.
        Worktree = "worktree",
        /// The repository itself, shared with its user.
        None = "none",
        /// The worktree of another run: that of its workflow.
        Shared = "shared",
        /// A directory that is removed when the run has finished, with links to sources; only an ask has it.
        Scratch = "scratch",
    }
}

string_enum! {
    /// Who makes and removes the workspace.
    Vcs {
        /// Git: a worktree on a branch.
        Git = "git",
        /// Jujutsu: a workspace on a revision.
        Jj = "jj",
    }
}

string_enum! {
    /// Who is asked to make the workspace.
    VcsChoice {
        /// Jujutsu in its repositories, where it can be used; else git.
        Auto = "auto",
        /// Git.
        Git = "git",
        /// Jujutsu.
        Jj = "jj",
    }
}

impl From<Vcs> for VcsChoice {
    fn from(vcs: Vcs) -> Self {
        match vcs {
            Vcs::Git => Self::Git,
            Vcs::Jj => Self::Jj,
        }
    }
}

string_enum! {
    /// Which colours the TUI uses.
    ThemeChoice {
        /// Those that fit the background that the terminal reports, else the terminal's own.
        Auto = "auto",
        /// Those for a dark background.
        Dark = "dark",
        /// Those for a light background.
        Light = "light",
        /// The sixteen colours of the terminal.
        Ansi = "ansi",
    }
}

string_enum! {
    /// What a run is for.
    RunKind {
        /// A piece of work that a user started.
        Run = "run",
        /// An agent with a name, which comes back when it crashes.
        Agent = "agent",
        /// A task of a workflow.
        Task = "task",
        /// A question about sources, answered by an agent that leaves nothing behind.
        Ask = "ask",
        /// What drives a workflow: our own program, which starts the tasks and waits for them.
        Workflow = "workflow",
    }
}
