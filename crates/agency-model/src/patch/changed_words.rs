//! Which words of a line differ from the line that it replaces.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{PatchFile, PatchLineKind};

/// Longer lines are not compared by words.
const MAX_LINE_BYTES: usize = 2000;
/// In a longer block of changed lines, no lines correspond to each other.
const MAX_BLOCK_LINES: usize = 200;
/// If less of both lines is the same, in percent, marks would say nothing.
const MIN_SAME_PERCENT: usize = 30;

/// The removed and the added line that belong together, one of which is this one.
pub(super) fn counterpart(file: &PatchFile, index: usize) -> Option<(usize, usize)> {
    let kind = |index: usize| file.lines.get(index).map(|line| line.kind);
    // git writes all removed lines of a block, then all added ones; a remark may stand between them.
    let back = |from: usize, wanted: PatchLineKind| {
        let length = (0..from.min(MAX_BLOCK_LINES)).take_while(|back| kind(from - 1 - back) == Some(wanted)).count();
        (length < MAX_BLOCK_LINES).then(|| from - length)
    };
    let skip_remark = |at: usize| if kind(at) == Some(PatchLineKind::Other) { at + 1 } else { at };
    match kind(index)? {
        PatchLineKind::Removed => {
            let first = back(index, PatchLineKind::Removed)?;
            let ahead = (index..index + MAX_BLOCK_LINES).find(|at| kind(*at) != Some(PatchLineKind::Removed))?;
            let added = skip_remark(ahead) + (index - first);
            let between = skip_remark(ahead)..=added;
            between.into_iter().all(|at| kind(at) == Some(PatchLineKind::Added)).then_some((index, added))
        }
        PatchLineKind::Added => {
            let first = back(index, PatchLineKind::Added)?;
            let end = match first.checked_sub(1) {
                Some(before) if kind(before) == Some(PatchLineKind::Other) => before,
                Some(_) | None => first,
            };
            let start = back(end, PatchLineKind::Removed)?;
            let removed = start + (index - first);
            (removed < end).then_some((removed, index))
        }
        PatchLineKind::Hunk | PatchLineKind::Context | PatchLineKind::Other => None,
    }
}

/// The parts of both lines that differ.
pub(super) fn differences(old: &str, new: &str) -> (Vec<Range<usize>>, Vec<Range<usize>>) {
    if old.len().max(new.len()) > MAX_LINE_BYTES {
        return (vec![], vec![]);
    }
    let (old_words, new_words) = (words(old), words(new));
    let text = |line: &str, words: &[Range<usize>]| -> Vec<String> {
        words.iter().map(|range| line.get(range.clone()).unwrap_or_default().to_owned()).collect()
    };
    let operations = capture_diff_slices(Algorithm::Patience, &text(old, &old_words), &text(new, &new_words));
    let (mut removed, mut added, mut same) = (vec![], vec![], 0);
    for operation in operations {
        let (old_part, new_part) = (part(&old_words, &operation.old_range()), part(&new_words, &operation.new_range()));
        match operation {
            DiffOp::Equal { .. } => same += old.get(old_part.unwrap_or_default()).map_or(0, |text| text.trim().len()),
            DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => {
                removed.extend(old_part);
                added.extend(new_part);
            }
        }
    }
    if same * 100 < MIN_SAME_PERCENT * old.trim().len().max(new.trim().len()) {
        return (vec![], vec![]);
    }
    (removed, added)
}

/// The bytes of some words; none if there are none.
fn part(words: &[Range<usize>], wanted: &Range<usize>) -> Option<Range<usize>> {
    let chosen = words.get(wanted.clone())?;
    Some(chosen.first()?.start..chosen.last()?.end)
}

/// Names and numbers, spaces, and every other character by itself.
fn words(line: &str) -> Vec<Range<usize>> {
    #[derive(PartialEq, Clone, Copy)]
    enum WordKind {
        Name,
        Space,
        Sign,
    }
    let kind = |letter: char| match letter {
        '_' => WordKind::Name,
        letter if letter.is_alphanumeric() => WordKind::Name,
        letter if letter.is_whitespace() => WordKind::Space,
        _ => WordKind::Sign,
    };
    let mut words: Vec<(WordKind, Range<usize>)> = vec![];
    for (at, letter) in line.char_indices() {
        let end = at + letter.len_utf8();
        match words.last_mut() {
            Some((last, range)) if *last == kind(letter) && *last != WordKind::Sign => range.end = end,
            Some(_) | None => words.push((kind(letter), at..end)),
        }
    }
    words.into_iter().map(|(_, range)| range).collect()
}
