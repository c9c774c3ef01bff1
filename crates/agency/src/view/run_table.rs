//! The table of runs, made to fit the terminal.

use agency_model::RunKind;
use jiff::Timestamp;

use super::RunView;
use crate::output::{ago, columns, field, state_word};

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
    use super::shortened;

    #[test]
    fn long_names_end_in_an_ellipsis_and_line_breaks_do_not_break_the_table() {
        assert_eq!(shortened("abcdef", 4), "abc…");
        assert_eq!(shortened("ab\ncd", 9), "ab?cd");
    }
}
