//! The table of runs, made to fit the terminal.

use agency_model::RunKind;
use agency_model::run::State;
use anstyle::{AnsiColor, Style};
use comfy_table::{Table, presets};
use jiff::Timestamp;

use super::{ago, field, styled};
use crate::view::RunView;

/// A state with its colour; the word alone says everything.
pub(crate) fn state_word(state: State) -> String {
    let style: Style = match state {
        State::Queued => AnsiColor::Yellow.on_default(),
        State::Running => AnsiColor::Cyan.on_default().bold(),
        State::Completed => AnsiColor::Green.on_default(),
        State::Failed => AnsiColor::Red.on_default(),
        State::Killed => AnsiColor::Magenta.on_default(),
    };
    styled(style, &state.to_string())
}

/// Runs as an aligned table; `width` is that of the terminal, if there is one.
pub(crate) fn run_table(runs: &[RunView], now: Timestamp, width: Option<u16>) -> String {
    let wide = width.is_none_or(|width| width >= 130);
    let mut header = vec!["ID", "STATE", "AGE", "RUNNER"];
    header.extend(wide.then_some("REPO"));
    header.push("NAME");
    let mut rows = vec![];
    // What the other columns take; the name gets the rest.
    let room = width.map_or(usize::MAX, |width| usize::from(width).saturating_sub(28 + 9 + 4 + 12 + 10).max(8));
    for run in runs {
        let name = run.name.as_deref().or(run.new_branch.as_deref()).unwrap_or(match run.kind {
            RunKind::Ask => "(ask)",
            RunKind::Run | RunKind::Agent | RunKind::Task | RunKind::Workflow => "(in the repository)",
        });
        let mut cells =
            vec![run.id.to_string(), state_word(run.state), ago(now, run.created_at), shortened(&run.runner, 12)];
        let repo = run.repo.rsplit('/').next().unwrap_or(&run.repo);
        cells.extend(wide.then(|| shortened(repo, 24)));
        cells.push(shortened(name, if wide { room.saturating_sub(26).max(8) } else { room }));
        rows.push(cells);
    }
    columns(&header, rows)
}

/// Aligned columns below their names.
pub(crate) fn columns(header: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header);
    table.add_rows(rows.into_iter().map(|row| row.iter().map(|cell| field(cell)).collect::<Vec<_>>()));
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    // The table ends a cell that has a style with a reset of its own, which is none of our marked styles.
    let text = table.to_string().replace("\x1b[0m", "");
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// At most `most` characters on one line, the last an ellipsis where some are missing.
fn shortened(text: &str, most: usize) -> String {
    let plain: String = field(text).chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect();
    if plain.chars().count() <= most {
        return plain;
    }
    plain.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use agency_model::run::State;

    use super::{columns, shortened, state_word};

    #[test]
    fn a_cell_with_a_style_ends_with_that_style_and_nothing_else() {
        let text = columns(&["STATE", "NAME"], vec![vec![state_word(State::Running), "fix".to_owned()]]);
        assert!(text.contains(&state_word(State::Running)), "{text:?}");
        assert!(!text.contains("\x1b[0m"), "{text:?}");
    }

    #[test]
    fn long_names_end_in_an_ellipsis_and_line_breaks_do_not_break_the_table() {
        assert_eq!(shortened("abcdef", 4), "abc…");
        assert_eq!(shortened("ab\ncd", 9), "ab?cd");
    }
}
