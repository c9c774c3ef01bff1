//! What can be done with the steps of a workflow session.

use agency_engine::orchestrator::Overview;
use agency_engine::store::{QuestionRow, RunRow};
use agency_model::workflow::SessionState;
use agency_model::{RunId, SessionId};

use crate::tui::confirm::Confirm;
use crate::tui::effect::{Effect, Failure, Job, JobNumber, label};
use crate::tui::keys::{Move, StepsAction, TextAction};
use crate::tui::layout::hits;
use crate::tui::runs::Pick;
use crate::tui::state::{Focus, Overlay, State};
use crate::tui::steps::{Steps, StepsLine, lines, reason_place};
use crate::tui::wrap::wrap;

/// How much of a question is shown before it is approved.
const MAX_QUESTION_LINES: usize = 12;

/// Shows the steps of the session that a run belongs to.
pub(super) fn open(state: &mut State, row: &RunRow) -> Vec<Effect> {
    let Some(session) = row.workflow_session.clone() else {
        let hint = Some("agency workflow run begins one".to_owned());
        return refuse(state, format!("{} does not belong to a workflow", label(row)), hint);
    };
    state.overlays.push(Overlay::Steps(Box::new(Steps::new(session))));
    load(state)
}

/// The steps, wherever they are in the stack.
fn steps(state: &mut State) -> Option<&mut Steps> {
    state
        .overlays
        .iter_mut()
        .find_map(|front| if let Overlay::Steps(steps) = front { Some(&mut **steps) } else { None })
}

/// Reads the session, unless it is being read; then once more afterwards.
fn load(state: &mut State) -> Vec<Effect> {
    let Some(steps) = steps(state) else { return vec![] };
    if steps.reading.is_some() {
        steps.stale = true;
        return vec![];
    }
    let job = Job::Session(steps.session.clone());
    let (number, effect) = state.begin_quietly(job);
    if let Some(steps) = self::steps(state) {
        steps.reading = Some(number);
        steps.stale = false;
    }
    vec![effect]
}

/// The session was read.
pub(super) fn learn(state: &mut State, number: JobNumber, overview: Box<Overview>) -> Vec<Effect> {
    let body = state.areas().body;
    let Some(steps) = steps(state).filter(|steps| steps.reading == Some(number)) else { return vec![] };
    steps.reading = None;
    steps.learn(overview);
    steps.keep_in_sight(body);
    if steps.stale { load(state) } else { vec![] }
}

/// Takes in that the session cannot be read; false if this was about something else.
pub(super) fn refused(state: &mut State, number: JobNumber, failure: &Failure) -> bool {
    let Some(steps) = steps(state).filter(|steps| steps.reading == Some(number)) else { return false };
    steps.reading = None;
    steps.trouble = Some(failure.clone());
    true
}

/// The sessions that these runs belong to.
pub(super) fn sessions_in(changed: &[RunRow]) -> Vec<SessionId> {
    changed.iter().filter_map(|row| row.workflow_session.clone()).collect()
}

/// Reads the session again if its runs changed, or what is asked.
pub(super) fn changed(state: &mut State, sessions: &[SessionId], asked: bool) -> Vec<Effect> {
    let concerned = steps(state).is_some_and(|steps| asked || sessions.contains(&steps.session));
    if concerned { load(state) } else { vec![] }
}

/// Commands of a workflow are not runs, so they have no change events: a session under way is read again.
pub(super) fn tick(state: &mut State) -> Vec<Effect> {
    let under_way = steps(state).is_some_and(|steps| {
        let state = steps.overview.as_ref().map(|overview| overview.state);
        steps.reading.is_none() && state.is_none_or(|state| !state.is_settled())
    });
    if under_way { load(state) } else { vec![] }
}

/// Reads the session again after something was done with it.
pub(super) fn after(state: &mut State, job: Option<&Job>) -> Vec<Effect> {
    match job {
        Some(Job::Approve(_) | Job::Reject { .. } | Job::Retry { .. }) => load(state),
        Some(
            Job::Stop(_)
            | Job::Interrupt(_)
            | Job::Answer { .. }
            | Job::AnswerAll { .. }
            | Job::Send { .. }
            | Job::Resume { .. }
            | Job::Comment { .. }
            | Job::SendComments(_)
            | Job::Restart(_)
            | Job::Land(_)
            | Job::PlanRemoval { .. }
            | Job::Remove { .. }
            | Job::FindRemoved
            | Job::Restore(_)
            | Job::StopAll(_)
            | Job::RemoveAll(_)
            | Job::Agents
            | Job::Create(_)
            | Job::Session(_),
        )
        | None => vec![],
    }
}

/// A reason that was sent is forgotten; one that was not can be sent again.
pub(super) fn told(state: &mut State, job: Option<&Job>) {
    if let (Some(Job::Reject { .. }), Some(steps)) = (job, steps(state)) {
        steps.forget_reason();
    }
}

pub(super) fn go(state: &mut State, direction: Move) {
    let body = state.areas().body;
    if let Some(Overlay::Steps(steps)) = state.overlays.last_mut() {
        steps.go(direction, body);
    }
}

/// Selects the step that was clicked; a second click shows its run.
pub(super) fn click(state: &mut State, column: u16, row: u16) {
    let body = state.areas().body;
    let Some(Overlay::Steps(steps)) = state.overlays.last_mut() else { return };
    let covered = steps.rejecting && hits(reason_place(body), column, row);
    if !hits(body, column, row) || covered {
        return;
    }
    let clicked = lines(steps, body.width).get(steps.top + usize::from(row - body.y)).cloned();
    let Some(StepsLine::Step(index) | StepsLine::Said { step: index, .. }) = clicked else { return };
    let again = steps.selected_index() == Some(index);
    steps.select(index);
    if again {
        open_run(state);
    }
}

pub(super) fn act(state: &mut State, action: StepsAction) -> Vec<Effect> {
    match action {
        StepsAction::OpenRun => open_run(state),
        StepsAction::Approve => return approve(state),
        StepsAction::Reject => return reject(state),
        StepsAction::Retry => return retry(state, RetryFrom::Failed),
        StepsAction::RetryFrom => return retry(state, RetryFrom::Selected),
    }
    vec![]
}

/// Goes to the run of the selected step.
fn open_run(state: &mut State) {
    let Some(step) = steps(state).and_then(|steps| steps.current().cloned()) else { return };
    let Some(id) = step.run_id else {
        refuse(state, format!("{} is not an agent step, so it has no run", step.name), None);
        return;
    };
    if state.runs.get(&id).is_none() {
        let hint = Some(format!("agency show {id} shows what is known"));
        refuse(state, format!("the run of {} was removed", step.name), hint);
        return;
    }
    state.overlays.pop();
    state.runs.select(&id);
    if state.runs.selected != Some(Pick::Run(id.clone())) {
        // The filter hides it.
        state.runs.set_filter("");
        state.runs.select(&id);
    }
    state.focus = Focus::Detail;
}

/// What a session asks for.
struct OpenApproval {
    session: SessionId,
    workflow: String,
    /// The words, if they have come.
    question: Option<QuestionRow>,
}

/// What the driver of the session asks, if it is one thing.
fn open_approval(state: &mut State) -> Option<Result<OpenApproval, Failure>> {
    let overview = steps(state)?.overview.as_deref()?.clone();
    let of = |driver: &RunId| state.questions.iter().filter(|question| question.run_id == *driver).cloned().collect();
    let open: Vec<QuestionRow> = overview.driver.as_ref().map(of).unwrap_or_default();
    let waits = match overview.state {
        SessionState::Waiting | SessionState::PendingMerge => true,
        SessionState::Running
        | SessionState::Blocked
        | SessionState::Completed
        | SessionState::Failed
        | SessionState::Cancelled => !open.is_empty(),
    };
    let (session, workflow) = (overview.session, overview.workflow);
    let refused = |message: String| {
        let hint = Some("i opens the inbox, which has everything that is asked".to_owned());
        Some(Err(Failure { message, hint }))
    };
    match (waits, open.len()) {
        (false, _) => refused(format!("{workflow} is {} and is not waiting for an approval", overview.state)),
        (true, 0 | 1) => Some(Ok(OpenApproval { session, workflow, question: open.into_iter().next() })),
        (true, count) => refused(format!("{workflow} asks {count} things at once")),
    }
}

/// Asks before anything is approved, and shows what.
fn approve(state: &mut State) -> Vec<Effect> {
    let OpenApproval { session, workflow, question } = match open_approval(state) {
        Some(Ok(found)) => found,
        Some(Err(failure)) => return refuse(state, failure.message, failure.hint),
        None => return vec![],
    };
    let lines = match &question {
        Some(row) => asked_lines(state, row),
        None => vec!["Its question has not arrived yet.".to_owned()],
    };
    let title = format!("Approve {workflow}?");
    state.overlays.push(Overlay::Confirm(Box::new(Confirm::new(title, lines, Job::Approve(session)))));
    vec![]
}

/// What is asked, as far as there is room for it.
fn asked_lines(state: &State, row: &QuestionRow) -> Vec<String> {
    let body = state.areas().body;
    let width = body.width.saturating_sub(4).clamp(1, 96);
    let mut lines = wrap(&row.question.title, width);
    if !row.question.detail.trim().is_empty() {
        lines.push(String::new());
        lines.extend(wrap(&row.question.detail, width));
    }
    let most = usize::from(body.height.saturating_sub(4)).clamp(1, MAX_QUESTION_LINES);
    if lines.len() > most {
        lines.truncate(most.saturating_sub(1).max(1));
        lines.push(format!("{} i shows all of it", state.theme.glyph("…", "...")));
    }
    lines
}

/// Lets the reason of a rejection be written.
fn reject(state: &mut State) -> Vec<Effect> {
    match open_approval(state) {
        Some(Ok(_)) => {
            if let Some(steps) = steps(state) {
                steps.rejecting = true;
            }
            vec![]
        }
        Some(Err(failure)) => refuse(state, failure.message, failure.hint),
        None => vec![],
    }
}

/// What can be done with the reason of a rejection.
pub(super) fn write(state: &mut State, action: TextAction) -> Vec<Effect> {
    let Some(steps) = steps(state).filter(|steps| steps.rejecting) else { return vec![] };
    match action {
        TextAction::Submit => {
            steps.rejecting = false;
            let (session, reason) = (steps.session.clone(), steps.reason().text());
            vec![state.begin(Job::Reject { session, reason })]
        }
        TextAction::OtherEditor => vec![super::typing::in_editor(steps.reason().text())],
        TextAction::Close => {
            steps.rejecting = false;
            vec![]
        }
        TextAction::Accept | TextAction::NextField | TextAction::PreviousField => vec![],
    }
}

/// Where a session continues.
#[derive(Clone, Copy)]
enum RetryFrom {
    Failed,
    Selected,
}

/// Asks before anything is done again.
fn retry(state: &mut State, from: RetryFrom) -> Vec<Effect> {
    let Some(steps) = steps(state) else { return vec![] };
    let Some(overview) = steps.overview.as_deref() else { return vec![] };
    let (session, name, stands) = (overview.session.clone(), overview.workflow.clone(), overview.state);
    let step = steps.current().map(|step| (step.name.clone(), step.path.clone()));
    if !stands.is_settled() {
        return refuse(state, format!("{name} is {stands}; only a session that is not running can be retried"), None);
    }
    let (title, line, from) = match (from, step) {
        (RetryFrom::Failed, _) => (format!("Retry {name}?"), "It continues from the failed step.".to_owned(), None),
        (RetryFrom::Selected, Some((step, path))) => {
            let line = format!("{step} and all steps after it are done again.");
            (format!("Retry {name} from {step}?"), line, Some(path))
        }
        (RetryFrom::Selected, None) => return vec![],
    };
    let body = state.areas().body;
    let lines = wrap(&line, body.width.saturating_sub(4));
    state.overlays.push(Overlay::Confirm(Box::new(Confirm::new(title, lines, Job::Retry { session, from }))));
    vec![]
}

fn refuse(state: &mut State, message: String, hint: Option<String>) -> Vec<Effect> {
    state.show_error(&Failure { message, hint });
    vec![]
}
