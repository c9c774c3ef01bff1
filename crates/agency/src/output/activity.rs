//! One line that shows what an agent is doing, while its answer is awaited.

use std::time::Duration;

use agency_model::{Event, escaped_line, escaped_text, tool_subject};
use indicatif::ProgressBar;

/// A spinner with the last thing that an agent did; gone when it is dropped.
#[derive(Debug)]
pub(crate) struct ActivityLine {
    bar: Option<ProgressBar>,
}

impl ActivityLine {
    /// Begins to show it; `watched` is false unless standard error is a terminal.
    pub(crate) fn begin(text: &'static str, watched: bool) -> Self {
        let bar = watched.then(|| ProgressBar::new_spinner().with_message(text));
        if let Some(bar) = &bar {
            bar.enable_steady_tick(Duration::from_millis(120));
        }
        Self { bar }
    }

    /// Shows what happened, if it is of interest.
    pub(crate) fn show(&mut self, event: &Event) {
        let Some(bar) = &self.bar else { return };
        if let Event::Notice { message } | Event::Error { message } = event {
            bar.println(escaped_text(message));
        } else if let Some(words) = activity_words(event) {
            bar.set_message(escaped_line(&words));
        }
    }
}

/// What happened in a few words, if a waiting user needs it.
pub(crate) fn activity_words(event: &Event) -> Option<String> {
    match event {
        Event::ToolUse { tool_name, input, .. } => Some(format!("{tool_name} {}", tool_subject(input))),
        Event::Notice { message } | Event::Error { message } => Some(message.clone()),
        Event::Output { .. } => Some("writing".to_owned()),
        Event::Thinking { .. } => Some("thinking".to_owned()),
        Event::Task { description, .. } => Some(description.clone()),
        Event::StateChange { .. }
        | Event::Attempt { .. }
        | Event::Exit { .. }
        | Event::Restart { .. }
        | Event::ToolResult { .. }
        | Event::Plan { .. }
        | Event::RateLimit { .. }
        | Event::Compaction { .. }
        | Event::Message { .. }
        | Event::Activity { .. }
        | Event::Question { .. }
        | Event::Answer { .. }
        | Event::Usage(_)
        | Event::Completed { .. }
        | Event::Unknown { .. }
        | Event::Work(_) => None,
    }
}

impl Drop for ActivityLine {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
