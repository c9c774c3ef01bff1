//! Answers become keys, or a reason why not.

use agency_adapters::screen::{AnswerError, ScreenQuestion};
use agency_model::Answer;

use super::recorded::{recorded, rules};

fn asked(agent: &str, path: &str) -> ScreenQuestion {
    rules(agent).read(&recorded(path)).question.unwrap()
}

fn chosen(ids: &[&str]) -> Answer {
    Answer::Options { chosen: ids.iter().map(|id| (*id).to_owned()).collect() }
}

fn typed(question: &ScreenQuestion, answer: &Answer) -> Vec<String> {
    question.keys_for(answer).unwrap().iter().map(|piece| piece.escape_ascii().to_string()).collect()
}

#[test]
fn allowing_all_is_allowing_once() {
    let question = asked("claude_code", "claude/09-permission-bash.txt");
    assert_eq!(question.keys_for(&Answer::AllowAll), question.keys_for(&Answer::Allow { message: None }));
}

#[test]
fn an_option_is_named_by_its_id_or_its_label() {
    let question = asked("codex", "codex/35-question.txt");
    assert_eq!(typed(&question, &chosen(&["2"])), ["2"]);
    assert_eq!(typed(&question, &chosen(&["Postgres"])), ["2"]);
    let error = question.keys_for(&chosen(&["9"])).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the dialog has no option '9': it has 1 (SQLite (Recommended)), 2 (Postgres), 3 (None of the above)"
    );
    assert_eq!(question.keys_for(&chosen(&["1", "2"])), Err(AnswerError::NotOne(2)));
    assert_eq!(question.keys_for(&chosen(&[])), Err(AnswerError::NotOne(0)));
}

#[test]
fn several_options_are_checked_as_chosen_whatever_was_checked_before() {
    let question = asked("claude_code", "claude/35-question-several-checked.txt");
    assert_eq!(typed(&question, &chosen(&["1", "2"])), ["1", "\\x1b[C"]);
    assert_eq!(typed(&question, &chosen(&["1"])), ["1", "2", "\\x1b[C"]);
    assert_eq!(typed(&question, &chosen(&[])), ["2", "\\x1b[C"]);
    assert_eq!(typed(&question, &chosen(&["4"])), ["4"]);
    assert_eq!(question.keys_for(&chosen(&["1", "4"])), Err(AnswerError::NotOne(2)));
}

#[test]
fn own_words_are_pasted_and_cannot_press_keys() {
    let question = asked("gemini", "gemini/32-question.txt");
    let answer = |text: &str| Answer::Text { text: text.to_owned() };
    let keys = typed(&question, &answer(" two\nlines\x1b[201~\r "));
    assert_eq!(keys, ["\\x1b[B", "\\x1b[B", "\\x1b[200~two\\nlines[201~\\x1b[201~", "\\r"]);
    assert_eq!(question.keys_for(&answer(" \n")), Err(AnswerError::EmptyText));
    let permission = asked("gemini", "gemini/04-permission-shell.txt");
    assert!(matches!(permission.keys_for(&answer("no")), Err(AnswerError::NoText(_))));
}

#[test]
fn two_dialogs_at_once_offer_no_answer() {
    for path in ["gemini/39-question-and-trust-at-once.txt", "gemini/40-permission-and-trust-at-once.txt"] {
        let asked = asked("gemini", path);
        assert!(asked.question.only_on_screen, "{path}");
        assert_eq!((asked.question.options.len(), asked.question.actions().len()), (0, 0), "{path}");
        assert!(asked.question.detail.ends_with("\n3. Don't trust"), "{path}: {}", asked.question.detail);
        for answer in [Answer::Deny { message: None }, Answer::Allow { message: None }, chosen(&["1"])] {
            assert!(asked.question.check(&answer).is_err() && asked.keys_for(&answer).is_err(), "{path}");
        }
    }
}

#[test]
fn buttons_are_walked_to_only_from_the_one_that_stands_out() {
    let mut screen = recorded("opencode/02-permission.txt");
    let line = screen.lines.iter().position(|line| line.contains("Allow once   ")).unwrap();
    let rules = rules("opencode");
    screen.highlights[line] = vec!["Reject".to_owned()];
    let question = rules.read(&screen).question.unwrap();
    assert_eq!(typed(&question, &Answer::Allow { message: None }), ["\\x1b[D", "\\x1b[D", "\\r"]);
    screen.highlights[line] = vec![];
    let question = rules.read(&screen).question.unwrap();
    assert_eq!(question.keys_for(&Answer::Allow { message: None }), Err(AnswerError::NoMark));
    assert_eq!(typed(&question, &Answer::Deny { message: None }), ["\\x1b"]);
}
