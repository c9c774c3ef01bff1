//! The answer to the question of the demo: by the user where there is a terminal, else by the demo itself.

use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

use agency_engine::agency::Agency;
use agency_engine::store::{QuestionRow, RunRow};
use agency_model::{Answer, ErrorCode, QuestionId, escaped_line};
use indicatif::MultiProgress;

use crate::context::{Context, user_name};
use crate::problem::Problem;
use crate::terminal::{Key, Keyboard};

/// How long a user is waited for before the progress is looked at again.
const KEY_TIMEOUT: Duration = Duration::from_millis(100);

/// Shows questions and answers them.
pub(super) struct Answers {
    /// The user's keys, if there is a user to press them. They are not echoed: an echo, above all that of Enter, would move
    /// the cursor away from the progress lines, which would then be drawn once more below.
    keyboard: Option<Keyboard>,
    shown: BTreeSet<QuestionId>,
}

impl Answers {
    pub(super) fn new(context: &Context) -> Result<Self, Problem> {
        let asks_user = context.is_at_terminal() && context.is_watched();
        let keyboard =
            asks_user.then(Keyboard::open_with_own_interrupts).transpose().map_err(|error| unreadable(&error))?;
        Ok(Self { keyboard, shown: BTreeSet::new() })
    }

    /// Shows an open question if it is new, and delivers the answer to it.
    pub(super) fn handle(
        &mut self,
        agency: &mut Agency,
        question: &QuestionRow,
        shown_on: (&[RunRow], &MultiProgress, &Context),
    ) -> Result<(), Problem> {
        let (rows, bars, context) = shown_on;
        let is_new = self.shown.insert(question.id.clone());
        let name = rows.iter().find(|row| row.id == question.run_id).and_then(|row| row.name.as_deref());
        let name = name.unwrap_or_default();
        let asked = format!("asks: may it run `{}`?", escaped_line(question.question.detail.trim()));
        let Some(keyboard) = &mut self.keyboard else {
            context.say(&format!("  {name:<22} {asked} No terminal, so the demo allows it."));
            return deliver(agency, question, &Answer::Allow { message: None });
        };
        if is_new {
            // Earlier keys do not answer it.
            keyboard.forget();
            show(bars, context, &format!("{name} {asked}\nPress a to allow it, or d to deny it."));
        }
        let (answer, said) = match keyboard.key(KEY_TIMEOUT).map_err(|error| unreadable(&error))? {
            Some(Key::Letter('a' | 'A' | 'y' | 'Y')) => (Answer::Allow { message: None }, "Allowed"),
            Some(Key::Letter('d' | 'D' | 'n' | 'N')) => (Answer::Deny { message: None }, "Denied"),
            Some(Key::End) => return Err(unreadable(&io::ErrorKind::UnexpectedEof.into())),
            Some(Key::Letter(_) | Key::Enter | Key::Other) | None => return Ok(()),
        };
        deliver(agency, question, &answer)?;
        show(bars, context, &format!("{said}: {name} continues.\n"));
        Ok(())
    }
}

/// Shows a text above the progress lines, or as it is where the terminal cannot have any (`TERM=dumb`).
fn show(bars: &MultiProgress, context: &Context, text: &str) {
    if bars.is_hidden() {
        context.say(text);
    } else {
        // If it cannot be shown, the agent waits, and Ctrl-C ends the demo.
        drop(bars.println(text));
    }
}

fn unreadable(error: &io::Error) -> Problem {
    Problem::new(ErrorCode::Io, format!("the terminal: {error}"))
}

fn deliver(agency: &mut Agency, question: &QuestionRow, answer: &Answer) -> Result<(), Problem> {
    agency.answer(question, answer, &user_name())?;
    Ok(())
}
