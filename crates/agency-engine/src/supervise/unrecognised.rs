//! A screen that no rule describes for long becomes a question to the user.
//!
//! The one rule: nothing is ever typed into a screen that is not recognised.

use std::time::Duration;

use agency_model::{Question, QuestionKind, QuestionOption};

use super::open_questions::QuestionSource;
use super::supervisor::Supervisor;
use super::timers::Timer;
use crate::screen::ScreenText;

/// The key of the question; there is one screen, so there is one such question at a time.
const KEY: &str = "unrecognised_screen";
/// The only answer.
const DISMISS: &str = "dismiss";

/// How long the screen has not been recognised.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Unrecognised {
    /// It is recognised, or was not looked at.
    #[default]
    No,
    /// Not yet for long.
    Counting,
    /// There is a question about it, or was: it is not asked a second time.
    Asked,
}

impl Supervisor<'_> {
    /// The screen was looked at.
    pub(super) fn see_whether_recognised(&mut self, recognised: bool) {
        match (recognised, self.screen_reader.unrecognised) {
            (true, Unrecognised::No) | (false, Unrecognised::Counting | Unrecognised::Asked) => {}
            (true, Unrecognised::Counting | Unrecognised::Asked) => {
                self.screen_reader.unrecognised = Unrecognised::No;
                self.timers.disarm(Timer::UnrecognisedScreen);
                self.withdraw(KEY, "the screen is recognised again");
            }
            (false, Unrecognised::No) => {
                if let Some(limit) = self.launch.unknown_ms.map(Duration::from_millis) {
                    self.screen_reader.unrecognised = Unrecognised::Counting;
                    self.timers.arm(Timer::UnrecognisedScreen, limit);
                }
            }
        }
    }

    /// The time for a screen that is not recognised is over.
    pub(super) fn ask_about_screen(&mut self) {
        // What it shows now may be known already.
        self.read_screen();
        let Some(screen) = self.screen.as_ref().filter(|_| self.screen_reader.unrecognised == Unrecognised::Counting)
        else {
            return;
        };
        let shown = ScreenText::of(screen.screen(), screen.title()).lines.join("\n");
        self.screen_reader.unrecognised = Unrecognised::Asked;
        self.ask(question(shown.trim_end(), &self.id.to_string()), QuestionSource::Unrecognised);
    }
}

fn question(shown: &str, run: &str) -> Question {
    let dismiss = QuestionOption {
        id: DISMISS.to_owned(),
        label: "Dismiss".to_owned(),
        description: Some("Nothing is typed, and this screen is not asked about again".to_owned()),
    };
    Question {
        key: KEY.to_owned(),
        kind: QuestionKind::Other,
        title: "agency does not recognise this screen".to_owned(),
        detail: format!("{shown}\n\nThe agent may wait for something. Look at it: agency attach {run}"),
        options: vec![dismiss],
        several: false,
        free_text: false,
        only_on_screen: false,
        tool: None,
    }
}
