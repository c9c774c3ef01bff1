//! A question as users and programs see it.

use std::collections::BTreeSet;
use std::io::Write;

use agency_engine::agency::Agency;
use agency_engine::store::{QuestionRow, QuestionState};
use agency_model::{Answer, Caller, QuestionId, RunId, ShownQuestion};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::output::{ago, plain};
use crate::run_names::called;

/// How much of a question is shown in a list.
const MAX_LISTED_LINES: usize = 5;
/// Further options have no key.
pub(crate) const MAX_OPTION_KEYS: usize = 9;

/// A question as answers show it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct QuestionView {
    #[serde(flatten)]
    question: ShownQuestion,
    run_id: RunId,
    run_name: Option<String>,
    /// What a user types for the run.
    #[serde(skip)]
    run_called: String,
    state: QuestionState,
    answer: Option<Answer>,
    answered_by: Option<String>,
    /// The process that answered; absent for rules, and for answers that older versions recorded.
    answered_from: Option<Caller>,
    answered_at: Option<Timestamp>,
    settled_at: Option<Timestamp>,
    outcome: Option<String>,
    repeats: Option<QuestionId>,
}

impl QuestionView {
    pub(crate) fn new(row: QuestionRow, agency: &Agency) -> Self {
        Self {
            run_name: agency.run_name(&row.run_id),
            run_called: called(agency, &row.run_id),
            run_id: row.run_id,
            state: row.state,
            question: ShownQuestion::new(row.id, row.question, row.asked_at),
            answer: row.answer,
            answered_by: row.answered_by,
            answered_from: row.answered_from,
            answered_at: row.answered_at,
            settled_at: row.settled_at,
            outcome: row.outcome,
            repeats: row.repeats,
        }
    }

    /// The question as text, and how it is answered or was.
    pub(crate) fn write(&self, out: &mut dyn Write, whole: bool) -> std::io::Result<()> {
        self.write_question(out, whole)?;
        if self.state == QuestionState::Open && self.question.only_on_screen {
            return writeln!(out, "  answer    on its own screen: agency attach {}", self.run_called);
        }
        if self.state == QuestionState::Open {
            return writeln!(out, "  answer    agency answer {} {}", self.question.id, alternatives(&self.ways()));
        }
        if let (Some(by), Some(at)) = (&self.answered_by, self.answered_at) {
            let answer = self.answer.as_ref().map_or_else(String::new, answer_words);
            writeln!(out, "  answered  {answer} by {} at {at}", plain(by))?;
        }
        match &self.outcome {
            Some(outcome) => writeln!(out, "  outcome   {}", plain(outcome)),
            None => Ok(()),
        }
    }

    /// What is asked: the beginning of it, or everything.
    pub(crate) fn write_question(&self, out: &mut dyn Write, whole: bool) -> std::io::Result<()> {
        let run = self.run_name.clone().unwrap_or_else(|| self.run_id.to_string());
        let age = ago(Timestamp::now(), self.question.asked_at);
        writeln!(out, "{}  {}  {}  {age} ago", self.question.id, self.question.kind, plain(&run))?;
        writeln!(out, "  {}", plain(&self.question.title))?;
        // Not `lines`, which takes the \r of a line's end away.
        let lines: Vec<&str> = self.question.detail.split_terminator('\n').collect();
        // Replacing a single line by a note about it saves no line.
        let shown = if whole || lines.len() == MAX_LISTED_LINES + 1 { lines.len() } else { MAX_LISTED_LINES };
        for line in lines.iter().take(shown) {
            writeln!(out, "  | {}", plain(line))?;
        }
        if lines.len() > shown {
            writeln!(out, "  | … {} more lines: agency inbox show {}", lines.len() - shown, self.question.id)?;
        }
        for (index, option) in self.question.options.iter().enumerate() {
            let description =
                option.description.as_deref().map_or_else(String::new, |text| format!(" ({})", plain(text)));
            writeln!(out, "  {}. {}{description}", index + 1, plain(&option.label))?;
        }
        Ok(())
    }

    /// The outcome of a question that is no longer open, on one line.
    pub(crate) fn settled(&self) -> String {
        match (self.state, &self.answered_by) {
            (QuestionState::Expired, _) | (_, None) => {
                let why = self.outcome.as_deref().unwrap_or("the question is no longer open");
                format!("{} has expired: {}", self.question.id, plain(why))
            }
            (QuestionState::Open | QuestionState::Answered | QuestionState::Delivered, Some(by)) => {
                let answer = self.answer.as_ref().map_or_else(String::new, answer_words);
                format!("{} was answered by {}: {answer}", self.question.id, plain(by))
            }
        }
    }

    /// What can be written after `agency answer <id>`.
    fn ways(&self) -> Vec<String> {
        let mut ways: Vec<String> =
            self.question.actions.iter().map(|action| action.as_str().replace('_', "-")).collect();
        if ways.is_empty() {
            ways.extend((1..=self.question.options.len()).map(|number| number.to_string()));
            ways.push("deny".to_owned());
        }
        if self.question.free_text {
            ways.push("--text \"…\"".to_owned());
        }
        ways
    }
}

/// The first of several ways, and the others as a comment: a shell that gets the whole line does what the first one says.
fn alternatives(ways: &[String]) -> String {
    match ways.split_first() {
        Some((first, others)) if !others.is_empty() => format!("{first}   # or {}", others.join(", ")),
        _ => ways.concat(),
    }
}

/// An answer in words.
pub(crate) fn answer_words(answer: &Answer) -> String {
    plain(&answer.words())
}

/// The answer that consists of these options, by their places.
pub(crate) fn chosen_options(row: &QuestionRow, chosen: &BTreeSet<usize>) -> Answer {
    let ids = chosen.iter().filter_map(|index| row.question.options.get(*index)).map(|option| option.id.clone());
    Answer::Options { chosen: ids.collect() }
}
