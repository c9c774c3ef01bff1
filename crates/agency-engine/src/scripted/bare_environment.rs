//! Runs a test again in a process that knows no user: an empty home and no git identity.

use std::env;
use std::process::Command;

const MARKER: &str = "AGENCY_TEST_BARE";

/// Runs the body of the named test in a bare environment. The name is the test's path inside this crate.
pub(crate) fn in_bare_environment(test: &str, body: impl FnOnce()) {
    if env::var_os(MARKER).is_some() {
        return body();
    }
    let home = tempfile::tempdir().unwrap();
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env_clear()
        .env("PATH", env::var_os("PATH").unwrap())
        .env("HOME", home.path())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env(MARKER, "1")
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && out.contains("1 passed"), "{test} in a bare environment:\n{out}{err}");
}
