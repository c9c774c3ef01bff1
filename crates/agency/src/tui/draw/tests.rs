//! What is seen, at three sizes; and that any size is drawn.

use agency_engine::store::{QuestionRow, RunRow};
use agency_model::{QuestionKind, Usage};
use agency_workspace::DeleteBranch;
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Color;

use super::draw;
use crate::tui::effect::JobOutcome;
use crate::tui::fixture::{ask, choice, ended, permission, press, question, run, run_id, state, tell};
use crate::tui::input::BackgroundEvent;
use crate::tui::state::State;

const SIZES: [(u16, u16); 3] = [(40, 10), (100, 30), (160, 45)];

fn buffer(state: &State) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(state.size.0, state.size.1)).unwrap();
    terminal.draw(|frame| draw(frame, state)).unwrap();
    terminal.backend().buffer().clone()
}

fn text(state: &State) -> String {
    let buffer = buffer(state);
    let line = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    (0..buffer.area.height).map(line).collect::<Vec<_>>().join("\n")
}

/// The same scene at all sizes.
fn scenes(build: impl Fn((u16, u16)) -> State) -> String {
    let scene = |size: (u16, u16)| format!("{}x{}\n{}\n", size.0, size.1, text(&build(size)));
    SIZES.map(scene).join("\n")
}

fn inbox(size: (u16, u16), questions: Vec<QuestionRow>) -> State {
    let mut state = state(size, vec![run(1, "fix-login"), run(2, "docs")], questions);
    state.runs.select(&run_id(1));
    press(&mut state, "i");
    state
}

fn long_command() -> QuestionRow {
    let command = "find . -name '*.orig' -not -path './vendor/*' -print0 | xargs -0 rm -f && cargo test --workspace \
        --all-features -- --include-ignored && git push --force origin HEAD:refs/heads/main";
    let detail = format!("{command}\n{}", "echo one more line\n".repeat(40));
    question(1, 1, QuestionKind::Permission, "Bash: remove what merges left, test and push", &detail)
}

fn plan() -> QuestionRow {
    let detail = "# The plan\n\n- read the parser\n+ write the test first\n- then fix it";
    question(1, 1, QuestionKind::Plan, "Is this plan right?", detail)
}

fn change() -> QuestionRow {
    question(1, 1, QuestionKind::Permission, "Edit", "src/lib.rs\n\n unchanged\n-old line\n+new line\n")
}

fn removal(size: (u16, u16)) -> State {
    let row = ended(run(1, "fix-login"));
    let mut state = state(size, vec![row.clone()], vec![]);
    state.runs.select(&row.id);
    press(&mut state, "D");
    let (job, _) = state.jobs.last().unwrap().clone();
    let notes = [
        "remove the worktree /home/user/worktrees/shop-1/r_01ARZ3NDEKTSV4RRFFQ69G5F01",
        "3 files differ from the base; what is not committed is saved first",
        "not saved, since .gitignore names them: target, .env",
        "keep the branch agency/fix-login",
        "end the tmux session agency-fix-login",
    ];
    let notes = notes.map(str::to_owned).to_vec();
    tell(
        &mut state,
        BackgroundEvent::Done {
            job,
            outcome: Ok(JobOutcome::Removal { run: row.id, branch: DeleteBranch::No, notes }),
        },
    );
    state
}

fn editor(size: (u16, u16)) -> State {
    let mut state = inbox(size, vec![permission(1, 1)]);
    press(&mut state, "e");
    press(&mut state, "Not in this directory, and not without asking me about each of them first. ");
    press(&mut state, "There is work in it that is nowhere else.");
    state
}

fn yank(size: (u16, u16)) -> State {
    let mut state = state(size, vec![run(1, "fix-login")], vec![]);
    press(&mut state, "y");
    state
}

fn several(size: (u16, u16)) -> State {
    let mut first = choice(1, 1, true);
    first.question.key = "ask-1/0".into();
    let mut second = choice(2, 1, false);
    second.question.key = "ask-1/1".into();
    let mut state = inbox(size, vec![first, second, permission(3, 2)]);
    press(&mut state, "13");
    state
}

fn settled(size: (u16, u16)) -> State {
    let mut state = inbox(size, vec![permission(1, 1), permission(2, 2)]);
    ask(&mut state, vec![permission(2, 2)]);
    state
}

#[test]
fn inbox_permission() {
    insta::assert_snapshot!(scenes(|size| inbox(size, vec![long_command(), permission(2, 2)])));
}

#[test]
fn inbox_plan() {
    insta::assert_snapshot!(scenes(|size| inbox(size, vec![plan()])));
}

#[test]
fn inbox_options() {
    insta::assert_snapshot!(scenes(|size| inbox(size, vec![choice(1, 1, false)])));
}

#[test]
fn inbox_several() {
    insta::assert_snapshot!(scenes(several));
}

#[test]
fn inbox_settled_elsewhere() {
    insta::assert_snapshot!(scenes(settled));
}

#[test]
fn inbox_empty() {
    insta::assert_snapshot!(scenes(|size| inbox(size, vec![])));
}

#[test]
fn editor_with_a_text() {
    insta::assert_snapshot!(scenes(editor));
}

#[test]
fn confirm_removal() {
    insta::assert_snapshot!(scenes(removal));
}

#[test]
fn yank_of_a_run() {
    insta::assert_snapshot!(scenes(yank));
}

#[test]
fn trouble_is_told_whole_with_its_way_out() {
    let mut state = state((40, 10), vec![run(1, "fix-login")], vec![]);
    let message = "the workspace of the run is gone, and nobody knows where it went (agency restore brings work back)";
    tell(&mut state, BackgroundEvent::Trouble(message.to_owned()));
    let shown = text(&state);
    let last: Vec<&str> = shown.lines().skip(7).collect();
    assert_eq!(last.join(" "), message);
}

/// The colour of the line that begins so.
fn colour(state: &State, wanted: &str) -> Color {
    let buffer = buffer(state);
    let places = (0..buffer.area.height).flat_map(|y| (0..buffer.area.width).map(move |x| (x, y)));
    let begins = |(x, y): (u16, u16)| {
        let letters = wanted.chars().count();
        let read: String = (x..buffer.area.width).take(letters).map(|x| buffer[(x, y)].symbol()).collect();
        read == wanted
    };
    let place = places.into_iter().find(|place| begins(*place));
    buffer[place.unwrap_or_else(|| panic!("{wanted} is not shown"))].fg
}

#[test]
fn what_would_change_is_coloured_and_a_plan_is_not() {
    let state = inbox((100, 30), vec![change()]);
    assert_eq!(colour(&state, "-old line"), Color::Red);
    assert_eq!(colour(&state, "+new line"), Color::Green);
    let state = inbox((100, 30), vec![plan()]);
    assert_eq!(colour(&state, "+ write"), Color::Reset);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_size_is_drawn(columns in 0_u16..200, rows in 0_u16..60, scrolled in 0_usize..50) {
        let build: [&dyn Fn((u16, u16)) -> State; 6] =
            [&editor, &removal, &yank, &several, &settled, &|size| inbox(size, vec![long_command(), change()])];
        for build in build {
            let mut state = build((columns, rows));
            state.inbox.top = scrolled;
            press(&mut state, "J");
            text(&state);
            // A terminal that is smaller than the state knows.
            let mut terminal = Terminal::new(TestBackend::new(columns / 2, rows / 2)).unwrap();
            terminal.draw(|frame| draw(frame, &state)).unwrap();
        }
    }
}

#[test]
fn the_header_has_the_cost_of_the_last_day() {
    let cost = |row: RunRow, cost| RunRow { usage: Usage { cost_usd: Some(cost), ..Usage::default() }, ..row };
    let old = RunRow { created_at: jiff::Timestamp::UNIX_EPOCH, ..cost(run(3, "old"), 9.0) };
    let shown = state((80, 10), vec![cost(run(1, "fix"), 0.5), cost(run(2, "docs"), 0.25), old], vec![]);
    assert!(text(&shown).lines().next().unwrap().ends_with("$0.75 in 24 h"), "{}", text(&shown));
    let free = state((80, 10), vec![run(1, "fix")], vec![]);
    assert!(!text(&free).lines().next().unwrap().contains('$'), "{}", text(&free));
}
