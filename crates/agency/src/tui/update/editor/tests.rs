use agency_engine::runs::changes::RunsNews;
use agency_model::Answer;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::tui::effect::{Effect, Failure, ForegroundProgram, Job, JobOutcome, TextFor};
use crate::tui::fixture::{
    ask, choice, ctrl, ended, enter, escape, permission, press, question_id, run, said, state, tell,
};
use crate::tui::input::{BackgroundEvent, Input};
use crate::tui::state::{Overlay, State};
use crate::tui::update::update;

const SIZE: (u16, u16) = (120, 30);

fn written(state: &State) -> Option<String> {
    match state.overlays.last() {
        Some(Overlay::Editor(editor)) => Some(editor.text()),
        _ => None,
    }
}

fn job(effects: &[Effect]) -> Option<Job> {
    match effects {
        [Effect::Do(_, job)] => Some((**job).clone()),
        _ => None,
    }
}

fn done(state: &mut State, outcome: Result<&str, &str>) {
    let (job, _) = state.jobs.last().unwrap().clone();
    let failure = |message: &str| Failure { message: message.to_owned(), hint: None };
    let outcome = outcome.map(|text| JobOutcome::Said(text.to_owned())).map_err(failure);
    tell(state, BackgroundEvent::Done { job, outcome });
}

fn message(text: &str) -> State {
    let mut state = state(SIZE, vec![run(1, "one")], vec![]);
    press(&mut state, "m");
    press(&mut state, text);
    state
}

#[test]
fn a_message_is_written_in_lines_and_sent() {
    let mut state = message("first q");
    enter(&mut state);
    press(&mut state, "?i");
    let text = "first q\n?i".to_owned();
    assert_eq!(job(&ctrl(&mut state, 's')), Some(Job::Send { row: run(1, "one"), text }));
    assert!(state.overlays.is_empty());
    done(&mut state, Ok("one: delivered"));
    press(&mut state, "m");
    assert_eq!(written(&state).as_deref(), Some(""));
}

#[test]
fn alt_enter_sends_too() {
    let mut state = message("hello");
    let event = KeyEvent::new(KeyCode::Enter, KeyModifiers::ALT);
    let sent = update(&mut state, Input::Key(event));
    assert!(sent.iter().any(|effect| matches!(effect, Effect::Do(_, job) if matches!(**job, Job::Send { .. }))));
}

#[test]
fn one_that_is_over_goes_on() {
    let mut state = state(SIZE, vec![ended(run(1, "one"))], vec![]);
    state.runs.select(&run(1, "one").id);
    press(&mut state, "mnow");
    let text = "now".to_owned();
    assert_eq!(job(&ctrl(&mut state, 's')), Some(Job::Resume { row: ended(run(1, "one")), text }));
}

#[test]
fn a_message_to_one_that_ended_meanwhile_begins_no_run_unasked() {
    let mut state = message("hello");
    let changed = vec![ended(run(1, "one"))];
    tell(&mut state, BackgroundEvent::Runs(RunsNews { changed, gone: vec![], questions: None }));
    assert_eq!(ctrl(&mut state, 's'), []);
    assert_eq!(said(&state), "one is completed now; send it again if you mean that");
    assert!(matches!(job(&ctrl(&mut state, 's')), Some(Job::Resume { .. })));
}

#[test]
fn nothing_is_not_sent() {
    let mut state = message(" ");
    assert_eq!(ctrl(&mut state, 's'), []);
    assert_eq!(said(&state), "nothing is written yet");
    assert_eq!(written(&state).as_deref(), Some(" "));
}

#[test]
fn a_draft_is_kept_for_what_it_was_written_for() {
    let mut state = state(SIZE, vec![run(1, "one"), run(2, "two")], vec![]);
    state.runs.select(&run(1, "one").id);
    press(&mut state, "mto one");
    escape(&mut state);
    state.runs.select(&run(2, "two").id);
    press(&mut state, "m");
    assert_eq!(written(&state).as_deref(), Some(""));
    escape(&mut state);
    state.runs.select(&run(1, "one").id);
    press(&mut state, "m");
    assert_eq!(written(&state).as_deref(), Some("to one"));
}

#[test]
fn what_could_not_be_sent_comes_back() {
    let mut state = message("hello");
    ctrl(&mut state, 's');
    assert_eq!(written(&state), None);
    press(&mut state, "q");
    done(&mut state, Err("the agent does not listen"));
    assert_eq!(written(&state).as_deref(), Some("hello"));
    assert_eq!(said(&state), "the agent does not listen");
    // Who wanted to leave is kept from losing it.
    assert!(!state.leaving);
}

#[test]
fn who_writes_something_else_is_not_disturbed_by_what_comes_back() {
    let mut state = message("hello");
    ctrl(&mut state, 's');
    press(&mut state, "/on");
    done(&mut state, Err("no"));
    assert!(matches!(state.overlays.as_slice(), [Overlay::Filter]));
    enter(&mut state);
    press(&mut state, "m");
    assert_eq!(written(&state).as_deref(), Some("hello"));
}

#[test]
fn a_second_message_waits_for_the_first() {
    let mut state = message("first");
    ctrl(&mut state, 's');
    press(&mut state, "m");
    press(&mut state, " second");
    assert_eq!(ctrl(&mut state, 's'), []);
    assert_eq!(said(&state), "sending to one already");
    assert!(written(&state).is_some_and(|text| text.ends_with("second")));
}

#[test]
fn a_paste_is_text_and_the_users_own_editor_gives_its_text_back() {
    let mut state = message("a ");
    update(&mut state, Input::Paste("b\r\nc\x1b[2Jd\r".to_owned()));
    assert_eq!(written(&state).as_deref(), Some("a b\nc[2Jd\n"));
    let text = "a b\nc[2Jd\n".to_owned();
    assert_eq!(
        ctrl(&mut state, 'e'),
        [Effect::RunForeground(ForegroundProgram::Text { purpose: TextFor::Overlay, text })]
    );
    tell(&mut state, BackgroundEvent::Written { purpose: TextFor::Overlay, text: Ok("better\n".to_owned()) });
    assert_eq!(written(&state).as_deref(), Some("better"));
    let failure = Failure { message: "vi ended".to_owned(), hint: None };
    tell(&mut state, BackgroundEvent::Written { purpose: TextFor::Overlay, text: Err(failure) });
    assert_eq!((written(&state).as_deref(), said(&state).as_str()), (Some("better"), "vi ended"));
}

#[test]
fn own_words_answer_a_question_and_deny_a_permission() {
    let mut state = state(SIZE, vec![run(1, "one")], vec![choice(1, 1, false), permission(2, 1)]);
    press(&mut state, "ieboth");
    let sent = job(&ctrl(&mut state, 's'));
    let answer = Answer::Text { text: "both".to_owned() };
    assert!(matches!(&sent, Some(Job::Answer { question, answer: given })
        if question.id == question_id(1) && *given == answer));
    assert!(matches!(state.overlays.as_slice(), [Overlay::Inbox]));
    press(&mut state, "jenot here");
    let sent = job(&ctrl(&mut state, 's'));
    let answer = Answer::Deny { message: Some("not here".to_owned()) };
    assert!(matches!(&sent, Some(Job::Answer { question, answer: given })
        if question.id == question_id(2) && *given == answer));
}

#[test]
fn words_for_a_question_that_is_gone_are_refused_and_answer_no_other() {
    let mut state = state(SIZE, vec![run(1, "one")], vec![permission(1, 1), permission(2, 1)]);
    press(&mut state, "ieno");
    ask(&mut state, vec![permission(2, 1)]);
    assert_eq!(ctrl(&mut state, 's'), []);
    assert_eq!(said(&state), "this question is no longer open");
    assert_eq!(written(&state).as_deref(), Some("no"));
}
