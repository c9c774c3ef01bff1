//! Tries merges, all of them with one process.

use std::os::unix::ffi::OsStrExt;

use super::super::merge::conflicts_in;
use super::{MergeForecast, Verdict, to_path};
use crate::{Commit, Conflict, Result};

/// The first git that tries several merges with given bases.
const MIN_BATCH_GIT: &str = "2.40";

/// Tries a merge for each line and replaces the verdict at its position. A merge that git cannot make is unknown, and does
/// not stop the others.
pub(super) fn try_all(
    forecast: &MergeForecast,
    lines: &[(usize, String)],
    attributes: &Commit,
    verdicts: &mut [Verdict],
) -> Result<()> {
    let mut batches = vec![lines];
    while let Some(batch) = batches.pop() {
        let list: String = batch.iter().map(|(_, line)| format!("{line}\n")).collect();
        let git = forecast.git_with(attributes).run(["merge-tree", "--write-tree", "--stdin"]);
        let finished = git.input(forecast.input(list.as_bytes())?).finish()?;
        let answers = parse(&finished.stdout);
        let rest = &batch[answers.len().min(batch.len())..];
        for ((position, _), answer) in batch.iter().zip(answers) {
            verdicts[*position] = answer;
        }
        // Git ended at one that it cannot make, perhaps before it printed what it knew.
        match rest {
            [] => {}
            [(position, _)] => verdicts[*position] = Verdict::Unknown { reason: said(&finished.stderr) },
            [..] => batches.extend([&rest[..rest.len() / 2], &rest[rest.len() / 2..]]),
        }
    }
    Ok(())
}

/// Why git stopped.
fn said(stderr: &str) -> String {
    match stderr.lines().last() {
        Some(usage) if usage.trim_start().starts_with('-') || stderr.starts_with("usage:") => {
            format!("this git cannot try several merges at once; {MIN_BATCH_GIT} or newer can")
        }
        Some(line) => format!("git cannot merge them: {line}"),
        None => "git ended without an answer".to_owned(),
    }
}

/// Reads what git printed for each merge: `1` and a tree, or `0`, a tree and what conflicts; an empty field ends each.
fn parse(printed: &[u8]) -> Vec<Verdict> {
    let mut fields = printed.split(|byte| *byte == 0);
    let mut verdicts = Vec::new();
    while let (Some(status), Some(_tree)) = (fields.next(), fields.next()) {
        verdicts.push(match status {
            b"1" => {
                fields.next();
                Verdict::Clean
            }
            b"0" => verdict(conflicts_in(&mut fields)),
            _ => break,
        });
    }
    verdicts
}

/// What git says about links to other repositories depends on whether it has their commits.
fn verdict(conflicts: Vec<Conflict>) -> Verdict {
    if !conflicts.is_empty() && conflicts.iter().all(|conflict| conflict.kind.contains("submodule")) {
        let paths: Vec<String> = conflicts.iter().map(|conflict| conflict.path.display().to_string()).collect();
        return Verdict::Unknown { reason: format!("both changed a submodule: {}", paths.join(", ")) };
    }
    let mut conflicts: Vec<Conflict> = conflicts.into_iter().map(with_own_name).collect();
    conflicts.dedup_by(|later, first| later.path == first.path);
    Verdict::Conflicts(conflicts)
}

/// Git puts a file aside that is in the way of another one, under a name with the commit: the name means nothing here.
fn with_own_name(mut conflict: Conflict) -> Conflict {
    let bytes = conflict.path.as_os_str().as_bytes();
    let aside = bytes.iter().rposition(|byte| *byte == b'~');
    let commit = |at: usize| std::str::from_utf8(&bytes[at + 1..]).is_ok_and(|text| text.parse::<Commit>().is_ok());
    if let Some(at) = aside.filter(|at| commit(*at)) {
        conflict.path = to_path(&bytes[..at]);
    }
    conflict
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clean_merges_and_conflicts_are_told_apart() {
        let printed = b"0\0aa\x00100644 bb 1\tg\x00100644 cc 2\tg\0\x001\0g\0Auto-merging\0Auto-merging g\n\x001\0g\0\
            CONFLICT (contents)\0CONFLICT (content): Merge conflict in g\n\0\x001\0dd\0\x001\0ee\0\0";
        let found = parse(printed);
        assert_eq!(found.len(), 3);
        assert!(matches!(&found[0], Verdict::Conflicts(files)
            if files.len() == 1 && files[0].path.as_os_str() == "g" && files[0].kind == "contents"));
        assert_eq!(found[1..], [Verdict::Clean, Verdict::Clean]);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>) {
            parse(&bytes);
        }
    }
}
