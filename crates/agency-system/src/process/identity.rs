//! The identity of a process, in a form that can be stored and read by another process later.
//!
//! The one rule: a process is found again only if it is that very one. A pid is used again, and so is a pid together
//! with a start time, which counts hundredths of a second; the inode of a process descriptor is not, until the machine
//! is started anew.

use std::fs;
use std::io;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ProcessHandle;
use super::stat::Stat;

/// One process of one run of the machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Identity {
    /// The run of the machine, as the kernel names it.
    pub boot_id: String,
    /// Its number.
    pub pid: u32,
    /// The inode of its descriptors; absent before Linux 6.9, where all processes share one.
    pub pidfd_inode: Option<u64>,
    /// When it was started, in ticks since the machine was.
    pub start_time: u64,
}

/// What has become of a process that was written down.
#[derive(Debug)]
pub enum FoundProcess {
    /// It is there.
    Here(ProcessHandle),
    /// It has exited; another process may have its number.
    Gone,
    /// The machine was started anew since: nothing of that time is there any more.
    AnotherBoot,
}

impl Identity {
    /// The process that has this pid now. The caller makes sure that it is the one that is meant, as a parent can.
    pub fn of(pid: u32) -> io::Result<Self> {
        let process = ProcessHandle::find(pid)?.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        let (pidfd_inode, start_time) = (process.inode()?, Stat::read(pid)?.started);
        Ok(Self { boot_id: boot_id()?, pid, pidfd_inode, start_time })
    }

    /// Finds the process again. An error means that it cannot be determined.
    pub fn find(&self) -> io::Result<FoundProcess> {
        if self.boot_id != boot_id()? {
            return Ok(FoundProcess::AnotherBoot);
        }
        let Some(process) = ProcessHandle::find(self.pid)? else {
            return Ok(FoundProcess::Gone);
        };
        let same = match (self.pidfd_inode, process.inode()?) {
            (Some(noted), Some(present)) => noted == present,
            // An exited process has no line, and the line of a successor may be read in its place: so whether it runs is
            // checked afterwards.
            (Some(_) | None, _) => Stat::read(self.pid).is_ok_and(|stat| stat.started == self.start_time),
        };
        Ok(if same && process.is_running() { FoundProcess::Here(process) } else { FoundProcess::Gone })
    }
}

/// The name of this run of the machine.
/// Names this start of the machine.
pub fn boot_id() -> io::Result<String> {
    Ok(fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::*;

    fn sleeper() -> Child {
        Command::new("sleep").arg("600").spawn().unwrap()
    }

    fn is_found(identity: &Identity) -> bool {
        matches!(identity.find().unwrap(), FoundProcess::Here(process) if process.pid() == identity.pid)
    }

    // proves P13
    #[test]
    fn a_process_is_found_until_it_ends_even_before_its_parent_has_asked_for_its_exit_code() {
        let mut child = sleeper();
        let identity = Identity::of(child.id()).unwrap();
        assert!(is_found(&identity));
        child.kill().unwrap();
        let handle = ProcessHandle::open(child.id()).unwrap();
        assert!(handle.wait(std::time::Duration::from_secs(30)));
        assert!(matches!(identity.find().unwrap(), FoundProcess::Gone));
        child.wait().unwrap();
        assert!(matches!(identity.find().unwrap(), FoundProcess::Gone));
        assert_eq!(Identity::of(child.id()).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    // proves P13
    #[test]
    fn another_process_is_not_taken_for_it_whatever_else_agrees() {
        let (mut one, mut other) = (sleeper(), sleeper());
        let (first, second) = (Identity::of(one.id()).unwrap(), Identity::of(other.id()).unwrap());
        assert!(first.pidfd_inode.is_none() || first.pidfd_inode != second.pidfd_inode);
        if first.pidfd_inode.is_some() {
            // As if the second had got the number of the first within one tick.
            let reused = Identity { pidfd_inode: first.pidfd_inode, ..second.clone() };
            assert!(matches!(reused.find().unwrap(), FoundProcess::Gone));
        }
        let old_kernel = Identity { pidfd_inode: None, ..second.clone() };
        assert!(is_found(&old_kernel));
        let reused = Identity { start_time: second.start_time + 1, ..old_kernel };
        assert!(matches!(reused.find().unwrap(), FoundProcess::Gone));
        let rebooted = Identity { boot_id: "another".into(), ..second };
        assert!(matches!(rebooted.find().unwrap(), FoundProcess::AnotherBoot));
        for child in [&mut one, &mut other] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    #[test]
    fn numbers_that_no_process_can_have_are_nobody() {
        for pid in [0, u32::MAX] {
            let identity = Identity { boot_id: boot_id().unwrap(), pid, pidfd_inode: Some(1), start_time: 1 };
            assert!(matches!(identity.find().unwrap(), FoundProcess::Gone));
        }
    }
}
