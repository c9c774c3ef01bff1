//! The processes of this machine at one moment.

use rustix::process::Pid;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

/// Every process with what it was started with. The dead, the foreign and the just ended have nothing to read.
#[derive(Debug)]
pub struct ProcessTable {
    processes: Vec<ProcessEntry>,
}

#[derive(Debug)]
struct ProcessEntry {
    pid: Pid,
    environment: Vec<u8>,
    command_line: Vec<u8>,
}

impl ProcessTable {
    /// Reads the table.
    pub fn read() -> Self {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok().and_then(Pid::from_raw));
        let file =
            |pid: Pid, name: &str| fs::read(format!("/proc/{}/{name}", pid.as_raw_nonzero())).unwrap_or_default();
        let processes = pids
            .map(|pid| ProcessEntry { pid, environment: file(pid, "environ"), command_line: file(pid, "cmdline") })
            .collect();
        Self { processes }
    }

    /// Those with this variable in their environment.
    pub fn carrying(&self, name: &str, value: &OsStr) -> Vec<Pid> {
        let marker = [name.as_bytes(), b"=", value.as_bytes()].concat();
        self.those(|entry| words(&entry.environment).any(|variable| variable == marker))
    }

    /// Those whose arguments end with these words.
    pub fn started_with(&self, last: &[&str]) -> Vec<Pid> {
        self.those(|entry| {
            let arguments: Vec<&[u8]> = words(&entry.command_line).collect();
            let last: Vec<&[u8]> = last.iter().map(|word| word.as_bytes()).collect();
            arguments.len() > last.len() && arguments.ends_with(&last)
        })
    }

    /// The command lines of all.
    pub fn command_lines(&self) -> Vec<String> {
        let lines = self.processes.iter().map(|entry| &entry.command_line);
        lines.map(|line| String::from_utf8_lossy(line).replace('\0', " ")).collect()
    }

    fn those(&self, wanted: impl Fn(&ProcessEntry) -> bool) -> Vec<Pid> {
        let found = self.processes.iter().filter(|entry| wanted(entry));
        found.map(|entry| entry.pid).collect()
    }
}

fn words(block: &[u8]) -> impl Iterator<Item = &[u8]> {
    block.split(|byte| *byte == 0).filter(|word| !word.is_empty())
}
