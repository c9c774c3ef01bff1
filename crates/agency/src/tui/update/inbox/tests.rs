use agency_engine::store::QuestionRow;
use agency_model::{Answer, QuestionId, QuestionKind};
use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use crate::tui::effect::{Effect, Failure, Job, JobOutcome};
use crate::tui::fixture::{
    ask, choice, ctrl, enter, escape, permission, press, question, question_id, run, run_id, said, state, tell,
};
use crate::tui::inbox::{AnswerStatus, standing};
use crate::tui::input::{BackgroundEvent, Input};
use crate::tui::state::{Focus, Overlay, State};
use crate::tui::update::update;

const SIZE: (u16, u16) = (120, 30);

fn with(questions: Vec<QuestionRow>) -> State {
    let mut state = state(SIZE, vec![run(1, "one"), run(2, "two")], questions);
    state.runs.select(&run_id(1));
    press(&mut state, "i");
    state
}

fn shown(state: &State) -> Option<QuestionId> {
    state.inbox.shown().map(|row| row.id.clone())
}

/// Which questions are answered, and how.
fn answers(effects: &[Effect]) -> Vec<(QuestionId, Answer)> {
    let answered = |effect: &Effect| {
        let Effect::Do(_, job) = effect else { return None };
        let Job::Answer { question, answer } = &**job else { return None };
        Some((question.id.clone(), answer.clone()))
    };
    effects.iter().filter_map(answered).collect()
}

/// The newest job is done.
fn done(state: &mut State, outcome: Result<&str, &str>) {
    let (job, _) = state.jobs.last().unwrap().clone();
    let failure = |message: &str| Failure { message: message.to_owned(), hint: Some("look again".to_owned()) };
    let outcome = outcome.map(|text| JobOutcome::Said(text.to_owned())).map_err(failure);
    tell(state, BackgroundEvent::Done { job, outcome });
}

#[test]
fn the_keys_answer_what_is_looked_at() {
    let deny = Answer::Deny { message: None };
    for (key, answer) in [("a", Answer::Allow { message: None }), ("d", deny), ("A", Answer::AllowAll)] {
        let mut state = with(vec![permission(1, 1), permission(2, 2)]);
        assert_eq!(answers(&press(&mut state, key)), [(question_id(1), answer)]);
    }
    let mut state = with(vec![permission(1, 1), permission(2, 2)]);
    assert_eq!(answers(&press(&mut state, "ja")), [(question_id(2), Answer::Allow { message: None })]);
}

#[test]
fn two_presses_answer_one_question_however_fast_the_answer_arrives() {
    let mut state = with(vec![permission(1, 1), permission(2, 1)]);
    assert_eq!(answers(&press(&mut state, "aa")).len(), 1);
    assert_eq!(said(&state), "the answer is on its way already");
    // The answer arrives and the question goes, between the second press and the third.
    done(&mut state, Ok("allow: delivered"));
    assert_eq!(answers(&press(&mut state, "a")), []);
    assert_eq!(said(&state), "this question is answered; Enter shows the next question");
    ask(&mut state, vec![permission(2, 1)]);
    assert_eq!(answers(&press(&mut state, "a")), []);
    assert_eq!(shown(&state), Some(question_id(1)));
    assert_eq!(answers(&enter(&mut state)), []);
    assert_eq!(shown(&state), Some(question_id(2)));
    assert_eq!(answers(&press(&mut state, "a")), [(question_id(2), Answer::Allow { message: None })]);
}

#[test]
fn what_is_settled_elsewhere_stays_and_takes_no_answer() {
    let mut state = with(vec![permission(1, 1), permission(2, 2)]);
    ask(&mut state, vec![permission(2, 2)]);
    assert_eq!(shown(&state), Some(question_id(1)));
    assert_eq!(standing(&state, &question_id(1)), AnswerStatus::Gone);
    for key in ["a", "d", "A", "1", "e"] {
        assert_eq!(press(&mut state, key), [], "{key}");
        assert_eq!(said(&state), "this question is no longer open; Enter shows the next question");
    }
    press(&mut state, "j");
    assert_eq!(shown(&state), Some(question_id(2)));
    assert_eq!(answers(&press(&mut state, "a")), [(question_id(2), Answer::Allow { message: None })]);
}

#[test]
fn from_the_last_one_that_is_gone_every_key_leads_to_one_that_is_open() {
    for key in ["j", "k"] {
        let mut state = with(vec![permission(1, 1), permission(2, 2)]);
        press(&mut state, "j");
        ask(&mut state, vec![permission(1, 1)]);
        assert_eq!(shown(&state), Some(question_id(2)));
        press(&mut state, key);
        assert_eq!(shown(&state), Some(question_id(1)), "{key}");
    }
}

#[test]
fn from_the_last_one_that_is_answered_one_goes_back_to_the_others() {
    let mut state = with(vec![permission(1, 1), permission(2, 2)]);
    press(&mut state, "ja");
    done(&mut state, Ok("allow: delivered"));
    ask(&mut state, vec![permission(1, 1)]);
    assert_eq!(standing(&state, &question_id(2)), AnswerStatus::Answered);
    press(&mut state, "j");
    assert_eq!(shown(&state), Some(question_id(1)));
    ask(&mut state, vec![]);
    press(&mut state, "j");
    assert_eq!(shown(&state), None);
}

#[test]
fn new_questions_change_neither_what_is_looked_at_nor_how_far() {
    let long = question(5, 1, QuestionKind::Permission, "Write", &"a line\n".repeat(200));
    let mut state = with(vec![long.clone()]);
    press(&mut state, "JJ");
    let top = state.inbox.top;
    assert!(top > 0);
    ask(&mut state, vec![permission(1, 2), long, permission(9, 2)]);
    assert_eq!((shown(&state), state.inbox.top), (Some(question_id(5)), top));
}

#[test]
fn a_question_that_comes_while_nothing_is_shown_is_not_answered_by_a_stray_key() {
    let mut state = with(vec![]);
    ask(&mut state, vec![permission(1, 1)]);
    assert_eq!(press(&mut state, "a"), []);
    assert_eq!(said(&state), "no question is selected");
    enter(&mut state);
    assert_eq!(shown(&state), Some(question_id(1)));
}

#[test]
fn a_question_never_opens_the_inbox_by_itself() {
    let mut state = state(SIZE, vec![run(1, "one")], vec![]);
    ask(&mut state, vec![permission(1, 1)]);
    assert!(state.overlays.is_empty());
}

#[test]
fn a_key_that_does_not_fit_says_why() {
    let mut state = with(vec![choice(1, 1, false)]);
    for (key, why) in [
        ("a", "this question is not a permission request"),
        ("A", "this question is not a permission request"),
        ("7", "there is no option 7, only 3"),
    ] {
        assert_eq!(press(&mut state, key), [], "{key}");
        assert_eq!(said(&state), why);
    }
    assert_eq!(enter(&mut state), []);
    assert_eq!(said(&state), "the number of an option answers");
    let mut plan = with(vec![question(1, 1, QuestionKind::Plan, "Is this plan right?", "- first\n- then")]);
    assert_eq!(press(&mut plan, "A"), []);
    assert_eq!(press(&mut plan, "1"), []);
    assert_eq!(said(&plan), "there are no options to choose from");
    let mut closed = choice(1, 1, false);
    closed.question.free_text = false;
    let mut closed = with(vec![closed]);
    assert_eq!(press(&mut closed, "e"), []);
    assert_eq!(said(&closed), "this question does not accept free text");
}

#[test]
fn one_option_is_an_answer_and_of_several_enter_sends_those_that_are_in() {
    let chosen = |ids: &[&str]| Answer::Options { chosen: ids.iter().map(|id| (*id).to_owned()).collect() };
    let mut state = with(vec![choice(1, 1, false)]);
    assert_eq!(answers(&press(&mut state, "2")), [(question_id(1), chosen(&["postgres"]))]);
    let mut state = with(vec![choice(1, 1, true)]);
    assert_eq!(enter(&mut state), []);
    assert_eq!(said(&state), "choose some first, by 1 to 3");
    assert_eq!(press(&mut state, "3212"), []);
    assert_eq!(answers(&enter(&mut state)), [(question_id(1), chosen(&["sqlite", "none"]))]);
}

#[test]
fn what_is_chosen_for_one_question_is_not_for_the_next() {
    let mut state = with(vec![choice(1, 1, true), choice(2, 1, true)]);
    press(&mut state, "1j");
    assert_eq!(enter(&mut state), []);
    assert!(state.inbox.chosen.is_empty());
}

#[test]
fn a_refused_answer_is_told_with_the_way_out_and_can_be_given_again() {
    let mut state = with(vec![permission(1, 1)]);
    press(&mut state, "a");
    done(&mut state, Err("it did not say what became of it"));
    assert_eq!(said(&state), "it did not say what became of it (look again)");
    assert_eq!(standing(&state, &question_id(1)), AnswerStatus::Open);
    assert_eq!(answers(&press(&mut state, "a")).len(), 1);
    done(&mut state, Err("too late"));
    ask(&mut state, vec![]);
    assert_eq!(standing(&state, &question_id(1)), AnswerStatus::Gone);
    assert_eq!(press(&mut state, "a"), []);
}

#[test]
fn parts_of_one_request_are_counted_also_when_some_are_answered() {
    let part = |number: u8| {
        let mut row = choice(number, 1, false);
        row.question.key = format!("ask-1/{}", number - 1).into();
        row
    };
    let mut state = with(vec![part(1), part(2), part(3)]);
    assert_eq!(state.inbox.part(&part(1)), Some((1, 3)));
    ask(&mut state, vec![part(2)]);
    assert_eq!(state.inbox.part(&part(2)), Some((2, 3)));
    assert_eq!(state.inbox.part(&choice(4, 1, false)), None);
}

#[test]
fn the_selected_run_is_asked_about_first_and_its_question_leads_back_to_it() {
    let mut state = state(SIZE, vec![run(1, "one"), run(2, "two")], vec![permission(1, 1), permission(2, 2)]);
    state.runs.select(&run_id(2));
    press(&mut state, "i");
    assert_eq!(shown(&state), Some(question_id(2)));
    press(&mut state, "k");
    assert_eq!(shown(&state), Some(question_id(1)));
    press(&mut state, "o");
    assert!(state.overlays.is_empty());
    assert_eq!(state.focus, Focus::Detail);
    assert_eq!(state.runs.current().map(|entry| entry.row.id.clone()), Some(run_id(1)));
}

#[test]
fn reading_ends_at_both_ends() {
    let mut state = with(vec![question(1, 1, QuestionKind::Permission, "Write", &"a line\n".repeat(100))]);
    for _ in 0..50 {
        ctrl(&mut state, 'd');
    }
    let last = state.inbox.top;
    assert!((50..100).contains(&last), "{last}");
    ctrl(&mut state, 'd');
    assert_eq!(state.inbox.top, last);
    press(&mut state, "K");
    assert!(state.inbox.top < last);
    for _ in 0..50 {
        ctrl(&mut state, 'u');
    }
    assert_eq!(state.inbox.top, 0);
}

fn mouse(state: &mut State, kind: MouseEventKind, column: u16, row: u16) {
    update(state, Input::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
}

#[test]
fn the_badge_and_the_questions_can_be_clicked_and_the_wheel_reads() {
    let long = question(1, 1, QuestionKind::Permission, "Write", &"a line\n".repeat(100));
    let mut state = state(SIZE, vec![run(1, "one")], vec![long, permission(2, 1)]);
    let click = MouseEventKind::Down(MouseButton::Left);
    mouse(&mut state, click, SIZE.0 - 3, 0);
    assert!(matches!(state.overlays.as_slice(), [Overlay::Inbox]));
    mouse(&mut state, MouseEventKind::ScrollDown, 80, 10);
    assert_eq!((shown(&state), state.inbox.top), (Some(question_id(1)), 3));
    mouse(&mut state, click, 3, 3);
    assert_eq!((shown(&state), state.inbox.top), (Some(question_id(2)), 0));
    escape(&mut state);
    assert!(state.overlays.is_empty());
}

#[test]
fn one_key_answers_all_questions_that_are_chosen_after_a_confirmation_that_names_their_runs() {
    let mut state = with(vec![permission(1, 1), permission(2, 2), choice(3, 2, false)]);
    assert_eq!(press(&mut state, "Va"), []);
    let Some(Overlay::Confirm(confirm)) = state.overlays.last() else { panic!("{:?}", state.overlays) };
    assert_eq!(confirm.title, "Answer 2 questions: allow?");
    let runs: Vec<&str> = confirm.lines.iter().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(runs, ["one", "two"]);
    let effects = press(&mut state, "y");
    let [Effect::Do(_, job)] = effects.as_slice() else { panic!("{effects:?}") };
    assert!(matches!(&**job, Job::AnswerAll { questions, .. } if questions.len() == 2), "{job:?}");
    // Both are on their way, and neither is answered again.
    assert_eq!(answers(&press(&mut state, "a")), []);
    done(&mut state, Ok("2 questions are answered with allow"));
    ask(&mut state, vec![choice(3, 2, false)]);
    // What is chosen counts once.
    assert!(!state.inbox.is_marked(&question_id(1)));
    // A question that does not take the answer is named.
    press(&mut state, "G a");
    assert!(said(&state).starts_with("the question of two is chosen:"), "{}", said(&state));
}
