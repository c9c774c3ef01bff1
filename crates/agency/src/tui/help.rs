//! The help: the table of keys, as lines.

use super::keys::{BINDINGS, Key, Scope};

/// One line of the help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HelpLine {
    Title(&'static str),
    Key { keys: String, help: &'static str },
    Empty,
}

impl HelpLine {
    /// What it says.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Title(title) => (*title).to_owned(),
            Self::Key { keys, help } => format!("{keys} {help}"),
            Self::Empty => String::new(),
        }
    }
}

const ORDER: [Scope; 17] = [
    Scope::Runs,
    Scope::Run,
    Scope::Detail,
    Scope::Diff,
    Scope::DiffLine,
    Scope::Inbox,
    Scope::Steps,
    Scope::Form,
    Scope::Editor,
    Scope::Filter,
    Scope::Confirm,
    Scope::Yank,
    Scope::Help,
    Scope::Search,
    Scope::Palette,
    Scope::Main,
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

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    /// The keys as `docs/tui.md` lists them.
    fn page() -> String {
        let mut page = String::new();
        for scope in ORDER {
            write!(page, "\n### {}\n\n| Key | What it does |\n| --- | --- |\n", scope.title()).unwrap();
            for binding in BINDINGS.iter().filter(|binding| binding.scope == scope && !binding.help.is_empty()) {
                let keys: Vec<String> = binding.keys.iter().map(|key| format!("`{}`", Key::name(*key))).collect();
                writeln!(page, "| {} | {} |", keys.join(" "), binding.help).unwrap();
            }
        }
        page
    }

    #[test]
    fn the_documentation_lists_exactly_these_keys() {
        let document = include_str!("../../../../docs/tui.md");
        let (_, rest) = document.split_once("<!-- keys -->\n").unwrap();
        let (listed, _) = rest.split_once("\n<!-- end of keys -->").unwrap();
        assert_eq!(listed, page());
    }

    #[test]
    fn the_help_has_every_scope() {
        for binding in BINDINGS {
            assert!(ORDER.contains(&binding.scope), "{:?}", binding.scope);
        }
    }
}
