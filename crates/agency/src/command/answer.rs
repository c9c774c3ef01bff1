//! `agency answer`: answers what an agent asks.

use std::process::ExitCode;

use agency_engine::agency::Agency;
use agency_engine::runs::messages::DeliveryError;
use agency_engine::store::{QuestionRow, QuestionState};
use agency_model::{Answer, ErrorCode, Question, QuestionId, RunId, UnfitAnswer};
use schemars::JsonSchema;
use serde::Serialize;

use crate::context::{Context, user_name};
use crate::output::Spinner;
use crate::problem::Problem;
use crate::typed_text::given_text;
use crate::view::answer_words;

/// Answer a question of an agent; the first answer counts
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    agency answer q_01ABC allow\n  \
    agency answer q_01ABC deny --text \"Not in this directory\"\n  \
    agency answer q_01ABC allow --text \"Only to staging\"\n  \
    agency answer q_01ABC 2\n  \
    agency answer q_01ABC --text \"Use SQLite\"")]
pub(crate) struct Args {
    /// The question: its id, or the beginning or end of it
    #[arg(add = super::completions::question_candidates())]
    question: String,
    /// allow, deny, allow-all, or options by number or name
    #[arg(value_name = "ANSWER", required_unless_present = "text")]
    answer: Vec<String>,
    /// A free-text answer, - from standard input; with deny, the reason for the agent; with allow, a comment on a workflow's approval
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    text: Option<String>,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Answered {
    id: QuestionId,
    run_id: RunId,
    answer: Answer,
    by: String,
    /// What the supervisor saw.
    outcome: String,
}

pub(crate) fn run(args: Args, context: &Context) -> Result<ExitCode, Problem> {
    let mut agency = context.agency()?;
    let row = match agency.question(&args.question) {
        Err(DeliveryError::NoQuestion(text)) => return Err(not_a_question(&mut agency, context, &text)),
        found => found?,
    };
    if row.question.only_on_screen {
        let why = format!("{}: {}", row.id, UnfitAnswer::OnlyOnScreen);
        return Err(Problem::new(ErrorCode::InvalidAnswer, why).hint(format!("agency attach {} shows it", row.run_id)));
    }
    let text = args.text.map(|text| given_text(text, "answer")).transpose()?;
    let answer = meant(&row.question, &args.answer, text)?;
    let by = user_name();
    let outcome = {
        let _spinner = Spinner::begin(format!("answering {}", row.id), context.is_watched());
        agency.answer(&row, &answer, &by)?
    };
    let answered = Answered { id: row.id, run_id: row.run_id, answer, by, outcome };
    context.answer(&answered, |out| {
        writeln!(out, "{}: {}, {}", answered.id, answer_words(&answered.answer), answered.outcome)
    })
}

/// A run cannot be answered, since its next question may be another one than the user has read: those that are open
/// are named.
fn not_a_question(agency: &mut Agency, context: &Context, text: &str) -> Problem {
    let unknown = Problem::from(DeliveryError::NoQuestion(text.to_owned()));
    let Ok(run) = context.select(agency, text) else { return unknown };
    let open: Vec<QuestionRow> = agency
        .questions_of(&run.id)
        .unwrap_or_default()
        .into_iter()
        .filter(|row| row.state == QuestionState::Open)
        .collect();
    let name = run.name.as_deref().unwrap_or(run.id.as_str());
    match open.first() {
        None => unknown.hint(format!("{name} has no open question; agency inbox lists those of all runs")),
        Some(first) => {
            let ids: Vec<&str> = open.iter().map(|row| row.id.as_str()).collect();
            let count =
                if ids.len() == 1 { "1 open question".to_owned() } else { format!("{} open questions", ids.len()) };
            Problem::new(ErrorCode::QuestionNotFound, format!("{name} is a run, with {count}: {}", ids.join(", ")))
                .hint(format!("agency inbox show {} shows it; then agency answer {}", first.id, first.id))
        }
    }
}

/// What the words mean to this question.
fn meant(question: &Question, given: &[String], text: Option<String>) -> Result<Answer, Problem> {
    let first = given.first().map(|word| word.replace('_', "-").to_ascii_lowercase());
    // An option that is called so comes before the quick answer.
    let options: Option<Vec<String>> =
        given.iter().map(|word| question.option(word).map(|option| option.id.clone())).collect();
    match (first.as_deref(), text, options) {
        (None, Some(text), _) => Ok(Answer::Text { text }),
        (_, None, Some(chosen)) if !chosen.is_empty() => Ok(Answer::Options { chosen }),
        (Some("allow"), message, _) if given.len() == 1 => Ok(Answer::Allow { message }),
        (Some("allow-all"), None, _) if given.len() == 1 => Ok(Answer::AllowAll),
        (Some("deny"), message, _) if given.len() == 1 => Ok(Answer::Deny { message }),
        (_, _, _) => {
            let labels: Vec<&str> = question.options.iter().map(|option| option.label.as_str()).collect();
            let offered = if labels.is_empty() { String::new() } else { format!(", or one of: {}", labels.join(", ")) };
            let message = format!("'{}' is not a valid answer to this question", given.join(" "));
            Err(Problem::new(ErrorCode::InvalidAnswer, message)
                .hint(format!("choose allow, deny, allow-all, --text TEXT{offered}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use agency_model::{QuestionKind, QuestionOption};

    use super::*;

    fn question(options: &[&str]) -> Question {
        let option = |id: &&str| QuestionOption { id: (*id).to_owned(), label: (*id).to_owned(), description: None };
        Question {
            key: "".into(),
            kind: QuestionKind::Question,
            title: String::new(),
            detail: String::new(),
            options: options.iter().map(option).collect(),
            several: true,
            free_text: true,
            only_on_screen: false,
            tool: None,
        }
    }

    fn answer(options: &[&str], given: &[&str], text: Option<&str>) -> Option<Answer> {
        let given: Vec<String> = given.iter().map(|word| (*word).to_owned()).collect();
        meant(&question(options), &given, text.map(str::to_owned)).ok()
    }

    #[test]
    fn words_options_and_numbers_are_understood() {
        let chosen = |ids: &[&str]| Answer::Options { chosen: ids.iter().map(|id| (*id).to_owned()).collect() };
        assert_eq!(answer(&[], &["allow"], None), Some(Answer::Allow { message: None }));
        let comment = Some("carefully".to_owned());
        assert_eq!(answer(&[], &["allow"], Some("carefully")), Some(Answer::Allow { message: comment }));
        assert_eq!(answer(&[], &["Allow_All"], None), Some(Answer::AllowAll));
        let message = Some("no".to_owned());
        assert_eq!(answer(&[], &["deny"], Some("no")), Some(Answer::Deny { message }));
        assert_eq!(answer(&["a", "b"], &["2", "A"], None), Some(chosen(&["b", "a"])));
        assert_eq!(answer(&["allow"], &["allow"], None), Some(chosen(&["allow"])));
        assert_eq!(answer(&[], &[], Some("x")), Some(Answer::Text { text: "x".to_owned() }));
        assert_eq!(answer(&["a"], &["c"], None), None);
    }
}
