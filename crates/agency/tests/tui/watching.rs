//! What the screen watches, as the library gives it.

use agency_engine::agency::Agency;
use agency_engine::config::{Config, Environment};
use agency_engine::home::Home;
use agency_engine::runs::changes::{RunsNews, RunsWatch};
use agency_model::run::State;
use agency_testkit::{World, conversation, wait_for};

use super::fixture::{LIMIT, finished, waiting, world};

fn library(world: &World) -> Agency {
    let config = Config::load(Some(&world.root().join("home/config.toml")), &Environment::default()).unwrap();
    Agency::open(Home::new(world.agency_home()), config, env!("CARGO_BIN_EXE_agency").into()).unwrap()
}

/// Looks until there are news of that kind.
fn news(watch: &mut RunsWatch, agency: &mut Agency, what: &str, wanted: impl Fn(&RunsNews) -> bool) -> RunsNews {
    wait_for(what, LIMIT, || {
        let news = watch.look(agency).unwrap();
        wanted(&news).then_some(news)
    })
}

#[test]
fn every_change_of_a_run_is_told_once() {
    let (world, repo) = world();
    let old = finished(&world, &repo, "old");
    let mut agency = library(&world);
    let mut watch = RunsWatch::default();
    let first = watch.look(&mut agency).unwrap();
    assert!(matches!(first.changed.as_slice(), [row] if row.id.to_string() == old.id), "{first:?}");
    assert_eq!(first.questions, Some(vec![]));

    let run = waiting(&world, &repo, "new");
    let named = |news: &RunsNews, state: State| {
        news.changed.iter().any(|row| row.id.to_string() == run.id && row.state == state)
    };
    news(&mut watch, &mut agency, "the new run", |news| named(news, State::Running));
    world.ok(&["stop", &run.id]);
    news(&mut watch, &mut agency, "its end", |news| named(news, State::Killed));
    world.ok(&["rm", &run.id]);
    let gone = news(&mut watch, &mut agency, "its removal", |news| !news.gone.is_empty());
    assert!(matches!(gone.gone.as_slice(), [id] if id.to_string() == run.id), "{gone:?}");
}

#[test]
fn a_run_that_nobody_saw_living_is_told_all_the_same() {
    let (world, repo) = world();
    let mut agency = library(&world);
    let mut watch = RunsWatch::default();
    watch.look(&mut agency).unwrap();
    watch.look(&mut agency).unwrap();
    let run = finished(&world, &repo, "quick");
    news(&mut watch, &mut agency, "the finished run", |news| {
        news.changed.iter().any(|row| row.id.to_string() == run.id && row.state == State::Completed)
    });
}

#[test]
fn a_killed_supervisor_is_noticed_although_nobody_writes() {
    let (world, repo) = world();
    let run = waiting(&world, &repo, "kitchen");
    let mut agency = library(&world);
    let mut watch = RunsWatch::default();
    watch.look(&mut agency).unwrap();
    run.kill_supervisor();
    news(&mut watch, &mut agency, "its death", |news| news.changed.iter().any(|row| row.state == State::Failed));
}

#[test]
fn questions_are_told_when_they_come_and_when_they_go() {
    let (world, repo) = world();
    world.agent("asking", conversation::asking(1));
    let mut agency = library(&world);
    let mut watch = RunsWatch::default();
    watch.look(&mut agency).unwrap();
    world.begin(&repo, "asking", &["--host", "detached", "--mode", "headless"]);
    let asked = news(&mut watch, &mut agency, "the question", |news| {
        news.questions.as_ref().is_some_and(|questions| !questions.is_empty())
    });
    let question = asked.questions.unwrap().remove(0);
    world.ok(&["answer", question.id.as_str(), "allow"]);
    news(&mut watch, &mut agency, "an empty inbox", |news| news.questions == Some(vec![]));
}

#[test]
fn a_run_that_came_and_was_removed_between_two_rounds_is_told_to_be_gone() {
    let (world, repo) = world();
    let mut agency = library(&world);
    let mut watch = RunsWatch::default();
    watch.look(&mut agency).unwrap();
    watch.look(&mut agency).unwrap();
    let run = waiting(&world, &repo, "brief");
    // It is seen living, and not looked at until it is removed.
    news(&mut watch, &mut agency, "the run", |news| news.changed.iter().any(|row| row.id.to_string() == run.id));
    world.ok(&["stop", &run.id]);
    world.ok(&["rm", &run.id]);
    news(&mut watch, &mut agency, "its removal", |news| news.gone.iter().any(|id| id.to_string() == run.id));
}
