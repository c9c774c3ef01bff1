//! What other threads found out.

use std::collections::HashMap;

use agency_model::RunId;

use crate::tui::effect::{Effect, Job, Outcome, Refusal, TextFor};
use crate::tui::input::News;
use crate::tui::state::State;

pub(super) fn news(state: &mut State, news: News) -> Vec<Effect> {
    match news {
        News::Runs(news) => {
            let asking = news.questions.map(|questions| {
                state.questions = questions;
                state.inbox.learn(&state.questions);
                let mut asking: HashMap<RunId, usize> = HashMap::new();
                for question in &state.questions {
                    *asking.entry(question.run_id.clone()).or_default() += 1;
                }
                asking
            });
            state.runs.learn(news.changed, &news.gone, asking);
        }
        News::Changes { run, changes } => state.runs.learn_changes(&run, changes),
        News::Detail { generation, content } => state.detail.learn(generation, content),
        News::Done { job, outcome } => {
            if let Some(job) = state.end(job) {
                done(state, &job, outcome);
            }
        }
        News::Written { purpose: TextFor::Front, text } => match text {
            Ok(text) => super::editor::written(state, &text),
            Err(refusal) => state.complain(&refusal),
        },
        News::Said(text) => state.say(text),
        News::Trouble(message) => state.complain(&Refusal { message, hint: None }),
    }
    vec![]
}

/// Something that was to be done is done, or was refused.
fn done(state: &mut State, job: &Job, outcome: Result<Outcome, Refusal>) {
    if let Job::Answer { question, .. } = job {
        let told = outcome.as_ref().map_err(Clone::clone);
        state.inbox.told(&question.id, told.map(Outcome::words));
    }
    match outcome {
        Ok(outcome) => {
            super::editor::sent(state, job);
            match outcome {
                Outcome::Said(text) => state.say(text),
                Outcome::Removal { run, branch, notes } => super::confirm::planned(state, &run, branch, notes),
            }
        }
        Err(refusal) => {
            // Whoever wanted to leave after it is told first that it did not work.
            state.leaving = false;
            super::confirm::not_planned(state, job);
            super::editor::come_back(state, job);
            state.complain(&refusal);
        }
    }
}
