//! The whole state of the program. `update` changes it, `draw` shows it; neither does anything else.

use std::collections::BTreeMap;
use std::path::PathBuf;

use agency_engine::store::{QuestionRow, RunRow};
use jiff::Timestamp;

use super::change_counter::ShownRun;
use super::confirm::Confirm;
use super::detail::{Detail, Tab};
use super::editor::Editor;
use super::effect::{Effect, Failure, Job, JobNumber};
use super::form::{Form, FormStore};
use super::inbox::Inbox;
use super::keys::Scope;
use super::layout::{Areas, Panes};
use super::memory::Memory;
use super::palette::Palette;
use super::runs::{RunList, RunsLine};
use super::search::Search;
use super::steps::Steps;
use super::theme::Theme;

/// How long something that was said stays at the bottom, in seconds.
const MESSAGE_SECONDS: i64 = 8;

/// What the keys go to when nothing is in front.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Focus {
    #[default]
    List,
    Detail,
}

/// Something in front of the list and the tabs.
#[derive(Debug)]
pub(super) enum Overlay {
    /// The keys, from this line on.
    Help { top: usize },
    /// What is looked for is being typed.
    Search,
    /// The commands.
    Palette(Palette),
    /// The filter is being typed; what it was before.
    Filter,
    /// Really?
    Confirm(Box<Confirm>),
    /// What agents ask; what is looked at is kept beside it.
    Inbox,
    /// A text is being written.
    Editor(Box<Editor>),
    /// Which text of this run to copy.
    Yank(Box<RunRow>),
    /// A new run.
    Form(Box<Form>),
    /// The steps of a workflow session.
    Steps(Box<Steps>),
    /// A line of the diff is being chosen.
    DiffLine,
}

/// Something that was said at the bottom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StatusMessage {
    pub(super) text: String,
    pub(super) trouble: bool,
    at: Timestamp,
}

/// Everything.
#[derive(Debug)]
pub(super) struct State {
    pub(super) now: Timestamp,
    pub(super) size: (u16, u16),
    pub(super) theme: Theme,
    pub(super) runs: RunList,
    pub(super) questions: Vec<QuestionRow>,
    pub(super) inbox: Inbox,
    /// What was written and not sent, by what it is for.
    pub(super) drafts: BTreeMap<String, String>,
    pub(super) detail: Detail,
    pub(super) focus: Focus,
    /// Whether the tabs have the whole width while they are in front.
    pub(super) detail_alone: bool,
    /// What is looked for in the tabs and in the help.
    pub(super) search: Search,
    /// What is in front of what; the last takes the keys.
    pub(super) overlays: Vec<Overlay>,
    /// What is being done, oldest first.
    pub(super) jobs: Vec<(JobNumber, Job)>,
    next_job: JobNumber,
    pub(super) said: Option<StatusMessage>,
    /// Whether to leave as soon as everything is done.
    pub(super) leaving: bool,
    /// Whether the terminal is in front, as far as it reports that.
    pub(super) has_focus: bool,
    /// The working directory of the user.
    pub(super) current_directory: PathBuf,
    /// The forms for new runs that are not in front.
    pub(super) forms: FormStore,
}

impl State {
    pub(super) fn new(now: Timestamp, size: (u16, u16), theme: Theme, current_directory: PathBuf) -> Self {
        Self {
            now,
            size,
            theme,
            runs: RunList::default(),
            questions: vec![],
            inbox: Inbox::default(),
            drafts: BTreeMap::new(),
            detail: Detail::default(),
            focus: Focus::default(),
            detail_alone: false,
            search: Search::default(),
            overlays: vec![],
            jobs: vec![],
            next_job: 0,
            said: None,
            leaving: false,
            has_focus: true,
            current_directory,
            forms: FormStore::default(),
        }
    }

    /// Continues with what is remembered.
    pub(super) fn recall(&mut self, memory: Memory) {
        self.detail.tab = memory.tab;
        self.runs.recall(memory, self.now);
    }

    /// What to store for the next start.
    pub(super) fn memory(&self) -> Effect {
        Effect::Remember(Box::new(Memory { tab: self.detail.tab, ..self.runs.memory() }))
    }

    /// Whose keys are pressed now.
    pub(super) fn scope(&self) -> Scope {
        match self.overlays.last() {
            Some(Overlay::Help { .. }) => Scope::Help,
            Some(Overlay::Search) => Scope::Search,
            Some(Overlay::Palette(_)) => Scope::Palette,
            Some(Overlay::Filter) => Scope::Filter,
            Some(Overlay::Confirm(_)) => Scope::Confirm,
            Some(Overlay::Inbox) => Scope::Inbox,
            Some(Overlay::Editor(_)) => Scope::Editor,
            Some(Overlay::Yank(_)) => Scope::Yank,
            Some(Overlay::Form(_)) => Scope::Form,
            Some(Overlay::Steps(steps)) => steps.scope(),
            Some(Overlay::DiffLine) => Scope::DiffLine,
            None => match self.focus {
                Focus::List => Scope::Runs,
                Focus::Detail if self.detail.tab == Tab::Diff => Scope::Diff,
                Focus::Detail => Scope::Detail,
            },
        }
    }

    /// Where things are on the terminal.
    pub(super) fn areas(&self) -> Areas {
        Areas::of(self.size, self.focus, self.panes())
    }

    /// Which panes there are, as far as there is room.
    pub(super) fn panes(&self) -> Panes {
        match (self.detail_alone, self.runs.lines().is_empty()) {
            (_, true) => Panes::List,
            (true, false) => Panes::DetailAlone,
            (false, false) => Panes::Both,
        }
    }

    /// The runs that are on the screen, the selected one first.
    pub(super) fn shown_runs(&self) -> Vec<ShownRun> {
        let height = usize::from(self.areas().list.height);
        let listed = self.runs.lines().iter().skip(self.runs.top).take(height).filter_map(|line| match line {
            RunsLine::Run(id) => self.runs.get(id),
            RunsLine::Group { .. } | RunsLine::Finished { .. } => None,
        });
        let shown = self.runs.current().into_iter().chain(listed).map(|entry| ShownRun {
            run: entry.row.id.clone(),
            updated_at: entry.row.updated_at,
            over: entry.row.state.is_terminal(),
        });
        shown.collect()
    }

    /// Says something at the bottom.
    pub(super) fn say(&mut self, text: impl Into<String>) {
        self.said = Some(StatusMessage { text: text.into(), trouble: false, at: self.now });
    }

    /// Says what went wrong, and what to do about it.
    pub(super) fn show_error(&mut self, failure: &Failure) {
        let hint = failure.hint.as_deref().map_or_else(String::new, |hint| format!(" ({hint})"));
        self.said = Some(StatusMessage { text: format!("{}{hint}", failure.message), trouble: true, at: self.now });
    }

    /// Says why something is not done.
    pub(super) fn refuse(&mut self, message: impl Into<String>) {
        self.show_error(&Failure { message: message.into(), hint: None });
    }

    /// Forgets what was said long enough ago. Trouble stays until the next key.
    pub(super) fn forget_said(&mut self) {
        let now = self.now;
        self.said.take_if(|said| !said.trouble && now.duration_since(said.at).as_secs() >= MESSAGE_SECONDS);
    }

    /// Begins something that takes a while.
    pub(super) fn begin(&mut self, job: Job) -> Effect {
        self.next_job += 1;
        self.jobs.push((self.next_job, job.clone()));
        Effect::Do(self.next_job, Box::new(job))
    }

    /// Begins something, unless the same is being done already.
    pub(super) fn begin_once(&mut self, job: Job) -> Vec<Effect> {
        match self.jobs.iter().find(|(_, other)| other.is_like(&job)) {
            Some((_, other)) => {
                let message = format!("{} already", other.words());
                self.refuse(message);
                vec![]
            }
            None => vec![self.begin(job)],
        }
    }

    /// Begins to read something. It is not shown at the bottom, because the user does not wait for it.
    pub(super) fn begin_quietly(&mut self, job: Job) -> (JobNumber, Effect) {
        self.next_job += 1;
        (self.next_job, Effect::Do(self.next_job, Box::new(job)))
    }

    /// Forgets a job that is done.
    pub(super) fn end(&mut self, number: JobNumber) -> Option<Job> {
        let index = self.jobs.iter().position(|(job, _)| *job == number)?;
        Some(self.jobs.remove(index).1)
    }
}
