//! The form for a new run: what is filled in, and what stands there of itself.
//!
//! The one rule: nothing that was written is lost. A form that is closed, or whose run could not be created, is kept
//! with everything in it.

mod field;
mod geometry;
#[cfg(test)]
pub(super) mod tests;

use agency_engine::runs::create::Adapter;
use agency_model::{Host, Mode, RunId};

pub(super) use field::Field;
pub(super) use geometry::{FormItem, frame, inside, layout, value_of};

use super::effect::{Failure, JobNumber};
use super::text_input::{Cursor, TextInput};

/// What can be chosen from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Agents {
    pub(super) adapters: Vec<Adapter>,
    /// The agent for runs that name none.
    pub(super) usual: String,
    /// Whether the user chose that one.
    pub(super) usual_is_chosen: bool,
    /// Where runs are put that do not say where.
    pub(super) host: Host,
}

impl Agents {
    /// The agent of this name, which may be written with `-` or `_`.
    pub(super) fn find(&self, name: &str) -> Option<&Adapter> {
        let plain = |name: &str| name.to_lowercase().replace('-', "_");
        self.adapters.iter().find(|adapter| plain(&adapter.name) == plain(name))
    }
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RunSettings {
    pub(super) repository: Option<String>,
    pub(super) base: Option<String>,
    pub(super) runner: Option<String>,
    pub(super) mode: Mode,
    pub(super) host: Option<Host>,
    pub(super) name: Option<String>,
    pub(super) prompt: String,
}

/// Why it was not done, and which field is to blame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldError {
    pub(super) field: Option<Field>,
    pub(super) failure: Failure,
}

/// Everything about forms that are not on the screen.
#[derive(Debug, Default)]
pub(super) struct FormStore {
    /// The agents that there are, as far as they are known.
    pub(super) agents: Option<Agents>,
    /// The job that reads them.
    pub(super) reading: Option<JobNumber>,
    /// Forms that were closed; the last is opened first.
    pub(super) drafts: Vec<Form>,
    /// Forms whose runs are being created.
    pub(super) sent: Vec<(JobNumber, Form)>,
    /// The run to select as soon as it is in the list.
    pub(super) wished: Option<RunId>,
}

/// The form.
#[derive(Debug, Clone)]
pub(super) struct Form {
    focus: Field,
    repository: TextInput,
    base: TextInput,
    name: TextInput,
    prompt: TextInput,
    runner: Option<String>,
    /// The agent of the run beside which it was opened.
    near: Option<String>,
    mode: Mode,
    host: Option<Host>,
    pub(super) field_error: Option<FieldError>,
    /// The first row that is shown.
    pub(super) top: u16,
    /// Whether the user changed anything.
    touched: bool,
}

impl Form {
    /// An empty form for a repository.
    pub(super) fn new(repository: &str, near: Option<String>) -> Self {
        let mut form = Self {
            focus: Field::Prompt,
            repository: TextInput::line(repository, "the one of the current directory"),
            base: TextInput::line("", "HEAD, or the working copy with jj"),
            name: TextInput::line("", "the first words of the prompt"),
            prompt: TextInput::lines("", "what the agent is to do"),
            runner: None,
            near,
            mode: Mode::Interactive,
            host: None,
            field_error: None,
            top: 0,
            touched: false,
        };
        form.go_to(Field::Prompt);
        form
    }

    pub(super) const fn focus(&self) -> Field {
        self.focus
    }

    /// The text of a field; none for one that is chosen.
    pub(super) const fn writing(&self, field: Field) -> Option<&TextInput> {
        match field {
            Field::Repository => Some(&self.repository),
            Field::Base => Some(&self.base),
            Field::Name => Some(&self.name),
            Field::Prompt => Some(&self.prompt),
            Field::Runner | Field::Mode | Field::Host => None,
        }
    }

    pub(super) const fn writing_mut(&mut self, field: Field) -> Option<&mut TextInput> {
        match field {
            Field::Repository => Some(&mut self.repository),
            Field::Base => Some(&mut self.base),
            Field::Name => Some(&mut self.name),
            Field::Prompt => Some(&mut self.prompt),
            Field::Runner | Field::Mode | Field::Host => None,
        }
    }

    /// Lets the keys go to another field.
    pub(super) fn go_to(&mut self, field: Field) {
        if let Some(writing) = self.writing_mut(self.focus) {
            writing.show_cursor(Cursor::Hidden);
        }
        self.focus = field;
        if let Some(writing) = self.writing_mut(field) {
            writing.show_cursor(Cursor::Shown);
        }
    }

    pub(super) fn go_on(&mut self) {
        self.go_to(self.focus.next());
    }

    pub(super) fn go_back(&mut self) {
        self.go_to(self.focus.previous());
    }

    /// The agent that would be run; none while it is not known which there are.
    pub(super) fn runner<'a>(&'a self, agents: Option<&'a Agents>) -> Option<&'a str> {
        let Some(agents) = agents else { return self.runner.as_deref() };
        let near = self.near.as_deref().and_then(|name| agents.find(name)).filter(|_| !agents.usual_is_chosen);
        let usual = near.or_else(|| agents.find(&agents.usual));
        self.runner.as_deref().or_else(|| usual.map(|adapter| adapter.name.as_str()))
    }

    pub(super) const fn mode(&self) -> Mode {
        self.mode
    }

    /// Where the run would be put; none while it is not known what is usual.
    pub(super) fn host(&self, agents: Option<&Agents>) -> Option<Host> {
        self.host.or_else(|| agents.map(|agents| agents.host))
    }

    /// Chooses what comes after or before, in a field with choices.
    pub(super) fn choose(&mut self, direction: Direction, agents: Option<&Agents>) {
        self.touch();
        match self.focus {
            Field::Runner => {
                let Some(agents) = agents.filter(|agents| !agents.adapters.is_empty()) else { return };
                let now = self.runner(Some(agents)).and_then(|name| agents.find(name));
                let index = agents.adapters.iter().position(|adapter| Some(adapter) == now).unwrap_or(0);
                let count = agents.adapters.len();
                let index = match direction {
                    Direction::Forth => (index + 1) % count,
                    Direction::Back => (index + count - 1) % count,
                };
                self.runner = agents.adapters.get(index).map(|adapter| adapter.name.clone());
            }
            Field::Mode => {
                self.mode = match self.mode {
                    Mode::Interactive => Mode::Headless,
                    Mode::Headless => Mode::Interactive,
                }
            }
            Field::Host => {
                self.host = Some(match self.host(agents) {
                    Some(Host::Tmux) | None => Host::Detached,
                    Some(Host::Detached) => Host::Tmux,
                });
            }
            Field::Repository | Field::Base | Field::Name | Field::Prompt => {}
        }
    }

    /// What is asked for.
    pub(super) fn settings(&self, agents: Option<&Agents>) -> RunSettings {
        let filled = |writing: &TextInput| Some(writing.text().trim().to_owned()).filter(|text| !text.is_empty());
        RunSettings {
            repository: filled(&self.repository),
            base: filled(&self.base),
            runner: self.runner(agents).map(str::to_owned),
            mode: self.mode,
            host: self.host,
            name: filled(&self.name),
            prompt: self.prompt.text(),
        }
    }

    /// Whether the user changed anything.
    pub(super) const fn is_touched(&self) -> bool {
        self.touched
    }

    /// Notes that the field in front was changed: what was wrong with it may be right now.
    pub(super) fn touch(&mut self) {
        self.touched = true;
        self.field_error.take_if(|field_error| field_error.field == Some(self.focus));
    }

    /// Says what is wrong, where it is wrong.
    pub(super) fn show_error(&mut self, field_error: FieldError) {
        if let Some(field) = field_error.field {
            self.go_to(field);
        }
        self.field_error = Some(field_error);
    }
}

/// From one choice to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Forth,
    Back,
}
