//! Which version of an agent is installed. Asking costs up to a second, so the answer is kept for as long as the
//! program's file is the same.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use agency_system::process::output_with_timeout;
use serde::{Deserialize, Serialize};
use tracing::debug;

use crate::home::Home;

/// A program that takes longer has no known version.
const VERSION_TIMEOUT: Duration = Duration::from_secs(10);
/// More output than this does not contain a version.
const MAX_OUTPUT_BYTES: u64 = 4096;

/// The answers that are kept, by the program's path.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Known(BTreeMap<String, KnownVersion>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct KnownVersion {
    /// Identifies the file.
    file: (u64, u64, i64, i64),
    version: String,
}

/// The version that a program names, from memory or by asking it.
#[must_use]
pub(super) fn of(home: &Home, program: &Path, environment: &BTreeMap<OsString, OsString>) -> Option<String> {
    let metadata = program.metadata().ok()?;
    let file = (metadata.ino(), metadata.size(), metadata.mtime(), metadata.mtime_nsec());
    let memory = home.agent_versions();
    let read = || -> Option<Known> { serde_json::from_slice(&std::fs::read(&memory).ok()?).ok() };
    let key = program.display().to_string();
    if let Some(answer) = read().and_then(|mut known| known.0.remove(&key)).filter(|answer| answer.file == file) {
        return Some(answer.version);
    }
    // A program without an answer may only have been slow: it is asked again.
    let version = ask(program, environment)?;
    let mut known = read().unwrap_or_default();
    known.0.insert(key, KnownVersion { file, version: version.clone() });
    // Without the note the program is asked again.
    if let Ok(text) = serde_json::to_vec_pretty(&known) {
        let _ = home.write_agent_versions(&text);
    }
    Some(version)
}

#[expect(clippy::disallowed_methods, reason = "an agent is asked for its version")]
fn ask(program: &Path, environment: &BTreeMap<OsString, OsString>) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version").env_clear().envs(environment).current_dir("/");
    let started = Instant::now();
    let output = output_with_timeout(&mut command, VERSION_TIMEOUT, MAX_OUTPUT_BYTES);
    let ms = started.elapsed().as_millis();
    debug!(program = %program.display(), ms, answered = output.is_some(), "version of the agent asked");
    version_in(&String::from_utf8(output?).ok()?)
}

/// The first word that looks like a version.
fn version_in(text: &str) -> Option<String> {
    let words = text.split(|letter: char| letter.is_whitespace() || matches!(letter, '(' | ')' | ','));
    let candidates = words.map(|word| word.trim_start_matches('v'));
    let numbered = |word: &&str| word.contains('.') && word.starts_with(|letter: char| letter.is_ascii_digit());
    candidates.filter(numbered).map(str::to_owned).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_found_in_what_the_real_programs_say() {
        for (said, version) in [
            ("2.1.325 (Claude Code)\n", Some("2.1.325")),
            ("codex-cli 0.166.0\n", Some("0.166.0")),
            ("0.61.0\n", Some("0.61.0")),
            ("tool v1.2.3-beta.1, built today\n", Some("1.2.3-beta.1")),
            ("usage: tool\n", None),
            ("", None),
        ] {
            assert_eq!(version_in(said).as_deref(), version, "{said:?}");
        }
    }
}
