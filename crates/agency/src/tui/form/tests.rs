//! The form from the first key to the run, and how it looks.

pub(in crate::tui) mod looks;
pub(in crate::tui) mod sample;

use agency_engine::runs::create::{Adapter, Supports};
use agency_model::{Host, Mode};
use crossterm::event::{KeyCode, KeyModifiers, MouseEvent, MouseEventKind};

use self::sample::{click, ctrl, done, id, job_of, key, row, state, tell_runs, type_text};
use super::*;
use crate::tui::effect::{Effect, ForegroundProgram, Job, JobOutcome, TextFor};
use crate::tui::input::{BackgroundEvent, Input};
use crate::tui::runs::Pick;
use crate::tui::state::{Overlay, State};
use crate::tui::update::update;

fn adapter(name: &str, program: Option<&str>) -> Adapter {
    let supports = Supports {
        events: true,
        conversation: true,
        one_shot: true,
        screen: true,
        resume_headless: true,
        resume_interactive: true,
    };
    Adapter {
        name: name.to_owned(),
        built_in: true,
        command: name.to_owned(),
        program: program.map(str::to_owned),
        version: program.map(|_| "1.2.3".to_owned()),
        tested_version: None,
        install: Some(format!("npm install -g {name}")),
        supports,
    }
}

fn agents() -> Agents {
    let adapters = vec![
        adapter("claude_code", Some("/usr/bin/claude")),
        adapter("codex", None),
        adapter("scripted", Some("/usr/bin/agency")),
    ];
    Agents { adapters, usual: "claude-code".to_owned(), usual_is_chosen: false, host: Host::Tmux }
}

/// An open form, with the agents known.
fn opened(size: (u16, u16)) -> State {
    let mut state = state(size);
    let (number, job) = job_of(&key(&mut state, KeyCode::Char('n')));
    assert_eq!(job, Job::Agents);
    done(&mut state, number, Ok(JobOutcome::Agents(agents())));
    state
}

fn form(state: &State) -> &Form {
    match state.overlays.last() {
        Some(Overlay::Form(form)) => form,
        other => panic!("{other:?}"),
    }
}

fn settings(state: &State) -> RunSettings {
    form(state).settings(state.forms.agents.as_ref())
}

fn failure(message: &str) -> Failure {
    Failure { message: message.to_owned(), hint: Some("do something else".to_owned()) }
}

#[test]
fn everything_has_a_default() {
    let state = opened((100, 30));
    let expected = RunSettings {
        repository: Some("/srv/here".to_owned()),
        base: None,
        runner: Some("claude_code".to_owned()),
        mode: Mode::Interactive,
        host: None,
        name: None,
        prompt: String::new(),
    };
    assert_eq!(settings(&state), expected);
}

#[test]
fn beside_a_run_the_form_is_for_its_repository_and_its_agent() {
    let mut state = state((100, 30));
    tell_runs(&mut state, vec![row(1, "fix")]);
    let (number, _) = job_of(&key(&mut state, KeyCode::Char('n')));
    done(&mut state, number, Ok(JobOutcome::Agents(agents())));
    assert_eq!(settings(&state).repository.as_deref(), Some("/srv/shop"));
    assert_eq!(settings(&state).runner.as_deref(), Some("scripted"));
    done(&mut state, number, Ok(JobOutcome::Agents(Agents { usual_is_chosen: true, ..agents() })));
    assert_eq!(settings(&state).runner.as_deref(), Some("claude_code"), "what the user chose for all runs");
}

#[test]
fn letters_that_are_keys_elsewhere_are_typed() {
    let mut state = opened((100, 30));
    type_text(&mut state, "q?123 n");
    key(&mut state, KeyCode::Enter);
    type_text(&mut state, "x");
    assert_eq!(settings(&state).prompt, "q?123 n\nx");
    key(&mut state, KeyCode::Tab);
    assert_eq!(form(&state).focus(), Field::Repository);
    ctrl(&mut state, 'u');
    type_text(&mut state, "/q?1");
    key(&mut state, KeyCode::Enter);
    type_text(&mut state, "main");
    assert_eq!(
        (settings(&state).repository.as_deref(), settings(&state).base.as_deref()),
        (Some("/q?1"), Some("main"))
    );
}

#[test]
fn tab_goes_through_all_fields_and_back() {
    let mut state = opened((100, 30));
    for field in Field::ALL {
        key(&mut state, KeyCode::Tab);
        assert_eq!(form(&state).focus(), field);
    }
    for field in Field::ALL.into_iter().rev().skip(1) {
        key(&mut state, KeyCode::BackTab);
        assert_eq!(form(&state).focus(), field);
    }
}

#[test]
fn choices_go_round() {
    let mut state = opened((100, 30));
    click_on(&mut state, Field::Runner);
    let mut seen = vec![];
    for code in [KeyCode::Right, KeyCode::Char(' '), KeyCode::Right, KeyCode::Left] {
        key(&mut state, code);
        seen.push(settings(&state).runner.unwrap());
    }
    assert_eq!(seen, ["codex", "scripted", "claude_code", "scripted"]);
    key(&mut state, KeyCode::Down);
    key(&mut state, KeyCode::Char(' '));
    key(&mut state, KeyCode::Down);
    key(&mut state, KeyCode::Left);
    assert_eq!((settings(&state).mode, settings(&state).host), (Mode::Headless, Some(Host::Detached)));
}

/// Clicks on the value of a field.
fn click_on(state: &mut State, field: Field) {
    let inside = inside(state.areas().body);
    let layout = layout(form(state), state.forms.agents.as_ref(), inside.width, inside.height);
    let value = value_of(field, layout.of(field));
    let (column, row) = (inside.x + value.x, inside.y + value.y - form(state).top);
    click(state, column, row);
    assert_eq!(form(state).focus(), field);
}

#[test]
fn a_click_takes_the_keys_to_a_field() {
    let mut state = opened((100, 30));
    for field in Field::ALL {
        click_on(&mut state, field);
    }
}

#[test]
fn a_paste_has_several_lines_only_in_the_prompt() {
    let mut state = opened((100, 30));
    update(&mut state, Input::Paste("one\r\ntwo\u{1b}[31m".to_owned()));
    assert_eq!(settings(&state).prompt, "one\ntwo[31m");
    click_on(&mut state, Field::Name);
    update(&mut state, Input::Paste("one\ntwo\n".to_owned()));
    assert_eq!(settings(&state).name.as_deref(), Some("one two"));
}

#[test]
fn a_form_that_is_closed_comes_back_as_it_was() {
    let mut state = opened((100, 30));
    type_text(&mut state, "Fix it");
    click_on(&mut state, Field::Mode);
    key(&mut state, KeyCode::Char(' '));
    let before = settings(&state);
    key(&mut state, KeyCode::Esc);
    assert!(state.overlays.is_empty());
    tell_runs(&mut state, vec![row(1, "fix")]);
    key(&mut state, KeyCode::Char('n'));
    assert_eq!(settings(&state), before);
    assert_eq!(form(&state).focus(), Field::Mode);
}

#[test]
fn a_form_in_which_nothing_was_written_is_not_kept() {
    let mut state = opened((100, 30));
    key(&mut state, KeyCode::Esc);
    tell_runs(&mut state, vec![row(1, "fix")]);
    key(&mut state, KeyCode::Char('n'));
    assert_eq!(settings(&state).repository.as_deref(), Some("/srv/shop"));
}

#[test]
fn the_prompt_is_written_in_the_users_editor() {
    let mut state = opened((100, 30));
    type_text(&mut state, "Fix");
    click_on(&mut state, Field::Base);
    let effects = ctrl(&mut state, 'e');
    let purpose = TextFor::Overlay;
    assert_eq!(effects, [Effect::RunForeground(ForegroundProgram::Text { purpose, text: "Fix".to_owned() })]);
    update(&mut state, Input::Background(BackgroundEvent::Written { purpose, text: Err(failure("vi ended with 1")) }));
    assert_eq!(settings(&state).prompt, "Fix");
    update(&mut state, Input::Background(BackgroundEvent::Written { purpose, text: Ok("Fix\nall\n".to_owned()) }));
    assert_eq!((settings(&state).prompt.as_str(), form(&state).focus()), ("Fix\nall", Field::Prompt));
}

/// Starts a run; what was asked for.
fn started(state: &mut State) -> (JobNumber, RunSettings) {
    type_text(state, "Fix it");
    let (number, job) = job_of(&ctrl(state, 's'));
    assert!(state.overlays.is_empty(), "the form is closed while the run is created");
    let Job::Create(settings) = job else { panic!("{job:?}") };
    (number, *settings)
}

#[test]
fn a_run_that_is_created_is_selected_when_it_is_there() {
    let mut state = opened((100, 30));
    tell_runs(&mut state, vec![row(1, "old")]);
    let (number, settings) = started(&mut state);
    assert_eq!(settings.prompt, "Fix it");
    done(&mut state, number, Ok(JobOutcome::Created { id: id(2), said: "started new".to_owned() }));
    assert_eq!(state.said.as_ref().map(|said| said.text.as_str()), Some("started new"));
    assert_eq!(state.runs.selected, Some(Pick::Run(id(1))));
    tell_runs(&mut state, vec![row(2, "new")]);
    assert_eq!(state.runs.selected, Some(Pick::Run(id(2))));
    key(&mut state, KeyCode::Char('n'));
    assert_eq!(self::settings(&state).prompt, "", "the next form is empty");
}

#[test]
fn a_run_that_is_in_the_list_already_is_selected_at_once() {
    let mut state = opened((100, 30));
    tell_runs(&mut state, vec![row(1, "old")]);
    let (number, _) = started(&mut state);
    tell_runs(&mut state, vec![row(2, "new")]);
    assert_eq!(state.runs.selected, Some(Pick::Run(id(1))));
    done(&mut state, number, Ok(JobOutcome::Created { id: id(2), said: "started new".to_owned() }));
    assert_eq!(state.runs.selected, Some(Pick::Run(id(2))));
}

#[test]
fn a_run_that_is_refused_brings_the_form_back_with_everything_in_it() {
    let mut state = opened((100, 30));
    let (number, before) = started(&mut state);
    let outcome = JobOutcome::NotCreated { field: Some(Field::Base), failure: failure("no such ref") };
    done(&mut state, number, Ok(outcome));
    assert_eq!((settings(&state), form(&state).focus()), (before, Field::Base));
    let field_error = FieldError { field: Some(Field::Base), failure: failure("no such ref") };
    assert_eq!(form(&state).field_error, Some(field_error));
    type_text(&mut state, "main");
    assert_eq!(form(&state).field_error, None, "it may be right now");
    let (number, _) = job_of(&ctrl(&mut state, 's'));
    done(&mut state, number, Err(failure("the database is locked")));
    assert_eq!(form(&state).field_error.as_ref().map(|field_error| field_error.field), Some(None));
}

#[test]
fn a_refusal_does_not_take_the_keys_from_another_form() {
    let mut state = opened((100, 30));
    let (number, first) = started(&mut state);
    key(&mut state, KeyCode::Char('n'));
    type_text(&mut state, "Another");
    done(&mut state, number, Ok(JobOutcome::NotCreated { field: None, failure: failure("no") }));
    assert_eq!(settings(&state).prompt, "Another");
    assert!(state.said.as_ref().is_some_and(|said| said.trouble && said.text.contains("no")));
    key(&mut state, KeyCode::Esc);
    assert_eq!(settings(&state), first);
}

#[test]
fn a_refusal_opens_the_form_in_front_of_what_is_only_looked_at() {
    let mut state = opened((100, 30));
    let (number, before) = started(&mut state);
    key(&mut state, KeyCode::Char('?'));
    done(&mut state, number, Ok(JobOutcome::NotCreated { field: None, failure: failure("no") }));
    assert_eq!(settings(&state), before);
    key(&mut state, KeyCode::Esc);
    assert!(matches!(state.overlays.last(), Some(Overlay::Help { .. })));
}

#[test]
fn the_user_can_leave_while_the_agents_are_read() {
    let mut state = state((100, 30));
    key(&mut state, KeyCode::Char('n'));
    key(&mut state, KeyCode::Esc);
    assert_eq!(key(&mut state, KeyCode::Char('q')).last(), Some(&Effect::Quit));
}

#[test]
fn the_wheel_turns_a_form_that_does_not_fit() {
    let mut state = opened((40, 10));
    assert!(form(&state).top > 0, "the prompt is in sight");
    let wheel = |kind| Input::Mouse(MouseEvent { kind, column: 5, row: 5, modifiers: KeyModifiers::NONE });
    for _ in 0..4 {
        update(&mut state, wheel(MouseEventKind::ScrollUp));
    }
    assert_eq!(form(&state).top, 0);
    type_text(&mut state, "x");
    assert!(form(&state).top > 0, "who types sees what is typed");
}
