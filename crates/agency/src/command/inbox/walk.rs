//! `agency inbox --interactive`: the open questions one after the other, answered by single keys.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;

use agency_engine::agency::Agency;
use agency_engine::runs::messages::DeliveryError;
use agency_engine::store::{QuestionRow, QuestionState};
use agency_model::{Answer, ErrorCode, QuestionId, QuickAction};

use crate::context::{Context, user_name};
use crate::output::plain;
use crate::problem::Problem;
use crate::terminal::{Key, Keyboard};
use crate::view::{MAX_OPTION_KEYS, QuestionView, answer_words, chosen_options};

/// The interval of the check whether the shown question was answered elsewhere.
const POLL_INTERVAL: Duration = Duration::from_millis(300);

/// Refuses where there are no keys to press.
pub(super) fn check_terminal() -> Result<(), Problem> {
    if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() {
        return Ok(());
    }
    let problem = Problem::new(ErrorCode::Usage, "--interactive needs a terminal");
    Err(problem.hint("agency inbox lists the questions, and agency answer answers one"))
}

/// What the user decided about a question.
enum WalkDecision {
    Answer(Answer),
    Skip,
    /// It is not open any more.
    Over(Box<QuestionRow>),
    Quit,
}

pub(super) fn walk(agency: &mut Agency, context: &Context) -> Result<ExitCode, Problem> {
    let no_keys = |error: std::io::Error| Problem::new(ErrorCode::Io, format!("the terminal cannot be read: {error}"));
    let mut walk = Walk { agency, context, keyboard: Keyboard::open().map_err(no_keys)? };
    let mut skipped = BTreeSet::new();
    let mut shown = 0;
    while let Some(row) = walk.agency.inbox()?.into_iter().find(|row| !skipped.contains(&row.id)) {
        shown += 1;
        let over = match walk.ask(&row)? {
            WalkDecision::Quit => return Ok(ExitCode::SUCCESS),
            WalkDecision::Skip => {
                skipped.insert(row.id);
                None
            }
            WalkDecision::Over(row) => Some(row),
            WalkDecision::Answer(answer) => walk.deliver(&row, &answer, &mut skipped)?,
        };
        if let Some(row) = over {
            let view = QuestionView::new(*row, walk.agency);
            context.print(|out| writeln!(out, "  meanwhile: {}\n", view.settled()))?;
        }
    }
    let last = match (shown, skipped.len()) {
        (0, _) => "No open questions.".to_owned(),
        (_, 0) => "No more open questions.".to_owned(),
        (_, 1) => "1 question is left".to_owned(),
        (_, left) => format!("{left} questions are left"),
    };
    context.print(|out| writeln!(out, "{last}"))?;
    Ok(ExitCode::SUCCESS)
}

struct Walk<'a> {
    agency: &'a mut Agency,
    context: &'a Context,
    keyboard: Keyboard,
}

impl Walk<'_> {
    /// Shows a question and waits for what is decided.
    fn ask(&mut self, row: &QuestionRow) -> Result<WalkDecision, Problem> {
        let view = QuestionView::new(row.clone(), self.agency);
        self.context.print(|out| view.write_question(out, false))?;
        // What was pressed before the question was there does not answer it. Keys count from when they are offered.
        self.keyboard.forget();
        self.context.print(|out| writeln!(out, "  {}", offered(row)))?;
        let mut chosen = BTreeSet::new();
        loop {
            let Some(key) = self.keyboard.key(POLL_INTERVAL).map_err(|error| gone(&error))? else {
                match self.reread(&row.id)? {
                    now if now.state == QuestionState::Open => continue,
                    now => return Ok(WalkDecision::Over(Box::new(now))),
                }
            };
            let answer = match key {
                Key::Letter('q') | Key::End => return Ok(WalkDecision::Quit),
                Key::Letter('s') => return Ok(WalkDecision::Skip),
                Key::Letter('v') => {
                    self.context.print(|out| view.write_question(out, true))?;
                    None
                }
                Key::Letter('e') if row.question.free_text => self.own_words()?,
                Key::Letter(digit @ '1'..='9') => self.choose(row, digit, &mut chosen)?,
                Key::Enter if !chosen.is_empty() => Some(chosen_options(row, &chosen)),
                Key::Letter(letter) => quick_answer(row, letter),
                Key::Enter | Key::Other => None,
            };
            match answer {
                Some(answer) => return Ok(WalkDecision::Answer(answer)),
                None => self.context.print(|out| writeln!(out, "  {}", still_offered(row, &chosen)))?,
            }
        }
    }

    /// One option is an answer; of several, each key takes one in or out.
    fn choose(&self, row: &QuestionRow, digit: char, chosen: &mut BTreeSet<usize>) -> Result<Option<Answer>, Problem> {
        let index = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok()).unwrap_or_default();
        let Some(index) = index.checked_sub(1).filter(|index| *index < row.question.options.len()) else {
            return Ok(None);
        };
        if !row.question.several {
            return Ok(Some(chosen_options(row, &BTreeSet::from([index]))));
        }
        if !chosen.remove(&index) {
            chosen.insert(index);
        }
        Ok(None)
    }

    /// A line of text; an empty one is taken back.
    fn own_words(&mut self) -> Result<Option<Answer>, Problem> {
        self.context.print(|out| write!(out, "  your answer (Enter alone cancels): "))?;
        let line = self.keyboard.line().map_err(|error| gone(&error))?;
        let text = line.trim();
        Ok((!text.is_empty()).then(|| Answer::Text { text: text.to_owned() }))
    }

    fn reread(&mut self, id: &QuestionId) -> Result<QuestionRow, Problem> {
        Ok(self.agency.question(id.as_str())?)
    }

    /// Delivers an answer, unless the question is closed; then says how it was closed.
    fn deliver(
        &mut self,
        row: &QuestionRow,
        answer: &Answer,
        skipped: &mut BTreeSet<QuestionId>,
    ) -> Result<Option<Box<QuestionRow>>, Problem> {
        let now = self.reread(&row.id)?;
        if now.state != QuestionState::Open {
            return Ok(Some(Box::new(now)));
        }
        let outcome = match self.agency.answer(&now, answer, &user_name()) {
            Ok(outcome) => outcome,
            Err(DeliveryError::AlreadyAnswered { row } | DeliveryError::Expired { row }) => return Ok(Some(row)),
            Err(
                error @ (DeliveryError::Refused { .. } | DeliveryError::NoOutcome { .. } | DeliveryError::Unfit { .. }),
            ) => {
                // It would be the next one again, for ever.
                skipped.insert(row.id.clone());
                error.to_string()
            }
            Err(error) => return Err(error.into()),
        };
        self.context.print(|out| writeln!(out, "  {}: {}\n", answer_words(answer), plain(&outcome)))?;
        Ok(None)
    }
}

fn gone(error: &std::io::Error) -> Problem {
    Problem::new(ErrorCode::Io, format!("the terminal is gone: {error}"))
}

/// The answer behind a letter, where the question takes it.
fn quick_answer(row: &QuestionRow, letter: char) -> Option<Answer> {
    let answer = match letter {
        'a' => Answer::Allow { message: None },
        'A' => Answer::AllowAll,
        'd' => Answer::Deny { message: None },
        _ => return None,
    };
    row.question.check(&answer).is_ok().then_some(answer)
}

/// The keys that mean something here.
fn offered(row: &QuestionRow) -> String {
    let question = &row.question;
    let mut keys: Vec<String> = vec![];
    let count = question.options.len().min(MAX_OPTION_KEYS);
    match (count, question.several) {
        (0, _) => {}
        (1, false) => keys.push("[1] choose".to_owned()),
        (count, false) => keys.push(format!("[1-{count}] choose")),
        (count, true) => keys.push(format!("[1-{count}] toggle, [Enter] answer")),
    }
    if question.actions().contains(&QuickAction::Allow) {
        keys.push("[a] allow".to_owned());
    }
    if question.only_on_screen {
        keys.push(format!("on its own screen: agency attach {}", row.run_id));
    } else {
        keys.push("[d] deny".to_owned());
    }
    if question.actions().contains(&QuickAction::AllowAll) {
        keys.push("[A] allow all".to_owned());
    }
    if question.free_text {
        keys.push("[e] free text".to_owned());
    }
    keys.extend(["[v] show all", "[s] skip", "[q] quit"].map(str::to_owned));
    keys.join("  ")
}

/// What was chosen so far, or which keys there are.
fn still_offered(row: &QuestionRow, chosen: &BTreeSet<usize>) -> String {
    if chosen.is_empty() {
        return offered(row);
    }
    let Answer::Options { chosen } = chosen_options(row, chosen) else { return offered(row) };
    format!("chosen: {}  [Enter] answer", plain(&chosen.join(", ")))
}
