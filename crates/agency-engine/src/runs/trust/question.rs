//! Questions about what a project file proposes, and what their answers approve.

use agency_model::{QuestionKind, RunId, escaped_line};

use crate::agency::Agency;
use crate::project::Project;
use crate::runs::agency_questions::question;
use crate::runs::messages::DeliveryError;
use crate::store::{ApprovedContent, QuestionRow, StoreError};

impl Agency {
    /// Asks whether the commands of a project file may be executed, and the files that it names be copied or linked.
    pub(crate) fn ask_for_trust(&mut self, run: &RunId, project: &Project) -> Result<QuestionRow, StoreError> {
        let line = |key: &str, text: &str| format!("{key}: {}\n", escaped_line(text));
        let commands = project.commands().into_iter().map(|command| line(&command.key, &command.command));
        let paths = project.paths().into_iter().map(|path| line(&path.key, &path.path));
        let detail = format!("{}sha256 {}\n", commands.chain(paths).collect::<String>(), project.sha256());
        self.store.ask_user(run, &question(project.trust_key(), QuestionKind::Trust, title_of(project), detail))
    }

    /// The content of the project file that a question is about, if the file still has it.
    pub(crate) fn content_asked_about(&mut self, question: &QuestionRow) -> Result<ApprovedContent, DeliveryError> {
        let run = self.store.run(&question.run_id)?;
        let repository = self.repository_of(&run).ok();
        let project = repository.and_then(|root| self.project(&root).ok().flatten());
        match project.filter(|project| project.trust_key() == question.question.key) {
            Some(project) => Ok(project.content()),
            None => {
                self.store.question_expired(&question.id, "the project file was changed")?;
                let row = self.store.question(&question.id)?.unwrap_or_else(|| question.clone());
                Err(DeliveryError::Expired { row: Box::new(row) })
            }
        }
    }
}

fn title_of(project: &Project) -> String {
    let file = project.path();
    let file = file.display();
    match (project.commands().is_empty(), project.paths().is_empty()) {
        (false, true) => format!("may agency execute the commands of {file}?"),
        (false, false) => {
            format!("may agency execute the commands of {file}, and copy or link the files that it names?")
        }
        (true, _) => format!("may agency copy or link the files that {file} names?"),
    }
}
