//! Long output on a terminal goes through the user's pager, as that of git does.
//!
//! The one rule: a pager shows what it gets, so its input is escaped as for a terminal.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::{Child, Command, Stdio};

use rustix::stdio::dup2_stdout;

use super::surface::{self, Surface};

/// The pager that standard output goes through until this is dropped.
#[derive(Debug)]
pub(crate) struct Pager {
    child: Child,
}

impl Pager {
    /// Starts the user's pager, if standard output is a terminal and there is one.
    pub(crate) fn start() -> Option<Self> {
        if !io::stdout().is_terminal() {
            return None;
        }
        let variable = |name| std::env::var_os(name);
        let chosen = variable("AGENCY_PAGER").or_else(|| variable("PAGER"));
        let (program, arguments) = words(chosen)?;
        Self::spawn(program, arguments)
    }

    #[expect(clippy::disallowed_methods, reason = "the user's pager takes over the terminal")]
    fn spawn(program: OsString, arguments: Vec<OsString>) -> Option<Self> {
        let surface = Surface::stdout();
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped());
        // As git does it: it ends if all fits on the screen, shows colours, and leaves the text on the terminal.
        for (name, value) in [("LESS", "FRX"), ("LV", "-c")] {
            if std::env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        // Ctrl-C is for the pager. A handler, other than ignoring the signal, is not inherited by it.
        signal_hook::flag::register(signal_hook::consts::SIGINT, std::sync::Arc::default()).ok()?;
        let mut child = command.spawn().ok()?;
        let input = child.stdin.take()?;
        dup2_stdout(&input).ok()?;
        surface::show_as(surface);
        Some(Self { child })
    }
}

impl Drop for Pager {
    fn drop(&mut self) {
        // The pager ends when its input does.
        if let Ok(nothing) = std::fs::File::options().write(true).open("/dev/null") {
            let _ = dup2_stdout(&nothing);
        }
        let _ = self.child.wait();
    }
}

/// The program and its arguments; none if the user wants no pager.
fn words(chosen: Option<OsString>) -> Option<(OsString, Vec<OsString>)> {
    let Some(chosen) = chosen else { return Some((OsString::from("less"), vec![])) };
    let text = chosen.to_str()?;
    let mut words = shell_words::split(text).ok()?.into_iter().map(OsString::from);
    let program = words.next().filter(|program| program != "cat")?;
    Some((program, words.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(value: &str) -> Option<(OsString, Vec<OsString>)> {
        words(Some(OsString::from(value)))
    }

    #[test]
    fn the_pager_is_less_unless_the_user_says_otherwise() {
        assert_eq!(words(None), Some(("less".into(), vec![])));
        assert_eq!(chosen("most -s 'a b'"), Some(("most".into(), vec!["-s".into(), "a b".into()])));
        assert_eq!((chosen(""), chosen("cat"), chosen("'")), (None, None, None));
    }
}
