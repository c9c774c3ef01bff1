//! The key of a question: the agent's own id of its request, and the number of the question in it.
//!
//! The one rule: the stored form is one text, `request` or `request/part`, and every key is read back from its stored form
//! as it was, also where the agent's id contains a `/`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// By which the answer to a question is addressed. It means nothing to any other program than the agent.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub struct QuestionKey {
    /// The agent's own id of the request.
    pub request: String,
    /// The number of the question, from 0, where the agent asks several in one request.
    pub part: Option<usize>,
}

impl QuestionKey {
    /// The key of a request that asks one thing.
    pub fn whole(request: impl Into<String>) -> Self {
        Self { request: request.into(), part: None }
    }

    /// The key of one of the questions of a request.
    pub fn part(request: impl Into<String>, part: usize) -> Self {
        Self { request: request.into(), part: Some(part) }
    }
}

/// A request and the number after its last `/`, if the text ends in one.
fn numbered(text: &str) -> Option<(&str, usize)> {
    let (request, number) = text.rsplit_once('/')?;
    let part: usize = number.parse().ok()?;
    (part.to_string() == number).then_some((request, part))
}

/// Whether an id would be read as something else: it ends in a number after a `/`, perhaps with marks after it. A `/` at
/// the end of the stored form marks it.
fn needs_mark(request: &str) -> bool {
    numbered(request.trim_end_matches('/')).is_some()
}

impl fmt::Display for QuestionKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { request, part } = self;
        match part {
            Some(part) => write!(formatter, "{request}/{part}"),
            None if needs_mark(request) => write!(formatter, "{request}/"),
            None => formatter.write_str(request),
        }
    }
}

impl From<&str> for QuestionKey {
    fn from(text: &str) -> Self {
        if let Some(request) = text.strip_suffix('/').filter(|request| needs_mark(request)) {
            return Self::whole(request);
        }
        match numbered(text) {
            Some((request, part)) => Self::part(request, part),
            None => Self::whole(text),
        }
    }
}

impl From<String> for QuestionKey {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<QuestionKey> for String {
    fn from(key: QuestionKey) -> Self {
        key.to_string()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_texts_of_every_version_before_are_read_as_they_were_meant() {
        for (text, key) in [
            // Claude Code's requests and the questions of one.
            ("5e4c9a4e-5b2c-4b4a-9d0c-0f3c7d0f7c11", QuestionKey::whole("5e4c9a4e-5b2c-4b4a-9d0c-0f3c7d0f7c11")),
            ("ask-1/0", QuestionKey::part("ask-1", 0)),
            ("ask-1/11", QuestionKey::part("ask-1", 11)),
            // Codex counts its requests.
            ("7", QuestionKey::whole("7")),
            ("7/2", QuestionKey::part("7", 2)),
            // ACP's ids as JSON, the fingerprint of a dialog, and the steps of a workflow.
            ("\"perm/3\"", QuestionKey::whole("\"perm/3\"")),
            ("91a4f0c2", QuestionKey::whole("91a4f0c2")),
            ("build.review#2", QuestionKey::whole("build.review#2")),
            ("merge#1-checkout-2/0", QuestionKey::part("merge#1-checkout-2", 0)),
            ("", QuestionKey::whole("")),
            ("a/", QuestionKey::whole("a/")),
            ("a/b", QuestionKey::whole("a/b")),
            ("a/01", QuestionKey::whole("a/01")),
        ] {
            assert_eq!(QuestionKey::from(text), key, "{text}");
            assert_eq!(key.to_string(), text);
            assert_eq!(serde_json::to_string(&key).unwrap(), serde_json::to_string(text).unwrap());
        }
    }

    #[test]
    fn an_id_with_a_slash_is_not_a_part() {
        for request in ["a/1", "a/1/", "a/1//", "/0", "a/b/3", "a/0/1"] {
            let [whole, part] = [QuestionKey::whole(request), QuestionKey::part(request, 0)];
            assert_ne!(whole.to_string(), part.to_string());
            assert_eq!(QuestionKey::from(whole.to_string()), whole);
            assert_eq!(QuestionKey::from(part.to_string()), part);
        }
    }

    proptest! {
        #[test]
        fn every_key_is_read_back_from_its_text(request in "[/a01]{0,8}", part in proptest::option::of(0_usize..12)) {
            let key = QuestionKey { request, part };
            prop_assert_eq!(QuestionKey::from(key.to_string()), key);
        }

        #[test]
        fn every_text_is_kept(text in "[/a01]{0,8}") {
            prop_assert_eq!(QuestionKey::from(text.as_str()).to_string(), text);
        }
    }
}
