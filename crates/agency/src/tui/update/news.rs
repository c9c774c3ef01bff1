//! What other threads found out.

use std::collections::HashMap;

use agency_model::RunId;

use super::{form, steps, typing};
use crate::tui::effect::{Effect, Job, JobNumber, Outcome, Refusal, TextFor};
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
            let sessions = steps::sessions_in(&news.changed);
            let asked = asking.is_some();
            state.runs.learn(news.changed, &news.gone, asking);
            form::select_wished(state);
            return steps::changed(state, &sessions, asked);
        }
        News::Changes { run, changes } => state.runs.learn_changes(&run, changes),
        News::Detail { generation, content } => state.detail.learn(generation, content),
        News::Done { job, outcome } => {
            return done(state, job, outcome);
        }
        News::Written { purpose: TextFor::Front, text } => typing::written(state, text),
        News::Said(text) => state.say(text),
        News::Trouble(message) => state.complain(&Refusal { message, hint: None }),
    }
    vec![]
}

/// Something that was to be done is done, or was refused.
fn done(state: &mut State, number: JobNumber, outcome: Result<Outcome, Refusal>) -> Vec<Effect> {
    let job = state.end(number);
    if let Some(Job::Answer { question, .. }) = &job {
        let said = |outcome: &Outcome| match outcome {
            Outcome::Said(text) => text.clone(),
            Outcome::Removal { .. }
            | Outcome::Agents(_)
            | Outcome::Created { .. }
            | Outcome::NotCreated { .. }
            | Outcome::Session(_) => String::new(),
        };
        state.inbox.told(&question.id, outcome.as_ref().map(said).map_err(Clone::clone));
    }
    match outcome {
        Ok(outcome) => {
            if let Some(job) = &job {
                super::editor::sent(state, job);
            }
            match outcome {
                Outcome::Said(text) => {
                    steps::told(state, job.as_ref());
                    state.say(text);
                }
                Outcome::Removal { run, branch, notes } => super::confirm::planned(state, &run, branch, notes),
                Outcome::Agents(agents) => form::learn_agents(state, agents),
                Outcome::Created { id, said } => form::created(state, number, id, said),
                Outcome::NotCreated { field, refusal } => {
                    state.leaving = false;
                    form::refused(state, number, field, &refusal);
                }
                Outcome::Session(overview) => return steps::learn(state, number, overview),
            }
        }
        Err(refusal) => {
            // Whoever wanted to leave after it is told first that it did not work.
            state.leaving = false;
            if let Some(job) = &job {
                super::confirm::not_planned(state, job);
                super::editor::come_back(state, job);
            }
            let told = form::refused(state, number, None, &refusal) || steps::refused(state, number, &refusal);
            // What was only read for something that is closed by now concerns nobody.
            if !told && job.is_some() {
                state.complain(&refusal);
            }
        }
    }
    steps::after(state, job.as_ref())
}
