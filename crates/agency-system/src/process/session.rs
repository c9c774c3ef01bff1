//! Sessions and groups: which processes get a signal.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Pid, Signal, getpid, kill_process_group, nice, set_child_subreaper, setsid};

/// As `nice` has it by default.
const BACKGROUND_NICENESS: i32 = 10;

/// Makes orphaned descendants our children instead of init's.
pub fn adopt_orphans() -> io::Result<()> {
    Ok(set_child_subreaper(Some(getpid()))?)
}

/// Leaves the process session of our parent, unless we lead one already, as in a tmux pane.
pub fn leave_session() {
    // The only failure is that we lead our group, and then no other terminal reaches us.
    let _ = setsid();
}

/// Lets a command start in a session of its own, out of reach of our terminal.
pub fn in_new_session(command: &mut Command) -> &mut Command {
    // SAFETY: setsid is async-signal-safe and touches no memory of the parent.
    unsafe {
        command.pre_exec(|| {
            setsid()?;
            Ok(())
        })
    }
}

/// Lets other processes go first, for work that no user waits for.
pub fn lower_priority() {
    // Without it, the work is done at the usual priority.
    let _ = nice(BACKGROUND_NICENESS);
}

/// Sends a signal to a whole process group; a group that is gone needs none.
pub fn signal_group(leader: u32, signal: Signal) {
    if let Some(leader) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        // The only failure left is that no such process exists any more.
        let _ = kill_process_group(leader, signal);
    }
}
