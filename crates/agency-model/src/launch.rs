//! The independent choices of how a run is started.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum $name {
            $($(#[$variant_doc])* #[serde(rename = $word)] $variant),+
        }

        impl $name {
            /// Every value, in the order in which help texts name them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word that users, files and the database use.
            #[must_use]
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The value of a word.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.word() == word)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.word())
            }
        }
    };
}
pub(crate) use words;

words! {
    /// What the agent talks to.
    Mode {
        /// Its own screen, on a terminal.
        Interactive = "interactive",
        /// Its structured stream, on pipes.
        Headless = "headless",
    }
}

words! {
    /// What the supervisor runs in.
    Host {
        /// A session of the user's tmux server.
        Tmux = "tmux",
        /// A session of its own, without a terminal.
        Detached = "detached",
    }
}

words! {
    /// Where the agent works.
    WorkspaceKind {
        /// A git worktree and branch of the run's own.
        Worktree = "worktree",
        /// The repository itself, shared with its user.
        None = "none",
        /// The worktree of another run: that of its workflow.
        Shared = "shared",
        /// A directory that goes when the run is over, with links to sources; only an ask has it.
        Scratch = "scratch",
    }
}

words! {
    /// Who makes and removes the workspace.
    Vcs {
        /// Git: a worktree on a branch.
        Git = "git",
        /// Jujutsu: a workspace on a revision.
        Jj = "jj",
    }
}

words! {
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

words! {
    /// What a run is for.
    RunKind {
        /// A piece of work that somebody started.
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
