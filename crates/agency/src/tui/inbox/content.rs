//! What the inbox shows of one question, and where: for drawing it, and for knowing how far one can read.

use agency_engine::store::QuestionRow;
use agency_model::{Question, QuestionKind, QuickAction};
use ratatui::layout::Rect;

use super::{AnswerStatus, items, standing};
use crate::output::ago;
use crate::tui::effect::label;
use crate::tui::layout::inside;
use crate::tui::state::State;
use crate::tui::theme::Role;
use crate::tui::wrap::{wrap, wrap_after};
use crate::view::MAX_OPTION_KEYS;

/// From this width on, the list and the question stand side by side.
const MIN_SPLIT_WIDTH: u16 = 90;
/// From this height on, both have frames then.
const MIN_FRAMED_HEIGHT: u16 = 18;
/// A question with fewer lines shows first what is asked, then the run that asks.
const MIN_ROOMY_HEIGHT: u16 = 12;
/// How many lines the state of a question takes at most.
const MAX_CLOSING_LINES: usize = 4;

/// How the inbox looks now.
#[derive(Debug)]
pub(in crate::tui) struct InboxLayout {
    pub(in crate::tui) list: Rect,
    /// Around the list and around the question; empty where there is no room for frames.
    pub(in crate::tui) frames: [Rect; 2],
    /// Between the list and the question.
    pub(in crate::tui) bar: Rect,
    /// Where it is said how much of the question is shown.
    pub(in crate::tui) more: Rect,
    /// The question.
    pub(in crate::tui) text: Rect,
    pub(in crate::tui) lines: Vec<(String, Role)>,
    /// How it stands, and which keys answer it.
    pub(in crate::tui) closing: Rect,
    pub(in crate::tui) closing_lines: Vec<(String, Role)>,
}

impl InboxLayout {
    /// The first line that can be the first on the screen.
    pub(in crate::tui) fn last_top(&self) -> usize {
        self.lines.len().saturating_sub(usize::from(self.text.height))
    }
}

/// Puts together how the inbox looks in this place.
pub(in crate::tui) fn layout(state: &State, body: Rect) -> InboxLayout {
    let count = items(state).len();
    let mut frames = [Rect::default(); 2];
    let (list, bar, more, pane) = if body.width >= MIN_SPLIT_WIDTH && body.height >= MIN_FRAMED_HEIGHT {
        let wide = (body.width * 2 / 5).clamp(40, 72);
        let right = Rect { x: body.x + wide, width: body.width - wide, ..body };
        frames = [Rect { width: wide, ..body }, right];
        let more = Rect { x: right.x + 1, y: right.bottom() - 1, width: right.width - 2, height: 1 };
        (inside(frames[0]), Rect::default(), more, inside(right))
    } else if body.width >= MIN_SPLIT_WIDTH {
        let wide = (body.width / 3).clamp(34, 60);
        let rest = Rect { x: body.x + wide + 2, width: body.width - wide - 2, ..body };
        let pane = Rect { height: rest.height.saturating_sub(1), ..rest };
        let more = Rect { y: pane.bottom(), height: rest.height - pane.height, ..rest };
        (Rect { width: wide, ..body }, Rect { x: body.x + wide, width: 1, ..body }, more, pane)
    } else {
        let most = (body.height / 4).max(1);
        let high = u16::try_from(count).unwrap_or(u16::MAX).clamp(1, most).min(body.height);
        let bar_high = u16::from(body.height > high);
        let bar = Rect { y: body.y + high, height: bar_high, ..body };
        let rest = Rect { y: bar.bottom(), height: body.height - high - bar_high, ..body };
        (Rect { height: high, ..body }, bar, bar, rest)
    };
    let (lines, mut closing_lines) = match state.inbox.shown() {
        Some(row) => (question_lines(state, row, pane), closing(state, row, pane.width)),
        None => (nothing(state), vec![]),
    };
    closing_lines.truncate(MAX_CLOSING_LINES.min(usize::from(pane.height / 2).max(1)));
    let high = u16::try_from(closing_lines.len()).unwrap_or_default().min(pane.height);
    let text = Rect { height: pane.height - high, ..pane };
    let closing = Rect { y: text.bottom(), height: high, ..pane };
    InboxLayout { list, frames, bar, more, text, lines, closing, closing_lines }
}

/// The first question in the list that is shown, so that this one is among them.
pub(in crate::tui) fn list_top(selected: Option<usize>, count: usize, height: u16) -> usize {
    let height = usize::from(height);
    let middle = selected.unwrap_or_default().saturating_sub(height / 2);
    middle.min(count.saturating_sub(height))
}

fn nothing(state: &State) -> Vec<(String, Role)> {
    let line = match state.questions.len() {
        0 => "No open questions.",
        _ => "Enter shows the next question.",
    };
    vec![(line.to_owned(), Role::Quiet)]
}

/// Everything about the question.
fn question_lines(state: &State, row: &QuestionRow, pane: Rect) -> Vec<(String, Role)> {
    let (question, width) = (&row.question, pane.width);
    let roomy = pane.height >= MIN_ROOMY_HEIGHT;
    let about = wrap(&about(state, row), width);
    let mut lines: Vec<(String, Role)> = vec![];
    let mut add = |texts: Vec<String>, role: Role| lines.extend(texts.into_iter().map(|text| (text, role)));
    add(wrap(&question.title, width), Role::Title);
    if roomy {
        add(about.clone(), Role::Quiet);
        add(vec![String::new()], Role::Plain);
    }
    for line in question.detail.lines() {
        add(wrap(line, width), role_of(line, question.kind));
    }
    if !question.options.is_empty() && roomy {
        add(vec![String::new()], Role::Plain);
    }
    for (index, option) in question.options.iter().enumerate() {
        let chosen = match (question.several, state.inbox.chosen.contains(&index)) {
            (false, _) => "",
            (true, true) => "[x] ",
            (true, false) => "[ ] ",
        };
        add(wrap_after(&format!("{}. {chosen}", index + 1), &option.label, width), Role::Accent);
        if let Some(description) = &option.description {
            add(wrap_after("   ", description, width), Role::Plain);
        }
    }
    if !roomy {
        add(about, Role::Quiet);
    }
    lines
}

/// The run, the kind of the question, and its age.
fn about(state: &State, row: &QuestionRow) -> String {
    let dot = state.theme.glyph(" · ", " | ");
    let run = state.runs.get(&row.run_id);
    let mut facts = vec![row.question.kind.to_string()];
    facts.push(run.map_or_else(|| row.run_id.to_string(), |entry| label(&entry.row)));
    facts.extend(run.map(|entry| entry.row.runner_kind.clone()));
    facts.push(format!("{} ago", ago(state.now, row.asked_at)));
    facts.extend(state.inbox.part(row).map(|(number, count)| format!("{number} of {count} at once")));
    facts.extend(row.repeats.as_ref().map(|earlier| format!("asked again, before as {earlier}")));
    facts.join(dot)
}

/// What an agent would change stands out; a plan may have such lines that are none.
fn role_of(line: &str, kind: QuestionKind) -> Role {
    match (kind, line.chars().next()) {
        (QuestionKind::Permission, Some('+')) => Role::Added,
        (QuestionKind::Permission, Some('-')) => Role::Removed,
        (QuestionKind::Permission, Some('@')) if line.starts_with("@@") => Role::Busy,
        (
            QuestionKind::Permission
            | QuestionKind::Question
            | QuestionKind::Plan
            | QuestionKind::Trust
            | QuestionKind::Other,
            _,
        ) => Role::Plain,
    }
}

/// How the question stands, and what can be done.
fn closing(state: &State, row: &QuestionRow, width: u16) -> Vec<(String, Role)> {
    let dots = state.theme.glyph("…", "...");
    let mut told: Vec<(String, Role)> = vec![];
    if let Some(Err(failure)) = state.inbox.outcome(&row.id) {
        let hint = failure.hint.as_deref().map_or_else(String::new, |hint| format!(" ({hint})"));
        told.push((format!("{}{hint}", failure.message), Role::Bad));
    }
    told.push(match standing(state, &row.id) {
        AnswerStatus::Open => (keys(&row.question), Role::Accent),
        AnswerStatus::Sending => (format!("sent{dots}"), Role::Busy),
        AnswerStatus::Answered => {
            let outcome = state.inbox.outcome(&row.id).and_then(|outcome| outcome.as_ref().ok());
            let outcome = outcome.map_or_else(String::new, |outcome| format!(", {outcome}"));
            (format!("answered{outcome}. Enter: the next question"), Role::Good)
        }
        AnswerStatus::Gone => {
            ("answered elsewhere, or no longer asked. Enter: the next question".to_owned(), Role::Urgent)
        }
    });
    told.into_iter().flat_map(|(text, role)| wrap(&text, width).into_iter().map(move |line| (line, role))).collect()
}

/// The keys that mean something to this question.
fn keys(question: &Question) -> String {
    let mut keys: Vec<String> = vec![];
    let count = question.options.len().min(MAX_OPTION_KEYS);
    match (count, question.several) {
        (0, _) => {}
        (1, false) => keys.push("1 choose".to_owned()),
        (count, false) => keys.push(format!("1-{count} choose")),
        (1, true) => keys.push("1 mark  Enter send".to_owned()),
        (count, true) => keys.push(format!("1-{count} mark  Enter send")),
    }
    for action in question.actions() {
        keys.push(match action {
            QuickAction::Allow => "a allow".to_owned(),
            QuickAction::Deny => "d deny".to_owned(),
            QuickAction::AllowAll => "A allow all".to_owned(),
        });
    }
    if question.only_on_screen {
        keys.push("answer it on its own screen".to_owned());
    } else if question.actions().is_empty() {
        keys.push("d decline".to_owned());
    }
    if question.free_text || !question.actions().is_empty() {
        keys.push("e words".to_owned());
    }
    keys.join("  ")
}
