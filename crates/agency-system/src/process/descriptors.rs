//! Descriptors: what an agent must not inherit, and files that only exist as such.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::{FdFlags, fcntl_getfd, fcntl_setfd};

/// Marks every descriptor above standard error as close-on-exec, also those of libraries.
pub fn close_on_exec() {
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else {
        return;
    };
    let open: Vec<i32> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse().ok()))
        .filter(|descriptor| *descriptor > 2)
        .collect();
    for descriptor in open {
        // SAFETY: the borrow ends here, and a descriptor closed meanwhile only makes the call fail.
        let borrowed = unsafe { BorrowedFd::borrow_raw(descriptor) };
        if let Ok(flags) = fcntl_getfd(borrowed) {
            // Failing means that the descriptor is gone, which is as good.
            let _ = fcntl_setfd(borrowed, flags | FdFlags::CLOEXEC);
        }
    }
}

/// Lets a command inherit a descriptor that is closed for all others.
pub fn inherit(command: &mut Command, descriptor: &impl AsRawFd) {
    let descriptor = descriptor.as_raw_fd();
    // SAFETY: the child only clears a flag of a descriptor that it got from us; the call is async-signal-safe.
    unsafe {
        command.pre_exec(move || {
            let borrowed = BorrowedFd::borrow_raw(descriptor);
            Ok(fcntl_setfd(borrowed, FdFlags::empty())?)
        });
    }
}

/// A file that is nowhere but in memory, to be read from its beginning.
pub fn file_in_memory(content: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create("agency", MemfdFlags::CLOEXEC)?);
    file.write_all(content)?;
    file.rewind()?;
    Ok(file)
}
