//! What a text stands for, for commands that read and for those that change something.

use std::path::Path;
use std::time::Duration;

use agency_model::run::{Input, StopCause};

use super::*;
use crate::store::StartedBy;
use crate::store::tests::new_run;

struct Runs {
    _directory: tempfile::TempDir,
    store: Store,
    created: u64,
}

/// The random part of an id.
fn rand_bits(id: &RunId) -> u128 {
    let ulid: ulid::Ulid = id.as_str()[2..].parse().unwrap();
    ulid.random()
}

impl Runs {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&Path::new(directory.path()).join("agency.db"), Duration::from_secs(30)).unwrap();
        Self { _directory: directory, store, created: 0 }
    }

    /// A queued run with this name.
    fn live(&mut self, name: &str) -> RunId {
        // Ids of one millisecond have no order.
        self.created += 1;
        let id = RunId::from_ulid(ulid::Ulid::from_parts(1_700_000_000_000 + self.created, rand_bits(&new_run().id)));
        let row = RunRow { id, name: Some(name.into()), ..new_run() };
        self.store.insert(&row, StartedBy::default()).unwrap().id
    }

    /// One that was stopped.
    fn finished(&mut self, name: &str) -> RunId {
        let id = self.live(name);
        self.store.apply(&id, &Input::Stop(StopCause::Requested), None).unwrap();
        id
    }

    fn one(&self, text: &str, purpose: Purpose) -> Option<RunId> {
        match self.store.select(text, purpose).unwrap() {
            Selected::One(row) => Some(row.id),
            Selected::None | Selected::Several(_) => None,
        }
    }

    fn candidates(&self, text: &str, purpose: Purpose) -> usize {
        match self.store.select(text, purpose).unwrap() {
            Selected::Several(rows) => rows.len(),
            Selected::One(_) => 1,
            Selected::None => 0,
        }
    }
}

#[test]
fn a_run_is_found_by_a_part_of_its_name_and_by_both_ends_of_its_id() {
    let mut runs = Runs::new();
    let login = runs.live("fix-login-test");
    let other = runs.live("tidy-cart");
    for text in ["fix-login-test", "login", "LOGIN", "fix", "in-t"] {
        assert_eq!(runs.one(text, Purpose::ChangeLive), Some(login.clone()), "{text}");
    }
    let end = other.as_str().get(other.as_str().len() - 6..).unwrap();
    assert_eq!(runs.one(end, Purpose::ChangeLive), Some(other.clone()));
    assert_eq!(runs.one(&end.to_lowercase(), Purpose::Read), Some(other.clone()));
    assert_eq!(runs.one(&end[3..], Purpose::Read), None, "an end of three characters is a word");
    assert_eq!(runs.one(&other.as_str()[..27], Purpose::Read), Some(other));
    for nothing in ["", " ", "%", "_", "' OR 1=1 --", "nothing", "-0", "-x", "-3"] {
        assert_eq!(runs.candidates(nothing, Purpose::Read), 0, "{nothing}");
    }
}

#[test]
fn an_exact_name_wins_over_parts_last_and_numbers() {
    let mut runs = Runs::new();
    let (fix, last, newest) = (runs.live("fix"), runs.live("last"), runs.live("fix-more"));
    assert_eq!(runs.one("fix", Purpose::ChangeLive), Some(fix));
    assert_eq!(runs.one("last", Purpose::ChangeLive), Some(last.clone()));
    assert_eq!(runs.one("-1", Purpose::ChangeLive), Some(newest));
    assert_eq!(runs.one("-2", Purpose::Read), Some(last));
}

#[test]
fn a_command_that_changes_something_takes_a_part_that_only_one_run_has_that_it_can_act_on() {
    let mut runs = Runs::new();
    let (done, live) = (runs.finished("login-one"), runs.live("login-two"));
    assert_eq!(runs.one("login", Purpose::ChangeLive), Some(live.clone()));
    assert_eq!(runs.one("login", Purpose::ChangeFinished), Some(done));
    assert_eq!(runs.one("login", Purpose::Read), Some(live), "the newest live one");
    runs.live("login-three");
    assert_eq!(runs.candidates("login", Purpose::ChangeLive), 2);
    assert_eq!(runs.candidates("login", Purpose::Read), 3);
    runs.finished("login-four");
    assert_eq!(runs.candidates("login", Purpose::ChangeFinished), 2);
}

#[test]
fn removed_runs_are_found_if_no_other_run_is_meant() {
    let mut runs = Runs::new();
    let removed = runs.finished("old-work");
    runs.store.mark_removed(&removed, Some("refs/agency/saved/x")).unwrap();
    assert_eq!(runs.one("old", Purpose::Read), Some(removed.clone()));
    assert_eq!(runs.one("last", Purpose::Restore), Some(removed.clone()));
    assert_eq!(runs.one("last", Purpose::ChangeFinished), None);
    let newer = runs.finished("old-work-again");
    assert_eq!(runs.one("old", Purpose::Read), Some(newer));
    assert_eq!(runs.one("old-work", Purpose::Restore), Some(removed));
}

// A generated name is compared with all others in the transaction that inserts it.
#[test]
fn of_two_creators_at_once_only_one_gets_a_generated_name() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("agency.db");
    drop(Store::open(&path, Duration::from_secs(30)).unwrap());
    let inserted: Vec<bool> = std::thread::scope(|scope| {
        let insert = || {
            let mut store = Store::open(&path, Duration::from_secs(30)).unwrap();
            let row = RunRow { name: Some("fix-login".into()), ..new_run() };
            let free = crate::store::MustBeFree { name: true, branch: false };
            store.insert_if_free(&row, StartedBy::default(), free).unwrap().is_some()
        };
        let creators: Vec<_> = (0..8).map(|_| scope.spawn(insert)).collect();
        creators.into_iter().map(|creator| creator.join().unwrap()).collect()
    });
    assert_eq!(inserted.iter().filter(|inserted| **inserted).count(), 1);
    let store = Store::open(&path, Duration::from_secs(30)).unwrap();
    assert_eq!(store.free_name("fix-login").unwrap(), "fix-login-2");
}

#[test]
fn a_generated_name_is_the_first_form_that_is_free_whatever_begins_alike() {
    let mut runs = Runs::new();
    for name in ["fix-login", "fix-login-2", "fix-login-4", "fix-login-page", "fix-login.2", "fix-log-2", "fix"] {
        runs.finished(name);
    }
    let free = |name| runs.store.free_name(name).unwrap();
    assert_eq!((free("fix-login"), free("fix-login-page")), ("fix-login-3".into(), "fix-login-page-2".into()));
    assert_eq!((free("fix"), free("fix-log")), ("fix-2".into(), "fix-log".into()));
}
