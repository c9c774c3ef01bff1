//! Agents that are shell scripts: one for each way in which a real one behaves.

/// A scripted agent.
#[derive(Debug, Clone)]
pub struct Agent {
    pub(crate) script: String,
    pub(crate) prompt: Option<String>,
    pub(crate) stream: Option<String>,
    pub(crate) resume: Vec<String>,
}

impl Agent {
    /// An agent that runs this `sh` script.
    pub fn new(script: impl Into<String>) -> Self {
        Self { script: script.into(), prompt: None, stream: None, resume: vec![] }
    }

    /// Sets how the agent gets its prompt: the word goes to `prompt` in its configuration.
    #[must_use]
    pub fn prompt(mut self, word: &str) -> Self {
        self.prompt = Some(word.to_owned());
        self
    }

    /// Sets what the agent prints in headless mode: the word goes to `stream` in its configuration.
    #[must_use]
    pub fn stream(mut self, word: &str) -> Self {
        self.stream = Some(word.to_owned());
        self
    }

    /// Sets the arguments by which the agent resumes a conversation in headless mode.
    #[must_use]
    pub fn resume(mut self, arguments: &[&str]) -> Self {
        self.resume = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        self
    }
}

impl From<&str> for Agent {
    fn from(script: &str) -> Self {
        Self::new(script)
    }
}

impl From<String> for Agent {
    fn from(script: String) -> Self {
        Self::new(script)
    }
}

/// Says nothing and succeeds.
pub fn quiet() -> Agent {
    Agent::new("exit 0")
}

/// Complains and fails with a code.
pub fn failing(code: u8) -> Agent {
    Agent::new(format!("echo 'something broke' >&2\nexit {code}"))
}

/// Prints `ready` and then runs until it is killed: it ignores TERM, INT and HUP.
pub fn stubborn() -> Agent {
    Agent::new("trap '' TERM INT HUP\necho ready\nwhile :; do sleep 60; done")
}

/// Prints exactly so many bytes, in lines.
pub fn noisy(bytes: u64) -> Agent {
    Agent::new(format!("yes 'All work and no play makes an agent dull.' | head -c {bytes}"))
}

/// Leaves a process in a session of its own that keeps the output open, prints `daemon PID` and exits.
pub fn daemonizing() -> Agent {
    // The agent ends only when the other process has left its session.
    Agent::new(
        r#"started="$0.$$.daemon"
setsid sh -c 'echo "daemon $$"; : > "$0"; exec sleep 3600' "$started" &
until [ -e "$started" ]; do sleep 0.01; done
exit 0"#,
    )
}

/// Prints `ready`, waits for [`World::release`](crate::World::release), prints `released` and succeeds.
pub fn waiting() -> Agent {
    Agent::new(r#"echo ready; until [ -e "$0.release" ]; do sleep 0.01; done; echo released"#)
}

/// Prints NUL bytes, broken UTF-8 and a line without an end.
pub fn rubbish() -> Agent {
    Agent::new(r"printf 'nul \000 here\nbroken \377\376 \303( here\nno end'")
}
