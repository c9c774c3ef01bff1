//! The table itself.

use crossterm::event::{KeyCode, KeyModifiers};

use super::{
    Action, AppAction, Binding, ConfirmAction, InboxAction, Key, ListAction, Move, RunAction, Scope, StepsAction,
    TabAction, TextAction, ViewAction, YankAction,
};
use crate::tui::detail::Tab;

const fn code(code: KeyCode) -> Key {
    Key { code, modifiers: KeyModifiers::NONE }
}

const fn key(letter: char) -> Key {
    code(KeyCode::Char(letter))
}

const fn ctrl(letter: char) -> Key {
    Key { code: KeyCode::Char(letter), modifiers: KeyModifiers::CONTROL }
}

const ESC: Key = code(KeyCode::Esc);
const ENTER: Key = code(KeyCode::Enter);
const ALT_ENTER: Key = Key { code: KeyCode::Enter, modifiers: KeyModifiers::ALT };
const TAB: Key = code(KeyCode::Tab);
const BACK_TAB: Key = code(KeyCode::BackTab);
const UP: Key = code(KeyCode::Up);
const DOWN: Key = code(KeyCode::Down);
const LEFT: Key = code(KeyCode::Left);
const RIGHT: Key = code(KeyCode::Right);
const SHIFT_LEFT: Key = Key { code: KeyCode::Left, modifiers: KeyModifiers::SHIFT };
const SHIFT_RIGHT: Key = Key { code: KeyCode::Right, modifiers: KeyModifiers::SHIFT };
const PAGE_UP: Key = code(KeyCode::PageUp);
const PAGE_DOWN: Key = code(KeyCode::PageDown);
const HOME: Key = code(KeyCode::Home);
const END: Key = code(KeyCode::End);

const fn binding(scope: Scope, keys: &'static [Key], action: Action, help: &'static str) -> Binding {
    Binding { scope, keys, action, help, hint: None }
}

const fn hinted(scope: Scope, keys: &'static [Key], action: Action, help: &'static str, hint: &'static str) -> Binding {
    Binding { scope, keys, action, help, hint: Some(hint) }
}

/// All of them, in the order in which the help lists them.
pub(in crate::tui) const BINDINGS: &[Binding] = &[
    hinted(Scope::Runs, &[ENTER, key('l'), RIGHT], Action::List(ListAction::Open), "open, or unfold", "open"),
    hinted(Scope::Runs, &[key('/')], Action::List(ListAction::Filter), "show only runs that match a text", "filter"),
    binding(Scope::Runs, &[key('s')], Action::List(ListAction::Sort), "sort by another column"),
    binding(Scope::Runs, &[key('b')], Action::List(ListAction::Group), "group by repository, by workflow, or not"),
    binding(Scope::Runs, &[key('f')], Action::List(ListAction::Finished), "fold or unfold all finished runs"),
    binding(Scope::Runs, &[key('v')], Action::List(ListAction::Acknowledge), "a failed run has been seen"),
    binding(
        Scope::Runs,
        &[key(' ')],
        Action::List(ListAction::Mark),
        "choose it, or not; x and D act on all that are chosen",
    ),
    binding(Scope::Runs, &[key('V')], Action::List(ListAction::MarkGroup), "choose all runs of the group, or none"),
    binding(Scope::Runs, &[ESC], Action::App(AppAction::Close), "clear the filter and what is chosen"),
    hinted(Scope::Runs, &[key('n')], Action::App(AppAction::NewRun), "a new run", "new"),
    hinted(Scope::Detail, &[ESC, key('h'), LEFT], Action::View(ViewAction::Back), "back to the list", "back"),
    binding(Scope::Detail, &[key('J')], Action::View(ViewAction::NextItem), "next tool call or file"),
    binding(Scope::Detail, &[key('K')], Action::View(ViewAction::PreviousItem), "previous tool call or file"),
    binding(Scope::Detail, &[key(']')], Action::View(ViewAction::NextLandmark), "next tool call, file or hunk"),
    binding(Scope::Detail, &[key('[')], Action::View(ViewAction::PreviousLandmark), "previous tool call, file or hunk"),
    binding(
        Scope::Detail,
        &[key('{')],
        Action::View(ViewAction::EarlierTurn),
        "what changed in the last turn, or an earlier one",
    ),
    binding(
        Scope::Detail,
        &[key('}')],
        Action::View(ViewAction::LaterTurn),
        "what changed in a later turn, then everything",
    ),
    hinted(Scope::Detail, &[key('/')], Action::View(ViewAction::Search), "find a text", "find"),
    binding(Scope::Detail, &[key('n')], Action::View(ViewAction::NextMatch), "next match"),
    binding(Scope::Detail, &[key('N')], Action::View(ViewAction::PreviousMatch), "previous match"),
    binding(Scope::Detail, &[key('L'), SHIFT_RIGHT], Action::View(ViewAction::Right), "what is right of the screen"),
    binding(Scope::Detail, &[key('H'), SHIFT_LEFT], Action::View(ViewAction::Left), "back to the left"),
    binding(Scope::Detail, &[ENTER, key(' ')], Action::View(ViewAction::Fold), "fold or unfold it"),
    binding(Scope::Detail, &[key('z')], Action::View(ViewAction::Widen), "use the whole width, or show the list again"),
    hinted(Scope::Detail, &[key('o')], Action::View(ViewAction::FoldAll), "fold or unfold all", "unfold"),
    hinted(Scope::Diff, &[key('c')], Action::View(ViewAction::ChooseLine), "comment on a line", "comment"),
    binding(Scope::Diff, &[key('C')], Action::View(ViewAction::CommentFile), "comment on the file"),
    binding(Scope::Diff, &[key('S')], Action::View(ViewAction::SendComments), "send all open comments to the agent"),
    hinted(
        Scope::DiffLine,
        &[ENTER, key('c')],
        Action::View(ViewAction::CommentLine),
        "comment on this line",
        "comment",
    ),
    binding(Scope::DiffLine, &[key('C')], Action::View(ViewAction::CommentFile), "comment on its file"),
    binding(Scope::DiffLine, &[UP, key('k')], Action::Move(Move::Up), "the line above"),
    binding(Scope::DiffLine, &[DOWN, key('j')], Action::Move(Move::Down), "the line below"),
    binding(Scope::DiffLine, &[PAGE_UP, ctrl('b')], Action::Move(Move::PageUp), "a page up"),
    binding(Scope::DiffLine, &[PAGE_DOWN, ctrl('f')], Action::Move(Move::PageDown), "a page down"),
    hinted(
        Scope::DiffLine,
        &[ESC, key('q'), ctrl('c')],
        Action::App(AppAction::Close),
        "stop choosing a line",
        "close",
    ),
    hinted(
        Scope::Run,
        &[key('a')],
        Action::Run(RunAction::Attach),
        "attach to its terminal, and come back here",
        "attach",
    ),
    hinted(
        Scope::Run,
        &[key('m')],
        Action::Run(RunAction::Message),
        "send a message; a finished run is resumed with it",
        "message",
    ),
    binding(Scope::Run, &[key('c')], Action::Run(RunAction::Interrupt), "interrupt the agent; it stays"),
    hinted(Scope::Run, &[key('x')], Action::Run(RunAction::Stop), "stop it", "stop"),
    binding(Scope::Run, &[key('r')], Action::Run(RunAction::Restart), "restart it with its conversation"),
    binding(
        Scope::Run,
        &[key('M')],
        Action::Run(RunAction::Land),
        "land it: merge it, check the merge, then move the branch",
    ),
    hinted(Scope::Run, &[key('D')], Action::Run(RunAction::Remove), "remove it, after showing what is kept", "remove"),
    binding(Scope::Run, &[key('!')], Action::Run(RunAction::Shell), "open a shell in its directory"),
    binding(Scope::Run, &[key('e')], Action::Run(RunAction::Editor), "open $EDITOR in its directory"),
    binding(Scope::Run, &[key('y')], Action::Run(RunAction::Yank), "copy its id, path or branch"),
    hinted(Scope::Run, &[key('w')], Action::Run(RunAction::Steps), "show the steps of its workflow", "steps"),
    binding(Scope::Run, &[TAB], Action::Tab(TabAction::Next), "next tab"),
    binding(Scope::Run, &[BACK_TAB], Action::Tab(TabAction::Previous), "previous tab"),
    binding(Scope::Run, &[key('1')], Action::Tab(TabAction::To(Tab::Output)), "the agent's output"),
    binding(Scope::Run, &[key('2')], Action::Tab(TabAction::To(Tab::Diff)), "what it changed"),
    binding(Scope::Run, &[key('3')], Action::Tab(TabAction::To(Tab::Events)), "its events"),
    binding(Scope::Run, &[key('4')], Action::Tab(TabAction::To(Tab::Logs)), "its logs"),
    binding(Scope::Run, &[key('5')], Action::Tab(TabAction::To(Tab::Info)), "details, and the reason for its state"),
    hinted(Scope::Inbox, &[key('a')], Action::Inbox(InboxAction::Allow), "allow it this once", "allow"),
    hinted(Scope::Inbox, &[key('d')], Action::Inbox(InboxAction::Deny), "deny it", "deny"),
    hinted(
        Scope::Inbox,
        &[key('A')],
        Action::Inbox(InboxAction::AllowAll),
        "allow every permission of this run",
        "allow all",
    ),
    binding(Scope::Inbox, &[key('1')], Action::Inbox(InboxAction::Option(1)), "the first option, and so on to 9"),
    binding(Scope::Inbox, &[key('2')], Action::Inbox(InboxAction::Option(2)), ""),
    binding(Scope::Inbox, &[key('3')], Action::Inbox(InboxAction::Option(3)), ""),
    binding(Scope::Inbox, &[key('4')], Action::Inbox(InboxAction::Option(4)), ""),
    binding(Scope::Inbox, &[key('5')], Action::Inbox(InboxAction::Option(5)), ""),
    binding(Scope::Inbox, &[key('6')], Action::Inbox(InboxAction::Option(6)), ""),
    binding(Scope::Inbox, &[key('7')], Action::Inbox(InboxAction::Option(7)), ""),
    binding(Scope::Inbox, &[key('8')], Action::Inbox(InboxAction::Option(8)), ""),
    binding(Scope::Inbox, &[key('9')], Action::Inbox(InboxAction::Option(9)), ""),
    binding(Scope::Inbox, &[ENTER], Action::Inbox(InboxAction::Send), "answer with the options that are chosen"),
    hinted(
        Scope::Inbox,
        &[key('e')],
        Action::Inbox(InboxAction::Words),
        "answer with free text; a permission: deny it with this reason",
        "words",
    ),
    binding(
        Scope::Inbox,
        &[key(' ')],
        Action::Inbox(InboxAction::Mark),
        "choose it, or not; a, d and A answer all chosen",
    ),
    binding(Scope::Inbox, &[key('V')], Action::Inbox(InboxAction::MarkAll), "choose all permissions, or none"),
    binding(Scope::Inbox, &[key('o')], Action::Inbox(InboxAction::OpenRun), "show the run that asks"),
    binding(Scope::Inbox, &[key('J'), ctrl('d')], Action::Inbox(InboxAction::ScrollDown), "read on"),
    binding(Scope::Inbox, &[key('K'), ctrl('u')], Action::Inbox(InboxAction::ScrollUp), "read back"),
    hinted(Scope::Inbox, &[ESC, key('q'), key('i')], Action::App(AppAction::Close), "close the inbox", "close"),
    hinted(Scope::Steps, &[key('a')], Action::Steps(StepsAction::Approve), "approve what it waits for", "approve"),
    hinted(Scope::Steps, &[key('x')], Action::Steps(StepsAction::Reject), "reject it, with a reason", "reject"),
    hinted(Scope::Steps, &[key('r')], Action::Steps(StepsAction::Retry), "retry from the failed step", "retry"),
    binding(
        Scope::Steps,
        &[key('R')],
        Action::Steps(StepsAction::RetryFrom),
        "repeat the selected step and all after it",
    ),
    hinted(Scope::Steps, &[ENTER, key('o')], Action::Steps(StepsAction::OpenRun), "show the run of the step", "open"),
    binding(Scope::Steps, &[key('i')], Action::App(AppAction::Inbox), "open the inbox"),
    hinted(Scope::Steps, &[ESC, key('q'), key('w')], Action::App(AppAction::Close), "close", "close"),
    hinted(Scope::Form, &[ctrl('s'), ALT_ENTER], Action::Text(TextAction::Submit), "start the run", "start"),
    hinted(Scope::Form, &[TAB], Action::Text(TextAction::NextField), "next field", "next"),
    binding(Scope::Form, &[BACK_TAB], Action::Text(TextAction::PreviousField), "previous field"),
    binding(Scope::Form, &[ENTER], Action::Text(TextAction::Accept), "next field; in the prompt a new line"),
    hinted(Scope::Form, &[ctrl('e')], Action::Text(TextAction::OtherEditor), "write the prompt in $EDITOR", "$EDITOR"),
    hinted(Scope::Form, &[ESC, ctrl('c')], Action::Text(TextAction::Close), "close; what you wrote is kept", "close"),
    hinted(Scope::Editor, &[ctrl('s'), ALT_ENTER], Action::Text(TextAction::Submit), "send it", "send"),
    hinted(Scope::Editor, &[ctrl('e')], Action::Text(TextAction::OtherEditor), "write it in $EDITOR", "$EDITOR"),
    hinted(Scope::Editor, &[ESC, ctrl('c')], Action::Text(TextAction::Close), "close; what you wrote is kept", "close"),
    hinted(Scope::Filter, &[ENTER], Action::Text(TextAction::Accept), "keep the filter", "keep"),
    hinted(Scope::Filter, &[ESC, ctrl('c')], Action::Text(TextAction::Close), "clear the filter", "clear"),
    hinted(Scope::Confirm, &[key('y')], Action::Confirm(ConfirmAction::Yes), "yes", "yes"),
    hinted(Scope::Confirm, &[key('n'), ESC, key('q'), ctrl('c')], Action::Confirm(ConfirmAction::No), "no", "no"),
    binding(
        Scope::Confirm,
        &[key('b')],
        Action::Confirm(ConfirmAction::DeleteBranch),
        "with a removal: the branch too, or not",
    ),
    binding(Scope::Confirm, &[UP, key('k')], Action::Move(Move::Up), "read back, where it is long"),
    binding(Scope::Confirm, &[DOWN, key('j')], Action::Move(Move::Down), "read on"),
    hinted(Scope::Yank, &[key('i'), key('y')], Action::Yank(YankAction::Id), "copy the id", "id"),
    hinted(Scope::Yank, &[key('p')], Action::Yank(YankAction::Path), "copy the path of its directory", "path"),
    hinted(Scope::Yank, &[key('b')], Action::Yank(YankAction::Branch), "copy the branch", "branch"),
    hinted(Scope::Yank, &[ESC, key('q')], Action::App(AppAction::Close), "copy nothing", "nothing"),
    hinted(Scope::Help, &[ESC, key('q'), key('?')], Action::App(AppAction::Close), "close the help", "close"),
    hinted(Scope::Help, &[key('/')], Action::View(ViewAction::Search), "find a text", "find"),
    binding(Scope::Help, &[key('n')], Action::View(ViewAction::NextMatch), "next match"),
    binding(Scope::Help, &[key('N')], Action::View(ViewAction::PreviousMatch), "previous match"),
    hinted(Scope::Search, &[ENTER], Action::Text(TextAction::Accept), "go to the first match", "find"),
    hinted(Scope::Search, &[ESC, ctrl('c')], Action::Text(TextAction::Close), "find nothing", "close"),
    hinted(Scope::Palette, &[ENTER], Action::Text(TextAction::Accept), "do it", "do it"),
    binding(Scope::Palette, &[UP, ctrl('p')], Action::Move(Move::Up), "up"),
    binding(Scope::Palette, &[DOWN, ctrl('n')], Action::Move(Move::Down), "down"),
    hinted(Scope::Palette, &[ESC, ctrl('c')], Action::Text(TextAction::Close), "do nothing", "close"),
    binding(
        Scope::Main,
        &[key('u')],
        Action::App(AppAction::Undo),
        "restore the work of the run that was removed last",
    ),
    hinted(Scope::Main, &[key('i')], Action::App(AppAction::Inbox), "open the inbox", "inbox"),
    hinted(Scope::Main, &[key('q')], Action::App(AppAction::Quit), "quit; runs continue", "quit"),
    binding(Scope::Everywhere, &[UP, key('k')], Action::Move(Move::Up), "up"),
    binding(Scope::Everywhere, &[DOWN, key('j')], Action::Move(Move::Down), "down"),
    binding(Scope::Everywhere, &[PAGE_UP, ctrl('b')], Action::Move(Move::PageUp), "a page up"),
    binding(Scope::Everywhere, &[PAGE_DOWN, ctrl('f')], Action::Move(Move::PageDown), "a page down"),
    binding(Scope::Everywhere, &[HOME, key('g')], Action::Move(Move::First), "to the beginning"),
    binding(Scope::Everywhere, &[END, key('G')], Action::Move(Move::Last), "to the end, and stay there"),
    hinted(Scope::Everywhere, &[key('?'), code(KeyCode::F(1))], Action::App(AppAction::Help), "this help", "help"),
    binding(Scope::Everywhere, &[key(':'), ctrl('p')], Action::App(AppAction::Palette), "find an action by its name"),
    binding(Scope::Everywhere, &[ctrl('l')], Action::App(AppAction::Redraw), "redraw the screen"),
    binding(Scope::Everywhere, &[ctrl('z')], Action::App(AppAction::Suspend), "suspend; fg returns"),
    binding(Scope::Everywhere, &[ctrl('c')], Action::App(AppAction::Quit), "quit; runs continue"),
];
