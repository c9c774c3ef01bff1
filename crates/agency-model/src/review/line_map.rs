//! Where lines of one version of a file are in another version.

use std::collections::HashSet;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Beyond this product of line counts, what differs between two files is not compared line by line.
const MAX_COMPARISONS: usize = 400_000_000;

/// Where lines are in the new version, as indexes from 0. An empty range is the place before a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FollowedLines {
    /// They are the same, and may have moved.
    Same(Range<usize>),
    /// They changed. What is there now, or the place where they were.
    Changed(Range<usize>),
}

impl FollowedLines {
    /// Where they are, or were.
    #[must_use]
    pub const fn range(&self) -> &Range<usize> {
        match self {
            Self::Same(range) | Self::Changed(range) => range,
        }
    }
}

/// The lines of a file, without their ends: files that differ only in `\r\n` and `\n` have the same lines.
#[must_use]
pub fn lines_of(content: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> =
        content.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect();
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

/// Follows lines of an old version into a new one.
#[must_use]
pub fn follow_lines(old: &[u8], new: &[u8], wanted: &Range<usize>) -> FollowedLines {
    let (old, new) = (lines_of(old), lines_of(new));
    let found = matching_lines(&old, &new);
    let before = found.get(..wanted.start).unwrap_or_default().iter().rev().find_map(|at| *at).map_or(0, |at| at + 1);
    let after = found.get(wanted.end..).unwrap_or_default().iter().find_map(|at| *at).unwrap_or(new.len());
    // Lines that are added beside the wanted ones do not change them, but at an empty place there is nothing else.
    if wanted.is_empty() {
        let stays = |line: Option<usize>| line.is_none_or(|line| found.get(line).is_none_or(Option::is_some));
        let is_same = before == after && stays(wanted.start.checked_sub(1)) && stays(Some(wanted.end));
        return if is_same {
            FollowedLines::Same(after..after)
        } else {
            FollowedLines::Changed(before..after.max(before))
        };
    }
    let lines = found.get(wanted.clone()).unwrap_or_default();
    match lines.first().copied().flatten() {
        Some(first) if lines.len() == wanted.len() && lines.iter().zip(first..).all(|(at, next)| *at == Some(next)) => {
            FollowedLines::Same(first..first + lines.len())
        }
        Some(_) | None => FollowedLines::Changed(before..after.max(before)),
    }
}

/// Where each line of an old version is in the new one, in ascending order.
pub(super) fn matching_lines<T: AsRef<[u8]>>(old: &[T], new: &[T]) -> Vec<Option<usize>> {
    let (old, new): (Vec<&[u8]>, Vec<&[u8]>) = (bytes_of(old), bytes_of(new));
    let same = |pairs: &mut dyn Iterator<Item = (&&[u8], &&[u8])>| pairs.take_while(|(old, new)| old == new).count();
    let prefix = same(&mut old.iter().zip(&new));
    let suffix = same(&mut old.iter().rev().zip(new.iter().rev())).min(old.len().min(new.len()) - prefix);
    let mut found: Vec<Option<usize>> = vec![None; old.len()];
    for (line, place) in found.iter_mut().enumerate() {
        *place = if line < prefix {
            Some(line)
        } else if line >= old.len() - suffix {
            Some(line + new.len() - old.len())
        } else {
            None
        };
    }
    // Only a line that both versions have can match, so the others need no comparison.
    let between = |lines: &[&[u8]]| prefix..lines.len() - suffix;
    let occurring = |lines: &[&[u8]], other: &[&[u8]]| -> Vec<usize> {
        let other: HashSet<&[u8]> = other.get(between(other)).unwrap_or_default().iter().copied().collect();
        between(lines).filter(|line| lines.get(*line).is_some_and(|line| other.contains(line))).collect()
    };
    let (old_lines, new_lines) = (occurring(&old, &new), occurring(&new, &old));
    if old_lines.len().saturating_mul(new_lines.len()) > MAX_COMPARISONS {
        return found;
    }
    let content = |lines: &[&'_ [u8]], wanted: &[usize]| -> Vec<Vec<u8>> {
        wanted.iter().filter_map(|line| lines.get(*line).map(|line| line.to_vec())).collect()
    };
    let (old_content, new_content) = (content(&old, &old_lines), content(&new, &new_lines));
    for operation in capture_diff_slices(Algorithm::Myers, &old_content, &new_content) {
        if let DiffOp::Equal { old_index, new_index, len } = operation {
            for step in 0..len {
                if let (Some(old), Some(new)) = (old_lines.get(old_index + step), new_lines.get(new_index + step))
                    && let Some(place) = found.get_mut(*old)
                {
                    *place = Some(*new);
                }
            }
        }
    }
    found
}

fn bytes_of<T: AsRef<[u8]>>(lines: &[T]) -> Vec<&[u8]> {
    lines.iter().map(AsRef::as_ref).collect()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::FollowedLines::{Changed, Same};
    use super::*;

    fn follow(old: &str, new: &str, wanted: Range<usize>) -> FollowedLines {
        follow_lines(old.as_bytes(), new.as_bytes(), &wanted)
    }

    #[test]
    fn lines_move_with_what_is_added_and_removed_above_them() {
        assert_eq!(follow("a\nb\nc\n", "x\ny\na\nb\nc\n", 1..2), Same(3..4));
        assert_eq!(follow("a\nb\nc\n", "b\nc\n", 1..3), Same(0..2));
        assert_eq!(follow("a\nb\nc\n", "a\nb\nx\nc\n", 1..2), Same(1..2));
        assert_eq!(follow("a\nb\nc\n", "a\nx\nb\nc\n", 1..2), Same(2..3));
    }

    #[test]
    fn a_change_of_the_lines_or_between_them_touches_them() {
        assert_eq!(follow("a\nb\nc\n", "a\nB\nc\n", 1..2), Changed(1..2));
        assert_eq!(follow("a\nb\nc\n", "a\nc\n", 1..2), Changed(1..1));
        assert_eq!(follow("a\nb\nc\n", "a\nb\nx\nc\n", 1..3), Changed(1..4));
        assert_eq!(follow("a\n", "", 0..1), Changed(0..0));
    }

    #[test]
    fn at_an_empty_place_an_added_line_is_a_change() {
        assert_eq!(follow("a\nc\n", "a\nb\nc\n", 1..1), Changed(1..2));
        assert_eq!(follow("a\nc\n", "x\na\nc\n", 1..1), Same(2..2));
        assert_eq!(follow("a\nc\n", "a\nc\n", 2..2), Same(2..2));
    }

    #[test]
    fn line_ends_are_not_part_of_a_line() {
        assert_eq!(follow("a\nb\n", "a\r\nb\r\n", 1..2), Same(1..2));
        assert_eq!(follow("a\r\nb", "x\r\na\r\nb\r\n", 1..2), Same(2..3));
    }

    #[test]
    fn a_line_is_found_again_among_ten_thousand() {
        let mut old = String::new();
        for number in 0..10_000 {
            let _ = writeln!(old, "line {number}");
        }
        let new = format!("first\n{}", old.replace("line 17\n", "").replace("line 9000\n", "nine thousand\n"));
        assert_eq!(follow(&old, &new, 5000..5002), Same(5000..5002));
        assert_eq!(follow(&old, &new, 9000..9001), Changed(9000..9001));
    }

    proptest::proptest! {
        #[test]
        fn same_lines_are_the_same(old in "[ab\n]{0,30}", new in "[ab\n\r]{0,30}", start in 0_usize..8, length in 0_usize..4) {
            let count = lines_of(old.as_bytes()).len();
            let start = start.min(count);
            let wanted = start..(start + length).min(count);
            let followed = follow_lines(old.as_bytes(), new.as_bytes(), &wanted);
            let (old_lines, new_lines) = (lines_of(old.as_bytes()), lines_of(new.as_bytes()));
            proptest::prop_assert!(followed.range().end <= new_lines.len());
            if let Same(range) = followed {
                proptest::prop_assert_eq!(&old_lines[wanted], &new_lines[range]);
            }
        }
    }
}
