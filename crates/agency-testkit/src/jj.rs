//! Where `scripts/jj` put jj.

use std::env;
use std::path::PathBuf;

/// Names the directory of the command, if it is not the one beside the test's own build.
const VARIABLE: &str = "AGENCY_TEST_JJ";

/// The user in whose name jj makes revisions in a test.
pub(crate) const JJ_CONFIG: &str = "[user]\nname = \"Test\"\nemail = \"test@example.com\"\n";

/// The directory with the command `jj`; panics with what to do unless it is there.
#[track_caller]
pub(crate) fn jj_directory() -> PathBuf {
    let directory = env::var_os(VARIABLE).map(PathBuf::from).or_else(beside_the_test).unwrap_or_default();
    assert!(directory.join("jj").is_file(), "jj is not installed for the tests: run scripts/jj");
    directory
}

/// In the target directory, which the test's program is in.
fn beside_the_test() -> Option<PathBuf> {
    let program = env::current_exe().ok()?;
    let places = program.ancestors().map(|directory| directory.join("tools/jj/bin"));
    places.into_iter().find(|place| place.is_dir())
}
