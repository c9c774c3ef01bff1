//! A session as text: a line for it, then a line for each step.

use std::io::Write;

use agency_engine::orchestrator::{Overview, StepOverview, StepState};
use agency_model::workflow::SessionState;
use anstyle::{AnsiColor, Style};
use jiff::Timestamp;

use crate::output::{columns, dollars, field, styled, took};

/// How much of a sentence fits behind a step.
const SAID: usize = 100;

/// A state with its colour; the word alone says everything.
pub(super) fn session_word(state: SessionState) -> String {
    let style: Style = match state {
        SessionState::Running => AnsiColor::Cyan.on_default().bold(),
        SessionState::Waiting | SessionState::PendingMerge => AnsiColor::Yellow.on_default().bold(),
        SessionState::Completed => AnsiColor::Green.on_default(),
        SessionState::Blocked | SessionState::Failed => AnsiColor::Red.on_default(),
        SessionState::Cancelled => AnsiColor::Magenta.on_default(),
    };
    styled(style, &state.to_string())
}

fn step_word(state: StepState) -> String {
    let style: Style = match state {
        StepState::Pending | StepState::Skipped => Style::new().dimmed(),
        StepState::Running => AnsiColor::Cyan.on_default().bold(),
        StepState::Waiting => AnsiColor::Yellow.on_default().bold(),
        StepState::Done => AnsiColor::Green.on_default(),
        StepState::Failed => AnsiColor::Red.on_default(),
    };
    styled(style, state.as_str())
}

/// Prints a session and its steps, and below them in full what did not fit behind them.
pub(super) fn print(out: &mut dyn Write, overview: &Overview) -> std::io::Result<()> {
    print_table(out, overview)?;
    for step in overview.steps.iter().filter(|step| shortened(said(step)) != said(step).trim_end()) {
        writeln!(out, "\n{}:", field(&step.path))?;
        for line in said(step).split_terminator('\n') {
            writeln!(out, "  {}", field(line))?;
        }
    }
    Ok(())
}

/// Prints a session and a line for each step.
pub(super) fn print_table(out: &mut dyn Write, overview: &Overview) -> std::io::Result<()> {
    let Overview { session, workflow, state, .. } = overview;
    writeln!(out, "{session}  {}  {}", field(workflow), session_word(*state))?;
    let facts = [
        ("why", overview.reason.clone()),
        ("task", Some(overview.task.clone()).filter(|task| !task.is_empty())),
        ("goal", overview.goal.clone()),
        ("branch", overview.branch.clone()),
        ("directory", overview.worktree_path.clone()),
        (
            "driver",
            overview
                .driver
                .as_ref()
                .map(|driver| if overview.driven { driver.to_string() } else { format!("{driver} (gone)") }),
        ),
        ("cost", overview.cost_usd.map(dollars)),
    ];
    for (name, value) in facts.into_iter().filter_map(|(name, value)| Some((name, value?))) {
        writeln!(out, "  {name:<9} {}", field(&value))?;
    }
    if !overview.driven && !state.is_settled() {
        writeln!(out, "  it has no driver; agency workflow resume {session} continues it")?;
    }
    let now = Timestamp::now();
    let rows = overview.steps.iter().map(|step| row(step, now)).collect();
    write!(out, "\n{}", columns(&["STEP", "STATE", "TIMES", "TOOK", "COST", "RUN", "WHAT"], rows))
}

fn row(step: &StepOverview, now: Timestamp) -> Vec<String> {
    let round = step.round.map_or_else(String::new, |round| format!(" (round {round})"));
    let took = step.started_at.map(|began| took(began, step.ended_at.unwrap_or(now)));
    let said = said(step);
    vec![
        format!("{}{}{round}", "  ".repeat(step.depth), step.name),
        step_word(step.state),
        if step.attempts == 0 { String::new() } else { step.attempts.to_string() },
        took.filter(|_| step.state != StepState::Pending).unwrap_or_default(),
        step.cost_usd.map(dollars).unwrap_or_default(),
        step.run_id.as_ref().map(ToString::to_string).unwrap_or_default(),
        shortened(said),
    ]
}

/// What a step said: its result, or why it failed.
fn said(step: &StepOverview) -> &str {
    step.error.as_deref().or(step.summary.as_deref()).unwrap_or_default()
}

/// The beginning of the first line, with an ellipsis where something is missing.
fn shortened(said: &str) -> String {
    let first: String = said.lines().next().unwrap_or_default().chars().take(SAID).collect();
    if first == said.trim_end() { first } else { format!("{first}…") }
}
