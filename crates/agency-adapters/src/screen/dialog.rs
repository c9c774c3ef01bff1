//! What a dialog on the screen asks.

use std::fmt::Write;

use agency_model::{Question, QuestionKey, QuestionKind, QuestionOption, ToolRequest};
use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::answer::{Answers, ScreenQuestion};
use super::marked_lines::MarkedLines;
use super::options::{ListedOptions, Options};
use super::pattern::Pattern;
use super::region::Region;
use super::unframed_screen::UnframedScreen;

/// How a dialog is read, as the rules say it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Dialog {
    /// What kind of thing is asked.
    kind: QuestionKind,
    /// Where the dialog is; on the whole screen, where its bounds are not to be seen.
    #[serde(default, rename = "where")]
    region: Region,
    /// Which lines above the options say in one line what is asked.
    #[serde(default)]
    title: MarkedLines,
    /// Which lines above the options say all there is to know.
    #[serde(default)]
    detail: MarkedLines,
    /// The words by which the tool that needs permission is recognised.
    #[serde(default)]
    tools: Vec<DialogTool>,
    /// How the options are shown.
    options: Options,
    /// How they are chosen.
    #[serde(default)]
    answers: Answers,
}

/// A tool, known by words above the options.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct DialogTool {
    seen: Pattern,
    name: String,
}

impl Dialog {
    /// Reads the dialog; none where it shows no options.
    pub(super) fn read(&self, rule: &str, unframed: &UnframedScreen<'_>) -> Option<ScreenQuestion> {
        let range = self.region.on(unframed).unwrap_or(unframed.all());
        let ListedOptions { begin, rows } = self.options.read(unframed, range.clone())?;
        let above = range.start..begin;
        let title = self.title.title(unframed, above.clone());
        let detail = self.detail.block(unframed, above.clone());
        let tool = self.tools.iter().find(|tool| tool.seen.first_in(unframed, above.clone()).is_some());
        let keys = self.answers.for_rows(rows);
        let only_on_screen = keys.only_on_screen();
        let options = keys.offered().filter(|_| !only_on_screen).map(|row| QuestionOption {
            id: row.id.clone(),
            label: row.label.clone(),
            description: row.description.clone(),
        });
        let question = Question {
            key: QuestionKey::whole(fingerprint(&[rule, &title, &detail])),
            kind: self.kind,
            options: options.collect(),
            several: keys.several() && !only_on_screen,
            free_text: keys.takes_text(),
            only_on_screen,
            tool: tool.map(|tool| ToolRequest::new(tool.name.as_str(), json!({ "shown": detail }))),
            title,
            // Options are for answers, and here there are none.
            detail: if only_on_screen { format!("{detail}\n{}", keys.listed()) } else { detail },
        };
        Some(ScreenQuestion::new(question, keys))
    }
}

/// The same for the same words, however the width of the terminal breaks their lines and whatever is marked.
fn fingerprint(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        let words: String = text.split_whitespace().collect();
        hash.update(words.as_bytes());
        hash.update([0]);
    }
    let mut key = "screen_".to_owned();
    for byte in hash.finalize().iter().take(8) {
        // Writing to a string cannot fail.
        let _ = write!(key, "{byte:02x}");
    }
    key
}
