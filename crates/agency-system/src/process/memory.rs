//! Being small while waiting: a fleet of supervisors sits on one machine.

use std::fs;

use rustix::mm::{Advice, madvise};

/// Lets go of the pages of our own code. Starting up touched most of them; waiting needs few, and the kernel brings
/// back from the file whatever is needed after all.
pub fn release_own_code() {
    let Ok(executable) = fs::read_link("/proc/self/exe") else {
        return;
    };
    let Ok(maps) = fs::read_to_string("/proc/self/maps") else {
        return;
    };
    let Some(executable) = executable.to_str() else { return };
    for line in maps.lines().filter(|line| line.contains(" r-xp ") && line.ends_with(executable)) {
        let range = line.split(' ').next().and_then(|range| range.split_once('-'));
        let address = |text: &str| usize::from_str_radix(text, 16).ok();
        let Some((Some(start), Some(end))) = range.map(|(start, end)| (address(start), address(end))) else {
            continue;
        };
        // SAFETY: the range is a private mapping of a file that was never written to through it, so dropping its
        // pages changes nothing that can be read from it.
        // Keeping the pages is all that a failure means.
        let _ = unsafe { madvise(start as *mut _, end - start, Advice::LinuxDontNeed) };
    }
}
