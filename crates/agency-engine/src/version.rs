//! Which version of an agent is installed. Asking costs up to a second, so the answer is kept for as long as the
//! program's file is the same.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::{Deserialize, Serialize};

use crate::home::Home;

/// A program that takes longer has no version.
const LIMIT: Duration = Duration::from_secs(10);
/// More than this is no version.
const MOST_BYTES: u64 = 4096;

/// The answers that are kept, by the program's path.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Known(BTreeMap<String, Answer>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Answer {
    /// What tells one file from another.
    file: (u64, u64, i64, i64),
    version: Option<String>,
}

/// The version that a program names, from memory or by asking it.
#[must_use]
pub fn of(home: &Home, program: &Path, environment: &BTreeMap<OsString, OsString>) -> Option<String> {
    let metadata = program.metadata().ok()?;
    let file = (metadata.ino(), metadata.size(), metadata.mtime(), metadata.mtime_nsec());
    let memory = home.agent_versions();
    let read = || -> Option<Known> { serde_json::from_slice(&std::fs::read(&memory).ok()?).ok() };
    let key = program.display().to_string();
    if let Some(answer) = read().and_then(|mut known| known.0.remove(&key)).filter(|answer| answer.file == file) {
        return answer.version;
    }
    let version = ask(program, environment);
    let mut known = read().unwrap_or_default();
    known.0.insert(key, Answer { file, version: version.clone() });
    // Who cannot remember asks again.
    if let Ok(text) = serde_json::to_vec_pretty(&known) {
        let _ = home.write_agent_versions(&text);
    }
    version
}

fn ask(program: &Path, environment: &BTreeMap<OsString, OsString>) -> Option<String> {
    let mut command = Command::new(program);
    command.arg("--version").env_clear().envs(environment).current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let said = listen(&mut child, LIMIT);
    // It may have ended by itself; either way nobody needs it any more.
    let _ = child.kill();
    let _ = child.wait();
    version_in(&said?)
}

fn listen(child: &mut Child, limit: Duration) -> Option<String> {
    let mut output = child.stdout.take()?.take(MOST_BYTES);
    let deadline = Instant::now() + limit;
    let mut said = vec![];
    loop {
        let left = Timespec::try_from(deadline.checked_duration_since(Instant::now())?).ok()?;
        let ready = poll(&mut [PollFd::new(output.get_ref(), PollFlags::IN)], Some(&left)).ok()?;
        if ready == 0 {
            return None;
        }
        let mut piece = [0; 1024];
        match output.read(&mut piece).ok()? {
            0 => return String::from_utf8(said).ok(),
            length => said.extend_from_slice(piece.get(..length)?),
        }
    }
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
    fn a_silent_program_is_not_waited_for() {
        let mut child = Command::new("sleep").arg("60").stdout(Stdio::piped()).spawn().unwrap();
        assert_eq!(listen(&mut child, Duration::from_millis(50)), None);
        assert_eq!(child.try_wait().unwrap(), None, "it ended before we did");
        child.kill().unwrap();
        child.wait().unwrap();
    }

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
