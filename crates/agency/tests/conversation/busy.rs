//! A database that somebody else holds when the agent asks.

use agency_testkit::{conversation, wait_for};
use rusqlite::Connection;

use super::fixture::{LIMIT, answer, begin, events, rows, wait_for_question, world};

// proves I5
#[test]
fn a_question_that_could_not_be_stored_is_tried_again_until_it_is() {
    let (world, repo) = world(conversation::speaking(
        "hear_message\nuntil [ -e \"$0.release\" ]; do sleep 0.01; done\npermission 1\nhear_reply ask-1\nfinish done\n\
         hear_the_end",
    ));
    world.configure("\n[database]\nlock_timeout_seconds = 1\n");
    let run = begin(&world, &repo);
    let database = Connection::open(world.agency_home().join("agency.db")).unwrap();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    world.release("agent");
    let is_told = || run.messages().iter().any(|message| message.contains("a question could not be stored"));
    wait_for("a complaint", LIMIT, || is_told().then_some(()));
    assert_eq!(rows(&world, &run), []);
    assert!(events(&run, "question").is_empty(), "nobody is shown what is not on disk");
    database.execute_batch("ROLLBACK").unwrap();
    let id = wait_for_question(&world, &run);
    answer(&world, &id, &["allow"]);
    assert_eq!(world.ended(&run)["state"], "completed");
    assert_eq!((events(&run, "question").len(), run.replies().len()), (1, 1));
}
