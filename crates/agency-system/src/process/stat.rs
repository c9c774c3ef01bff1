//! What the kernel reports about a process in `/proc/<pid>/stat`.
//!
//! The one rule: the number alone does not identify the process. The caller holds a handle, and checks afterwards whether
//! its process still runs.

use std::io;

use super::proc_file::read_proc_file;

/// The fields that are of use here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stat {
    /// One letter: `R`, `S`, `D`, `T` and others.
    pub(super) state: char,
    /// The parent's pid.
    pub(super) parent: u32,
    /// The pid of the process that leads, or led, its session.
    pub(super) session: u32,
    /// The processor time it used, in ticks.
    pub(super) used: u64,
    /// When it was started, in ticks since the machine was.
    pub(super) started: u64,
}

impl Stat {
    /// Reads the line of the process that has this pid now.
    pub(super) fn read(pid: u32) -> io::Result<Self> {
        // A name need not be text.
        let line = read_proc_file(pid, "stat")?;
        Self::parse(&String::from_utf8_lossy(&line)).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))
    }

    /// Whether this pid is that of its parent, or of the leader of its session.
    pub(super) const fn is_under(&self, pid: u32) -> bool {
        self.parent == pid || self.session == pid
    }

    fn parse(line: &str) -> Option<Self> {
        // The name in parentheses may hold anything; the fields follow the last one.
        let fields: Vec<&str> = line.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
        Some(Self {
            state: fields.first()?.chars().next()?,
            parent: fields.get(1)?.parse().ok()?,
            session: fields.get(3)?.parse().ok()?,
            used: number(11)?.saturating_add(number(12)?),
            started: number(19)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_and_spaces_does_not_shift_the_fields() {
        let line = "7 (a) S 1 (b) R 3 7 5 0 -1 4194560 1 2 3 4 50 60 7 8 20 0 1 0 12345 999 1";
        assert_eq!(Stat::parse(line), Some(Stat { state: 'R', parent: 3, session: 5, used: 110, started: 12345 }));
        assert_eq!(Stat::parse("7 (cut) R 3 7"), None);
        assert_eq!(Stat::parse(""), None);
    }

    #[test]
    fn our_own_line_can_be_read() {
        let own = Stat::read(std::process::id()).unwrap();
        assert_eq!(own.parent, std::os::unix::process::parent_id());
        assert!(own.started > 0);
    }
}
