//! Named steps at which a test can kill the acting process. Nothing of it is in a release build.

/// Dies here by SIGKILL if a test asked for it.
#[cfg(feature = "fault-points")]
pub fn point(name: &'static str) {
    if std::env::var("AGENCY_FAULT_POINT").is_ok_and(|wanted| wanted == name) {
        // The signal cannot be caught; the call does not return.
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}

/// Does nothing outside tests.
#[cfg(not(feature = "fault-points"))]
#[inline]
pub const fn point(_name: &'static str) {}
