//! The table in `docs/errors.md` against the exit codes as they are decided.

use agency_model::ErrorCode;

use super::exit_code_of;

#[test]
fn every_exit_code_is_the_one_in_the_table() {
    let page = include_str!("../../../../docs/errors.md");
    for code in ErrorCode::ALL {
        let row = format!("| `{code}` | {} | ", exit_code_of(*code));
        assert!(page.lines().any(|line| line.starts_with(&row)), "docs/errors.md has no row `{row}`");
    }
}
