//! What tests show.

use agency_engine::runs_watch::RunsNews;
use agency_engine::store::RunRow;
use agency_model::run::{RestartPolicy, State as RunState};
use agency_model::{Host, Mode, RunKind, Usage, Vcs, WorkspaceKind};
use jiff::Timestamp;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::tui::detail::{Ask, Content, Load, Piece, Subject, Tab};
use crate::tui::draw::draw;
use crate::tui::effect::Effect;
use crate::tui::input::{Input, News};
use crate::tui::state::{Focus, State};
use crate::tui::theme::Theme;
use crate::tui::update::update;

pub(in crate::tui) const NOW: Timestamp = Timestamp::constant(1_800_000_000, 0);

/// A run.
pub(in crate::tui) fn row(mode: Mode) -> RunRow {
    RunRow {
        id: "r_01JAAAAAAAAAAAAAAAAAAAAAAA".parse().unwrap(),
        name: Some("fix-login".to_owned()),
        state: RunState::Running,
        phase: None,
        attempt: 1,
        repo_path: "/repos/shop".to_owned(),
        repo_fingerprint: "shop".to_owned(),
        base_ref: "main".to_owned(),
        base_commit: "0".repeat(40),
        new_branch: Some("agency/fix-login".to_owned()),
        worktree_path: Some("/worktrees/fix-login".to_owned()),
        workspace: WorkspaceKind::Worktree,
        runner_kind: "claude".to_owned(),
        runner_args: vec![],
        mode,
        host: Host::Detached,
        restart_policy: RestartPolicy::Never,
        created_at: NOW,
        updated_at: NOW,
        started_at: Some(NOW),
        ended_at: None,
        exit_code: None,
        signal: None,
        reason: None,
        error: None,
        stdout_log_path: String::new(),
        stderr_log_path: String::new(),
        tmux_session_name: None,
        tmux_socket: None,
        saved_ref: None,
        removed_at: None,
        agent_session: None,
        usage: Usage::default(),
        parent_id: None,
        agent_version: None,
        activity: None,
        activity_at: None,
        kind: RunKind::Run,
        vcs: Vcs::Git,
        workflow_session: None,
    }
}

/// A screen of this size that shows a tab of one run.
pub(in crate::tui) struct Stage {
    pub(in crate::tui) state: State,
    pub(in crate::tui) subject: Subject,
}

impl Stage {
    pub(in crate::tui) fn new(size: (u16, u16), tab: Tab) -> Self {
        let theme = Theme { colour: true, unicode: true };
        let mut state = State::new(NOW, size, theme, "/repos/shop".into());
        state.detail.tab = tab;
        state.focus = Focus::Detail;
        let news = RunsNews { changed: vec![row(Mode::Headless)], ..RunsNews::default() };
        let effects = update(&mut state, Input::News(News::Runs(news)));
        let shown = effects.into_iter().find_map(|effect| {
            let Effect::Show(Some(subject)) = effect else { return None };
            Some(*subject)
        });
        Self { state, subject: shown.expect("a tab is shown") }
    }

    /// What the reader tells; what is to be done then.
    pub(in crate::tui) fn tell(&mut self, content: Content) -> Vec<Effect> {
        let generation = self.subject.generation;
        update(&mut self.state, Input::News(News::Detail { generation, content }))
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
