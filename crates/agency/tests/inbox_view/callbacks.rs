//! Callbacks of the library, on runs that the program started.

use std::cell::{Cell, RefCell};

use agency_engine::agency::Agency;
use agency_engine::config::{Config, Environment};
use agency_engine::home::Home;
use agency_engine::runs::messages::DeliveryError;
use agency_engine::runs::watcher::{CompletionResult, WatcherError};
use agency_model::run::State;
use agency_model::{Answer, RunId};
use agency_testkit::{Run, World};

use super::fixture::{asks, heard, open, permission, question, start, text, world};

fn library(world: &World) -> Agency {
    let config = Config::load(Some(&world.root().join("home/config.toml")), &Environment::default()).unwrap();
    Agency::open(Home::new(world.agency_home()), config, env!("CARGO_BIN_EXE_agency").into()).unwrap()
}

fn id(run: &Run) -> RunId {
    run.id.parse().unwrap()
}

#[test]
fn who_begins_after_the_end_hears_everything_and_is_asked_nothing() {
    let (world, repo) = world();
    asks(&world, "asking", &[permission("r1", "touch one")]);
    let run = start(&world, &repo, "asking", &[]);
    world.ok(&["answer", text(&open(&world, 1)[0], "id"), "allow"]);
    world.ended(&run);
    let ended = RefCell::new(vec![]);
    let result = library(&world)
        .watch_run(&id(&run))
        .on_question(|asked| panic!("{asked:?} was answered long ago"))
        .on_complete(|result| ended.borrow_mut().push(result.clone()))
        .run()
        .unwrap();
    let summary = Some("Done.".to_owned());
    let expected = CompletionResult { state: State::Completed, summary, changed_files: Some(vec![]), error: None };
    assert_eq!(result, expected);
    assert_eq!(ended.into_inner(), [expected]);
}

#[test]
fn a_slow_callback_never_holds_up_the_agent() {
    let (world, repo) = world();
    world.agent("talking", "echo first; echo second; touch made; exit 3");
    let run = start(&world, &repo, "talking", &[]);
    let said = RefCell::new(String::new());
    let result = library(&world)
        .watch_run(&id(&run))
        .on_output(|text| {
            // It returns only when the run is over.
            world.ended(&run);
            said.borrow_mut().push_str(text);
        })
        .run()
        .unwrap();
    assert_eq!(said.into_inner(), "first\nsecond\n");
    assert_eq!(result.state, State::Failed);
    assert!(result.error.unwrap().starts_with("E_RUN_FAILED"));
    assert_eq!(result.changed_files.unwrap()[0].path, "made");
}

#[test]
fn an_answer_is_delivered_none_leaves_it_to_others_and_one_that_does_not_fit_is_an_error() {
    let (world, repo) = world();
    let requests = [permission("r1", "touch one"), question("r2", "Which?", &["A", "B"], false)];
    asks(&world, "asking", &requests);
    let run = start(&world, &repo, "asking", &[]);
    open(&world, 2);
    let wrong = library(&world).watch_run(&id(&run)).on_question(|_| Some(Answer::Text { text: "x".into() })).run();
    assert!(matches!(wrong, Err(WatcherError::Delivery(DeliveryError::Unfit { .. }))), "{wrong:?}");
    let calls = Cell::new(0);
    let result = library(&world)
        .watch_run(&id(&run))
        .on_question(|asked| {
            calls.set(calls.get() + 1);
            if asked.question.options.is_empty() {
                return Some(Answer::Deny { message: None });
            }
            // A human is faster: that answer stands, and ours is nobody's trouble.
            world.ok(&["answer", asked.id.as_str(), "B"]);
            Some(Answer::Options { chosen: vec!["A".to_owned()] })
        })
        .run()
        .unwrap();
    assert_eq!((calls.get(), result.state), (2, State::Completed));
    let heard = heard(&world, "asking");
    assert_eq!((&heard[0]["behavior"], &heard[1]["updatedInput"]["answers"]["Which?"]), (&"deny".into(), &"B".into()));
}

// `Watcher::run` can be cancelled.
#[test]
fn a_watcher_is_stopped_from_another_thread_and_from_a_callback_and_the_run_continues() {
    let (world, repo) = world();
    asks(&world, "asking", &[permission("r1", "touch one")]);
    let run = start(&world, &repo, "asking", &[]);
    let question = text(&open(&world, 1)[0], "id").to_owned();
    let mut library = library(&world);
    let id = id(&run);
    let watcher = library.watch_run(&id);
    let stop = watcher.stop_handle();
    let (asked, was_asked) = std::sync::mpsc::channel();
    let stopped = std::thread::scope(|scope| {
        scope.spawn(move || {
            was_asked.recv().unwrap();
            stop.stop();
        });
        watcher.on_question(|_| asked.send(()).map(|()| None).unwrap()).run()
    });
    assert!(matches!(&stopped, Err(WatcherError::Stopped(of)) if *of == id), "{stopped:?}");
    let watcher = library.watch_run(&id);
    let stop = watcher.stop_handle();
    let leave = |_: &_| {
        stop.stop();
        None
    };
    let stopped = watcher.on_question(leave).run();
    assert!(matches!(stopped, Err(WatcherError::Stopped(_))), "{stopped:?}");
    world.ok(&["answer", &question, "allow"]);
    assert_eq!(library.watch_run(&id).run().unwrap().state, State::Completed);
}
