//! Programs of the user's git settings that are named by a relative path, such as `filter.x.clean = ./tools/clean.sh`.
//!
//! The one rule: git starts them in the working tree that it works on, where an agent can have written them. So such a path
//! means the file in the user's own checkout. Where it cannot be found out what a setting would start, it starts nothing.

mod command_words;

use std::collections::BTreeMap;
use std::path::Path;

use self::command_words::{Resolved, quoted, resolve};

/// How git reads a setting that names a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProgramSetting {
    /// A command of a shell.
    Command,
    /// The path or the name of one program.
    Program,
}

/// A setting as git lists it: its key, and its value if it has one.
pub(super) type Listed<'a> = (&'a [u8], Option<&'a [u8]>);

/// The values that are to replace those of settings that would start a program of a working tree. Without `top`, the user's
/// own checkout, they start nothing.
pub(super) fn replacements<'a>(
    settings: impl Iterator<Item = Listed<'a>>,
    top: Option<&Path>,
) -> Vec<(Vec<u8>, Vec<u8>)> {
    // The last value of a setting is the one that counts.
    let last: BTreeMap<&[u8], &[u8]> =
        settings.filter_map(|(key, value)| setting_of(key).and(value).map(|value| (key, value))).collect();
    let replacement = |(key, value): (&[u8], &[u8])| {
        let text = String::from_utf8_lossy(value);
        let found = match setting_of(key)? {
            ProgramSetting::Command => resolve(&text, top).into_command(&String::from_utf8_lossy(key)),
            ProgramSetting::Program => program(&text, top),
        };
        found.map(|found| (key.to_vec(), found.into_bytes()))
    };
    last.into_iter().filter_map(replacement).collect()
}

fn setting_of(key: &[u8]) -> Option<ProgramSetting> {
    let key = std::str::from_utf8(key).ok()?;
    let (section, rest) = key.split_once('.')?;
    let (subsection, name) = rest.rsplit_once('.').map_or((None, rest), |(subsection, name)| (Some(subsection), name));
    match (section, subsection.is_some(), name) {
        ("filter", true, "clean" | "smudge" | "process")
        | ("merge", true, "driver")
        | ("diff", true, "textconv" | "command")
        | ("diff", false, "external")
        | ("core", false, "editor" | "pager" | "sshcommand" | "alternaterefscommand")
        | ("sequence", false, "editor")
        | ("trailer", true, "command" | "cmd")
        | ("gpg", true, "defaultkeycommand")
        | ("hook", true, "command") => Some(ProgramSetting::Command),
        ("gpg", _, "program") | ("core", false, "askpass") => Some(ProgramSetting::Program),
        (_, _, _) => None,
    }
}

impl Resolved {
    /// The new value of a setting; `None` where the old one can stay.
    fn into_command(self, key: &str) -> Option<String> {
        match self {
            Self::Unchanged => None,
            Self::Changed(command) => Some(command),
            Self::Unknown => {
                let message = format!("agency: {key} would run a program of the agent's worktree and is not used");
                // Git adds arguments at the end, and takes a percent sign for one of its own.
                Some(format!("echo {} >&2; exit 1; :", quoted(&message.replace('%', ""))))
            }
        }
    }
}

fn program(path: &str, top: Option<&Path>) -> Option<String> {
    let is_relative = path.contains('/') && !path.starts_with(['/', '~', '%']);
    is_relative.then(|| match top.and_then(Path::to_str) {
        Some(top) => format!("{top}/{path}"),
        // There is no such file, and git's error message names it.
        None => format!("/dev/null/{path}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(settings: &[(&str, &str)], top: Option<&str>) -> Vec<(String, String)> {
        let settings = settings.iter().map(|(key, value)| (key.as_bytes(), Some(value.as_bytes())));
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let found = replacements(settings, top.map(Path::new));
        found.into_iter().map(|(key, value)| (text(key), text(value))).collect()
    }

    #[test]
    fn only_the_last_value_of_a_setting_with_a_program_counts() {
        let settings = [
            ("filter.A.b.clean", "./first"),
            ("filter.A.b.clean", "./last %f"),
            ("filter.lfs.clean", "git-lfs clean -- %f"),
            ("filter.c.smudge", "./old"),
            ("filter.c.smudge", "cat"),
            ("gpg.program", "tools/my gpg"),
            ("gpg.ssh.program", "ssh-keygen"),
            ("user.name", "./x"),
        ];
        let expected = [("filter.A.b.clean", "/top/last %f"), ("gpg.program", "/top/tools/my gpg")];
        assert_eq!(replaced(&settings, Some("/top")), expected.map(|(key, value)| (key.to_owned(), value.to_owned())));
    }

    #[test]
    fn without_a_checkout_of_the_user_nothing_is_started() {
        let found = replaced(&[("merge.x.driver", "./m %O"), ("gpg.program", "./g"), ("core.editor", "vi")], None);
        assert_eq!(found[0], ("gpg.program".to_owned(), "/dev/null/./g".to_owned()));
        assert!(found[1].1.starts_with("echo 'agency: merge.x.driver would run"), "{found:?}");
        assert_eq!(found.len(), 2);
    }
}
