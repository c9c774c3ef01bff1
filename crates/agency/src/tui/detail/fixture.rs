//! What tests show.

use agency_engine::runs::changes::RunsNews;
use agency_engine::store::RunRow;
use agency_model::{Host, Mode};
use jiff::Timestamp;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::tui::detail::{Ask, Content, Load, Piece, Subject, Tab};
use crate::tui::draw::draw;
use crate::tui::effect::Effect;
use crate::tui::fixture::run;
use crate::tui::input::{BackgroundEvent, Input};
use crate::tui::state::{Focus, State};
use crate::tui::theme::Theme;
use crate::tui::update::update;

pub(in crate::tui) const NOW: Timestamp = Timestamp::constant(1_800_000_000, 0);

/// A run.
pub(in crate::tui) fn row(mode: Mode) -> RunRow {
    let row = RunRow { mode, host: Host::Detached, tmux_session_name: None, activity: None, ..run(1, "fix-login") };
    RunRow { created_at: NOW, updated_at: NOW, started_at: Some(NOW), activity_at: None, ..row }
}

/// A screen of this size that shows a tab of one run.
pub(in crate::tui) struct DetailFixture {
    pub(in crate::tui) state: State,
    pub(in crate::tui) subject: Subject,
}

impl DetailFixture {
    pub(in crate::tui) fn new(size: (u16, u16), tab: Tab) -> Self {
        let theme = Theme::ansi(true, true);
        let mut state = State::new(NOW, size, theme, "/repos/shop".into());
        state.detail.tab = tab;
        state.focus = Focus::Detail;
        let news = RunsNews { changed: vec![row(Mode::Headless)], ..RunsNews::default() };
        let effects = update(&mut state, Input::Background(BackgroundEvent::Runs(news)));
        let shown = effects.into_iter().find_map(|effect| {
            let Effect::Show(Some(subject)) = effect else { return None };
            Some(*subject)
        });
        Self { state, subject: shown.expect("a tab is shown") }
    }

    /// What the reader loaded; returns the effects.
    pub(in crate::tui) fn tell(&mut self, content: Content) -> Vec<Effect> {
        let generation = self.subject.generation;
        update(&mut self.state, Input::Background(BackgroundEvent::Detail { generation, content }))
    }

    pub(in crate::tui) fn press(&mut self, keys: &str) -> Vec<Effect> {
        use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
        let press = |key| Input::Key(KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE));
        keys.chars().flat_map(|key| update(&mut self.state, press(key))).collect()
    }

    pub(in crate::tui) fn draw(&self) -> TestBackend {
        let (width, height) = self.state.size;
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, &self.state)).unwrap();
        terminal.backend().clone()
    }
}

/// A whole file.
pub(in crate::tui) fn whole<T>(items: Vec<T>) -> Load<T> {
    let end = items.len() as u64 * 10;
    let pieces = (0..).step_by(10).zip(items).map(|(start, item)| Piece { start, item }).collect();
    Load { ask: Ask::Tail, start: 0, end, pieces, half: None, more: false, length: end }
}
