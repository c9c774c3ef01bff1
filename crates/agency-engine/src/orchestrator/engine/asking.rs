//! Approvals and reviews: questions of the driver's run, which wait in the inbox like any other.

use agency_model::workflow::{Approval, Fact, StepPath, StepResult, Work};

use super::merging::Looked;
use super::voice::{Request, Subject};
use super::{Arrival, Doing, DriveError, UnderWay, WorkflowExecutor};

impl WorkflowExecutor {
    /// Asks for an approval, or looks first at what is to be merged. Says whether that is a fact by now.
    pub(super) fn ask(&mut self, path: &StepPath, attempt: u32) -> Result<bool, DriveError> {
        let key = key_of(path, attempt);
        if self.asked.contains_key(&key) || self.under_way.contains_key(&(path.clone(), attempt)) {
            return Ok(false);
        }
        let Some(step) = self.flow.step(path) else { return Ok(false) };
        let approval = match &step.work {
            Work::Approval(approval) => approval.clone(),
            Work::Merge(_) => {
                self.look(path, attempt)?;
                return Ok(false);
            }
            Work::Agent(_) | Work::Script(_) | Work::Loop(_) | Work::Parallel(_) => return Ok(false),
        };
        let message = match &approval.message {
            Some(message) => self.render(path, message),
            None => Ok(format!("{} waits for your approval", path.name())),
        };
        match message {
            Ok(detail) => {
                let asked = self.note(Fact::StepAsked { path: path.clone(), attempt })?;
                self.put(
                    path,
                    attempt,
                    Subject::Approval,
                    Looked { title: format!("{path}: {}", first_line(&detail)), detail },
                );
                Ok(asked)
            }
            Err(error) => {
                let result = StepResult::failure(error.to_string());
                self.note(Fact::StepEnded { path: path.clone(), attempt, result })
            }
        }
    }

    fn look(&mut self, path: &StepPath, attempt: u32) -> Result<(), DriveError> {
        let merging = match self.merging(path, attempt) {
            Ok(merging) => merging,
            Err(result) => {
                self.note(Fact::StepEnded { path: path.clone(), attempt, result: *result })?;
                return Ok(());
            }
        };
        self.under_way.insert((path.clone(), attempt), UnderWay { what: Doing::Looking, stopping: false });
        let (sender, path) = (self.sender.clone(), path.clone());
        std::thread::spawn(move || {
            let looked = merging.look().map(Box::new);
            // Whoever does not listen any more is dying.
            let _ = sender.send(Arrival::Looked { path, attempt, looked });
        });
        Ok(())
    }

    /// What a merge would bring was looked at: a person sees it now.
    pub(super) fn looked(
        &mut self,
        path: StepPath,
        attempt: u32,
        looked: Result<Box<Looked>, Box<StepResult>>,
    ) -> Result<(), DriveError> {
        match looked {
            Ok(looked) => {
                self.note(Fact::StepAsked { path: path.clone(), attempt })?;
                self.put(&path, attempt, Subject::Merge, *looked);
            }
            Err(result) => {
                self.note(Fact::StepEnded { path, attempt, result: *result })?;
            }
        }
        Ok(())
    }

    fn put(&mut self, path: &StepPath, attempt: u32, subject: Subject, looked: Looked) {
        let key = key_of(path, attempt);
        self.asked.insert(key.clone(), (path.clone(), attempt));
        let Looked { title, detail } = looked;
        self.voice.ask(&Request { key, subject, title, detail });
    }

    /// Somebody answered.
    pub(super) fn answered(&mut self, key: &str, verdict: Approval, message: Option<String>) -> Result<(), DriveError> {
        let Some((path, attempt)) = self.asked.remove(key) else { return Ok(()) };
        let message = message.or_else(|| self.remarks.remove(&path));
        self.note(Fact::StepAnswered { path, attempt, verdict, message })?;
        Ok(())
    }

    /// Takes back what nobody needs to know any more.
    pub(super) fn ask_no_more(&mut self) {
        if self.asked.is_empty() {
            return;
        }
        let running = self.flow.running();
        let waits = |path: &StepPath, attempt: u32| {
            running.iter().any(|leaf| leaf.waits && leaf.path == *path && leaf.attempt == attempt)
        };
        let over: Vec<String> = self
            .asked
            .iter()
            .filter(|(_, (path, attempt))| !waits(path, *attempt))
            .map(|(key, _)| key.clone())
            .collect();
        for key in over {
            self.asked.remove(&key);
            self.voice.withdraw(&key);
        }
    }
}

/// The key of a step's question. A slash would number the parts of a question.
pub(crate) fn key_of(path: &StepPath, attempt: u32) -> String {
    format!("{}#{attempt}", path.as_str().replace('/', "."))
}

fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}
