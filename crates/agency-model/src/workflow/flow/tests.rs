//! Sessions, fact by fact.

mod order;
mod people;
mod search;
mod templates;
mod trouble;

use jiff::Timestamp;

use super::super::{Fact, StepStatus, parse_workflow};
use super::*;

/// A session that is played by a test.
#[derive(Clone)]
struct Played {
    flow: Flow,
    history: Vec<HistoryEntry>,
}

impl Played {
    /// Begins a session of a workflow.
    fn begin(yaml: &str) -> Self {
        let plan = parse_workflow("w.yaml", yaml.as_bytes()).unwrap_or_else(|problems| panic!("{problems:?}"));
        let mut played = Self { flow: Flow::new(Arc::new(plan)), history: vec![] };
        let task = Task::new("Fix login", "It fails.");
        played.note(Fact::SessionStarted { session: "s_1".to_owned(), goal: None, task });
        played
    }

    fn note(&mut self, fact: Fact) -> Recorded {
        let recorded = self.flow.record(&fact).unwrap_or_else(|refusal| panic!("{fact:?}: {refusal}"));
        self.store(fact);
        recorded
    }

    fn store(&mut self, fact: Fact) {
        let seq = self.history.len() as u64 + 1;
        self.history.push(HistoryEntry { seq, at: Timestamp::UNIX_EPOCH, clock: None, fact });
    }

    /// Asks what comes next, stores the decisions, and begins what is to begin.
    fn go_on(&mut self) -> Vec<Action> {
        let actions = self.flow.advance();
        for action in &actions {
            match action {
                Action::Note(fact) => self.store(fact.clone()),
                Action::Start { path, attempt } => {
                    self.note(Fact::StepStarted { path: path.clone(), attempt: *attempt, run_id: None });
                }
                Action::Ask { path, attempt } => {
                    self.note(Fact::StepAsked { path: path.clone(), attempt: *attempt });
                }
                Action::Merge { .. } | Action::Stop { .. } => {}
            }
        }
        actions
    }

    /// Continues until nothing begins any more; the paths that began, in order.
    fn begun(&mut self) -> Vec<String> {
        let mut begun = vec![];
        loop {
            let starts: Vec<String> = self.go_on().iter().filter_map(started).collect();
            if starts.is_empty() {
                return begun;
            }
            begun.extend(starts);
        }
    }

    fn end(&mut self, path: &str, result: StepResult) {
        let path = StepPath::new(path);
        let attempt = self.flow.attempts(&path);
        assert_eq!(self.note(Fact::StepEnded { path: path.clone(), attempt, result }), Recorded::Noted, "{path}");
    }

    fn succeed(&mut self, path: &str) -> Vec<String> {
        self.end(path, StepResult::success(format!("{path} is done")));
        self.begun()
    }

    fn fail(&mut self, path: &str) -> Vec<String> {
        self.end(path, StepResult::failure("it broke"));
        self.begun()
    }

    fn state(&self) -> SessionState {
        self.flow.state()
    }

    fn under_way(&self) -> Vec<String> {
        self.flow.running().iter().map(|running| running.path.to_string()).collect()
    }

    /// What is to be stopped, and why.
    fn stops(&mut self) -> Vec<(String, StopCause)> {
        let stop = |action: &Action| match action {
            Action::Stop { path, cause, .. } => Some((path.to_string(), *cause)),
            Action::Note(_) | Action::Start { .. } | Action::Ask { .. } | Action::Merge { .. } => None,
        };
        self.go_on().iter().filter_map(stop).collect()
    }
}

fn started(action: &Action) -> Option<String> {
    match action {
        Action::Start { path, .. } => Some(path.to_string()),
        Action::Note(_) | Action::Ask { .. } | Action::Merge { .. } | Action::Stop { .. } => None,
    }
}

/// Script steps in a row, each with further fields.
fn scripts(steps: &[(&str, &str)]) -> String {
    let lines = steps.iter().map(|(name, more)| format!("- {{name: {name}, type: script, command: x{more}}}\n"));
    format!("name: w\nsteps:\n{}", lines.collect::<String>())
}
