//! Approvals and reviews: questions of the driver's run, which wait in the inbox like any other.

use agency_adapters::driver_protocol::{DriverQuestion, QuestionSubject};
use agency_model::QuestionOption;
use agency_model::workflow::{Approval, BlockedMerge, Fact, MergeAnswer, Running, StepPath, StepResult, Work};
use tracing::warn;

use super::driver_protocol::DriverAnswer;
use super::merge::MergePreview;
use super::{DriveError, DriverEvent, Job, UnderWay, WorkflowExecutor};

impl WorkflowExecutor {
    /// Asks for an approval, or first reads the changes to merge.
    pub(super) fn ask(&mut self, path: &StepPath, attempt: u32) -> Result<(), DriveError> {
        let key = key_of(path, attempt);
        if self.asked.contains_key(&key) || self.under_way.contains_key(&(path.clone(), attempt)) {
            return Ok(());
        }
        let Some(step) = self.flow.step(path) else { return Ok(()) };
        let approval = match &step.work {
            Work::Approval(approval) => approval.clone(),
            Work::Merge(_) if self.blocked(path, attempt).is_some() => return self.ask_about_checkouts(path, attempt),
            Work::Merge(_) => return self.look(path, attempt),
            Work::Agent(_) | Work::Script(_) | Work::Loop(_) | Work::Parallel(_) => return Ok(()),
        };
        let message = match &approval.message {
            Some(message) => self.render(path, message),
            None => Ok(format!("{} waits for your approval", path.name())),
        };
        match message {
            Ok(detail) => {
                self.note(Fact::StepAsked { path: path.clone(), attempt })?;
                let title = format!("{path}: {}", first_line(&detail));
                let looked = MergePreview { title, detail, approved_by: None };
                self.put(path, attempt, QuestionSubject::Approval, looked);
                Ok(())
            }
            Err(error) => self.fail(path, attempt, error.to_string()),
        }
    }

    fn look(&mut self, path: &StepPath, attempt: u32) -> Result<(), DriveError> {
        let merging = match self.merging(path, attempt) {
            Ok(merging) => merging,
            Err(result) => return self.end(path, attempt, *result),
        };
        self.under_way.insert((path.clone(), attempt), UnderWay { what: Job::Looking, stopping: false });
        let (sender, path) = (self.sender.clone(), path.clone());
        std::thread::spawn(move || {
            let looked = merging.look().map(Box::new);
            // Without a receiver this process is about to end.
            let _ = sender.send(DriverEvent::MergePreview { path, attempt, looked });
        });
        Ok(())
    }

    /// Asks a user about a merge whose result is known now.
    pub(super) fn looked(
        &mut self,
        path: &StepPath,
        attempt: u32,
        looked: Result<Box<MergePreview>, Box<StepResult>>,
    ) -> Result<(), DriveError> {
        match looked {
            Ok(looked) => {
                self.note(Fact::StepAsked { path: path.clone(), attempt })?;
                if let Some(by) = looked.approved_by {
                    let message = Some(format!("approved before by {by}"));
                    let path = path.clone();
                    self.note(Fact::StepAnswered { path, attempt, verdict: Approval::Approved, message })?;
                } else {
                    self.put(path, attempt, QuestionSubject::Merge, *looked);
                }
                Ok(())
            }
            Err(result) => self.end(path, attempt, *result),
        }
    }

    fn put(&mut self, path: &StepPath, attempt: u32, subject: QuestionSubject, looked: MergePreview) {
        let key = key_of(path, attempt);
        self.put_with_key(key, path, attempt, subject, looked);
    }

    fn put_with_key(
        &mut self,
        key: String,
        path: &StepPath,
        attempt: u32,
        subject: QuestionSubject,
        looked: MergePreview,
    ) {
        self.asked.insert(key.clone(), (path.clone(), attempt));
        let MergePreview { title, detail, approved_by: _ } = looked;
        self.stream.write_question(DriverQuestion { key, subject, title, detail });
    }

    /// What is in the way of a merge that is under way.
    pub(super) fn blocked(&self, path: &StepPath, attempt: u32) -> Option<BlockedMerge> {
        let running = self.flow.running();
        running.into_iter().find(|leaf| leaf.path == *path && leaf.attempt == attempt).and_then(|leaf| leaf.blocked)
    }

    /// Asks what to do about changes that are in the way of a merge.
    fn ask_about_checkouts(&mut self, path: &StepPath, attempt: u32) -> Result<(), DriveError> {
        let Some(blocked) = self.blocked(path, attempt).filter(|blocked| blocked.answer.is_none()) else {
            return Ok(());
        };
        let key = key_about_checkouts(path, attempt, blocked.times);
        if self.asked.contains_key(&key) {
            return Ok(());
        }
        match self.merging(path, attempt) {
            Ok(merging) => {
                let (looked, answers) = merging.question(&blocked.checkouts);
                let options = answers.into_iter().map(option).collect();
                self.put_with_key(key, path, attempt, QuestionSubject::Checkout { options }, looked);
                Ok(())
            }
            Err(result) => self.end(path, attempt, *result),
        }
    }

    /// It was answered.
    pub(super) fn answered(&mut self, answer: DriverAnswer) -> Result<(), DriveError> {
        let DriverAnswer { key, verdict, message, choice } = answer;
        let Some((path, attempt)) = self.asked.remove(&key) else { return Ok(()) };
        if self.blocked(&path, attempt).is_some_and(|blocked| blocked.answer.is_none()) {
            let answer = match (verdict, choice.as_deref().and_then(|text| text.parse().ok())) {
                (Approval::Rejected, _) => MergeAnswer::Cancel,
                (Approval::Approved, Some(answer)) => answer,
                // Another look changes nothing, and asks again if it has to.
                (Approval::Approved, None) => MergeAnswer::Retry,
            };
            self.note(Fact::MergeAnswered { path, attempt, answer })?;
            return Ok(());
        }
        if verdict == Approval::Approved {
            self.keep_approval(&path, attempt, &key);
        }
        self.note(Fact::StepAnswered { path, attempt, verdict, message })?;
        Ok(())
    }

    /// What was approved as the review of a merge is approved for `agency review` and `agency land`, too.
    fn keep_approval(&mut self, path: &StepPath, attempt: u32, key: &str) {
        let Some(tree) = self.merging(path, attempt).ok().and_then(|merging| merging.reviewed_tree()) else { return };
        let drivers = self.agency.drivers_of(&self.record.id).unwrap_or_default();
        let asked = drivers.iter().filter_map(|driver| self.agency.questions_of(&driver.id).ok()).flatten();
        let answered = asked.filter(|row| row.question.key.to_string() == key).filter_map(|row| row.answered_by);
        let by = answered.last().unwrap_or_else(|| "a user".to_owned());
        if let Err(error) = self.agency.keep_approval(&self.maker, &tree, &by) {
            warn!(session = %self.record.id, %error, "the approval of a merge was not kept");
        }
    }

    /// Withdraws a question that needs no answer any more.
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
            self.stream.write_withdrawal(key);
        }
    }
}

fn option((answer, meaning): (MergeAnswer, String)) -> QuestionOption {
    let id = answer.to_string();
    QuestionOption { label: id.clone(), id, description: Some(meaning) }
}

/// The key of a step's question. To a supervisor that reads Claude Code's lines, a slash numbers the parts of a
/// question.
fn key_of(path: &StepPath, attempt: u32) -> String {
    format!("{}#{attempt}", path.as_str().replace('/', "."))
}

/// The key of the question about changes that are in the way of a merge, which may be asked several times.
fn key_about_checkouts(path: &StepPath, attempt: u32, times: u32) -> String {
    format!("{}-checkout-{times}", key_of(path, attempt))
}

/// The key of the question that a step under way asks.
pub(crate) fn key_of_question(leaf: &Running) -> String {
    match leaf.blocked.as_ref().filter(|blocked| blocked.answer.is_none()) {
        Some(blocked) => key_about_checkouts(&leaf.path, leaf.attempt, blocked.times),
        None => key_of(&leaf.path, leaf.attempt),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
}
