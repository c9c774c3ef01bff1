//! The steps of a session: what can be done with them, and how they look.

mod looks;

use agency_engine::runs::changes::RunsNews;
use agency_engine::store::QuestionRow;
use agency_model::workflow::StepKind;
use agency_model::{QuestionKind, RunKind};
use crossterm::event::{KeyCode, KeyModifiers, MouseEvent, MouseEventKind};
use jiff::Timestamp;

use super::*;
use crate::tui::effect::{Effect, Job, JobOutcome};
use crate::tui::fixture;
use crate::tui::form::tests::sample::{NOW, click, ctrl, done, id, job_of, key, row, state, tell_runs, type_text};
use crate::tui::input::{BackgroundEvent, Input};
use crate::tui::runs::Pick;
use crate::tui::state::{Focus, Overlay, State};
use crate::tui::update::update;

fn session() -> SessionId {
    "s_01JXA0000000000000000000S1".parse().unwrap()
}

fn step(path: &str, depth: usize, kind: StepKind, state: StepState) -> StepOverview {
    let name = path.rsplit('/').next().unwrap().split('[').next().unwrap();
    let began = state != StepState::Pending && state != StepState::Skipped;
    let over = matches!(state, StepState::Done | StepState::Failed);
    StepOverview {
        name: name.to_owned(),
        path: path.to_owned(),
        depth,
        kind,
        state,
        attempts: u32::from(began),
        run_id: None,
        runs: vec![],
        round: None,
        started_at: began.then(|| Timestamp::from_second(NOW - 125).unwrap()),
        ended_at: over.then(|| Timestamp::from_second(NOW - 60).unwrap()),
        summary: None,
        error: None,
        exit_code: None,
        cost_usd: None,
    }
}

fn overview(state: SessionState) -> Overview {
    let steps = vec![
        StepOverview {
            run_id: Some(id(2)),
            cost_usd: Some(0.1234),
            summary: Some("Wrote a plan with four steps.\nAnd more.".to_owned()),
            ..step("plan", 0, StepKind::Agent, StepState::Done)
        },
        StepOverview { round: Some(2), ..step("test-fix", 0, StepKind::Loop, StepState::Running) },
        StepOverview {
            attempts: 2,
            error: Some("3 tests failed: login, logout, basket".to_owned()),
            ..step("test-fix[2]/tests", 1, StepKind::Script, StepState::Failed)
        },
        StepOverview { run_id: Some(id(3)), ..step("test-fix[2]/fix", 1, StepKind::Agent, StepState::Running) },
        step("review", 0, StepKind::Approval, StepState::Waiting),
        step("docs", 0, StepKind::Agent, StepState::Skipped),
        step("merge", 0, StepKind::Merge, StepState::Pending),
    ];
    Overview {
        session: session(),
        workflow: "implement".to_owned(),
        file: ".agency/workflows/implement.yaml".to_owned(),
        state,
        reason: (state == SessionState::Blocked).then(|| "the step tests failed".to_owned()),
        driven: !state.is_settled(),
        driver: Some(id(1)),
        goal: None,
        task: "Fix the login".to_owned(),
        repo: "/srv/shop".to_owned(),
        worktree_path: None,
        branch: Some("agency/implement-1".to_owned()),
        created_at: Timestamp::from_second(NOW - 300).unwrap(),
        updated_at: Timestamp::from_second(NOW).unwrap(),
        cost_usd: Some(0.1234),
        steps,
    }
}

fn question(number: u8) -> QuestionRow {
    let asked = fixture::question(number, 1, QuestionKind::Permission, "Ship it?", "Four files changed.");
    QuestionRow { run_id: id(1), asked_at: Timestamp::from_second(NOW).unwrap(), ..asked }
}

/// A list with the driver of the session and the runs of two steps; the driver is selected.
fn with_runs(size: (u16, u16)) -> State {
    let mut state = state(size);
    let of_session = |number, name: &str| {
        let kind = if number == 1 { RunKind::Workflow } else { RunKind::Task };
        agency_engine::store::RunRow { workflow_session: Some(session()), kind, ..row(number, name) }
    };
    tell_runs(&mut state, vec![of_session(1, "implement"), of_session(2, "plan"), of_session(3, "fix")]);
    state.runs.select(&id(1));
    state
}

fn opened_at(size: (u16, u16), stands: SessionState) -> State {
    let mut state = with_runs(size);
    let (number, job) = job_of(&key(&mut state, KeyCode::Char('w')));
    assert_eq!(job, Job::Session(session()));
    done(&mut state, number, Ok(JobOutcome::Session(Box::new(overview(stands)))));
    state
}

fn opened(stands: SessionState) -> State {
    opened_at((100, 30), stands)
}

fn steps(state: &State) -> &Steps {
    let found =
        state.overlays.iter().find_map(|front| if let Overlay::Steps(steps) = front { Some(steps) } else { None });
    found.unwrap()
}

fn selected(state: &State) -> &str {
    &steps(state).current().unwrap().path
}

fn ask(state: &mut State, questions: Vec<QuestionRow>) -> Vec<Effect> {
    let news = RunsNews { questions: Some(questions), ..RunsNews::default() };
    update(state, Input::Background(BackgroundEvent::Runs(news)))
}

fn said(state: &State) -> &str {
    state.said.as_ref().map_or("", |said| said.text.as_str())
}

#[test]
fn a_run_of_no_workflow_has_no_steps() {
    let mut state = state((100, 30));
    tell_runs(&mut state, vec![row(1, "alone")]);
    assert!(!key(&mut state, KeyCode::Char('w')).iter().any(|effect| matches!(effect, Effect::Do(..))));
    assert!(state.overlays.is_empty());
    assert!(said(&state).contains("alone does not belong to a workflow"), "{}", said(&state));
}

#[test]
fn what_waits_is_selected_first_and_keys_move_from_there() {
    let mut state = opened(SessionState::Waiting);
    assert_eq!(selected(&state), "review");
    key(&mut state, KeyCode::Char('k'));
    assert_eq!(selected(&state), "test-fix[2]/fix");
    key(&mut state, KeyCode::Char('G'));
    assert_eq!(selected(&state), "merge");
    key(&mut state, KeyCode::Char('g'));
    assert_eq!((selected(&state), steps(&state).top), ("plan", 0));
}

#[test]
fn the_selection_stays_with_its_step() {
    let mut state = opened(SessionState::Waiting);
    let (number, _) = job_of(&tell_runs(&mut state, vec![of_session_changed()]));
    let mut later = overview(SessionState::Running);
    later.steps.insert(1, step("another", 0, StepKind::Script, StepState::Done));
    done(&mut state, number, Ok(JobOutcome::Session(Box::new(later))));
    assert_eq!(selected(&state), "review");
}

fn of_session_changed() -> agency_engine::store::RunRow {
    agency_engine::store::RunRow { workflow_session: Some(session()), attempt: 2, ..row(3, "fix") }
}

#[test]
fn changes_are_read_one_after_the_other() {
    let mut state = opened(SessionState::Running);
    let (number, _) = job_of(&tell_runs(&mut state, vec![of_session_changed()]));
    for _ in 0..3 {
        assert_eq!(tell_runs(&mut state, vec![of_session_changed()]), [], "it is being read");
    }
    let effects = done(&mut state, number, Ok(JobOutcome::Session(Box::new(overview(SessionState::Running)))));
    let (again, job) = job_of(&effects);
    assert_eq!(job, Job::Session(session()));
    assert_eq!(done(&mut state, again, Ok(JobOutcome::Session(Box::new(overview(SessionState::Running))))), []);
    assert_eq!(tell_runs(&mut state, vec![row(9, "stranger")]), [], "another run is none of our business");
}

#[test]
fn a_session_under_way_is_looked_at_as_time_goes_by() {
    let tick = || Input::Tick(Timestamp::from_second(NOW + 1).unwrap());
    let mut state = opened(SessionState::Running);
    assert_eq!(job_of(&update(&mut state, tick())).1, Job::Session(session()));
    let mut state = opened(SessionState::Completed);
    assert_eq!(update(&mut state, tick()), []);
}

#[test]
fn what_is_read_late_for_other_steps_is_dropped() {
    let mut state = opened(SessionState::Running);
    let late = overview(SessionState::Completed);
    done(&mut state, 999, Ok(JobOutcome::Session(Box::new(late))));
    assert_eq!(steps(&state).overview.as_ref().map(|overview| overview.state), Some(SessionState::Running));
}

#[test]
fn a_session_that_cannot_be_read_says_why() {
    let mut state = with_runs((100, 30));
    let (number, _) = job_of(&key(&mut state, KeyCode::Char('w')));
    let failure = Failure { message: "no session".to_owned(), hint: Some("look elsewhere".to_owned()) };
    done(&mut state, number, Err(failure.clone()));
    assert_eq!(steps(&state).trouble, Some(failure));
}

#[test]
fn the_run_of_a_step_is_looked_at() {
    let mut state = opened(SessionState::Running);
    key(&mut state, KeyCode::Char('g'));
    key(&mut state, KeyCode::Enter);
    assert!(state.overlays.is_empty());
    assert_eq!((state.runs.selected.clone(), state.focus), (Some(Pick::Run(id(2))), Focus::Detail));
    let mut state = opened(SessionState::Waiting);
    key(&mut state, KeyCode::Char('o'));
    assert!(said(&state).contains("review") && !state.overlays.is_empty(), "{}", said(&state));
}

#[test]
fn a_filter_does_not_hide_the_run_of_a_step() {
    let mut state = with_runs((100, 30));
    state.runs.set_filter("implement");
    let (number, _) = job_of(&key(&mut state, KeyCode::Char('w')));
    done(&mut state, number, Ok(JobOutcome::Session(Box::new(overview(SessionState::Running)))));
    key(&mut state, KeyCode::Char('g'));
    key(&mut state, KeyCode::Char('o'));
    assert_eq!(state.runs.selected, Some(Pick::Run(id(2))));
}

#[test]
fn an_approval_is_asked_for_first() {
    let mut state = opened(SessionState::Waiting);
    ask(&mut state, vec![question(1)]);
    assert_eq!(key(&mut state, KeyCode::Char('a')), []);
    let Some(Overlay::Confirm(confirm)) = state.overlays.last() else { panic!("{:?}", state.overlays) };
    assert_eq!(confirm.lines, ["Ship it?", "", "Four files changed."]);
    key(&mut state, KeyCode::Char('n'));
    key(&mut state, KeyCode::Char('a'));
    let (number, job) = job_of(&key(&mut state, KeyCode::Char('y')));
    assert_eq!(job, Job::Approve(session()));
    // The session is being read since the question came; then it is read once more.
    let reading = steps(&state).reading.unwrap();
    assert_eq!(done(&mut state, number, Ok(JobOutcome::Said("approved".to_owned()))), []);
    let effects = done(&mut state, reading, Ok(JobOutcome::Session(Box::new(overview(SessionState::Running)))));
    assert_eq!(job_of(&effects).1, Job::Session(session()));
}

#[test]
fn nothing_is_approved_where_nothing_is_asked() {
    let mut state = opened(SessionState::Running);
    key(&mut state, KeyCode::Char('a'));
    assert!(said(&state).contains("is not waiting for an approval"), "{}", said(&state));
    assert!(matches!(state.overlays.last(), Some(Overlay::Steps(_))));
    ask(&mut state, vec![question(1), question(2)]);
    key(&mut state, KeyCode::Char('x'));
    assert!(said(&state).contains("2 things"), "{}", said(&state));
}

#[test]
fn a_rejection_has_a_reason_which_is_kept_until_it_was_told() {
    let mut state = opened(SessionState::Waiting);
    ask(&mut state, vec![question(1)]);
    key(&mut state, KeyCode::Char('x'));
    type_text(&mut state, "q: no tests");
    key(&mut state, KeyCode::Esc);
    assert_eq!(state.scope(), Scope::Steps);
    key(&mut state, KeyCode::Char('x'));
    key(&mut state, KeyCode::Enter);
    type_text(&mut state, "?");
    let (number, job) = job_of(&ctrl(&mut state, 's'));
    assert_eq!(job, Job::Reject { session: session(), reason: "q: no tests\n?".to_owned() });
    done(&mut state, number, Err(Failure { message: "it is gone".to_owned(), hint: None }));
    assert_eq!((said(&state), steps(&state).reason().text().as_str()), ("it is gone", "q: no tests\n?"));
    key(&mut state, KeyCode::Char('x'));
    let (number, _) = job_of(&ctrl(&mut state, 's'));
    done(&mut state, number, Ok(JobOutcome::Said("rejected".to_owned())));
    assert_eq!(steps(&state).reason().text(), "");
}

#[test]
fn a_retry_is_asked_for_first() {
    let mut state = opened(SessionState::Blocked);
    key(&mut state, KeyCode::Char('r'));
    let (number, job) = job_of(&key(&mut state, KeyCode::Char('y')));
    assert_eq!(job, Job::Retry { session: session(), from: None });
    done(&mut state, number, Ok(JobOutcome::Said("it goes on".to_owned())));
    key(&mut state, KeyCode::Char('g'));
    key(&mut state, KeyCode::Char('j'));
    key(&mut state, KeyCode::Char('j'));
    key(&mut state, KeyCode::Char('R'));
    let (_, job) = job_of(&key(&mut state, KeyCode::Char('y')));
    assert_eq!(job, Job::Retry { session: session(), from: Some("test-fix[2]/tests".to_owned()) });
    let mut state = opened(SessionState::Running);
    key(&mut state, KeyCode::Char('r'));
    assert!(said(&state).contains("only a session that is not running"), "{}", said(&state));
}

#[test]
fn a_click_selects_a_step_and_a_second_one_opens_its_run() {
    let mut state = opened(SessionState::Waiting);
    let shown = lines(steps(&state), 100);
    let row = u16::try_from(1 + shown.iter().position(|line| *line == StepsLine::Step(0)).unwrap()).unwrap();
    click(&mut state, 3, row);
    assert_eq!(selected(&state), "plan");
    click(&mut state, 3, row);
    assert_eq!(state.runs.selected, Some(Pick::Run(id(2))));
}

#[test]
fn the_wheel_turns_the_steps() {
    let mut state = opened_at((40, 10), SessionState::Waiting);
    let wheel = |kind| Input::Mouse(MouseEvent { kind, column: 5, row: 5, modifiers: KeyModifiers::NONE });
    for _ in 0..4 {
        update(&mut state, wheel(MouseEventKind::ScrollUp));
    }
    assert_eq!((selected(&state), steps(&state).top), ("plan", 0));
    for _ in 0..4 {
        update(&mut state, wheel(MouseEventKind::ScrollDown));
    }
    assert_eq!(selected(&state), "merge");
}
