//! How to leave a tmux session, in the keys that the user's own tmux has.

use std::process::Command;

/// How long the line is shown, in milliseconds.
const SHOWN_MS: &str = "5000";

/// Makes a tmux command that attaches show which keys leave the session again. tmux itself fills in its prefix.
pub(crate) fn tell_how_to_leave(command: &mut Command, what: &str) {
    let outer = outer_prefix(command);
    command.args([";", "display-message", "-d", SHOWN_MS, &format!("{} d {what}", keys(outer.as_deref()))]);
}

/// Shows which keys switch the tmux client back that was switched. Without this line a user finds the list of sessions, or
/// leaves tmux. `tell` shows its last argument; tmux itself fills in its prefix.
pub(crate) fn tell_how_to_return(mut tell: Command, what: &str) {
    // Where it cannot be shown, the client is switched all the same.
    let _ = tell.arg(format!("#{{prefix}} L {what}")).output();
}

/// The prefix as a format of tmux. Inside another tmux with the same prefix it has to be pressed twice to pass through.
fn keys(outer: Option<&str>) -> String {
    match outer {
        Some(outer) => format!("#{{?#{{==:#{{prefix}},{outer}}},#{{prefix}} ,}}#{{prefix}}"),
        None => "#{prefix}".to_owned(),
    }
}

/// The prefix of the tmux that we are in, which is another one than that of the command.
#[expect(clippy::disallowed_methods, reason = "tmux is asked for the prefix of the user")]
fn outer_prefix(command: &Command) -> Option<String> {
    std::env::var_os("TMUX").filter(|value| !value.is_empty())?;
    let asked = Command::new(command.get_program()).args(["show-options", "-gv", "prefix"]).output().ok()?;
    let prefix = String::from_utf8(asked.stdout).ok()?;
    let prefix = prefix.trim();
    // Signs that formats give a meaning are left out rather than quoted.
    let plain = !prefix.is_empty() && !prefix.contains(['#', ',', '{', '}', '"', '\'']);
    plain.then(|| prefix.to_owned())
}
