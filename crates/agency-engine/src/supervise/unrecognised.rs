//! A screen that no rule describes for long becomes a question to the user.
//!
//! The one rule: nothing is ever typed into a screen that is not recognised.

use agency_adapters::screen::ScreenText;
use agency_model::conversation::Origin;
use agency_model::{Question, QuestionKey, QuestionKind, QuestionOption};

use super::Supervisor;

/// The key of the question; there is one screen, so there is one such question at a time.
const KEY: &str = "unrecognised_screen";
/// The id of the only answer.
const DISMISS: &str = "dismiss";

impl Supervisor<'_> {
    /// Asks the user about a screen that has not been recognised for too long.
    pub(super) fn ask_about_screen(&mut self) {
        let Some(screen) = self.display.screen() else { return };
        let shown = ScreenText::of(screen.screen(), screen.title()).lines.join("\n");
        self.ask(question(shown.trim_end(), &self.id.to_string()), Origin::Supervisor);
    }
}

fn question(shown: &str, run: &str) -> Question {
    let dismiss = QuestionOption {
        id: DISMISS.to_owned(),
        label: "Dismiss".to_owned(),
        description: Some("Nothing is typed, and this screen is not asked about again".to_owned()),
    };
    Question {
        key: QuestionKey::whole(KEY),
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
