//! Every key, in one table. It drives the program, the help and the hints at the bottom, so that they cannot disagree.

mod table;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

pub(super) use table::BINDINGS;

use super::detail::Tab;

/// Where a key means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// The list of runs.
    Runs,
    /// The tabs about one run.
    Detail,
    /// What a run changed.
    Diff,
    /// A line of it is being chosen.
    DiffLine,
    /// What can be done with the selected run, in the list and in the tabs.
    Run,
    /// The questions.
    Inbox,
    /// The steps of a workflow session.
    Steps,
    /// A new run.
    Form,
    /// A text that is being written.
    Editor,
    /// The filter that is being typed.
    Filter,
    /// A confirmation by the TUI.
    Confirm,
    /// What to copy.
    Yank,
    /// The help.
    Help,
    /// What is typed to find a text.
    Search,
    /// What is typed to find an action.
    Palette,
    /// The list and the tabs, when nothing is in front of them.
    Main,
    /// Wherever nothing is typed.
    Everywhere,
}

impl Scope {
    /// Where a key is looked up, in this order.
    pub(super) const fn chain(self) -> &'static [Self] {
        match self {
            Self::Runs => &[Self::Runs, Self::Run, Self::Main, Self::Everywhere],
            Self::Detail => &[Self::Detail, Self::Run, Self::Main, Self::Everywhere],
            Self::Diff => &[Self::Diff, Self::Detail, Self::Run, Self::Main, Self::Everywhere],
            Self::DiffLine => &[Self::DiffLine],
            Self::Inbox => &[Self::Inbox, Self::Everywhere],
            Self::Steps => &[Self::Steps, Self::Everywhere],
            Self::Form => &[Self::Form],
            Self::Editor => &[Self::Editor],
            Self::Filter => &[Self::Filter],
            Self::Confirm => &[Self::Confirm],
            Self::Yank => &[Self::Yank],
            Self::Help => &[Self::Help, Self::Everywhere],
            Self::Search => &[Self::Search],
            Self::Palette => &[Self::Palette],
            Self::Run | Self::Main | Self::Everywhere => &[Self::Everywhere],
        }
    }

    /// What the help calls it.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Runs => "List of runs",
            Self::Detail => "Tabs of a run",
            Self::Diff => "Diff of a run",
            Self::DiffLine => "Line for a comment",
            Self::Run => "The selected run",
            Self::Inbox => "Inbox",
            Self::Steps => "Workflow",
            Self::Form => "New run",
            Self::Editor => "Writing",
            Self::Filter => "Filter",
            Self::Confirm => "Confirmation",
            Self::Yank => "Copy",
            Self::Help => "Help",
            Self::Search => "Search",
            Self::Palette => "Commands",
            Self::Main => "List and tabs",
            Self::Everywhere => "Everywhere",
        }
    }
}

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Move(Move),
    App(AppAction),
    List(ListAction),
    Run(RunAction),
    Tab(TabAction),
    View(ViewAction),
    Inbox(InboxAction),
    Steps(StepsAction),
    Text(TextAction),
    Confirm(ConfirmAction),
    Yank(YankAction),
}

/// Up, down and the like, in whatever is in front.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Move {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AppAction {
    Quit,
    Close,
    Help,
    Inbox,
    NewRun,
    Redraw,
    Suspend,
    /// Bring back what the last removal saved.
    Undo,
    Palette,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListAction {
    Open,
    Filter,
    Sort,
    Group,
    Finished,
    /// The run has been looked at.
    Acknowledge,
    /// Chooses the run for what is done with several, or not.
    Mark,
    /// Chooses all runs of the group, or none of them.
    MarkGroup,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunAction {
    Message,
    Interrupt,
    Stop,
    Restart,
    Land,
    Remove,
    Attach,
    Shell,
    Editor,
    Yank,
    Steps,
}

/// Which tab is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TabAction {
    To(Tab),
    Next,
    Previous,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ViewAction {
    Back,
    NextItem,
    PreviousItem,
    Fold,
    FoldAll,
    NextLandmark,
    PreviousLandmark,
    EarlierTurn,
    LaterTurn,
    Search,
    NextMatch,
    Left,
    Right,
    PreviousMatch,
    Widen,
    /// Begin to choose a line for a comment.
    ChooseLine,
    /// Write a comment on the chosen line.
    CommentLine,
    CommentFile,
    SendComments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InboxAction {
    Allow,
    Deny,
    AllowAll,
    Option(usize),
    Send,
    Words,
    /// Chooses the question for an answer to several, or not.
    Mark,
    MarkAll,
    OpenRun,
    ScrollUp,
    ScrollDown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepsAction {
    Approve,
    Reject,
    Retry,
    RetryFrom,
    OpenRun,
}

/// What can be done with a text or a form besides typing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextAction {
    Submit,
    Accept,
    OtherEditor,
    NextField,
    PreviousField,
    Close,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConfirmAction {
    Yes,
    No,
    DeleteBranch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum YankAction {
    Id,
    Path,
    Branch,
}

/// A key with what is held down beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) code: KeyCode,
    pub(super) modifiers: KeyModifiers,
}

/// One line of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Binding {
    pub(super) scope: Scope,
    pub(super) keys: &'static [Key],
    pub(super) action: Action,
    pub(super) help: &'static str,
    /// Two words for the bottom line, where it belongs there.
    pub(super) hint: Option<&'static str>,
}

impl Key {
    /// The key that was pressed; none for one that was let go.
    pub(super) fn pressed(event: KeyEvent) -> Option<Self> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        let mut modifiers = event.modifiers;
        if matches!(event.code, KeyCode::Char(_) | KeyCode::BackTab) {
            // The letter says already that shift was held.
            modifiers.remove(KeyModifiers::SHIFT);
        }
        Some(Self { code: event.code, modifiers })
    }

    /// The key as the help shows it.
    pub(super) fn name(self) -> String {
        let held = [(KeyModifiers::CONTROL, "Ctrl-"), (KeyModifiers::ALT, "Alt-"), (KeyModifiers::SHIFT, "Shift-")];
        let held: String =
            held.iter().filter(|(held, _)| self.modifiers.contains(*held)).map(|(_, name)| *name).collect();
        let name = match self.code {
            KeyCode::Char(' ') => "Space".to_owned(),
            KeyCode::Char(letter) => letter.to_string(),
            KeyCode::PageUp => "PgUp".to_owned(),
            KeyCode::PageDown => "PgDn".to_owned(),
            KeyCode::BackTab => "Shift-Tab".to_owned(),
            KeyCode::Up => "↑".to_owned(),
            KeyCode::Down => "↓".to_owned(),
            KeyCode::Left => "←".to_owned(),
            KeyCode::Right => "→".to_owned(),
            KeyCode::Enter => "Enter".to_owned(),
            KeyCode::Esc => "Esc".to_owned(),
            KeyCode::Tab => "Tab".to_owned(),
            KeyCode::Home => "Home".to_owned(),
            KeyCode::End => "End".to_owned(),
            KeyCode::F(number) => format!("F{number}"),
            KeyCode::Backspace
            | KeyCode::Delete
            | KeyCode::Insert
            | KeyCode::Null
            | KeyCode::CapsLock
            | KeyCode::ScrollLock
            | KeyCode::NumLock
            | KeyCode::PrintScreen
            | KeyCode::Pause
            | KeyCode::Menu
            | KeyCode::KeypadBegin
            | KeyCode::Media(_)
            | KeyCode::Modifier(_) => self.code.to_string(),
        };
        format!("{held}{name}")
    }
}

/// What a key does here.
pub(super) fn lookup(scope: Scope, key: Key) -> Option<Action> {
    let mut bindings =
        scope.chain().iter().flat_map(|scope| BINDINGS.iter().filter(move |binding| binding.scope == *scope));
    bindings.find(|binding| binding.keys.contains(&key)).map(|binding| binding.action)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things_in_one_scope() {
        for (index, binding) in BINDINGS.iter().enumerate() {
            for other in BINDINGS.iter().skip(index + 1).filter(|other| other.scope == binding.scope) {
                let both = binding.keys.iter().find(|key| other.keys.contains(key));
                assert_eq!(both, None, "{} and {}", binding.help, other.help);
            }
        }
    }

    /// Letters act where they are shown: what is in front lets only its own keys and the common ones through.
    #[test]
    fn no_letter_reaches_what_is_behind() {
        for scope in
            [Scope::Inbox, Scope::Steps, Scope::Help, Scope::Confirm, Scope::Yank, Scope::Search, Scope::DiffLine]
        {
            for letter in ['n', 'x', 'D', 'm', 's', 'f', '!'] {
                let key = Key { code: KeyCode::Char(letter), modifiers: KeyModifiers::NONE };
                let own = BINDINGS.iter().any(|binding| binding.scope == scope && binding.keys.contains(&key));
                assert_eq!(lookup(scope, key).is_some(), own, "{letter} in {scope:?}");
            }
        }
    }

    #[test]
    fn a_letter_with_shift_is_the_capital_letter() {
        let event = KeyEvent::new(KeyCode::Char('A'), KeyModifiers::SHIFT);
        assert_eq!(
            Key::pressed(event).and_then(|key| lookup(Scope::Inbox, key)),
            Some(Action::Inbox(InboxAction::AllowAll))
        );
    }
}
