//! Looking at the screen of an interactive agent: what it is doing, what it asks, whether it took an answer.

use std::time::Duration;

use agency_model::{Activity, Answer, Event};
use tokio::time::Instant;

use super::agent_screen::AgentScreen;
use super::open_question::{Open, Source};
use super::turn::Supervisor;
use super::unrecognised::Unrecognised;
use crate::config::ScreenSource;
use crate::screen::{Reading, ScreenQuestion, ScreenRules, ScreenText};

/// A screen is looked at when it has been still for so long, or at this pace while it is not.
const PACE: Duration = Duration::from_millis(120);
/// How long a dialog may stay after it was answered, or a message be without effect.
const PATIENCE: Duration = Duration::from_secs(8);
/// How long a process may take to show that it takes what is typed; some need a minute on a busy machine.
const STARTING: Duration = Duration::from_secs(120);
/// So many characters of a message are recognised on a screen; more may be wrapped.
const WORDS: usize = 24;
/// A dialog that is being drawn anew is not gone.
const GONE_AFTER: u8 = 2;

/// What is remembered between two looks.
#[derive(Debug, Default)]
pub(super) struct Eye {
    rules: Option<ScreenRules>,
    /// The key of the question on the screen.
    question: Option<String>,
    /// How many looks in a row did not find it.
    missed: u8,
    confirming: Option<Confirming>,
    told: Option<Told>,
    /// How long nothing has been recognised.
    pub(super) unrecognised: Unrecognised,
    /// When messages that waited for the process are typed, even if its screen is never seen to be ready.
    ready_by: Option<Instant>,
    /// What the process itself has drawn, while messages wait for it: the one before left its own screen, which may look
    /// ready.
    pub(super) fresh: Option<AgentScreen>,
}

/// An answer is on its way; the dialog should go away.
#[derive(Debug)]
struct Confirming {
    open: Open,
    answer: Answer,
    by: String,
    request: Option<i64>,
    keys: Keys,
}

/// How far the keys of an answer are.
#[derive(Debug, Clone, Copy)]
enum Keys {
    /// The agent does not take keys for this dialog yet.
    Due(Instant),
    /// They were typed; if the dialog is still there then, it did not take them.
    Typed(Instant),
}

/// A message was typed; a turn should begin.
#[derive(Debug)]
struct Told {
    request: Option<i64>,
    until: Instant,
    /// How the message begins.
    words: String,
}

impl Eye {
    /// Opens the eye of an agent, and says what is wrong with its rules.
    pub(super) fn new(source: &ScreenSource) -> (Self, Option<String>) {
        let (rules, trouble) = match source {
            ScreenSource::None => (None, None),
            ScreenSource::BuiltIn(name) => (ScreenRules::built_in(name), None),
            ScreenSource::File(path) => match ScreenRules::load(path) {
                Ok(rules) => (Some(rules), None),
                Err(error) => (None, Some(error.to_string())),
            },
        };
        (Self { rules, ..Self::default() }, trouble)
    }

    /// Whether screens are understood.
    pub(super) const fn understands(&self) -> bool {
        self.rules.is_some()
    }
}

impl Supervisor<'_> {
    /// The screen changed: it will be looked at.
    pub(super) fn screen_changed(&mut self) {
        if self.screen.is_some() && self.eye.rules.is_some() && self.timers.look.is_none() {
            self.timers.look = Some(Instant::now() + PACE);
        }
    }

    /// Looks at the screen.
    pub(super) fn look(&mut self) {
        let (Some(screen), Some(rules)) = (&self.screen, &self.eye.rules) else { return };
        let rules = rules.clone();
        let text = ScreenText::of(screen.screen(), screen.title());
        let reading = rules.read(&text);
        self.see_answer(&reading);
        if reading.question.is_some() && self.eye.confirming.is_none() {
            self.does(reading.activity, &because(&reading), reading.line);
        }
        self.see_question(reading.question.as_ref());
        if reading.question.is_none() {
            self.does(reading.activity, &because(&reading), reading.line);
        }
        self.see_turn(&reading, &text);
        self.see_whether_recognised(reading.rule.is_some());
        self.type_waiting(&rules);
        let waits = self.eye.confirming.is_some() || self.eye.told.is_some() || !self.talk.waiting.is_empty();
        if waits || self.eye.missed > 0 {
            // What is waited for may come without another word of the agent.
            self.timers.look.get_or_insert(Instant::now() + PACE);
        }
    }

    fn see_question(&mut self, seen: Option<&ScreenQuestion>) {
        if self.eye.confirming.is_some() {
            return;
        }
        let key = seen.map(|seen| seen.question.key.clone());
        if key.is_none() && self.eye.question.is_some() {
            self.eye.missed += 1;
            if self.eye.missed < GONE_AFTER {
                return;
            }
        }
        self.eye.missed = 0;
        if self.eye.question != key
            && let Some(gone) = self.eye.question.take()
        {
            self.withdraw(&gone, "it is no longer on the screen");
        }
        let Some(seen) = seen else { return };
        if self.eye.question.is_some() {
            // Another option may be marked now, and the keys depend on it.
            self.asking.update(seen);
            return;
        }
        self.eye.question = key;
        self.ask(seen.question.clone(), Source::Screen(Box::new(seen.clone())));
    }

    /// Answers a dialog as soon as the agent takes keys for it. The screen is read again before anything is typed,
    /// because another dialog may stand there by then.
    pub(super) fn type_answer(&mut self, open: Open, told: (Answer, String, Option<i64>)) {
        let (answer, by, request) = told;
        let delay = self.eye.rules.as_ref().map_or(Duration::ZERO, ScreenRules::answer_delay);
        let keys = Keys::Due(open.asked + delay);
        self.eye.question = None;
        self.eye.missed = 0;
        self.eye.confirming = Some(Confirming { open, answer, by, request, keys });
        self.timers.look = Some(Instant::now());
    }

    /// Types the answer that is due, and sees whether the dialog took the one that was typed.
    fn see_answer(&mut self, reading: &Reading<'_>) {
        let Some(mut confirming) = self.eye.confirming.take() else { return };
        let asked = &confirming.open.question.key;
        let seen = reading.question.as_ref().filter(|seen| seen.question.key == *asked);
        let now = Instant::now();
        let outcome = match (confirming.keys, seen) {
            (Keys::Due(_), None) if self.eye.missed + 1 < GONE_AFTER => {
                self.eye.missed += 1;
                self.eye.confirming = Some(confirming);
                return;
            }
            (Keys::Due(_), None) => Err("the dialog was gone before the answer could be typed".to_owned()),
            (Keys::Due(due), Some(_)) if now < due => {
                self.eye.confirming = Some(confirming);
                return;
            }
            (Keys::Due(_), Some(dialog)) => match dialog.keys_for(&confirming.answer) {
                Ok(keys) => {
                    self.type_keys(keys);
                    confirming.keys = Keys::Typed(now + PATIENCE);
                    self.eye.confirming = Some(confirming);
                    return;
                }
                Err(error) => Err(error.to_string()),
            },
            (Keys::Typed(until), seen) => match (seen.is_some() || self.is_typing(), now >= until) {
                (false, _) => Ok(format!(
                    "typed; the dialog is gone, and the agent is {}{}",
                    reading.activity,
                    words_not_typed(&confirming.answer)
                )),
                (true, true) => Err("typed, but the dialog is still on the screen".to_owned()),
                (true, false) => {
                    self.eye.confirming = Some(confirming);
                    return;
                }
            },
        };
        let Confirming { open, answer, by, request, .. } = confirming;
        self.settle_answer(&open, &answer, &by, outcome, request);
        if seen.is_some() {
            // A rule would type the same again and again.
            self.eye.question = Some(open.question.key.clone());
            self.leave_to_human(open);
        }
    }

    /// Types a message; whether a turn begins is seen on the screen.
    pub(super) fn type_message(&mut self, text: &str, request: Option<i64>) {
        if self.eye.question.is_some() || self.eye.confirming.is_some() {
            let outcome = Err("the agent shows a question; answer it first (agency inbox)".to_owned());
            return self.finish_message(request, outcome);
        }
        if self.eye.told.is_some() {
            let outcome = Err("another message is being typed; send this one when that is done".to_owned());
            return self.finish_message(request, outcome);
        }
        // An escape sequence in the text could end the paste and press keys.
        let text: String =
            text.chars().filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t')).collect();
        let words = text.trim().lines().next().unwrap_or_default().chars().take(WORDS).collect();
        let pasted = self.screen.as_ref().is_some_and(|screen| screen.screen().bracketed_paste());
        let typed = match pasted {
            true => format!("\u{1b}[200~{text}\u{1b}[201~"),
            // Each line end would be an Enter of its own.
            false => text.replace(['\r', '\n'], " "),
        };
        self.type_keys(vec![typed.into_bytes(), b"\r".to_vec()]);
        self.note_event(Event::Message { text });
        self.give_sign_of_life();
        if !self.eye.understands() {
            let outcome = Ok("typed; its screen is not understood, so nobody can tell whether it was taken".to_owned());
            return self.finish_message(request, outcome);
        }
        self.eye.told = Some(Told { request, until: Instant::now() + PATIENCE, words });
        self.timers.look = Some(Instant::now() + PACE);
    }

    /// A new process has the terminal. Messages from the time between two processes are typed as soon as its screen is
    /// ready for them; one that is not understood gets them at once, and its terminal keeps them until they are read.
    pub(super) fn begin_typing(&mut self) {
        if self.screen.is_none() || self.talk.waiting.is_empty() {
            return;
        }
        if self.eye.understands() {
            self.eye.fresh = Some(AgentScreen::new(self.size));
            self.eye.ready_by = Some(Instant::now() + STARTING);
            self.timers.look = Some(Instant::now() + PACE);
            return;
        }
        for told in std::mem::take(&mut self.talk.waiting) {
            self.type_message(&told.text, told.number);
        }
    }

    /// Types the next message that waits, if the process shows a screen that takes it.
    fn type_waiting(&mut self, rules: &ScreenRules) {
        let busy = self.eye.told.is_some() || self.eye.confirming.is_some() || self.eye.question.is_some();
        let Some(fresh) = self.eye.fresh.as_ref().filter(|_| !busy && !self.talk.waiting.is_empty()) else { return };
        let text = ScreenText::of(fresh.screen(), fresh.title());
        let reading = rules.read(&text);
        let understood = match reading.activity {
            // A title is set before there is anything to type into.
            Activity::Idle | Activity::Thinking | Activity::Writing | Activity::RunningCommand => {
                reading.line.is_some()
            }
            Activity::Starting | Activity::WaitingForUser | Activity::Unknown => false,
        };
        let takes_text = fresh.screen().bracketed_paste();
        if takes_text {
            let soon = Instant::now() + PATIENCE;
            self.eye.ready_by = Some(self.eye.ready_by.map_or(soon, |ready_by| ready_by.min(soon)));
        }
        let overdue = self.eye.ready_by.is_none_or(|ready_by| Instant::now() >= ready_by);
        if understood && takes_text || overdue {
            let told = self.talk.waiting.remove(0);
            self.type_message(&told.text, told.number);
        }
        if self.talk.waiting.is_empty() {
            self.eye.fresh = None;
        }
    }

    fn see_turn(&mut self, reading: &Reading<'_>, screen: &ScreenText) {
        let Some(told) = self.eye.told.take() else { return };
        // A turn may be over before anybody looks: then the words are on the screen, and no longer where one types.
        let over = reading.activity == Activity::Idle
            && !reading.text.contains(&told.words)
            && screen.lines.iter().any(|line| line.contains(&told.words));
        let busy = match reading.activity {
            Activity::Thinking | Activity::Writing | Activity::RunningCommand | Activity::WaitingForUser => true,
            Activity::Starting | Activity::Idle | Activity::Unknown => false,
        };
        let taken = (busy || over) && !self.is_typing();
        let outcome = match (taken, Instant::now() >= told.until, reading.activity) {
            (true, _, activity) => Ok(format!("typed; the agent is {activity} ({})", because(reading))),
            (false, true, Activity::Unknown) => Ok("typed; the screen that followed is not understood".to_owned()),
            (false, true, activity) => Err(format!("typed, but no turn began: the agent is {activity}")),
            (false, false, _) => {
                self.eye.told = Some(told);
                return;
            }
        };
        self.finish_message(told.request, outcome);
    }

    /// The process is gone, and its screen with it.
    pub(super) fn close_eye(&mut self) {
        self.timers.look = None;
        self.timers.unrecognised = None;
        self.eye.unrecognised = Unrecognised::No;
        self.eye.question = None;
        self.eye.missed = 0;
        self.eye.fresh = None;
        let gone = || Err("the agent ended before it could be seen".to_owned());
        if let Some(Confirming { open, answer, by, request, .. }) = self.eye.confirming.take() {
            self.settle_answer(&open, &answer, &by, gone(), request);
        }
        if let Some(told) = self.eye.told.take() {
            self.finish_message(told.request, gone());
        }
    }
}

/// What to add where the words of a denial have no place on the screen.
const fn words_not_typed(answer: &Answer) -> &'static str {
    match answer {
        Answer::Deny { message: Some(_) } => "; the words of the denial were not typed: send them as a message",
        Answer::Deny { message: None }
        | Answer::Allow { .. }
        | Answer::AllowAll
        | Answer::Options { .. }
        | Answer::Text { .. } => "",
    }
}

fn because(reading: &Reading<'_>) -> String {
    match reading.rule {
        Some(rule) => format!("rule {rule}: {}", reading.text),
        None => "no rule describes the screen".to_owned(),
    }
}
