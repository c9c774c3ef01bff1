use proptest::prelude::*;

use super::*;

const PATCH: &str = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -3,4 +3,4 @@ fn main\n one\n-let a = 1;\n-gone\n\
                     +let abc = 1;\n three\n@@ -20 +20,2 @@\n-old\n\\ No newline at end of file\n+old\n+new\n";

#[test]
fn lines_have_the_numbers_of_both_files() {
    let patch = Patch::read(PATCH.as_bytes());
    let numbers: Vec<_> = patch.files[0].lines.iter().map(|line| (line.kind, line.old, line.new)).collect();
    use PatchLineKind::{Added, Context, Hunk, Other, Removed};
    let expected = [
        (Hunk, None, None),
        (Context, Some(3), Some(3)),
        (Removed, Some(4), None),
        (Removed, Some(5), None),
        (Added, None, Some(4)),
        (Context, Some(6), Some(5)),
        (Hunk, None, None),
        (Removed, Some(20), None),
        (Other, None, None),
        (Added, None, Some(20)),
        (Added, None, Some(21)),
    ];
    assert_eq!(numbers, expected);
    assert_eq!(patch.files[0].last_number(), 21);
}

#[test]
fn only_the_words_that_differ_are_marked() {
    let patch = Patch::read(PATCH.as_bytes());
    let file = &patch.files[0];
    let marked = |index: usize| -> Vec<&str> {
        let code = patch.code(&file.lines[index]);
        patch.changed_words(file, index).into_iter().map(|range| &code[range]).collect()
    };
    assert_eq!((marked(2), marked(4)), (vec!["a"], vec!["abc"]));
    assert_eq!(marked(3), Vec::<&str>::new(), "no line corresponds to it");
    assert_eq!((marked(7), marked(9), marked(10)), (vec![], vec![], vec![]), "a remark stands between equal lines");
    assert_eq!(marked(1), Vec::<&str>::new());
}

#[test]
fn lines_that_have_little_in_common_are_not_marked() {
    let patch = Patch::read(b"@@ -1 +1 @@\n-completely another line\n+fn main() {\n");
    assert!(patch.changed_words(&patch.files[0], 1).is_empty());
    let long = format!("@@ -1 +1 @@\n-{0}a\n+{0}b\n", "x ".repeat(2000));
    let patch = Patch::read(long.as_bytes());
    assert!(patch.changed_words(&patch.files[0], 1).is_empty(), "a long line costs no time");
}

#[test]
fn removed_lines_stand_beside_those_that_replace_them() {
    let patch = Patch::read(PATCH.as_bytes());
    let both = |old: Option<usize>, new: Option<usize>| SidePair::Both { old, new };
    let expected = [
        SidePair::Across(0),
        both(Some(1), Some(1)),
        both(Some(2), Some(4)),
        both(Some(3), None),
        both(Some(5), Some(5)),
        SidePair::Across(6),
        both(Some(7), Some(9)),
        both(None, Some(10)),
    ];
    assert_eq!(patch.files[0].side_by_side(), expected);
}

proptest! {
    #[test]
    fn any_text_is_read_and_marks_stand_between_characters(text in "([ +@\\\\-]?[a-zä \t]{0,9}(@@ -1,2 \\+1,2 @@)?\n){0,12}") {
        let patch = Patch::read(text.as_bytes());
        for file in &patch.files {
            for (index, line) in file.lines.iter().enumerate() {
                let code = patch.code(line);
                prop_assert!(patch.changed_words(file, index).into_iter().all(|range| code.get(range).is_some()));
            }
            prop_assert!(file.side_by_side().len() <= file.lines.len());
        }
    }
}
