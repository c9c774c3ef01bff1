//! Reading the screen of an interactive agent: what it is doing, what it asks, whether it took an answer or a message.

use std::time::Duration;

use agency_adapters::screen::{Reading, ScreenQuestion, ScreenRules, ScreenText};
use agency_model::conversation::{Input, NewScreen, Origin, ScreenReading};

use super::Supervisor;
use super::agent_screen::AgentScreen;
use super::timers::Timer;
use crate::agent_files::load_screen_rules;
use crate::config::ScreenSource;

/// A screen is looked at when it has been still for so long, or at this pace while it is not.
pub(super) const READ_INTERVAL: Duration = Duration::from_millis(120);

/// What is kept between two readings.
#[derive(Debug, Default)]
pub(super) struct ScreenReader {
    rules: Option<ScreenRules>,
    /// The dialog of the last reading.
    dialog: Option<ScreenQuestion>,
    /// What the process itself has drawn, while messages wait for it: the one before left its own screen, which may look
    /// ready.
    pub(super) new_screen: Option<AgentScreen>,
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
    pub(super) const fn dialog(&self) -> Option<&ScreenQuestion> {
        self.dialog.as_ref()
    }

    /// Whether screens are understood.
    pub(super) const fn understands(&self) -> bool {
        self.rules.is_some()
    }
}

impl Supervisor<'_> {
    /// The screen changed: it will be read.
    pub(super) fn screen_changed(&mut self) {
        if self.display.screen().is_some() && self.screen_reader.rules.is_some() {
            self.timers.arm_once(Timer::ReadScreen, READ_INTERVAL);
        }
    }

    /// Reads the screen, and feeds the conversation with what it shows.
    pub(super) fn read_screen(&mut self) {
        let (Some(screen), Some(rules)) = (self.display.screen(), &self.screen_reader.rules) else { return };
        let text = ScreenText::of(screen.screen(), screen.title());
        let reading = rules.read(&text);
        let shows_message = self.conversation.typed_message().is_some_and(|beginning| {
            !reading.text.contains(beginning) && text.lines.iter().any(|line| line.contains(beginning))
        });
        let input = ScreenReading {
            dialog: reading.question.as_ref().map(|dialog| dialog.question.key.clone()),
            activity: reading.activity,
            evidence: evidence(&reading),
            line: reading.line,
            recognised: reading.rule.is_some(),
            typing: self.is_typing(),
            shows_message,
            new_screen: self.screen_reader.new_screen.as_ref().map(|screen| read_new_screen(screen, rules)),
        };
        self.screen_reader.dialog.clone_from(&reading.question);
        self.converse(Input::ScreenRead(input));
    }

    /// Asks what the dialog of the last reading asks.
    pub(super) fn ask_about_dialog(&mut self) {
        if let Some(question) = self.screen_reader.dialog().map(|dialog| dialog.question.clone()) {
            self.ask(question, Origin::Screen);
        }
    }

    /// Keeps what a new process draws apart from what the one before left on the screen.
    pub(super) fn keep_new_screen(&mut self) {
        self.screen_reader.new_screen = Some(AgentScreen::new(self.display.size()));
    }

    /// The process is gone, and its screen with it.
    pub(super) fn close_screen_reader(&mut self) {
        self.timers.disarm(&Timer::ReadScreen);
        self.screen_reader.dialog = None;
        self.screen_reader.new_screen = None;
    }
}

fn read_new_screen(screen: &AgentScreen, rules: &ScreenRules) -> NewScreen {
    let text = ScreenText::of(screen.screen(), screen.title());
    let reading = rules.read(&text);
    let takes_text = screen.screen().bracketed_paste();
    NewScreen { activity: reading.activity, by_line: reading.line.is_some(), takes_text }
}

fn evidence(reading: &Reading<'_>) -> String {
    match reading.rule {
        Some(rule) => format!("rule {rule}: {}", reading.text),
        None => "no rule describes the screen".to_owned(),
    }
}
