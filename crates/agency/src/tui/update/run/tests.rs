use agency_engine::store::RunRow;
use agency_workspace::DeleteBranch;

use crate::tui::confirm::Readiness;
use crate::tui::effect::{Effect, Failure, ForegroundProgram, Job, JobOutcome};
use crate::tui::fixture::{ended, escape, now, press, run, said, state, tell};
use crate::tui::input::BackgroundEvent;
use crate::tui::state::{Overlay, State};

fn with(row: RunRow) -> State {
    let id = row.id.clone();
    let mut state = state((120, 30), vec![row], vec![]);
    state.runs.select(&id);
    state
}

fn jobs(effects: Vec<Effect>) -> Vec<Job> {
    let job = |effect| {
        let Effect::Do(_, job) = effect else { return None };
        Some(*job)
    };
    effects.into_iter().filter_map(job).collect()
}

fn plan(state: &mut State, branch: DeleteBranch, notes: &[&str]) {
    let (job, _) = state.jobs.last().unwrap().clone();
    let notes = notes.iter().map(|note| (*note).to_owned()).collect();
    tell(
        state,
        BackgroundEvent::Done { job, outcome: Ok(JobOutcome::Removal { run: run(1, "one").id, branch, notes }) },
    );
}

fn asked(state: &State) -> (Readiness, Vec<String>) {
    match state.overlays.last() {
        Some(Overlay::Confirm(confirm)) => (confirm.readiness, confirm.lines.clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn stopping_is_asked_first_and_not_done_twice() {
    let mut state = with(run(1, "one"));
    assert_eq!(press(&mut state, "x"), []);
    assert!(asked(&state).1.concat().contains("directory and its branch stay"));
    assert_eq!(jobs(press(&mut state, "y")), [Job::Stop(run(1, "one"))]);
    assert_eq!(press(&mut state, "x"), []);
    assert_eq!(said(&state), "stopping one already");
    assert!(state.overlays.is_empty());
}

#[test]
fn landing_is_asked_first_with_what_conflicts() {
    let mut state = with(ended(run(1, "one")));
    let with = vec!["other".to_owned()];
    tell(&mut state, BackgroundEvent::Conflicts { run: run(1, "one").id, with });
    assert_eq!(press(&mut state, "M"), []);
    assert!(asked(&state).1.concat().contains("conflicts with other"), "{:?}", asked(&state));
    assert_eq!(jobs(press(&mut state, "y")), [Job::Land(ended(run(1, "one")))]);
    let mut state = super::tests::with(RunRow { worktree_path: None, ..run(1, "one") });
    assert_eq!(press(&mut state, "M"), []);
    assert!(said(&state).contains("no worktree"), "{}", said(&state));
}

#[test]
fn what_is_over_is_neither_stopped_nor_interrupted() {
    let mut state = with(ended(run(1, "one")));
    assert_eq!(press(&mut state, "x"), []);
    assert_eq!(said(&state), "one is completed already");
    assert_eq!(press(&mut state, "c"), []);
    assert_eq!(said(&state), "one is completed: there is nothing to interrupt");
}

#[test]
fn an_interruption_is_not_asked_twice() {
    let mut state = with(run(1, "one"));
    assert_eq!(press(&mut state, "c"), [], "it is asked first, with the name of the run");
    assert!(matches!(state.overlays.last(), Some(Overlay::Confirm(confirm)) if confirm.title == "Interrupt one?"));
    assert_eq!(jobs(press(&mut state, "yc")), [Job::Interrupt(run(1, "one"))]);
    assert_eq!(said(&state), "interrupting one already");
}

#[test]
fn a_run_is_restarted_only_after_a_yes() {
    let mut state = with(ended(run(1, "one")));
    assert_eq!(press(&mut state, "r"), [], "an agent that starts may cost money");
    assert_eq!(jobs(press(&mut state, "y")), [Job::Restart(ended(run(1, "one")))]);
    let mut state = with(run(1, "one"));
    assert_eq!(press(&mut state, "r"), []);
    assert_eq!(press(&mut state, "n"), []);
    assert!(state.overlays.is_empty());
    assert_eq!(jobs(press(&mut state, "ry")), [Job::Restart(run(1, "one"))]);
}

#[test]
fn a_removal_is_done_only_after_it_was_said_what_is_kept() {
    let row = ended(run(1, "one"));
    let mut state = with(row.clone());
    let branch = DeleteBranch::No;
    assert_eq!(jobs(press(&mut state, "D")), [Job::PlanRemoval { row: row.clone(), branch }]);
    assert_eq!(press(&mut state, "y"), []);
    assert_eq!(said(&state), "what would happen is still being read");
    plan(&mut state, branch, &["keep the branch agency/one"]);
    let (readiness, lines) = asked(&state);
    assert_eq!(readiness, Readiness::Ready);
    assert_eq!(lines, ["keep the branch agency/one", "The logs and the record of the run stay."]);
    assert_eq!(jobs(press(&mut state, "y")), [Job::Remove { row, branch }]);
    assert!(state.overlays.is_empty());
}

#[test]
fn with_the_branch_it_is_read_again_what_is_kept() {
    let row = ended(run(1, "one"));
    let mut state = with(row.clone());
    press(&mut state, "D");
    plan(&mut state, DeleteBranch::No, &["keep"]);
    let branch = DeleteBranch::IfMerged;
    assert_eq!(jobs(press(&mut state, "b")), [Job::PlanRemoval { row: row.clone(), branch }]);
    assert_eq!(press(&mut state, "y"), []);
    plan(&mut state, branch, &["delete"]);
    assert_eq!(jobs(press(&mut state, "y")), [Job::Remove { row, branch }]);
}

#[test]
fn a_plan_that_cannot_be_made_removes_nothing() {
    let mut state = with(ended(run(1, "one")));
    press(&mut state, "D");
    let (job, _) = state.jobs.last().unwrap().clone();
    let failure = Failure { message: "no".to_owned(), hint: None };
    tell(&mut state, BackgroundEvent::Done { job, outcome: Err(failure) });
    assert!(state.overlays.is_empty());
    assert_eq!(said(&state), "no");
}

#[test]
fn a_plan_that_comes_late_opens_nothing() {
    let mut state = with(ended(run(1, "one")));
    press(&mut state, "Dn");
    plan(&mut state, DeleteBranch::No, &["keep"]);
    assert!(state.overlays.is_empty());
    // What is still being read is not read twice.
    press(&mut state, "Dn");
    assert_eq!(jobs(press(&mut state, "D")), []);
    plan(&mut state, DeleteBranch::No, &["keep"]);
    assert_eq!(asked(&state).0, Readiness::Ready);
}

#[test]
fn a_live_run_is_not_removed() {
    let mut state = with(run(1, "one"));
    assert_eq!(press(&mut state, "D"), []);
    assert_eq!(said(&state), "one is running; only a finished run can be removed (x stops it)");
    assert!(state.overlays.is_empty());
}

#[test]
fn a_run_without_a_branch_has_none_to_delete_or_copy() {
    let row = RunRow { new_branch: None, ..ended(run(1, "one")) };
    let mut state = with(row);
    press(&mut state, "D");
    plan(&mut state, DeleteBranch::No, &["keep"]);
    assert_eq!(press(&mut state, "b"), []);
    assert_eq!(said(&state), "one has no branch of its own");
    escape(&mut state);
    assert_eq!(press(&mut state, "yb"), []);
    assert_eq!(said(&state), "one has no branch of its own");
}

#[test]
fn the_id_the_path_and_the_branch_are_copied() {
    let row = run(1, "one");
    let path = row.worktree_path.clone().unwrap();
    let mut state = with(row.clone());
    for (key, text) in [("i", row.id.to_string()), ("p", path), ("b", "agency/one".to_owned())] {
        press(&mut state, "y");
        assert_eq!(press(&mut state, key), [Effect::Copy(text.clone())]);
        assert!(said(&state).ends_with(&text));
        assert!(state.overlays.is_empty());
    }
    press(&mut state, "y");
    assert_eq!(escape(&mut state), []);
    assert!(state.overlays.is_empty());
}

#[test]
fn the_terminal_is_lent_to_the_agent_a_shell_and_an_editor() {
    let row = run(1, "one");
    let path = row.worktree_path.clone().unwrap();
    let mut state = with(row.clone());
    assert_eq!(press(&mut state, "a"), [Effect::RunForeground(ForegroundProgram::Attach(row.id))]);
    assert_eq!(press(&mut state, "!"), [Effect::RunForeground(ForegroundProgram::Shell(path.clone()))]);
    assert_eq!(press(&mut state, "e"), [Effect::RunForeground(ForegroundProgram::Editor(path))]);
}

#[test]
fn without_a_run_there_is_nothing_to_do() {
    let mut state = state((120, 30), vec![], vec![]);
    for key in ["m", "c", "x", "r", "D", "a", "!", "e", "y"] {
        assert_eq!(press(&mut state, key), [], "{key}");
        assert_eq!(said(&state), "no run is selected");
        assert!(state.overlays.is_empty());
    }
}

#[test]
fn who_leaves_waits_for_what_is_being_done_or_asks_again() {
    let mut state = with(run(1, "one"));
    press(&mut state, "cy");
    assert_eq!(press(&mut state, "q"), []);
    assert!(state.leaving);
    assert_eq!(press(&mut state, "q"), [Effect::Quit]);
    let (job, _) = state.jobs.last().unwrap().clone();
    let effects = tell(&mut state, BackgroundEvent::Done { job, outcome: Ok(JobOutcome::Said("done".to_owned())) });
    assert!(matches!(effects.as_slice(), [Effect::Remember(_), Effect::Quit]), "{effects:?}");
}

#[test]
fn several_runs_are_stopped_and_removed_together_after_their_names_were_shown() {
    let rows = vec![run(1, "one"), run(2, "two"), ended(run(3, "three")), ended(run(4, "four"))];
    let mut state = state((100, 30), rows, vec![]);
    press(&mut state, "g  ");
    assert_eq!(press(&mut state, "r"), [], "what acts on one run does not guess which");
    assert_eq!(said(&state), "2 runs are chosen: x stops and D removes them, Esc chooses none");
    assert_eq!(press(&mut state, "x"), []);
    let Some(Overlay::Confirm(confirm)) = state.overlays.last() else { panic!("{:?}", state.overlays) };
    assert_eq!(
        (confirm.title.as_str(), &confirm.lines[..2]),
        ("Stop 2 runs?", &["one".to_owned(), "two".to_owned()][..])
    );
    assert_eq!(jobs(press(&mut state, "y")), [Job::StopAll(vec![run(1, "one"), run(2, "two")])]);
    press(&mut state, "fgV");
    press(&mut state, "D");
    assert!(said(&state).contains("only finished runs can be removed"), "{}", said(&state));
    press(&mut state, "V");
    press(&mut state, "G k D");
    let removed = jobs(press(&mut state, "y"));
    assert!(matches!(removed.as_slice(), [Job::RemoveAll(rows)] if rows.len() == 2), "{removed:?}");
}

#[test]
fn the_last_removal_is_undone_after_it_was_shown() {
    let mut state = with(ended(run(1, "one")));
    assert_eq!(jobs(press(&mut state, "u")), [Job::FindRemoved]);
    let number = state.jobs.last().unwrap().0;
    let found = |row: Option<RunRow>| Ok(JobOutcome::Removed(row.map(Box::new)));
    tell(&mut state, BackgroundEvent::Done { job: number, outcome: found(None) });
    assert!(said(&state).starts_with("no removed run has saved work"), "{}", said(&state));
    press(&mut state, "u");
    let number = state.jobs.last().unwrap().0;
    let removed = RunRow { removed_at: Some(now()), ..ended(run(2, "two")) };
    tell(&mut state, BackgroundEvent::Done { job: number, outcome: found(Some(removed.clone())) });
    let Some(Overlay::Confirm(confirm)) = state.overlays.last() else { panic!("{:?}", state.overlays) };
    assert_eq!(confirm.title, "Restore the work of two?");
    assert!(confirm.lines.join(" ").contains(&format!("agency/restored-{}", removed.id)), "{:?}", confirm.lines);
    assert_eq!(jobs(press(&mut state, "y")), [Job::Restore(removed)]);
}
