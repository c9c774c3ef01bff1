//! The words of a denial, where the agent's protocol has no place for them.
//!
//! The one rule: words of a human reach the agent once, or the outcome says that they did not.

use agency_model::{Answer, Event};

use super::conversation::Told;
use super::supervisor::Supervisor;
use crate::adapter::Channel;

/// Who gave an answer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Giver {
    /// A human, with the request that brought it, if that is not settled yet.
    Human(Option<i64>),
    /// A rule of the policy, or an `allow_all` before.
    Rule,
}

impl Giver {
    /// The request that waits for what becomes of the answer.
    pub(super) const fn request(self) -> Option<i64> {
        match self {
            Self::Human(request) => request,
            Self::Rule => None,
        }
    }
}

impl Supervisor<'_> {
    /// The words of a denial that does not bring them to the agent.
    pub(super) fn words_beside<'a>(&self, answer: &'a Answer) -> Option<&'a str> {
        let Answer::Deny { message: Some(words) } = answer else { return None };
        let takes_words = self.protocol.channel.as_ref().is_none_or(Channel::denial_takes_words);
        (!takes_words).then_some(words.as_str())
    }

    /// Sends the words of a denial as a message. Those of a rule are not sent: an agent that tries again would be told
    /// again, and so on without an end.
    pub(super) fn send_words(&mut self, words: Option<&str>, giver: Giver) {
        if let (Some(words), Giver::Human(_)) = (words, giver)
            && let Err(error) = self.pass_message(&Told { text: words.to_owned(), number: None })
        {
            let message = format!("the words of the denial could not be sent: {error}");
            self.events.append(self.run.attempt(), Event::Error { message });
        }
    }
}

/// What becomes of the words of a denial that does not bring them to the agent.
pub(super) const fn note_on_words(giver: Giver) -> &'static str {
    match giver {
        Giver::Human(_) => "; a denial takes no words there, so they follow as a message when the turn is over",
        Giver::Rule => "; a denial takes no words there, so the message of the rule was not sent",
    }
}
