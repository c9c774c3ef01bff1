//! What other threads found out.

use std::collections::HashMap;

use agency_model::RunId;

use crate::tui::effect::{Effect, Outcome, Refusal};
use crate::tui::input::News;
use crate::tui::state::State;

pub(super) fn news(state: &mut State, news: News) -> Vec<Effect> {
    match news {
        News::Runs(news) => {
            let asking = news.questions.map(|questions| {
                state.questions = questions;
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
            state.end(job);
            match outcome {
                Ok(Outcome::Said(text)) => state.say(text),
                Err(refusal) => state.complain(&refusal),
            }
        }
        News::Written { text, .. } => {
            if let Err(refusal) = text {
                state.complain(&refusal);
            }
        }
        News::Trouble(message) => state.complain(&Refusal { message, hint: None }),
    }
    vec![]
}
