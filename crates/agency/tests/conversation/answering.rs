//! What a human answers is what the agent gets, once.

use agency_testkit::{Run, World, conversation, wait_for};
use jiff::Timestamp;
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use super::fixture::{
    LIMIT, TALK, answer, begin, events, open, rows, shown, text, wait_for_question, wait_for_questions, world,
};

/// The replies that an agent got, without their ids.
fn replies(run: &Run) -> Vec<Value> {
    run.replies().into_iter().map(|(_, reply)| reply).collect()
}

fn allowed(number: u32) -> Value {
    let input = json!({ "command": format!("touch file-{number}"), "description": "Make a file" });
    json!({ "behavior": "allow", "updatedInput": input })
}

// proves I2, I3, I5
#[test]
fn allow_and_deny_and_words_reach_the_agent_one_after_the_other() {
    let (world, repo) = world(conversation::asking(3));
    let run = begin(&world, &repo);
    let answers: [&[&str]; 3] = [&["allow"], &["deny"], &["deny", "--text", "Not \"here\", please"]];
    for words in answers {
        let id = wait_for_question(&world, &run);
        let answered = answer(&world, &id, words);
        assert_eq!((text(&answered, "id"), text(&answered, "by")), (id.as_str(), "ada"));
        let row = shown(&world, &id);
        assert_eq!((text(&row, "state"), text(&row, "outcome")), ("delivered", "sent by the agent's protocol"));
        assert_eq!(row["answer"]["answer"], words[0]);
        let [asked, answered, settled] = ["asked_at", "answered_at", "settled_at"].map(|field| {
            let at: Timestamp = text(&row, field).parse().unwrap();
            at
        });
        assert!(asked <= answered && answered <= settled, "{row:#}");
    }
    let ended = world.ended(&run);
    assert_eq!(ended["state"], "completed", "{ended:#}");
    let deny = |message: &str| json!({ "behavior": "deny", "message": message });
    let expected = [allowed(1), deny("The user does not want this."), deny("Not \"here\", please")];
    assert_eq!(replies(&run), expected);
    assert_eq!(world.json(&["why", &run.id])["data"]["activity"], "idle");
}

// proves I2, I3
#[test]
fn allow_all_answers_what_waits_and_what_follows_of_this_run_and_of_no_other() {
    let (world, repo) = world(conversation::asking(4));
    world.agent("both", conversation::asking_two_at_once());
    let run = begin(&world, &repo);
    let other = begin(&world, &repo);
    let both = world.begin(&repo, "both", &TALK);
    let waiting = wait_for_question(&world, &other);
    answer(&world, &wait_for_question(&world, &run), &["deny"]);
    let id = wait_for_question(&world, &run);
    answer(&world, &id, &["allow-all"]);
    assert_eq!(world.ended(&run)["state"], "completed");
    assert_eq!(replies(&run)[1..], [allowed(2), allowed(3), allowed(4)]);
    let by: Vec<String> = events(&run, "answer").iter().map(|event| text(event, "by").to_owned()).collect();
    let rule = format!("allow_all of {id}");
    assert_eq!(by, ["ada", "ada", &rule, &rule]);

    // What waits at that moment is answered too, and nothing of other runs.
    let two = wait_for_questions(&world, &both, 2);
    answer(&world, &two[0], &["allow-all"]);
    assert_eq!(world.ended(&both)["state"], "completed");
    assert_eq!(shown(&world, &two[1])["answered_by"], format!("allow_all of {}", two[0]));
    assert_eq!(open(&world, &other)[0]["id"], waiting.as_str());
    assert_eq!(replies(&other), Vec::<Value>::new());
    assert_eq!(repo.git(&["status", "--porcelain"]), "", "nothing is written into the repository");
    world.ok(&["stop", &other.id]);
}

// proves I3, I5
#[test]
fn a_no_that_came_before_allow_all_was_delivered_is_a_no() {
    let (world, repo) = world(conversation::asking_two_at_once());
    let run = begin(&world, &repo);
    let ids = wait_for_questions(&world, &run, 2);
    // Both answers are on disk before the supervisor sees any of them.
    let supervisor = run.supervisor();
    kill_process(supervisor, Signal::STOP).unwrap();
    let all = world.spawn(&["answer", &ids[0], "allow-all", "--json"]);
    answered(&world, &run, 1);
    let no = world.spawn(&["answer", &ids[1], "deny", "--json"]);
    answered(&world, &run, 2);
    kill_process(supervisor, Signal::CONT).unwrap();
    for process in [all, no] {
        let output = process.wait();
        assert_eq!(output.object()["ok"], true, "{output}");
    }
    assert_eq!(world.ended(&run)["state"], "completed");
    let got = run.replies();
    assert_eq!(got.len(), 2, "{got:?}");
    let second = got.iter().find(|(id, _)| id == "ask-2").unwrap();
    assert_eq!(second.1["behavior"], "deny", "{got:?}");
}

/// Waits until so many answers are on disk.
fn answered(world: &World, run: &Run, count: usize) {
    wait_for("answers on disk", LIMIT, || {
        let answered = rows(world, run).iter().filter(|(state, _)| state == "answered").count();
        (answered == count).then_some(())
    });
}

// proves I3
#[test]
fn options_are_chosen_by_number_and_name_and_own_words_are_taken() {
    for (database, extras, expected) in [
        (&["2"][..], &["cache", "1"][..], ["Postgres", "Cache, Auth"]),
        (&["sqlite"], &["--text", "Only a \"fast\" one"], ["SQLite", "Only a \"fast\" one"]),
    ] {
        let (world, repo) = world(conversation::choosing());
        let run = begin(&world, &repo);
        let ids = wait_for_questions(&world, &run, 2);
        let kept = answer(&world, &ids[0], database);
        assert!(text(&kept, "outcome").starts_with("kept for the agent until"), "{kept:#}");
        assert_eq!(replies(&run), Vec::<Value>::new());
        assert_eq!(answer(&world, &ids[1], extras)["outcome"], "sent by the agent's protocol");
        assert_eq!(world.ended(&run)["state"], "completed");
        let got = replies(&run);
        assert_eq!(got.len(), 1, "{got:?}");
        let given = &got[0]["updatedInput"]["answers"];
        let [first, second] = expected;
        assert_eq!(*given, json!({ "Which database should we use?": first, "Which extras?": second }));
        assert_eq!(got[0]["updatedInput"]["questions"].as_array().unwrap().len(), 2);
    }
}

// proves I3
#[test]
fn who_declines_one_part_of_a_question_declines_the_other() {
    let (world, repo) = world(conversation::choosing());
    let run = begin(&world, &repo);
    let ids = wait_for_questions(&world, &run, 2);
    answer(&world, &ids[1], &["deny", "--text", "Decide yourself"]);
    assert_eq!(world.ended(&run)["state"], "completed");
    assert_eq!(replies(&run), [json!({ "behavior": "deny", "message": "Decide yourself" })]);
    let other = shown(&world, &ids[0]);
    assert_eq!(other["state"], "expired");
    assert_eq!(other["outcome"], "another question of the same request was declined");
}

// proves I5
#[test]
fn of_many_who_answer_at_once_one_is_first_and_the_agent_hears_one() {
    let (world, repo) = world(conversation::asking(1));
    let run = begin(&world, &repo);
    let id = wait_for_question(&world, &run);
    let many: Vec<_> = (0..8)
        .map(|number| {
            let mut command = world.command(&["answer", &id, if number % 2 == 0 { "allow" } else { "deny" }, "--json"]);
            world.start(command.env("USER", format!("user-{number}")))
        })
        .collect();
    let answers: Vec<Value> = many.into_iter().map(|process| process.wait().object()).collect();
    let first: Vec<&Value> = answers.iter().filter(|answer| answer["ok"] == true).collect();
    assert_eq!(first.len(), 1, "{answers:#?}");
    let by = text(&first[0]["data"], "by");
    for late in answers.iter().filter(|answer| answer["ok"] == false) {
        assert_eq!(late["error"]["code"], "E_ALREADY_ANSWERED", "{late:#}");
        assert_eq!(late["error"]["details"]["answered_by"], by, "{late:#}");
    }
    assert_eq!(world.ended(&run)["state"], "completed");
    assert_eq!(replies(&run).len(), 1);
    assert_eq!(replies(&run)[0]["behavior"], first[0]["data"]["answer"]["answer"]);
}
