//! Comments on lines of the diff.

use agency_model::patch::Patch;
use agency_model::review::{CommentPlace, LineRange, Side};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::tui::detail::fixture::DetailFixture;
use crate::tui::detail::{Content, LineComment, Tab};
use crate::tui::effect::{Effect, Job, JobOutcome};
use crate::tui::fixture::said;
use crate::tui::input::{BackgroundEvent, Input};
use crate::tui::keys::Scope;
use crate::tui::update::update;

const PATCH: &[u8] = b"diff --git a/src/login.rs b/src/login.rs
--- a/src/login.rs
+++ b/src/login.rs
@@ -1,3 +1,3 @@ fn login()
 one
-two
+zwei
 four
";

fn diff(size: (u16, u16)) -> DetailFixture {
    let mut fixture = DetailFixture::new(size, Tab::Diff);
    fixture.tell(Content::Diff(Patch::read(PATCH), None));
    fixture
}

fn key(fixture: &mut DetailFixture, code: KeyCode, modifiers: KeyModifiers) -> Vec<Effect> {
    update(&mut fixture.state, Input::Key(KeyEvent::new(code, modifiers)))
}

fn enter(fixture: &mut DetailFixture) -> Vec<Effect> {
    key(fixture, KeyCode::Enter, KeyModifiers::NONE)
}

fn submit(fixture: &mut DetailFixture) -> Option<(CommentPlace, String)> {
    match key(fixture, KeyCode::Char('s'), KeyModifiers::CONTROL).as_slice() {
        [Effect::Do(_, job)] => {
            let Job::Comment { about, text, .. } = &**job else { return None };
            Some((about.place.clone(), text.clone()))
        }
        _ => None,
    }
}

fn place(side: Side, line: Option<u32>) -> CommentPlace {
    CommentPlace { path: "src/login.rs".to_owned(), side, lines: line.map(LineRange::one) }
}

#[test]
fn a_comment_is_about_the_line_that_was_chosen() {
    for (downs, side, line) in [(2, Side::New, 1), (3, Side::Old, 2), (4, Side::New, 2)] {
        let mut fixture = diff((100, 30));
        fixture.press("c");
        assert_eq!(fixture.state.scope(), Scope::DiffLine);
        fixture.press(&"j".repeat(downs));
        enter(&mut fixture);
        fixture.press("Why x?");
        assert_eq!(submit(&mut fixture), Some((place(side, Some(line)), "Why x?".to_owned())));
        assert_eq!(fixture.state.scope(), Scope::Diff);
    }
}

#[test]
fn a_capital_letter_comments_on_the_file_and_escape_on_nothing() {
    let mut fixture = diff((100, 30));
    fixture.press("C");
    fixture.press("Split it");
    assert_eq!(submit(&mut fixture), Some((place(Side::New, None), "Split it".to_owned())));
    fixture.press("c");
    let chosen = fixture.draw();
    key(&mut fixture, KeyCode::Esc, KeyModifiers::NONE);
    assert_eq!(fixture.state.scope(), Scope::Diff);
    assert_ne!(chosen, fixture.draw(), "the chosen line is marked");
}

#[test]
fn no_key_reaches_the_agent_while_a_line_is_chosen_or_nothing_is_shown() {
    let mut fixture = diff((100, 30));
    fixture.press("c");
    for letter in ["x", "D", "m", "n", "s", "!", "a", "i"] {
        assert_eq!(fixture.press(letter), vec![], "{letter}");
        assert_eq!(fixture.state.scope(), Scope::DiffLine, "{letter}");
    }
    let mut empty = DetailFixture::new((100, 30), Tab::Diff);
    assert_eq!(empty.press("c"), vec![], "it does not interrupt");
    assert_eq!(
        (said(&empty.state).as_str(), empty.state.scope()),
        ("there is no line to comment on; comments are on the whole diff", Scope::Diff)
    );
}

#[test]
fn comments_stand_at_their_lines_and_are_read_again_after_one_was_stored() {
    for size in [(100, 30), (200, 30)] {
        let mut fixture = diff(size);
        if size.0 == 200 {
            fixture.press("z");
        }
        let comment = |line, words: &str| LineComment {
            path: "src/login.rs".to_owned(),
            side: Side::New,
            line,
            words: words.to_owned(),
        };
        fixture.tell(Content::Comments(vec![comment(Some(2), "#1 open: In German"), comment(None, "#2 open: Split")]));
        let drawn = fixture.draw().to_string();
        let row = |text: &str| drawn.lines().find(|row| row.contains(text)).unwrap_or_default().to_owned();
        assert!(row("#1 open: In German").contains("zwei"), "{drawn}");
        assert!(row("#2 open: Split").contains("src/login.rs"), "{drawn}");
        fixture.press("C");
        fixture.press("x");
        assert!(submit(&mut fixture).is_some());
        let (job, _) = fixture.state.jobs.last().unwrap().clone();
        let outcome = Ok(JobOutcome::Said("stored".to_owned()));
        let effects = update(&mut fixture.state, Input::Background(BackgroundEvent::Done { job, outcome }));
        assert_eq!(effects, vec![Effect::Show(Some(Box::new(fixture.subject.clone())))]);
    }
}

#[test]
fn open_comments_are_sent_by_a_key() {
    let mut fixture = diff((100, 30));
    let effects = fixture.press("S");
    assert!(matches!(effects.as_slice(), [Effect::Do(_, job)] if matches!(**job, Job::SendComments(_))), "{effects:?}");
}
