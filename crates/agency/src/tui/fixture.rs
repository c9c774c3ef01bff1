//! What tests of the screen have in common: runs, questions and a state with fixed times and ids.

use agency_engine::runs::changes::RunsNews;
use agency_engine::store::{QuestionRow, QuestionState, RunRow};
use agency_model::run::{RestartPolicy, State as RunState};
use agency_model::{
    Activity, Host, Mode, Question, QuestionId, QuestionKind, QuestionOption, RunId, RunKind, Usage, Vcs, WorkspaceKind,
};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use jiff::{SignedDuration, Timestamp};

use super::effect::Effect;
use super::input::{BackgroundEvent, Input};
use super::state::State;
use super::theme::Theme;
use super::update::update;

/// The moment at which everything stands.
pub(super) fn now() -> Timestamp {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

fn minutes_ago(minutes: i64) -> Timestamp {
    now() - SignedDuration::from_mins(minutes)
}

pub(super) fn run_id(number: u8) -> RunId {
    format!("r_01ARZ3NDEKTSV4RRFFQ69G5F{number:02}").parse().unwrap()
}

pub(super) fn question_id(number: u8) -> QuestionId {
    format!("q_01ARZ3NDEKTSV4RRFFQ69G5F{number:02}").parse().unwrap()
}

/// A run with a worktree that is at work since as many minutes as its number.
pub(super) fn run(number: u8, name: &str) -> RunRow {
    let id = run_id(number);
    let began = minutes_ago(i64::from(number));
    RunRow {
        name: Some(name.to_owned()),
        state: RunState::Running,
        phase: None,
        attempt: 1,
        repo_path: "/home/user/shop".to_owned(),
        repo_fingerprint: "shop-1".to_owned(),
        base_ref: "main".to_owned(),
        base_commit: "0".repeat(40),
        new_branch: Some(format!("agency/{name}")),
        worktree_path: Some(format!("/home/user/worktrees/shop-1/{id}")),
        workspace: WorkspaceKind::Worktree,
        runner_kind: "claude".to_owned(),
        runner_args: vec![],
        mode: Mode::Headless,
        host: Host::Tmux,
        restart_policy: RestartPolicy::Never,
        created_at: began,
        updated_at: began,
        started_at: Some(began),
        ended_at: None,
        exit_code: None,
        signal: None,
        reason: None,
        error: None,
        stdout_log_path: "stdout.log".to_owned(),
        stderr_log_path: "stderr.log".to_owned(),
        tmux_session_name: Some(format!("agency-{name}")),
        tmux_socket: None,
        saved_ref: None,
        removed_at: None,
        agent_session: None,
        usage: Usage::default(),
        parent_id: None,
        agent_version: None,
        activity: Some(Activity::Thinking),
        activity_at: Some(began),
        kind: RunKind::Run,
        vcs: Vcs::Git,
        workflow_session: None,
        landed_at: None,
        landed_commit: None,
        landed_into: None,
        race_id: None,
        id,
    }
}

/// The same for a finished one.
pub(super) fn ended(row: RunRow) -> RunRow {
    RunRow { state: RunState::Completed, activity: None, ended_at: Some(now()), exit_code: Some(0), ..row }
}

/// A question of a run; the lower its number, the older it is.
pub(super) fn question(number: u8, run: u8, kind: QuestionKind, title: &str, detail: &str) -> QuestionRow {
    QuestionRow {
        id: question_id(number),
        run_id: run_id(run),
        attempt: 1,
        state: QuestionState::Open,
        question: Question {
            key: format!("key-{number}").into(),
            kind,
            title: title.to_owned(),
            detail: detail.to_owned(),
            options: vec![],
            several: false,
            free_text: kind == QuestionKind::Question,
            only_on_screen: false,
            tool: None,
        },
        asked_at: minutes_ago(60 - i64::from(number)),
        answer: None,
        answered_by: None,
        answered_from: None,
        answered_at: None,
        settled_at: None,
        outcome: None,
        repeats: None,
    }
}

/// May it run this command?
pub(super) fn permission(number: u8, run: u8) -> QuestionRow {
    question(number, run, QuestionKind::Permission, "Bash: remove the build", &format!("rm -rf target-{number}"))
}

/// Which of these?
pub(super) fn choice(number: u8, run: u8, several: bool) -> QuestionRow {
    let mut row = question(number, run, QuestionKind::Question, "Which database?", "Where is it to be kept?");
    let option = |id: &str, description: Option<&str>| QuestionOption {
        id: id.to_owned(),
        label: id.to_uppercase(),
        description: description.map(str::to_owned),
    };
    row.question.several = several;
    row.question.options =
        vec![option("sqlite", Some("One file, no server")), option("postgres", Some("A server of its own"))];
    row.question.options.push(option("none", None));
    row
}

/// A screen of this size without anything.
pub(super) fn empty(size: (u16, u16)) -> State {
    State::new(now(), size, Theme::ansi(true, true), "/home/user/shop".into())
}

/// A screen with these runs and questions.
pub(super) fn state(size: (u16, u16), runs: Vec<RunRow>, questions: Vec<QuestionRow>) -> State {
    let mut state = empty(size);
    tell(&mut state, BackgroundEvent::Runs(RunsNews { changed: runs, gone: vec![], questions: Some(questions) }));
    state
}

/// The questions are these now.
pub(super) fn ask(state: &mut State, questions: Vec<QuestionRow>) {
    tell(state, BackgroundEvent::Runs(RunsNews { changed: vec![], gone: vec![], questions: Some(questions) }));
}

pub(super) fn tell(state: &mut State, news: BackgroundEvent) -> Vec<Effect> {
    update(state, Input::Background(news))
}

/// Presses one key after the other, and returns all effects, except those that load tabs.
pub(super) fn press(state: &mut State, keys: &str) -> Vec<Effect> {
    keys.chars().flat_map(|letter| key(state, KeyCode::Char(letter), KeyModifiers::NONE)).collect()
}

pub(super) fn ctrl(state: &mut State, letter: char) -> Vec<Effect> {
    key(state, KeyCode::Char(letter), KeyModifiers::CONTROL)
}

pub(super) fn enter(state: &mut State) -> Vec<Effect> {
    key(state, KeyCode::Enter, KeyModifiers::NONE)
}

pub(super) fn escape(state: &mut State) -> Vec<Effect> {
    key(state, KeyCode::Esc, KeyModifiers::NONE)
}

fn key(state: &mut State, code: KeyCode, modifiers: KeyModifiers) -> Vec<Effect> {
    let mut effects = update(state, Input::Key(KeyEvent::new(code, modifiers)));
    effects.retain(|effect| !matches!(effect, Effect::Show(_) | Effect::Remember(_)));
    effects
}

/// What is said at the bottom.
pub(super) fn said(state: &State) -> String {
    state.said.as_ref().map(|said| said.text.clone()).unwrap_or_default()
}
