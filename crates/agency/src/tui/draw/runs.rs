//! The list of runs.

#[cfg(test)]
mod tests;

use agency_model::RunKind;
use ratatui::layout::Rect;

use super::list_in_front;
use super::paint::Paint;
use crate::output::ago;
use crate::tui::runs::{Attention, ChangeCount, Grouping, ListedRun, RunList, RunsLine};
use crate::tui::state::State;
use crate::tui::theme::{Role, Theme};
use crate::tui::wrap::wrap;

/// What stands beside the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Status,
    Name,
    Repository,
    Branch,
    Runner,
    Changes,
    Cost,
    Age,
}

impl Column {
    /// In the order in which they stand.
    const ORDER: [Self; 8] =
        [Self::Status, Self::Name, Self::Repository, Self::Branch, Self::Runner, Self::Changes, Self::Cost, Self::Age];
    /// In the order in which they get room.
    const IMPORTANCE: [Self; 7] =
        [Self::Age, Self::Status, Self::Changes, Self::Runner, Self::Cost, Self::Repository, Self::Branch];

    const fn width(self) -> u16 {
        match self {
            Self::Status => 10,
            Self::Name => 13,
            Self::Repository => 15,
            Self::Branch => 26,
            Self::Runner => 12,
            Self::Changes => 10,
            Self::Cost => 8,
            Self::Age => 5,
        }
    }
}

pub(super) fn draw(paint: &mut Paint<'_>, area: Rect, state: &State) {
    if state.runs.lines().is_empty() && !area.is_empty() {
        return draw_empty(paint, area, state);
    }
    let columns = columns(area.width, &state.runs);
    let selected = state.runs.selected_line();
    for (index, row) in (state.runs.top..).zip(area.rows()) {
        let Some(line) = state.runs.lines().get(index) else { break };
        match line {
            RunsLine::Group { title, attention } => draw_heading(paint, row, title, *attention),
            RunsLine::Finished { count, unfolded, .. } => {
                let sign = if *unfolded { state.theme.glyph("▾", "v") } else { state.theme.glyph("▸", ">") };
                paint.text(row, &format!("{sign} {count} finished"), Role::Quiet);
            }
            RunsLine::Run(id) => {
                if let Some(entry) = state.runs.get(id) {
                    draw_run(paint, row, entry, state, &columns);
                    if state.runs.is_marked(id) {
                        paint.text(Rect { x: row.x + 1.min(row.width), width: 1, ..row }, "*", Role::Accent);
                        let name = Rect { x: row.x + 2, width: row.width.saturating_sub(2), ..row };
                        paint.restyle(name, ratatui::style::Style::new().add_modifier(ratatui::style::Modifier::BOLD));
                    }
                }
            }
        }
        if selected == Some(index) {
            paint.restyle(row, state.theme.selected(list_in_front(state)));
        }
    }
}

/// The title of a group, and a line that sets it off from the one before.
fn draw_heading(paint: &mut Paint<'_>, row: Rect, title: &str, attention: Attention) {
    let role = match attention {
        Attention::None => Role::Title,
        Attention::Waiting => Role::Urgent,
        Attention::Failed => Role::Bad,
    };
    let used = paint.text(row, title, role).saturating_add(1).min(row.width);
    let rest = Rect { x: row.x + used, width: (row.width - used).saturating_sub(1), ..row };
    let line = paint.theme.glyph("─", "-").repeat(usize::from(rest.width));
    paint.text(rest, &line, Role::Border);
}

fn draw_empty(paint: &mut Paint<'_>, area: Rect, state: &State) {
    let lines: &[&str] = match (state.runs.loaded, state.runs.filter().is_empty()) {
        (false, _) => &["Reading the runs…"],
        (true, false) => &["No run matches the filter.", "Esc clears the filter."],
        (true, true) => return draw_first_steps(paint, area),
    };
    for (row, line) in area.rows().zip(lines) {
        paint.text(row, line, Role::Quiet);
    }
}

/// What to do where there is no run yet: the keys, and the same in a shell.
fn draw_first_steps(paint: &mut Paint<'_>, area: Rect) {
    const KEYS: [(&str, &str); 6] = [
        ("n", "start an agent: say what it is to do"),
        ("i", "answer what agents ask"),
        ("Enter", "look at output, changes and events"),
        ("a", "attach to an agent's own screen"),
        (":", "find any action by its name"),
        ("?", "list all keys"),
    ];
    let mut rows = area.rows();
    let mut next = || rows.next().unwrap_or_default();
    paint.text(next(), "No runs yet.", Role::Title);
    let explained = "Each run has a git worktree and a branch of its own: your checkout stays as it is.";
    let explained = if area.height >= 14 { wrap(explained, area.width) } else { vec![] };
    for line in explained {
        paint.text(next(), &line, Role::Quiet);
    }
    next();
    for (key, words) in KEYS {
        let row = next();
        let used = paint.text(Rect { width: row.width.min(6), ..row }, key, Role::Accent).max(6).min(row.width);
        let rest = Rect { x: row.x + used, width: row.width - used, ..row };
        paint.text(rest, words, Role::Plain);
    }
    next();
    paint.text(next(), "In a shell:", Role::Quiet);
    for command in ["agency run \"Fix the login test\"", "agency demo"] {
        let row = next();
        let indented = Rect { x: row.x + 2.min(row.width), width: row.width.saturating_sub(2), ..row };
        paint.text(indented, command, Role::Plain);
    }
}

/// The columns that fit and have something in them, each with its width.
fn columns(width: u16, runs: &RunList) -> Vec<(Column, u16)> {
    let mut left = width.saturating_sub(2 + Column::Name.width());
    let mut shown = vec![Column::Name];
    for column in Column::IMPORTANCE {
        let needed = match column {
            Column::Repository => runs.grouping != Grouping::Repository,
            // Changes and costs come later; they have their room from the beginning, so that nothing moves then.
            Column::Changes
            | Column::Cost
            | Column::Status
            | Column::Name
            | Column::Branch
            | Column::Runner
            | Column::Age => true,
        };
        if needed && column.width() <= left {
            left -= column.width();
            shown.push(column);
        }
    }
    let wide = |column: Column| if column == Column::Name { column.width() + left } else { column.width() };
    Column::ORDER.into_iter().filter(|column| shown.contains(column)).map(|column| (column, wide(column))).collect()
}

fn draw_run(paint: &mut Paint<'_>, row: Rect, entry: &ListedRun, state: &State, columns: &[(Column, u16)]) {
    let (sign, word, role) = state.theme.status(entry);
    paint.text(Rect { width: 1.min(row.width), ..row }, sign, role);
    let mut x = row.x + 2;
    for (column, width) in columns {
        let place = Rect { x, width: width.saturating_sub(1).min(row.right().saturating_sub(x)), ..row };
        match column {
            Column::Status => paint.text(place, word, role),
            Column::Name => draw_name(paint, place, entry, state.theme),
            Column::Repository => {
                let path = &entry.row.repo_path;
                paint.text(place, path.rsplit('/').next().unwrap_or(path), Role::Quiet)
            }
            Column::Branch => paint.text(place, entry.row.new_branch.as_deref().unwrap_or_default(), Role::Quiet),
            Column::Runner => paint.text(place, &entry.row.runner_kind, Role::Quiet),
            Column::Changes => draw_changes(paint, place, entry.changes, state.theme),
            Column::Cost => {
                let cost = entry.row.usage.cost_usd.map(cost_words).unwrap_or_default();
                paint.right(place, &cost, Role::Plain)
            }
            Column::Age => paint.right(place, &ago(state.now, entry.row.created_at), Role::Quiet),
        };
        x = (x + width).min(row.right());
    }
}

/// The name, with what the work conflicts with and how it stands in its race.
fn draw_name(paint: &mut Paint<'_>, place: Rect, entry: &ListedRun, theme: Theme) -> u16 {
    let (sign, with) = match entry.conflicts.is_empty() {
        true => (String::new(), String::new()),
        false => (format!("{} ", theme.glyph("⚔", "x")), format!(" with {}", entry.conflicts.join(", "))),
    };
    let race = entry.race_words(theme.glyph("✓", "+"), theme.glyph("✗", "x"));
    let race = race.map_or_else(String::new, |words| format!(" {words}"));
    let role = match &entry.verified {
        Some(verified) if verified.passed => Role::Good,
        Some(_) => Role::Bad,
        None => Role::Quiet,
    };
    let name = name(entry);
    paint.pieces(place, &[(&sign, Role::Bad), (&name, Role::Plain), (&with, Role::Quiet), (&race, role)])
}

/// What a run is called in the list.
fn name(entry: &ListedRun) -> String {
    let row = &entry.row;
    if let Some(name) = &row.name {
        return name.clone();
    }
    match (row.kind, &row.new_branch) {
        (RunKind::Ask, _) => "(ask)".to_owned(),
        (RunKind::Run | RunKind::Agent | RunKind::Task | RunKind::Workflow, Some(branch)) => branch.clone(),
        (RunKind::Run | RunKind::Agent | RunKind::Task | RunKind::Workflow, None) => row.id.to_string(),
    }
}

fn draw_changes(paint: &mut Paint<'_>, place: Rect, changes: Option<ChangeCount>, theme: Theme) -> u16 {
    let Some(changes) = changes.filter(|changes| changes.files > 0) else { return 0 };
    if changes.added == 0 && changes.removed == 0 {
        // Empty or binary files have no lines to count.
        let files = if changes.files == 1 { "1 file".to_owned() } else { format!("{} files", changes.files) };
        return paint.right(place, &files, Role::Plain);
    }
    let added = format!("+{}", short(changes.added));
    let removed = format!("{}{}", theme.glyph("−", "-"), short(changes.removed));
    let wide = super::paint::width(&added) + 1 + super::paint::width(&removed);
    if wide > place.width {
        let both = format!("{}{}", theme.glyph("±", "+-"), short(changes.added.saturating_add(changes.removed)));
        return paint.right(place, &both, Role::Plain);
    }
    let place = Rect { x: place.right() - wide, width: wide, ..place };
    paint.pieces(place, &[(&added, Role::Added), (" ", Role::Plain), (&removed, Role::Removed)])
}

/// A number in at most four characters.
fn short(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        1000..1_000_000 => format!("{}k", number / 1000),
        _ => format!("{}M", number / 1_000_000),
    }
}

pub(super) fn cost_words(cost: f64) -> String {
    match cost {
        cost if cost >= 100.0 => format!("${cost:.0}"),
        cost if cost >= 0.1 => format!("${cost:.2}"),
        cost => format!("${cost:.3}"),
    }
}
