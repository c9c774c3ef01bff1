//! What a program prints when it is asked something, within bounds of time and size.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};

/// Starts a program, and gives what it printed on its standard output by its end. None if it takes longer than `limit`
/// or prints more than `most_bytes`. It is ended then, and in any case what it started and left.
pub fn output_with_timeout(command: &mut Command, limit: Duration, most_bytes: u64) -> Option<Vec<u8>> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
    let mut child = command.spawn().ok()?;
    let said = listen(&mut child, limit, most_bytes);
    // The number is that of the group as long as the child is not waited for.
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
    said
}

fn listen(child: &mut Child, limit: Duration, most_bytes: u64) -> Option<Vec<u8>> {
    let mut output = child.stdout.take()?;
    let deadline = Instant::now() + limit;
    let mut said = vec![];
    while said.len() as u64 <= most_bytes {
        let left = Timespec::try_from(deadline.checked_duration_since(Instant::now())?).ok()?;
        match poll(&mut [PollFd::new(&output, PollFlags::IN)], Some(&left)) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(_) => return None,
        }
        let mut piece = [0; 4096];
        match output.read(&mut piece).ok()? {
            0 => return Some(said),
            length => said.extend_from_slice(piece.get(..length)?),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::ProcessHandle;

    const SHORT: Duration = Duration::from_millis(50);
    const LONG: Duration = Duration::from_secs(30);

    #[test]
    fn an_answer_is_whole_or_none() {
        assert_eq!(output_with_timeout(Command::new("printf").arg("ab"), LONG, 2), Some(b"ab".to_vec()));
        assert_eq!(output_with_timeout(Command::new("printf").arg("abc"), LONG, 2), None);
        assert_eq!(output_with_timeout(&mut Command::new("/nowhere"), LONG, 2), None);
    }

    #[test]
    fn a_program_that_does_not_end_is_not_waited_for() {
        assert_eq!(output_with_timeout(Command::new("sleep").arg("60"), SHORT, 10), None);
        assert_eq!(output_with_timeout(&mut Command::new("yes"), LONG, 10), None);
    }

    #[test]
    fn what_a_program_started_ends_with_it() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("pid");
        // It prints too much only when the other one is there.
        let script = "sleep 600 & echo $! >\"$0\"; yes";
        assert_eq!(output_with_timeout(Command::new("sh").args(["-c", script]).arg(&file), LONG, 10), None);
        let pid = std::fs::read_to_string(&file).unwrap().trim().parse().unwrap();
        let begun = Instant::now();
        while ProcessHandle::open(pid).is_some_and(|process| process.is_running()) {
            assert!(begun.elapsed() < LONG, "{pid} lives");
            std::thread::yield_now();
        }
    }
}
