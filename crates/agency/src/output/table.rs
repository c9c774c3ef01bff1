//! Aligned tables, and the colours of states.

use agency_model::run::State;
use anstyle::{AnsiColor, Style};
use comfy_table::{Table, presets};

use super::{field, styled};

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

#[cfg(test)]
mod tests {
    use agency_model::run::State;

    use super::{columns, state_word};

    #[test]
    fn a_cell_with_a_style_ends_with_that_style_and_nothing_else() {
        let text = columns(&["STATE", "NAME"], vec![vec![state_word(State::Running), "fix".to_owned()]]);
        assert!(text.contains(&state_word(State::Running)), "{text:?}");
        assert!(!text.contains("\x1b[0m"), "{text:?}");
    }
}
