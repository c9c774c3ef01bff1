//! The files of a diff: their names, and how many lines of each changed.

use std::os::unix::ffi::OsStrExt;

use agency_workspace::ChangedFile;
use anstyle::Style;

use super::unified::{added, removed};
use crate::output::{Surface, styled};

/// The longest bar, in signs.
const MAX_BAR: u64 = 40;

/// The name of each file on a line of its own.
pub(super) fn names(files: &[ChangedFile]) -> Vec<u8> {
    let name =
        |file: &ChangedFile| [Surface::stdout().field_bytes(file.path.as_os_str().as_bytes()), vec![b'\n']].concat();
    files.iter().flat_map(name).collect()
}

/// The name of each file with the number of its changed lines and a bar, and the sum.
pub(super) fn lines(files: &[ChangedFile]) -> Vec<u8> {
    let name = |file: &ChangedFile| Surface::stdout().field_bytes(file.path.as_os_str().as_bytes());
    let length = |file: &ChangedFile| String::from_utf8_lossy(&name(file)).chars().count();
    let widest = files.iter().map(length).max().unwrap_or(0);
    let count = |file: &ChangedFile| file.lines.map_or((0, 0), |lines| (lines.added, lines.removed));
    let most = files.iter().map(|file| count(file).0 + count(file).1).max().unwrap_or(0).max(MAX_BAR);
    let mut text = vec![];
    for file in files {
        text.push(b' ');
        text.extend(name(file));
        let (plus, minus) = count(file);
        // A change is at least one sign.
        let bar = |lines: u64| (lines * MAX_BAR).div_ceil(most);
        let signs = |sign: &str, lines: u64, style: Style| {
            styled(style, &sign.repeat(usize::try_from(bar(lines)).unwrap_or(0)))
        };
        let rest = match file.lines {
            Some(_) => format!("{:>5} {}{}", plus + minus, signs("+", plus, added()), signs("-", minus, removed())),
            None => "  binary".to_owned(),
        };
        text.extend(format!("{} |{rest}\n", " ".repeat(widest - length(file))).into_bytes());
    }
    let (plus, minus) = files.iter().map(count).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let plural = |number: usize| if number == 1 { "" } else { "s" };
    let lines = |number: u64| plural(usize::try_from(number).unwrap_or(usize::MAX));
    text.extend(
        format!(
            " {} file{} changed, {plus} line{} added, {minus} line{} removed\n",
            files.len(),
            plural(files.len()),
            lines(plus),
            lines(minus)
        )
        .into_bytes(),
    );
    text
}
