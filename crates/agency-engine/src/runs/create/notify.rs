//! Which notifications a run sends when its agent asks and when it has finished, determined before it begins.

use std::ffi::OsStr;
use std::path::PathBuf;

use super::find_agent::{SearchPath, find_program};
use crate::config::NotifyConfig;
use crate::wire::Notify;

/// The program that shows something on the desktop.
const DESKTOP: &str = if cfg!(target_os = "macos") { "osascript" } else { "notify-send" };

/// What the configuration means here, and a warning if its command is not there. `wanted` is false for runs that
/// were not started at a terminal.
pub(super) fn notify_targets(
    config: &NotifyConfig,
    wanted: bool,
    search_path: &SearchPath<'_>,
) -> (Notify, Option<String>) {
    if !wanted && !config.always {
        return (Notify::default(), None);
    }
    let find = |program: &str| -> Result<PathBuf, &'static str> { find_program(OsStr::new(program), search_path) };
    let desktop = Some(DESKTOP).filter(|_| config.desktop).and_then(|program| find(program).ok());
    let (command, warning) = match config.command.split_first() {
        None => (None, None),
        Some((program, args)) => match find(program) {
            Ok(program) => (Some((program, args.to_vec())), None),
            Err(why) => (None, Some(format!("the program of notify.command, '{program}', {why}"))),
        },
    };
    (Notify { bell: config.bell, desktop, command }, warning)
}
