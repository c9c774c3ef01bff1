//! The command palette: every action that is possible now, found by some of its letters.

use super::applies::applies;
use super::keys::{Action, AppAction, BINDINGS, Binding, Key, Move, Scope, lookup};
use super::state::State;

/// The open command palette.
#[derive(Debug, Default)]
pub(super) struct Palette {
    pub(super) text: String,
    pub(super) selected: usize,
    /// Where it was opened.
    behind: Option<Scope>,
}

impl Palette {
    pub(super) fn opened_in(scope: Scope) -> Self {
        Self { behind: Some(scope), ..Self::default() }
    }

    /// The actions that match, best first.
    pub(super) fn found(&self, state: &State) -> Vec<&'static Binding> {
        let scope = self.behind.unwrap_or(Scope::Runs);
        let here =
            scope.chain().iter().flat_map(|scope| BINDINGS.iter().filter(move |binding| binding.scope == *scope));
        let mut found: Vec<(usize, &'static Binding)> = here
            .filter(|binding| !matches!(binding.action, Action::Move(_) | Action::App(AppAction::Palette)))
            .filter(|binding| binding.keys.iter().any(|key| lookup(scope, *key) == Some(binding.action)))
            .filter(|binding| applies(state, binding.action))
            .filter_map(|binding| Some((distance(&self.text, binding.help)?, binding)))
            .collect();
        found.sort_by_key(|(distance, _)| *distance);
        found.into_iter().map(|(_, binding)| binding).collect()
    }

    /// Moves the selection among so many.
    pub(super) fn go(&mut self, direction: Move, count: usize) {
        let last = count.saturating_sub(1);
        self.selected = match direction {
            Move::Up | Move::PageUp => self.selected.saturating_sub(1),
            Move::Down | Move::PageDown => (self.selected + 1).min(last),
            Move::First => 0,
            Move::Last => last,
        };
    }
}

/// The first key of an action, as the help names it.
pub(super) fn key_of(binding: &Binding) -> String {
    binding.keys.first().map(|key| Key::name(*key)).unwrap_or_default()
}

/// The distance of the letters in a text, in their order; none if one is missing.
fn distance(letters: &str, text: &str) -> Option<usize> {
    let text: Vec<char> = text.to_lowercase().chars().collect();
    let (mut at, mut first) = (0, None);
    for letter in letters.to_lowercase().chars().filter(|letter| *letter != ' ') {
        at += text.get(at..)?.iter().position(|other| *other == letter)? + 1;
        first.get_or_insert(at - 1);
    }
    Some(at.saturating_sub(first.unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::effect::Effect;
    use crate::tui::fixture::{ctrl, ended, enter, press, run, state};
    use crate::tui::keys::RunAction;
    use crate::tui::state::Overlay;

    #[test]
    fn letters_are_found_in_their_order_and_near_ones_first() {
        assert_eq!(distance("stp", "stop it"), Some(4));
        assert_eq!(distance("pts", "stop it"), None);
        assert_eq!(distance("", "stop it"), Some(0));
        assert!(distance("stop", "stop it") < distance("stop", "select a tab of the page"));
    }

    #[test]
    fn only_what_can_be_done_is_offered_and_it_is_done_as_by_its_key() {
        let mut live = state((100, 30), vec![run(1, "one")], vec![]);
        press(&mut live, ":");
        let offered = |state: &State| -> Vec<Action> {
            let Some(Overlay::Palette(palette)) = state.overlays.last() else { panic!("{:?}", state.overlays) };
            palette.found(state).iter().map(|binding| binding.action).collect()
        };
        assert!(offered(&live).contains(&Action::Run(RunAction::Stop)));
        assert!(!offered(&live).contains(&Action::Run(RunAction::Remove)));
        press(&mut live, "stop it");
        assert_eq!(offered(&live).first(), Some(&Action::Run(RunAction::Stop)));
        enter(&mut live);
        assert!(matches!(live.overlays.as_slice(), [Overlay::Confirm(confirm)] if confirm.title == "Stop one?"));
        let mut over = state((100, 30), vec![ended(run(1, "one"))], vec![]);
        press(&mut over, "f");
        ctrl(&mut over, 'p');
        press(&mut over, "quit");
        assert_eq!(enter(&mut over), [Effect::Quit]);
    }
}
