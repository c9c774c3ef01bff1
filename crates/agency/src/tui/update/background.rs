//! What other threads found out.

use std::collections::{BTreeSet, HashMap};

use agency_model::{QuestionId, RunId};

use super::{form, steps, typing};
use crate::tui::effect::{Effect, Failure, Job, JobNumber, JobOutcome, TextFor, label};
use crate::tui::input::BackgroundEvent;
use crate::tui::state::State;
use crate::view::answer_words;

pub(super) fn apply(state: &mut State, news: BackgroundEvent) -> Vec<Effect> {
    match news {
        BackgroundEvent::Runs(news) => {
            let before = Attention::of(state);
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
            let mut effects = steps::changed(state, &sessions, asked);
            effects.extend(before.and_then(|before| before.news(state)).map(Effect::Notify));
            return effects;
        }
        BackgroundEvent::Changes { run, changes } => state.runs.learn_changes(&run, changes),
        BackgroundEvent::Conflicts { run, with } => state.runs.learn_conflicts(&run, with),
        BackgroundEvent::Verified { run, verified } => state.runs.learn_verified(&run, verified),
        BackgroundEvent::Detail { generation, content } => state.detail.learn(generation, content),
        BackgroundEvent::Done { job, outcome } => {
            return done(state, job, outcome);
        }
        BackgroundEvent::Written { purpose: TextFor::Overlay, text } => typing::written(state, text),
        BackgroundEvent::Said(text) => state.say(text),
        BackgroundEvent::Trouble(message) => state.show_error(&Failure { message, hint: None }),
    }
    vec![]
}

/// What needed the user before something changed.
struct Attention {
    questions: BTreeSet<QuestionId>,
    failures: BTreeSet<RunId>,
}

impl Attention {
    /// Nothing if no notice is to be given: the user looks, or what there is was not read before.
    fn of(state: &State) -> Option<Self> {
        (!state.has_focus && state.runs.loaded).then(|| Self {
            questions: state.questions.iter().map(|row| row.id.clone()).collect(),
            failures: state.runs.unseen_failures().map(|row| row.id.clone()).collect(),
        })
    }

    /// What needs the user now and did not before, in one line without any text of an agent.
    fn news(&self, state: &State) -> Option<String> {
        let asking = state.questions.iter().filter(|row| !self.questions.contains(&row.id));
        let asking: BTreeSet<&RunId> = asking.map(|row| &row.run_id).collect();
        let asking = asking.into_iter().filter_map(|id| state.runs.get(id)).map(|entry| (&entry.row, "needs you"));
        let failed = state.runs.unseen_failures().filter(|row| !self.failures.contains(&row.id));
        let mut news = asking.chain(failed.map(|row| (row, "has failed")));
        let (row, what) = news.next()?;
        let more = match news.count() {
            0 => String::new(),
            count => format!(", and {count} more"),
        };
        Some(format!("agency: {} {what}{more}", label(row)))
    }
}

/// Something that was to be done is done, or was refused.
fn done(state: &mut State, number: JobNumber, outcome: Result<JobOutcome, Failure>) -> Vec<Effect> {
    let job = state.end(number);
    if let Some(Job::Answer { question, .. }) = &job {
        let said = |outcome: &JobOutcome| match outcome {
            JobOutcome::Said(text) => text.clone(),
            JobOutcome::Removal { .. }
            | JobOutcome::Removed(_)
            | JobOutcome::Agents(_)
            | JobOutcome::Created { .. }
            | JobOutcome::NotCreated { .. }
            | JobOutcome::Session(_) => String::new(),
        };
        state.inbox.told(&question.id, outcome.as_ref().map(said).map_err(Clone::clone));
    }
    if let (Some(Job::AnswerAll { questions, answer }), Ok(_)) = (&job, &outcome) {
        for question in questions {
            state.inbox.told(&question.id, Ok(answer_words(answer)));
        }
    }
    match outcome {
        Ok(outcome) => {
            if let Some(job) = &job {
                super::editor::sent(state, job);
            }
            match outcome {
                JobOutcome::Said(text) => {
                    steps::told(state, job.as_ref());
                    state.say(text);
                    if let Some(Job::Comment { .. } | Job::SendComments(_)) = &job {
                        // The row of the run does not say that there are others.
                        return state
                            .detail
                            .again()
                            .map(|subject| Effect::Show(Some(Box::new(subject))))
                            .into_iter()
                            .collect();
                    }
                }
                JobOutcome::Removal { run, branch, notes } => super::confirm::planned(state, &run, branch, notes),
                JobOutcome::Removed(row) => super::confirm::ask_to_restore(state, row.map(|row| *row)),
                JobOutcome::Agents(agents) => form::learn_agents(state, agents),
                JobOutcome::Created { id, said } => form::created(state, number, id, said),
                JobOutcome::NotCreated { field, failure } => {
                    state.leaving = false;
                    form::refused(state, number, field, &failure);
                }
                JobOutcome::Session(overview) => return steps::learn(state, number, overview),
            }
        }
        Err(failure) => {
            // If it failed, its message is shown before the TUI is left.
            state.leaving = false;
            if let Some(job) = &job {
                super::confirm::not_planned(state, job);
                super::editor::come_back(state, job);
            }
            let told = form::refused(state, number, None, &failure) || steps::refused(state, number, &failure);
            // The result belongs to something that is closed by now.
            if !told && job.is_some() {
                state.show_error(&failure);
            }
        }
    }
    steps::after(state, job.as_ref())
}

#[cfg(test)]
mod tests {
    use agency_engine::runs::changes::RunsNews;
    use agency_model::run::State as RunState;

    use super::*;
    use crate::tui::fixture::{ended, now, permission, run, state, tell};
    use crate::tui::input::Input;
    use crate::tui::memory::Memory;
    use crate::tui::update::update;

    #[test]
    fn what_needs_the_user_is_notified_once_and_only_while_another_window_is_in_front() {
        let mut state = state((100, 30), vec![run(1, "one"), run(2, "two")], vec![]);
        state.recall(Memory::default());
        let notified = |effects: Vec<Effect>| -> Vec<String> {
            let line = |effect| if let Effect::Notify(line) = effect { Some(line) } else { None };
            effects.into_iter().filter_map(line).collect()
        };
        let asked = |questions| BackgroundEvent::Runs(RunsNews { questions: Some(questions), ..RunsNews::default() });
        assert_eq!(notified(tell(&mut state, asked(vec![permission(1, 1)]))), Vec::<String>::new(), "the user looks");
        update(&mut state, Input::Focus(false));
        let both = || asked(vec![permission(1, 1), permission(2, 2)]);
        assert_eq!(notified(tell(&mut state, both())), ["agency: two needs you"]);
        assert_eq!(notified(tell(&mut state, both())), Vec::<String>::new(), "it is known");
        let failed =
            agency_engine::store::RunRow { state: RunState::Failed, ended_at: Some(now()), ..ended(run(1, "one")) };
        let news = BackgroundEvent::Runs(RunsNews { changed: vec![failed], ..RunsNews::default() });
        assert_eq!(notified(tell(&mut state, news)), ["agency: one has failed"]);
        update(&mut state, Input::Focus(true));
        assert_eq!(notified(tell(&mut state, asked(vec![permission(3, 2)]))), Vec::<String>::new());
    }
}
