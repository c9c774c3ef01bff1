//! Looking at the screen of an interactive agent: what it is doing, what it asks, whether it took an answer.

use std::time::Duration;

use agency_model::conversation::{Input, Origin, ScreenReading};
use agency_model::{Activity, Event};
use tokio::time::Instant;

use super::agent_screen::AgentScreen;
use super::supervisor::Supervisor;
use super::timers::Timer;
use crate::agent_files::load_screen_rules;
use crate::config::ScreenSource;
use crate::screen::{Reading, ScreenQuestion, ScreenRules, ScreenText};

/// A screen is looked at when it has been still for so long, or at this pace while it is not.
pub(super) const READ_INTERVAL: Duration = Duration::from_millis(120);
/// How long a dialog may stay after it was answered, or a message be without effect.
pub(super) const CONFIRM_TIMEOUT: Duration = Duration::from_secs(8);
/// How long a process may take to show that it takes what is typed; some need a minute on a busy machine.
const READY_TIMEOUT: Duration = Duration::from_secs(120);
/// So many characters of a message are recognised on a screen; more may be wrapped.
const MATCHED_CHARS: usize = 24;

/// What is kept between two readings.
#[derive(Debug, Default)]
pub(super) struct ScreenReader {
    rules: Option<ScreenRules>,
    last: Option<LastReading>,
    told: Option<Told>,
    /// When messages that waited for the process are typed, even if its screen is never seen to be ready.
    ready_by: Option<Instant>,
    /// What the process itself has drawn, while messages wait for it: the one before left its own screen, which may look
    /// ready.
    pub(super) fresh: Option<AgentScreen>,
}

/// What the last reading said.
#[derive(Debug)]
struct LastReading {
    activity: Activity,
    because: String,
    line: Option<u32>,
    dialog: Option<ScreenQuestion>,
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
            ScreenSource::File(path) => match load_screen_rules(path) {
                Ok(rules) => (Some(rules), None),
                Err(error) => (None, Some(error.to_string())),
            },
        };
        (Self { rules, ..Self::default() }, trouble)
    }

    /// The rules by which screens are read.
    pub(super) const fn rules(&self) -> Option<&ScreenRules> {
        self.rules.as_ref()
    }

    /// The dialog of the last reading.
    pub(super) fn dialog(&self) -> Option<&ScreenQuestion> {
        self.last.as_ref()?.dialog.as_ref()
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

    /// Reads the screen, and feeds the conversation with what it shows.
    pub(super) fn read_screen(&mut self) {
        let (Some(screen), Some(rules)) = (&self.screen, &self.screen_reader.rules) else { return };
        let rules = rules.clone();
        let text = ScreenText::of(screen.screen(), screen.title());
        let reading = rules.read(&text);
        let (activity, line, dialog) = (reading.activity, reading.line, reading.question.clone());
        let key = dialog.as_ref().map(|dialog| dialog.question.key.clone());
        self.screen_reader.last = Some(LastReading { activity, because: because(&reading), line, dialog });
        self.converse(Input::ScreenRead(ScreenReading {
            dialog: key,
            activity,
            recognised: reading.rule.is_some(),
            typing: self.is_typing(),
        }));
        self.see_turn(&reading, &text);
        self.type_waiting(&rules);
        if self.screen_reader.told.is_some() || !self.messages.waiting.is_empty() {
            // What is waited for may come without another word of the agent.
            self.timers.arm_once(Timer::ReadScreen, READ_INTERVAL);
        }
    }

    /// Asks what the dialog of the last reading asks.
    pub(super) fn ask_about_dialog(&mut self) {
        if let Some(question) = self.screen_reader.dialog().map(|dialog| dialog.question.clone()) {
            self.ask(question, Origin::Screen);
        }
    }

    /// Records the activity of the last reading.
    pub(super) fn record_screen_activity(&mut self) {
        if let Some(LastReading { activity, because, line, .. }) = &self.screen_reader.last {
            let (activity, because, line) = (*activity, because.clone(), *line);
            self.set_activity(activity, &because, line);
        }
    }

    /// Types a message; whether a turn begins is seen on the screen.
    pub(super) fn type_message(&mut self, text: &str, request: Option<i64>) {
        if self.conversation.shows_dialog() {
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
        if self.screen.is_none() || self.messages.waiting.is_empty() {
            return;
        }
        if self.screen_reader.understands() {
            self.screen_reader.fresh = Some(AgentScreen::new(self.size));
            self.screen_reader.ready_by = Some(Instant::now() + READY_TIMEOUT);
            self.timers.arm(Timer::ReadScreen, READ_INTERVAL);
            return;
        }
        for told in std::mem::take(&mut self.messages.waiting) {
            self.type_message(&told.text, told.number);
        }
    }

    /// Types the next message that waits, if the process shows a screen that takes it.
    fn type_waiting(&mut self, rules: &ScreenRules) {
        let busy = self.screen_reader.told.is_some() || self.conversation.shows_dialog();
        let Some(fresh) = self.screen_reader.fresh.as_ref().filter(|_| !busy && !self.messages.waiting.is_empty())
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
            let told = self.messages.waiting.remove(0);
            self.type_message(&told.text, told.number);
        }
        if self.messages.waiting.is_empty() {
            self.screen_reader.fresh = None;
        }
    }

    fn see_turn(&mut self, reading: &Reading<'_>, screen: &ScreenText) {
        let Some(told) = self.screen_reader.told.take() else { return };
        // A turn may be over before the screen is read: then the text is on the screen, and no longer in the prompt.
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
        self.timers.disarm(&Timer::ReadScreen);
        self.screen_reader.last = None;
        self.screen_reader.fresh = None;
        if let Some(told) = self.screen_reader.told.take() {
            self.finish_message(told.request, Err("the agent ended before it could be seen".to_owned()));
        }
    }
}

fn because(reading: &Reading<'_>) -> String {
    match reading.rule {
        Some(rule) => format!("rule {rule}: {}", reading.text),
        None => "no rule describes the screen".to_owned(),
    }
}
