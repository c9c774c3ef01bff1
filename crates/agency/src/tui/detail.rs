//! The tabs about one run: what is shown of it, and how far one has read.

use agency_model::RunId;

/// The tabs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Tab {
    #[default]
    Output,
    Diff,
    Events,
    Logs,
    Info,
}

impl Tab {
    pub(super) const ALL: [Self; 5] = [Self::Output, Self::Diff, Self::Events, Self::Logs, Self::Info];

    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Output => "Output",
            Self::Diff => "Diff",
            Self::Events => "Events",
            Self::Logs => "Logs",
            Self::Info => "Info",
        }
    }

    pub(super) const fn next(self) -> Self {
        match self {
            Self::Output => Self::Diff,
            Self::Diff => Self::Events,
            Self::Events => Self::Logs,
            Self::Logs => Self::Info,
            Self::Info => Self::Output,
        }
    }

    pub(super) const fn previous(self) -> Self {
        match self {
            Self::Output => Self::Info,
            Self::Diff => Self::Output,
            Self::Events => Self::Diff,
            Self::Logs => Self::Events,
            Self::Info => Self::Logs,
        }
    }
}

/// What is to be read for a tab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Subject {
    /// Counts what was shown; what comes late for an older one is dropped.
    pub(super) generation: u64,
    pub(super) run: RunId,
    pub(super) tab: Tab,
}

/// What was read.
#[derive(Debug)]
pub(super) enum Content {
    /// Why there is nothing.
    Nothing(String),
}

/// What the tabs show.
#[derive(Debug, Default)]
pub(super) struct Detail {
    pub(super) tab: Tab,
    subject: Option<Subject>,
    generation: u64,
    nothing: Option<String>,
}

impl Detail {
    /// Shows this run, or nothing; what is to be read for it, if it is another than before.
    pub(super) fn turn_to(&mut self, run: Option<&RunId>) -> Option<Option<Subject>> {
        let same = match (&self.subject, run) {
            (Some(subject), Some(run)) => subject.run == *run && subject.tab == self.tab,
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        if same {
            return None;
        }
        self.generation += 1;
        self.nothing = None;
        self.subject = run.map(|run| Subject { generation: self.generation, run: run.clone(), tab: self.tab });
        Some(self.subject.clone())
    }

    /// Takes in what was read; what is late is dropped.
    pub(super) fn learn(&mut self, generation: u64, content: Content) {
        if generation != self.generation {
            return;
        }
        match content {
            Content::Nothing(why) => self.nothing = Some(why),
        }
    }

    /// Why there is nothing to show.
    pub(super) fn nothing(&self) -> Option<&str> {
        self.nothing.as_deref()
    }
}
