//! The table of runs, made to fit the terminal.

use jiff::Timestamp;

use super::RunView;
use crate::output::{ago, columns, dollars, field};

/// A column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunColumn {
    Name,
    State,
    Age,
    Runner,
    Repo,
    Branch,
    Cost,
    Mode,
    Host,
    Id,
}

impl RunColumn {
    pub(crate) const NAMES: [&'static str; 10] =
        ["name", "state", "age", "runner", "repo", "branch", "cost", "mode", "host", "id"];

    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "name" => Self::Name,
            "state" => Self::State,
            "age" => Self::Age,
            "runner" => Self::Runner,
            "repo" => Self::Repo,
            "branch" => Self::Branch,
            "cost" => Self::Cost,
            "mode" => Self::Mode,
            "host" => Self::Host,
            "id" => Self::Id,
            _ => return None,
        })
    }

    const fn header(self) -> &'static str {
        match self {
            Self::Name => "NAME",
            Self::State => "STATE",
            Self::Age => "AGE",
            Self::Runner => "RUNNER",
            Self::Repo => "REPO",
            Self::Branch => "BRANCH",
            Self::Cost => "COST",
            Self::Mode => "MODE",
            Self::Host => "HOST",
            Self::Id => "ID",
        }
    }

    /// How many characters it takes at most; the name gets what the others leave.
    const fn width(self, short_ids: bool) -> usize {
        match self {
            Self::Name => 0,
            Self::State => 9,
            Self::Age => 4,
            Self::Runner => 12,
            Self::Repo => 24,
            Self::Branch => 34,
            Self::Cost => 9,
            Self::Mode => 11,
            Self::Host => 8,
            Self::Id if short_ids => ID_END,
            Self::Id => 28,
        }
    }

    fn cell(self, run: &RunView, now: Timestamp, short_ids: bool) -> String {
        match self {
            Self::Name => run.name.clone().unwrap_or_else(|| run.id.to_string()),
            Self::State => run.status.label(),
            Self::Age => ago(now, run.created_at),
            Self::Runner => run.runner.clone(),
            Self::Repo => run.repo.rsplit('/').next().unwrap_or(&run.repo).to_owned(),
            Self::Branch => run.new_branch.clone().unwrap_or_else(|| "-".to_owned()),
            Self::Cost => run.usage.and_then(|usage| usage.cost_usd).map_or_else(|| "-".to_owned(), dollars),
            Self::Mode => run.mode.to_string(),
            Self::Host => run.host.to_string(),
            Self::Id if short_ids => {
                let id = run.id.as_str();
                id.get(id.len().saturating_sub(ID_END)..).unwrap_or(id).to_owned()
            }
            Self::Id => run.id.to_string(),
        }
    }
}

/// How much of an id a narrow terminal shows: its end, which the commands accept.
const ID_END: usize = 6;
/// The width from which the table has all columns, with whole ids.
const WIDE: u16 = 130;

/// Runs as an aligned table of the wanted columns, or the usual ones; `width` is that of the terminal, if there is one.
pub(crate) fn run_table(runs: &[RunView], wanted: &[RunColumn], now: Timestamp, width: Option<u16>) -> String {
    let wide = width.is_none_or(|width| width >= WIDE);
    let usual: Vec<RunColumn> = [RunColumn::Name, RunColumn::State, RunColumn::Age, RunColumn::Runner]
        .into_iter()
        .chain(wide.then_some(RunColumn::Repo))
        .chain([RunColumn::Id])
        .collect();
    let shown = if wanted.is_empty() { &usual } else { wanted };
    let short_ids = !wide && wanted.is_empty();
    let others: usize =
        shown.iter().filter(|column| **column != RunColumn::Name).map(|one| one.width(short_ids) + 2).sum();
    let room = width.map_or(usize::MAX, |width| usize::from(width).saturating_sub(others + 2).max(8));
    let cell = |run: &RunView, column: RunColumn| {
        let text = column.cell(run, now, short_ids);
        match column {
            RunColumn::State => text,
            RunColumn::Name => shortened(&text, room),
            RunColumn::Age
            | RunColumn::Runner
            | RunColumn::Repo
            | RunColumn::Branch
            | RunColumn::Cost
            | RunColumn::Mode
            | RunColumn::Host
            | RunColumn::Id => shortened(&text, column.width(short_ids)),
        }
    };
    let rows = runs.iter().map(|run| shown.iter().map(|column| cell(run, *column)).collect()).collect();
    let header: Vec<&str> = shown.iter().map(|column| column.header()).collect();
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
    use super::{RunColumn, shortened};

    #[test]
    fn long_names_end_in_an_ellipsis_and_line_breaks_do_not_break_the_table() {
        assert_eq!(shortened("abcdef", 4), "abc…");
        assert_eq!(shortened("ab\ncd", 9), "ab?cd");
    }

    #[test]
    fn every_name_of_a_column_is_one() {
        for name in RunColumn::NAMES {
            assert!(RunColumn::named(name).is_some_and(|column| column.header().to_lowercase() == name), "{name}");
        }
    }
}
