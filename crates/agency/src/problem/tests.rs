//! The table in `docs/errors.md` against the exit codes as they are decided, and hints against their placeholders.

use agency_model::ErrorCode;

use super::{Problem, exit_code_of};

#[test]
fn every_exit_code_is_the_one_in_the_table() {
    let page = include_str!("../../../../docs/errors.md");
    for code in ErrorCode::ALL {
        let row = format!("| `{code}` | {} | ", exit_code_of(*code));
        assert!(page.lines().any(|line| line.starts_with(&row)), "docs/errors.md has no row `{row}`");
    }
}

#[test]
fn no_hint_has_a_placeholder_whether_the_failure_names_an_id_or_not() {
    let ids = "r_01M7Q69GWEFQSXP4A494M2QNF8 and q_01M7Q69GWEFQSXP4A494M2QNF9";
    for code in ErrorCode::ALL {
        for message in ["", ids] {
            let hint = Problem::new(*code, message).into_words().1.unwrap_or_default();
            assert!(!hint.contains('<'), "{code}: {hint}");
        }
    }
    let hint = Problem::new(ErrorCode::InvalidState, ids).into_words().1.unwrap();
    assert_eq!(hint, "agency show r_01M7Q69GWEFQSXP4A494M2QNF8 shows its state");
    let hint = Problem::new(ErrorCode::AlreadyAnswered, ids).into_words().1.unwrap();
    assert_eq!(hint, "agency inbox show q_01M7Q69GWEFQSXP4A494M2QNF9 shows the answer");
}
