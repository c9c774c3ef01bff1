//! The answer to the question of the demo: by the user where there is a terminal, else by the demo itself.

use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

use agency_engine::agency::Agency;
use agency_engine::store::{QuestionRow, RunRow};
use agency_model::{Answer, ErrorCode, QuestionId, escaped_line};
use indicatif::MultiProgress;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::context::{Context, user_name};
use crate::problem::Problem;

/// How long a user is waited for before the progress is looked at again.
const LINE_TIMEOUT: Duration = Duration::from_millis(100);

/// Shows questions and answers them.
pub(super) struct Answers {
    /// Whether there is a user to answer them.
    asks_user: bool,
    shown: BTreeSet<QuestionId>,
}

impl Answers {
    pub(super) fn new(context: &Context) -> Self {
        Self { asks_user: context.is_at_terminal() && context.is_watched(), shown: BTreeSet::new() }
    }

    /// Shows an open question if it is new, and delivers the answer to it.
    pub(super) fn handle(
        &mut self,
        agency: &mut Agency,
        question: &QuestionRow,
        shown_on: (&[RunRow], &MultiProgress, &Context),
    ) -> Result<(), Problem> {
        let (rows, bars, context) = shown_on;
        if self.shown.insert(question.id.clone()) {
            let name = rows.iter().find(|row| row.id == question.run_id).and_then(|row| row.name.as_deref());
            let name = name.unwrap_or_default();
            let asked = format!("asks: may it run `{}`?", escaped_line(question.question.detail.trim()));
            match self.asks_user {
                // If it cannot be shown, the agent waits, and Ctrl-C ends the demo.
                true => drop(bars.println(format!("{name} {asked} Type a to allow or d to deny it, then Enter."))),
                false => context.say(&format!("  {name:<22} {asked} No terminal, so the demo allows it.")),
            }
        }
        let answer = match self.asks_user {
            false => Some(Answer::Allow { message: None }),
            true => typed().map_err(|error| Problem::new(ErrorCode::Io, format!("the terminal: {error}")))?.and_then(
                |letter| match letter {
                    'a' | 'y' => Some(Answer::Allow { message: None }),
                    'd' | 'n' => Some(Answer::Deny { message: None }),
                    _ => None,
                },
            ),
        };
        answer.map_or(Ok(()), |answer| deliver(agency, question, &answer))
    }
}

/// The first letter of the line that the user typed, if there is one by now.
fn typed() -> io::Result<Option<char>> {
    let stdin = io::stdin();
    let limit = Timespec { tv_sec: 0, tv_nsec: LINE_TIMEOUT.subsec_nanos().into() };
    let mut waited = [PollFd::new(&stdin, PollFlags::IN)];
    match poll(&mut waited, Some(&limit)) {
        Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(None),
        Ok(_) => {}
        Err(error) => return Err(error.into()),
    }
    let mut line = String::new();
    if stdin.read_line(&mut line)? == 0 {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
    }
    Ok(line.trim().chars().next().map(|letter| letter.to_ascii_lowercase()))
}

fn deliver(agency: &mut Agency, question: &QuestionRow, answer: &Answer) -> Result<(), Problem> {
    agency.answer(question, answer, &user_name())?;
    Ok(())
}
