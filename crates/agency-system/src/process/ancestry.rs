//! The processes that started this one.
//!
//! The one rule: a parent counts only if it still runs and is still the parent after its descriptor was opened, so that
//! a reused pid is never taken for it.

use std::fs;
use std::os::unix::fs::MetadataExt;

use super::ProcessHandle;
use super::proc_file::read_proc_file;
use super::stat::Stat;

/// No chain of parents is longer.
const MAX_DEPTH: usize = 1000;
/// How often the walk starts again when a process on the way ends.
const MAX_ATTEMPTS: usize = 10;

/// One process of the chain from this process up to the first one of the system.
#[derive(Debug)]
pub struct Ancestor {
    process: ProcessHandle,
    stat: Stat,
}

impl Ancestor {
    /// Its descriptor.
    #[must_use]
    pub const fn process(&self) -> &ProcessHandle {
        &self.process
    }

    /// The session that it belongs to.
    #[must_use]
    pub const fn session(&self) -> u32 {
        self.stat.session
    }

    /// The name that it gives itself.
    #[must_use]
    pub fn name(&self) -> String {
        let name = read_proc_file(self.process.pid(), "comm").ok();
        name.and_then(|name| String::from_utf8(name).ok()).unwrap_or_default().trim_end().to_owned()
    }

    /// Its command line, word by word.
    #[must_use]
    pub fn arguments(&self) -> Vec<String> {
        let bytes = read_proc_file(self.process.pid(), "cmdline").unwrap_or_default();
        let words = bytes.strip_suffix(b"\0").unwrap_or(&bytes).split(|byte| *byte == 0);
        words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
    }

    /// Whether it runs the same program file as this process.
    #[must_use]
    pub fn is_same_program(&self) -> bool {
        let file = |process: &str| fs::metadata(format!("/proc/{process}/exe")).map(|file| (file.dev(), file.ino()));
        let theirs = file(&self.process.pid().to_string());
        file("self").is_ok_and(|ours| theirs.is_ok_and(|theirs| ours == theirs))
    }
}

/// This process, its parent, the parent's parent and so on. Shorter where the system hides processes.
#[must_use]
pub fn ancestry() -> Vec<Ancestor> {
    for _ in 0..MAX_ATTEMPTS {
        if let Some(found) = walk() {
            return found;
        }
    }
    // Parents end faster than they can be looked at; this process itself does not.
    found(std::process::id()).into_iter().collect()
}

/// The chain; `None` if a process of it ended meanwhile, because its child has another parent now.
fn walk() -> Option<Vec<Ancestor>> {
    let mut chain = vec![found(std::process::id())?];
    while let Some(child) = chain.last().filter(|_| chain.len() < MAX_DEPTH) {
        let pid = child.process.pid();
        let Some(parent) = found(child.stat.parent) else { break };
        let is_parent = Stat::read(pid).is_ok_and(|stat| stat.parent == child.stat.parent);
        if !(is_parent && child.process.is_running() && parent.process.is_running()) {
            return None;
        }
        chain.push(parent);
    }
    Some(chain)
}

/// The process with this pid; `None` for 0, which is the parent of the first process, and for what cannot be read.
fn found(pid: u32) -> Option<Ancestor> {
    let process = ProcessHandle::open(pid)?;
    let stat = Stat::read(pid).ok()?;
    Some(Ancestor { process, stat })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_begins_with_this_process_and_its_parent() {
        let pids: Vec<u32> = ancestry().iter().map(|ancestor| ancestor.process().pid()).collect();
        assert_eq!(pids.first(), Some(&std::process::id()));
        assert_eq!(pids.get(1), Some(&std::os::unix::process::parent_id()));
        let mut unique = pids.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), pids.len(), "{pids:?}");
    }

    #[test]
    fn only_this_process_surely_runs_this_program() {
        let chain = ancestry();
        assert!(chain.first().is_some_and(Ancestor::is_same_program));
        assert!(!chain.last().is_some_and(|first| chain.len() > 2 && first.is_same_program()));
    }
}
