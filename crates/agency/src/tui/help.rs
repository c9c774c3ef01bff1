//! The help: the table of keys, as lines.

use super::keys::{BINDINGS, Key, Scope};

/// One line of the help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HelpLine {
    Title(&'static str),
    Key { keys: String, help: &'static str },
    Empty,
}

const ORDER: [Scope; 12] = [
    Scope::Runs,
    Scope::Run,
    Scope::Detail,
    Scope::Inbox,
    Scope::Steps,
    Scope::Form,
    Scope::Editor,
    Scope::Filter,
    Scope::Confirm,
    Scope::Yank,
    Scope::Help,
    Scope::Everywhere,
];

/// All lines.
pub(super) fn lines() -> Vec<HelpLine> {
    let mut lines = vec![];
    for scope in ORDER {
        if !lines.is_empty() {
            lines.push(HelpLine::Empty);
        }
        lines.push(HelpLine::Title(scope.title()));
        let told = BINDINGS.iter().filter(|binding| binding.scope == scope && !binding.help.is_empty());
        lines.extend(told.map(|binding| HelpLine::Key {
            keys: binding.keys.iter().map(|key| Key::name(*key)).collect::<Vec<_>>().join(" "),
            help: binding.help,
        }));
    }
    lines
}
