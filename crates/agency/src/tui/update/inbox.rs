//! What can be done in the inbox.

use std::collections::BTreeSet;

use agency_engine::store::QuestionRow;
use agency_model::{Answer, QuestionKind};

use crate::output::plain;
use crate::tui::confirm::Confirm;
use crate::tui::editor::EditPurpose;
use crate::tui::effect::{Effect, Job, label};
use crate::tui::inbox::{AnswerStatus, InboxLayout, items, layout, list_top, own_words, standing};
use crate::tui::keys::{InboxAction, Move};
use crate::tui::layout::hits;
use crate::tui::state::{Focus, Overlay, State};
use crate::view::{MAX_OPTION_KEYS, answer_words, chosen_options};

/// Opens the inbox, or brings it to the front. What the selected run asks comes first, then what was looked at.
pub(super) fn open(state: &mut State) {
    state.overlays.retain(|front| !matches!(front, Overlay::Inbox));
    let is_open = |row: &&QuestionRow| standing(state, &row.id) == AnswerStatus::Open;
    let run = state.runs.current().map(|entry| &entry.row.id);
    let of_run = |row: &&QuestionRow| run == Some(&row.run_id);
    let kept = state.inbox.shown().filter(is_open);
    let asked = || state.questions.iter().filter(is_open);
    let first = kept.filter(of_run).or_else(|| asked().find(of_run)).or(kept).or_else(|| asked().next()).cloned();
    if first.is_some() || !state.inbox.shown().is_some_and(|row| standing(state, &row.id) == AnswerStatus::Sending) {
        state.inbox.show(first);
    }
    state.overlays.push(Overlay::Inbox);
}

pub(super) fn act(state: &mut State, action: InboxAction) -> Vec<Effect> {
    match action {
        InboxAction::Allow => return answer(state, Answer::Allow { message: None }),
        InboxAction::Deny => return answer(state, Answer::Deny { message: None }),
        InboxAction::AllowAll => return answer(state, Answer::AllowAll),
        InboxAction::Option(number) => return choose(state, number),
        InboxAction::Send => return send(state),
        InboxAction::Words => return write(state),
        InboxAction::Mark => {
            if asked(state).is_some() {
                state.inbox.mark();
                go(state, Move::Down);
            }
        }
        InboxAction::MarkAll => {
            let permissions = state.questions.iter().filter(|row| row.question.kind == QuestionKind::Permission);
            let permissions = permissions.map(|row| row.id.clone()).collect();
            state.inbox.mark_all(permissions);
        }
        InboxAction::OpenRun => open_run(state),
        InboxAction::ScrollUp => read(state, Move::Up),
        InboxAction::ScrollDown => read(state, Move::Down),
    }
    vec![]
}

/// The question that an answer would be for; if it is not open, a message says so.
fn asked(state: &mut State) -> Option<QuestionRow> {
    let Some(row) = state.inbox.shown().cloned() else {
        state.refuse("no question is selected");
        return None;
    };
    match standing(state, &row.id) {
        AnswerStatus::Open => return Some(row),
        AnswerStatus::Sending => state.refuse("the answer is on its way already"),
        AnswerStatus::Answered => state.refuse("this question is answered; Enter shows the next question"),
        AnswerStatus::Gone => state.refuse("this question is no longer open; Enter shows the next question"),
    }
    None
}

fn answer(state: &mut State, answer: Answer) -> Vec<Effect> {
    let marked: Vec<QuestionRow> =
        state.questions.iter().filter(|row| state.inbox.is_marked(&row.id)).cloned().collect();
    if !marked.is_empty() {
        answer_all(state, marked, answer);
        return vec![];
    }
    let Some(row) = asked(state) else { return vec![] };
    match row.question.check(&answer) {
        Ok(()) => state.begin_once(Job::Answer { question: Box::new(row), answer }),
        Err(unfit) => {
            state.refuse(unfit.to_string());
            vec![]
        }
    }
}

/// Asks before one answer is given to several questions, with what they are.
fn answer_all(state: &mut State, marked: Vec<QuestionRow>, answer: Answer) {
    let unfit = marked.iter().find_map(|row| Some((row, row.question.check(&answer).err()?)));
    if let Some((row, unfit)) = unfit {
        let name = run_name(state, row);
        return state.refuse(format!("the question of {name} is chosen: {unfit}"));
    }
    let line = |row: &QuestionRow| format!("{}: {}", run_name(state, row), plain(&row.question.title));
    let lines = marked.iter().map(line).collect();
    let title = match marked.len() {
        1 => format!(
            "Answer {}: {}?",
            marked.first().map_or_else(String::new, |row| run_name(state, row)),
            answer_words(&answer)
        ),
        count => format!("Answer {count} questions: {}?", answer_words(&answer)),
    };
    let confirm = Confirm::new(title, lines, Job::AnswerAll { questions: marked, answer });
    state.inbox.unmark_all();
    state.overlays.push(Overlay::Confirm(Box::new(confirm)));
}

fn run_name(state: &State, row: &QuestionRow) -> String {
    state.runs.get(&row.run_id).map_or_else(|| row.run_id.to_string(), |entry| label(&entry.row))
}

/// One option is an answer; of several, each key takes one in or out.
fn choose(state: &mut State, number: usize) -> Vec<Effect> {
    let Some(row) = asked(state) else { return vec![] };
    let index = number.saturating_sub(1);
    if index >= row.question.options.len() {
        state.refuse(match row.question.options.len() {
            0 => "there are no options to choose from".to_owned(),
            count => format!("there is no option {number}, only {count}"),
        });
        return vec![];
    }
    if !row.question.several {
        return answer(state, chosen_options(&row, &BTreeSet::from([index])));
    }
    if !state.inbox.chosen.remove(&index) {
        state.inbox.chosen.insert(index);
    }
    vec![]
}

/// Sends what is chosen; if the question needs no answer any more, shows the next.
fn send(state: &mut State) -> Vec<Effect> {
    let open = state.inbox.shown().filter(|row| standing(state, &row.id) == AnswerStatus::Open).cloned();
    let Some(row) = open else {
        show_next(state);
        return vec![];
    };
    if state.inbox.chosen.is_empty() {
        state.refuse(match (row.question.options.len(), row.question.several) {
            (0, _) => "there are no options to choose from".to_owned(),
            (_, false) => "the number of an option answers".to_owned(),
            (count, true) => format!("choose some first, by 1 to {}", count.min(MAX_OPTION_KEYS)),
        });
        return vec![];
    }
    let chosen = state.inbox.chosen.clone();
    answer(state, chosen_options(&row, &chosen))
}

fn write(state: &mut State) -> Vec<Effect> {
    let Some(row) = asked(state) else { return vec![] };
    // Whether words are taken at all does not depend on which.
    match row.question.check(&own_words(&row.question, "words".to_owned())) {
        Ok(()) => super::editor::open(state, EditPurpose::Answer(Box::new(row))),
        Err(unfit) => {
            state.refuse(unfit.to_string());
            vec![]
        }
    }
}

fn open_run(state: &mut State) {
    let Some(run) = state.inbox.shown().map(|row| row.run_id.clone()) else {
        return state.refuse("no question is selected");
    };
    if state.runs.get(&run).is_none() {
        return state.refuse(format!("{run} is not in the list"));
    }
    state.runs.select(&run);
    state.overlays.clear();
    state.focus = Focus::Detail;
}

/// Shows the next question that is open: one after this one, else the oldest.
fn show_next(state: &mut State) {
    let items = items(state);
    let now = shown_index(state, &items).map_or(0, |index| index + 1);
    let (before, after) = items.split_at(now.min(items.len()));
    let next = after.iter().chain(before).find(|row| standing(state, &row.id) == AnswerStatus::Open);
    let next = next.map(|row| (**row).clone());
    state.inbox.show(next);
}

fn shown_index(state: &State, items: &[&QuestionRow]) -> Option<usize> {
    let shown = state.inbox.shown()?;
    items.iter().position(|row| row.id == shown.id)
}

/// Up and down choose a question, pages turn what is read of it.
pub(super) fn go(state: &mut State, direction: Move) {
    let items = items(state);
    let last = items.len().saturating_sub(1);
    let now = shown_index(state, &items);
    let index = match (direction, now) {
        (Move::PageUp | Move::PageDown, _) => return read(state, direction),
        (Move::First, _) | (Move::Up | Move::Down, None) => 0,
        (Move::Last, _) => last,
        (Move::Up, Some(now)) => now.saturating_sub(1),
        (Move::Down, Some(now)) => (now + 1).min(last),
    };
    // A closed question stays only as long as it is shown, so there may be no other question.
    let is_asked = |shown: &QuestionRow| state.questions.iter().any(|row| row.id == shown.id);
    let gone = now == Some(index) && !state.inbox.shown().is_some_and(is_asked);
    let next = match gone {
        true => items.iter().enumerate().rev().find(|(other, _)| *other != index).map(|(_, row)| (**row).clone()),
        false => items.get(index).map(|row| (**row).clone()),
    };
    state.inbox.show(next);
}

/// Reads on or back: half of what is shown, or a page.
fn read(state: &mut State, direction: Move) {
    let InboxLayout { text, .. } = layout(state, state.areas().body);
    let page = isize::try_from(text.height.saturating_sub(1).max(1)).unwrap_or(1);
    let half = isize::try_from((text.height / 2).max(1)).unwrap_or(1);
    scroll(
        state,
        match direction {
            Move::Up => -half,
            Move::Down => half,
            Move::PageUp => -page,
            Move::PageDown => page,
            Move::First => isize::MIN,
            Move::Last => isize::MAX,
        },
    );
}

/// Turns what is read by so many lines.
pub(super) fn scroll(state: &mut State, lines: isize) {
    let last = layout(state, state.areas().body).last_top();
    state.inbox.top = state.inbox.top.min(last).saturating_add_signed(lines).min(last);
}

/// Shows the question that was clicked.
pub(super) fn click(state: &mut State, column: u16, row: u16) {
    let list = layout(state, state.areas().body).list;
    if !hits(list, column, row) {
        return;
    }
    let items = items(state);
    let top = list_top(shown_index(state, &items), items.len(), list.height);
    let clicked = items.get(top + usize::from(row - list.y)).map(|row| (**row).clone());
    if clicked.is_some() {
        state.inbox.show(clicked);
    }
}

#[cfg(test)]
mod tests;
