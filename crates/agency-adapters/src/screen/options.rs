//! The answers that a dialog offers, as they stand on the screen.

use std::ops::Range;

use regex_lite::Regex;
use serde::Deserialize;

use super::key::KeyBytes;
use super::unframed_screen::UnframedScreen;

/// How a dialog shows its options.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "style", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Options {
    /// Lines like `❯ 1. Yes`.
    Numbered {
        /// What stands before the one that Enter would choose.
        marker: Option<char>,
        /// What the lines below an option are.
        #[serde(default)]
        below: Below,
    },
    /// Lines that have no number, one of them with a marker.
    Marked {
        /// What stands before the one that Enter would choose.
        marker: char,
    },
    /// Buttons beside each other; the one that Enter would choose stands out.
    Buttons {
        /// What is written on them, from left to right.
        labels: Vec<String>,
    },
    /// Nothing is listed, but these keys answer.
    Keys {
        /// What can be chosen.
        choices: Vec<Choice>,
    },
}

/// What the lines below an option are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Below {
    /// The rest of a label that was too long for its line.
    #[default]
    Label,
    /// What the option means.
    Description,
}

/// An option that is chosen by keys of its own.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Choice {
    label: String,
    keys: Vec<KeyBytes>,
}

/// One option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OptionRow {
    pub(super) id: String,
    pub(super) label: String,
    pub(super) description: Option<String>,
    /// Whether it is checked, where several can be.
    pub(super) checked: Option<bool>,
    /// Whether Enter would choose it.
    pub(super) marked: bool,
    /// The keys that choose it, where it has its own.
    pub(super) keys: Vec<KeyBytes>,
}

/// The options of a dialog, and the line at which they begin.
pub(super) struct ListedOptions {
    pub(super) begin: usize,
    pub(super) rows: Vec<OptionRow>,
}

/// An option that was found on a line.
struct FoundOption {
    line: usize,
    column: usize,
    row: OptionRow,
}

impl Options {
    /// Reads the options; none where the dialog shows none, because it is not drawn to its end.
    pub(super) fn read(&self, unframed: &UnframedScreen<'_>, dialog: Range<usize>) -> Option<ListedOptions> {
        match self {
            Self::Numbered { marker, below } => numbered(unframed, dialog, *marker, *below),
            Self::Marked { marker } => marked(unframed, dialog, *marker),
            Self::Buttons { labels } => buttons(unframed, dialog, labels),
            Self::Keys { choices } => {
                let rows = choices.iter().enumerate().map(|(index, Choice { label, keys })| OptionRow {
                    keys: keys.clone(),
                    ..row(index + 1, label, false)
                });
                Some(ListedOptions { begin: dialog.end, rows: rows.collect() })
            }
        }
    }
}

fn row(number: usize, label: &str, marked: bool) -> OptionRow {
    let id = number.to_string();
    OptionRow { id, label: label.trim().to_owned(), description: None, checked: None, marked, keys: vec![] }
}

fn numbered(
    unframed: &UnframedScreen<'_>,
    dialog: Range<usize>,
    marker: Option<char>,
    below: Below,
) -> Option<ListedOptions> {
    let pattern = Regex::new(r"^\s*(\S\s+)?(\d{1,2})\.\s+((?:\[(.)\]\s+)?(\S.*))$").ok()?;
    let candidates = unframed.lines(dialog.clone()).filter_map(|(line, text)| {
        let parts = pattern.captures(text)?;
        let before = parts.get(1).and_then(|sign| sign.as_str().chars().next());
        if before.is_some() && before != marker {
            return None;
        }
        let mut row = row(parts.get(2)?.as_str().parse().ok()?, parts.get(5)?.as_str(), before.is_some());
        row.checked = parts.get(4).map(|check| check.as_str() != " ");
        if let Some((label, description)) = row.label.clone().split_once("  ") {
            row.label = label.to_owned();
            row.description = Some(description.trim().to_owned());
        }
        Some(FoundOption { line, column: text.get(..parts.get(3)?.start())?.chars().count(), row })
    });
    let found = last_count(candidates.collect());
    let begin = found.first()?.line;
    let ends: Vec<usize> = found.iter().skip(1).map(|next| next.line).chain([dialog.end]).collect();
    let rows = found.into_iter().zip(ends).map(|(found, end)| with_lines_below(unframed, found, end, below)).collect();
    Some(ListedOptions { begin, rows })
}

/// The last lines that count up by one: lists in what is asked about stand above the options.
fn last_count(mut found: Vec<FoundOption>) -> Vec<FoundOption> {
    let number = |found: &FoundOption| found.row.id.parse::<usize>().unwrap_or_default();
    let continues = |pair: &[FoundOption]| matches!(pair, [one, next] if number(next) == number(one) + 1);
    let breaks = found.windows(2).rposition(|pair| !continues(pair));
    found.split_off(breaks.map_or(0, |before| before + 1))
}

fn with_lines_below(unframed: &UnframedScreen<'_>, found: FoundOption, end: usize, below: Below) -> OptionRow {
    let FoundOption { line, column, mut row } = found;
    let belongs = |text: &str| !text.trim().is_empty() && text.chars().take(column).all(char::is_whitespace);
    let lines: Vec<&str> =
        unframed.lines(line + 1..end).map(|(_, text)| text).take_while(|text| belongs(text)).map(str::trim).collect();
    let more = lines.join(" ");
    if more.is_empty() {
        return row;
    }
    match (below, &mut row.description) {
        (Below::Label, None) => row.label = format!("{} {more}", row.label),
        (Below::Label | Below::Description, Some(description)) => *description = format!("{description} {more}"),
        (Below::Description, description @ None) => *description = Some(more),
    }
    row
}

fn marked(unframed: &UnframedScreen<'_>, dialog: Range<usize>, marker: char) -> Option<ListedOptions> {
    let marked_label = |text: &str| text.trim_start().strip_prefix(marker).map(|label| label.trim().to_owned());
    let (line, text) = unframed.lines(dialog.clone()).rfind(|(_, text)| marked_label(text).is_some())?;
    let label = marked_label(text)?;
    let column = text.chars().take_while(|letter| letter.is_whitespace() || *letter == marker).count();
    let beside = |text: &str| text.chars().take_while(|letter| letter.is_whitespace()).count() == column;
    let above: Vec<&str> =
        unframed.lines(dialog.start..line).rev().map(|(_, text)| text).take_while(|text| beside(text)).collect();
    let below = unframed.lines(line + 1..dialog.end).map(|(_, text)| text).take_while(|text| beside(text));
    let begin = line - above.len();
    let labels = above.iter().rev().map(|text| (*text, false)).chain([(label.as_str(), true)]);
    let labels = labels.chain(below.map(|text| (text, false)));
    let rows = labels.enumerate().map(|(index, (label, marked))| row(index + 1, label, marked)).collect();
    Some(ListedOptions { begin, rows })
}

fn buttons(unframed: &UnframedScreen<'_>, dialog: Range<usize>, labels: &[String]) -> Option<ListedOptions> {
    let in_order = |text: &str| {
        let places: Option<Vec<usize>> = labels.iter().map(|label| text.find(label.as_str())).collect();
        places.is_some_and(|places| places.is_sorted())
    };
    let (line, _) = unframed.lines(dialog).rfind(|(_, text)| in_order(text))?;
    let stands_out = |label: &String| unframed.highlights(line).contains(label);
    let rows = labels.iter().enumerate().map(|(index, label)| row(index + 1, label, stands_out(label))).collect();
    Some(ListedOptions { begin: line, rows })
}
