//! `agency inbox`: what agents ask, oldest first.

use std::io::Write;
use std::process::ExitCode;

use agency_engine::agency::Agency;
use agency_engine::store::{QuestionRow, QuestionState};
use agency_model::{Answer, QuestionId, QuestionKind, QuestionOption, QuickAction, RunId};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::Context;
use crate::output::ago;
use crate::problem::Problem;

/// List what agents ask and wait for, oldest first
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  agency inbox\n  agency inbox show q_01ABC\n  agency answer q_01ABC allow")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Show one question whole: the command or the diff, the options, what became of it
    Show {
        /// The question: its id, or the beginning of it
        question: String,
    },
}

/// The answer of `agency inbox`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Inbox {
    questions: Vec<QuestionView>,
}

/// A question as answers show it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct QuestionView {
    pub(crate) id: QuestionId,
    run_id: RunId,
    run_name: Option<String>,
    state: QuestionState,
    kind: QuestionKind,
    title: String,
    detail: String,
    options: Vec<QuestionOption>,
    several: bool,
    free_text: bool,
    actions: Vec<QuickAction>,
    asked_at: Timestamp,
    answer: Option<Answer>,
    answered_by: Option<String>,
    answered_at: Option<Timestamp>,
    settled_at: Option<Timestamp>,
    outcome: Option<String>,
    repeats: Option<QuestionId>,
}

impl QuestionView {
    pub(crate) fn new(row: QuestionRow, agency: &Agency) -> Self {
        let actions = row.question.actions().to_vec();
        let question = row.question;
        Self {
            run_name: agency.run_name(&row.run_id),
            id: row.id,
            run_id: row.run_id,
            state: row.state,
            kind: question.kind,
            title: question.title,
            detail: question.detail,
            options: question.options,
            several: question.several,
            free_text: question.free_text,
            actions,
            asked_at: row.asked_at,
            answer: row.answer,
            answered_by: row.answered_by,
            answered_at: row.answered_at,
            settled_at: row.settled_at,
            outcome: row.outcome,
            repeats: row.repeats,
        }
    }

    /// The question for a person: one line, or everything.
    pub(crate) fn write(&self, out: &mut dyn Write, whole: bool) -> std::io::Result<()> {
        let run = self.run_name.clone().unwrap_or_else(|| self.run_id.to_string());
        let age = ago(Timestamp::now(), self.asked_at);
        writeln!(out, "{}  {}  {run}  {age} ago", self.id, self.kind)?;
        writeln!(out, "  {}", plain(&self.title))?;
        let lines = self.detail.lines().count();
        let shown = if whole { lines } else { 5 };
        for line in self.detail.lines().take(shown) {
            writeln!(out, "  | {}", plain(line))?;
        }
        if lines > shown {
            writeln!(out, "  | … {} more lines: agency inbox show {}", lines - shown, self.id)?;
        }
        for (index, option) in self.options.iter().enumerate() {
            let description =
                option.description.as_deref().map_or_else(String::new, |text| format!(" ({})", plain(text)));
            writeln!(out, "  {}. {}{description}", index + 1, plain(&option.label))?;
        }
        if self.state == QuestionState::Open {
            return writeln!(out, "  answer    agency answer {} {}", self.id, self.ways().join("|"));
        }
        if let (Some(by), Some(at)) = (&self.answered_by, self.answered_at) {
            let answer = self.answer.as_ref().map_or_else(String::new, words);
            writeln!(out, "  answered  {answer} by {by} at {at}")?;
        }
        match &self.outcome {
            Some(outcome) => writeln!(out, "  outcome   {outcome}"),
            None => Ok(()),
        }
    }

    /// What can be written after `agency answer <id>`.
    fn ways(&self) -> Vec<String> {
        let mut ways: Vec<String> = self.actions.iter().map(|action| action.word().replace('_', "-")).collect();
        if ways.is_empty() {
            ways.extend((1..=self.options.len()).map(|number| number.to_string()));
            ways.push("deny".to_owned());
        }
        if self.free_text {
            ways.push("--text \"…\"".to_owned());
        }
        ways
    }
}

/// An answer in words.
pub(crate) fn words(answer: &Answer) -> String {
    match answer {
        Answer::Allow => "allow".to_owned(),
        Answer::Deny { message: None } => "deny".to_owned(),
        Answer::Deny { message: Some(message) } => format!("deny ({})", plain(message)),
        Answer::AllowAll => "allow all".to_owned(),
        Answer::Options { chosen } => plain(&chosen.join(", ")),
        Answer::Text { text } => plain(text),
    }
}

/// Nothing in an agent's text may move the cursor.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() && letter != '\t' { ' ' } else { letter }).collect()
}

pub(crate) fn run(args: &Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    if let Some(What::Show { question }) = &args.what {
        let view = QuestionView::new(agency.question(question)?, &agency);
        return context.answer(&view, |out| view.write(out, true));
    }
    let rows = agency.inbox()?;
    let questions: Vec<QuestionView> = rows.into_iter().map(|row| QuestionView::new(row, &agency)).collect();
    let inbox = Inbox { questions };
    context.answer(&inbox, |out| {
        if inbox.questions.is_empty() {
            return writeln!(out, "nobody asks anything");
        }
        for (index, question) in inbox.questions.iter().enumerate() {
            if index > 0 {
                writeln!(out)?;
            }
            question.write(out, false)?;
        }
        Ok(())
    })
}
