//! Whether what an agent prints is read from its events or from its log.
//!
//! ```standalone_crate
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/runs/example.rs"));
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (mut agency, run, _place) = start(PLAIN)?;
//! use agency_engine::runs::output_form::OutputForm;
//!
//! let ended = agency.wait(&run.id, None, State::is_terminal)?;
//! assert_eq!(agency.output_form(&ended), OutputForm::Text);
//! assert_eq!(std::fs::read_to_string(&ended.stdout_log_path)?, "one\ntwo\n");
//! # Ok(())
//! # }
//! ```

use agency_adapters::StreamFormat;
use agency_model::{Event, Mode, RunKind};

use crate::agency::Agency;
use crate::store::RunRow;

/// Where the output of an agent is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputForm {
    /// From its events: its stream is understood.
    Events,
    /// From its log: it prints text.
    Text,
    /// From its screen.
    Screen,
}

impl Agency {
    /// Where the output of a run is read. An agent that ended before it wrote anything by its
    /// protocol has a log at most.
    #[must_use]
    pub fn output_form(&self, row: &RunRow) -> OutputForm {
        match (row.mode, row.kind) {
            (Mode::Interactive, _) => return OutputForm::Screen,
            // Its log is a protocol.
            (Mode::Headless, RunKind::Workflow) => return OutputForm::Events,
            (Mode::Headless, _) => {}
        }
        let said = self.last_event(&row.id, |line| {
            matches!(line.event, Event::Output { .. } | Event::ToolUse { .. } | Event::Thinking { .. }).then_some(())
        });
        if said.ok().flatten().is_some() {
            return OutputForm::Events;
        }
        let prints_text = self
            .config()
            .agent(&row.runner_kind)
            .is_none_or(|(_, agent)| agent.form(row.mode, row.kind == RunKind::Ask).stream == StreamFormat::Text);
        // An agent that failed to start its protocol says why on its standard error.
        let stdout = self.home().run(&row.id).stdout_log();
        let only_complained = row.state.is_terminal() && std::fs::metadata(stdout).is_ok_and(|log| log.len() == 0);
        if prints_text || only_complained { OutputForm::Text } else { OutputForm::Events }
    }
}
