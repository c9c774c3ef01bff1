//! Looking at the screen of an interactive agent: what it is doing, what it asks, whether it took an answer.

use std::time::Duration;

use agency_model::{Activity, Answer, Event};
use tokio::time::Instant;

use super::agent_screen::AgentScreen;
use super::open_questions::{OpenQuestion, QuestionSource};
use super::supervisor::Supervisor;
use super::timers::Timer;
use super::unrecognised::Unrecognised;
use crate::config::ScreenSource;
use crate::screen::{Reading, ScreenQuestion, ScreenRules, ScreenText};

/// A screen is looked at when it has been still for so long, or at this pace while it is not.
const READ_INTERVAL: Duration = Duration::from_millis(120);
/// How long a dialog may stay after it was answered, or a message be without effect.
const CONFIRM_TIMEOUT: Duration = Duration::from_secs(8);
/// How long a process may take to show that it takes what is typed; some need a minute on a busy machine.
const READY_TIMEOUT: Duration = Duration::from_secs(120);
/// So many characters of a message are recognised on a screen; more may be wrapped.
const MATCHED_CHARS: usize = 24;
/// A dialog that is being drawn anew is not gone.
const MISSES_UNTIL_GONE: u8 = 2;

/// What is remembered between two looks.
#[derive(Debug, Default)]
pub(super) struct ScreenReader {
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
    open: OpenQuestion,
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

impl ScreenReader {
    /// A reader for an agent, and what is wrong with its rules.
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
        if self.screen.is_some() && self.screen_reader.rules.is_some() {
            self.timers.arm_once(Timer::ReadScreen, READ_INTERVAL);
        }
    }

    /// Looks at the screen.
    pub(super) fn read_screen(&mut self) {
        let (Some(screen), Some(rules)) = (&self.screen, &self.screen_reader.rules) else { return };
        let rules = rules.clone();
        let text = ScreenText::of(screen.screen(), screen.title());
        let reading = rules.read(&text);
        self.see_answer(&reading);
        if reading.question.is_some() && self.screen_reader.confirming.is_none() {
            self.set_activity(reading.activity, &because(&reading), reading.line);
        }
        self.see_question(reading.question.as_ref());
        if reading.question.is_none() {
            self.set_activity(reading.activity, &because(&reading), reading.line);
        }
        self.see_turn(&reading, &text);
        self.see_whether_recognised(reading.rule.is_some());
        self.type_waiting(&rules);
        let waits = self.screen_reader.confirming.is_some()
            || self.screen_reader.told.is_some()
            || !self.conversation.waiting.is_empty();
        if waits || self.screen_reader.missed > 0 {
            // What is waited for may come without another word of the agent.
            self.timers.arm_once(Timer::ReadScreen, READ_INTERVAL);
        }
    }

    fn see_question(&mut self, seen: Option<&ScreenQuestion>) {
        if self.screen_reader.confirming.is_some() {
            return;
        }
        let key = seen.map(|seen| seen.question.key.clone());
        if key.is_none() && self.screen_reader.question.is_some() {
            self.screen_reader.missed += 1;
            if self.screen_reader.missed < MISSES_UNTIL_GONE {
                return;
            }
        }
        self.screen_reader.missed = 0;
        if self.screen_reader.question != key
            && let Some(gone) = self.screen_reader.question.take()
        {
            self.withdraw(&gone, "it is no longer on the screen");
        }
        let Some(seen) = seen else { return };
        if self.screen_reader.question.is_some() {
            // Another option may be marked now, and the keys depend on it.
            self.questions.update(seen);
            return;
        }
        self.screen_reader.question = key;
        self.ask(seen.question.clone(), QuestionSource::Screen(Box::new(seen.clone())));
    }

    /// Answers a dialog as soon as the agent takes keys for it. The screen is read again before anything is typed,
    /// because another dialog may stand there by then.
    pub(super) fn type_answer(&mut self, open: OpenQuestion, told: (Answer, String, Option<i64>)) {
        let (answer, by, request) = told;
        let delay = self.screen_reader.rules.as_ref().map_or(Duration::ZERO, ScreenRules::answer_delay);
        let keys = Keys::Due(open.asked + delay);
        self.screen_reader.question = None;
        self.screen_reader.missed = 0;
        self.screen_reader.confirming = Some(Confirming { open, answer, by, request, keys });
        self.timers.arm_at(Timer::ReadScreen, Instant::now());
    }

    /// Types the answer that is due, and sees whether the dialog took the one that was typed.
    fn see_answer(&mut self, reading: &Reading<'_>) {
        let Some(mut confirming) = self.screen_reader.confirming.take() else { return };
        let asked = &confirming.open.question.key;
        let seen = reading.question.as_ref().filter(|seen| seen.question.key == *asked);
        let now = Instant::now();
        let outcome = match (confirming.keys, seen) {
            (Keys::Due(_), None) if self.screen_reader.missed + 1 < MISSES_UNTIL_GONE => {
                self.screen_reader.missed += 1;
                self.screen_reader.confirming = Some(confirming);
                return;
            }
            (Keys::Due(_), None) => Err("the dialog was gone before the answer could be typed".to_owned()),
            (Keys::Due(due), Some(_)) if now < due => {
                self.screen_reader.confirming = Some(confirming);
                return;
            }
            (Keys::Due(_), Some(dialog)) => match dialog.keys_for(&confirming.answer) {
                Ok(keys) => {
                    self.type_keys(keys);
                    confirming.keys = Keys::Typed(now + CONFIRM_TIMEOUT);
                    self.screen_reader.confirming = Some(confirming);
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
                    self.screen_reader.confirming = Some(confirming);
                    return;
                }
            },
        };
        let Confirming { open, answer, by, request, .. } = confirming;
        self.settle_answer(&open, &answer, &by, outcome, request);
        if seen.is_some() {
            // A rule would type the same again and again.
            self.screen_reader.question = Some(open.question.key.clone());
            self.leave_to_human(open);
        }
    }

    /// Types a message; whether a turn begins is seen on the screen.
    pub(super) fn type_message(&mut self, text: &str, request: Option<i64>) {
        if self.screen_reader.question.is_some() || self.screen_reader.confirming.is_some() {
            let outcome = Err("the agent shows a question; answer it first (agency inbox)".to_owned());
            return self.finish_message(request, outcome);
        }
        if self.screen_reader.told.is_some() {
            let outcome = Err("another message is being typed; send this one when that is done".to_owned());
            return self.finish_message(request, outcome);
        }
        // An escape sequence in the text could end the paste and press keys.
        let text: String =
            text.chars().filter(|letter| !letter.is_control() || matches!(letter, '\n' | '\t')).collect();
        let words = text.trim().lines().next().unwrap_or_default().chars().take(MATCHED_CHARS).collect();
        let pasted = self.screen.as_ref().is_some_and(|screen| screen.screen().bracketed_paste());
        let typed = match pasted {
            true => format!("\u{1b}[200~{text}\u{1b}[201~"),
            // Each line end would be an Enter of its own.
            false => text.replace(['\r', '\n'], " "),
        };
        self.type_keys(vec![typed.into_bytes(), b"\r".to_vec()]);
        self.record_event(Event::Message { text });
        self.note_progress();
        if !self.screen_reader.understands() {
            let outcome = Ok("typed; its screen is not recognised, so the delivery cannot be confirmed".to_owned());
            return self.finish_message(request, outcome);
        }
        self.screen_reader.told = Some(Told { request, until: Instant::now() + CONFIRM_TIMEOUT, words });
        self.timers.arm(Timer::ReadScreen, READ_INTERVAL);
    }

    /// A new process has the terminal. Messages from the time between two processes are typed as soon as its screen is
    /// ready for them; one that is not understood gets them at once, and its terminal keeps them until they are read.
    pub(super) fn begin_typing(&mut self) {
        if self.screen.is_none() || self.conversation.waiting.is_empty() {
            return;
        }
        if self.screen_reader.understands() {
            self.screen_reader.fresh = Some(AgentScreen::new(self.size));
            self.screen_reader.ready_by = Some(Instant::now() + READY_TIMEOUT);
            self.timers.arm(Timer::ReadScreen, READ_INTERVAL);
            return;
        }
        for told in std::mem::take(&mut self.conversation.waiting) {
            self.type_message(&told.text, told.number);
        }
    }

    /// Types the next message that waits, if the process shows a screen that takes it.
    fn type_waiting(&mut self, rules: &ScreenRules) {
        let busy = self.screen_reader.told.is_some()
            || self.screen_reader.confirming.is_some()
            || self.screen_reader.question.is_some();
        let Some(fresh) = self.screen_reader.fresh.as_ref().filter(|_| !busy && !self.conversation.waiting.is_empty())
        else {
            return;
        };
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
            let soon = Instant::now() + CONFIRM_TIMEOUT;
            self.screen_reader.ready_by = Some(self.screen_reader.ready_by.map_or(soon, |ready_by| ready_by.min(soon)));
        }
        let overdue = self.screen_reader.ready_by.is_none_or(|ready_by| Instant::now() >= ready_by);
        if understood && takes_text || overdue {
            let told = self.conversation.waiting.remove(0);
            self.type_message(&told.text, told.number);
        }
        if self.conversation.waiting.is_empty() {
            self.screen_reader.fresh = None;
        }
    }

    fn see_turn(&mut self, reading: &Reading<'_>, screen: &ScreenText) {
        let Some(told) = self.screen_reader.told.take() else { return };
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
                self.screen_reader.told = Some(told);
                return;
            }
        };
        self.finish_message(told.request, outcome);
    }

    /// The process is gone, and its screen with it.
    pub(super) fn close_screen_reader(&mut self) {
        self.timers.disarm(Timer::ReadScreen);
        self.timers.disarm(Timer::UnrecognisedScreen);
        self.screen_reader.unrecognised = Unrecognised::No;
        self.screen_reader.question = None;
        self.screen_reader.missed = 0;
        self.screen_reader.fresh = None;
        let gone = || Err("the agent ended before it could be seen".to_owned());
        if let Some(Confirming { open, answer, by, request, .. }) = self.screen_reader.confirming.take() {
            self.settle_answer(&open, &answer, &by, gone(), request);
        }
        if let Some(told) = self.screen_reader.told.take() {
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
