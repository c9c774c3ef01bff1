//! How an attempt after a crash begins: with the conversation of the one before, where the agent can resume it.

use std::time::Duration;

use agency_adapters::{Opening, adapter};
use agency_model::Event;
use agency_model::conversation::Input;
use jiff::Timestamp;

use super::Supervisor;
use crate::agent_files::{ConversationSearch, find_conversation};
use crate::runner::StdinPlan;
use crate::wire::{SESSION, Start, WORDS};

/// What an agent receives that is started again in the middle of its work.
const RESTART_PROMPT: &str = "Your process ended unexpectedly and was started again. The conversation so far is still yours, and \
    the files are as you left them. Check the current state, then continue your work.";

impl Start {
    fn filled(&self, session: &str, words: &str) -> Self {
        let fill = |text: &String| text.replace(SESSION, session).replace(WORDS, words);
        Self {
            args: self.args.iter().map(fill).collect(),
            stdin: match &self.stdin {
                StdinPlan::Text(text) => StdinPlan::Text(fill(text)),
                StdinPlan::Keyboard => StdinPlan::Keyboard,
                StdinPlan::Open => StdinPlan::Open,
            },
            opening: self.opening.as_ref().map(|opening| Opening {
                prompt: opening.prompt.as_ref().map(fill),
                directory: opening.directory.clone(),
                resume: opening.resume.as_ref().map(fill),
                mcp_servers: opening.mcp_servers.clone(),
            }),
        }
    }
}

impl Supervisor<'_> {
    /// Decides how the next attempt begins, and records it.
    pub(super) fn prepare_restart(&mut self) {
        let known = self.conversation_so_far();
        let how = match (&self.launch.restart_plan, &known) {
            (Some(plan), Some(session)) => {
                let start = if self.conversation.was_idle() { &plan.idle } else { &plan.mid_turn };
                let start = start.filled(session, &self.restart_prompt());
                self.process.set_start(start);
                self.converse(Input::Restarting { resumes: true });
                "with its conversation"
            }
            (_, _) => {
                self.process.set_start(self.launch.start.clone());
                self.converse(Input::Restarting { resumes: false });
                "from the beginning"
            }
        };
        let message = format!("the agent crashed; it is started again {how}");
        self.append(Event::Error { message });
    }

    /// How long the pause must be so that the agent does not lose its conversation.
    pub(super) fn shortest_pause(&self) -> Duration {
        match &self.launch.restart_plan {
            Some(plan)
                if adapter(&plan.adapter).loses_conversation_within_minute()
                    && *self.process.start() != self.launch.start =>
            {
                let into_minute = Timestamp::now().as_millisecond().rem_euclid(60_000);
                Duration::from_millis((60_000 - into_minute).unsigned_abs())
            }
            Some(_) | None => Duration::ZERO,
        }
    }

    /// The agent's own id of the conversation. Without any output of the agent there is none to resume.
    fn conversation_so_far(&self) -> Option<String> {
        let heard = self.protocol.session.clone();
        let adapter = adapter(self.launch.restart_plan.as_ref().map_or("", |plan| &plan.adapter));
        let search = ConversationSearch {
            program: &self.launch.program,
            directory: &self.launch.directory,
            environment: self.process.environment(),
            during: (self.row.created_at, None),
        };
        let kept = || find_conversation(adapter, &search);
        heard.or_else(|| self.row.agent_session.clone().or_else(kept).filter(|_| self.conversation.has_acted()))
    }

    /// What an agent receives that continues in the middle of its work. Its last messages may not have reached it.
    fn restart_prompt(&self) -> String {
        let mut prompt = RESTART_PROMPT.to_owned();
        for text in self.conversation.unanswered() {
            prompt.push_str("\n\nYou may not have read this message:\n");
            prompt.push_str(text);
        }
        prompt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_and_words_come_to_their_places_and_nowhere_else() {
        let start = Start {
            args: vec!["--resume".into(), SESSION.into(), "{session}".into(), WORDS.into()],
            stdin: StdinPlan::Text(WORDS.into()),
            opening: Some(Opening {
                prompt: Some(WORDS.into()),
                directory: "/w".into(),
                resume: Some(SESSION.into()),
                mcp_servers: vec![],
            }),
        };
        let filled = start.filled("s1", "go on");
        assert_eq!(filled.args, ["--resume", "s1", "{session}", "go on"]);
        assert_eq!(filled.stdin, StdinPlan::Text("go on".into()));
        let opening = filled.opening.unwrap();
        assert_eq!((opening.prompt.as_deref(), opening.resume.as_deref()), (Some("go on"), Some("s1")));
    }
}
