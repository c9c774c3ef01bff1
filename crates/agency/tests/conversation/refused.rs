//! Answers that come too late, to the wrong place or in the wrong shape. None of them reaches the agent.

use std::collections::BTreeSet;

use agency_model::ErrorCode;
use agency_testkit::{Agent, conversation};
use serde_json::Value;

use super::fixture::{TALK, answer, begin, shown, text, wait_for_question, wait_for_questions, world};

// proves I5
#[test]
fn the_first_answer_stands_and_the_second_hears_whose_and_when() {
    let (world, repo) = world(conversation::asking(2));
    let run = begin(&world, &repo);
    let id = wait_for_question(&world, &run);
    let mut first = world.command(&["answer", &id, "deny", "--text", "no", "--json"]);
    assert_eq!(world.run(first.env("USER", "ada")).object()["ok"], true);
    let error = world.error(&["answer", &id, "allow"], ErrorCode::AlreadyAnswered);
    let at = shown(&world, &id)["answered_at"].take();
    for words in [&id, "ada", at.as_str().unwrap()] {
        assert!(text(&error, "message").contains(words), "{error:#}");
    }
    let details = &error["details"];
    assert_eq!((&details["answered_by"], &details["answered_at"]), (&Value::from("ada"), &at));
    assert_eq!(details["answer"]["message"], "no");
    assert_eq!(run.replies().len(), 1);
    world.ok(&["stop", &run.id]);
}

#[test]
fn a_question_that_is_none_and_one_that_may_be_several_are_not_answered() {
    let (world, repo) = world(conversation::asking_two_at_once());
    let run = begin(&world, &repo);
    let ids = wait_for_questions(&world, &run, 2);
    for unknown in ["q_01ARZ3NDEKTSV4RRFFQ69G5FAV", "q_7ZZ", "q_", "", "%", "q_0' OR 1"] {
        let error = world.error(&["answer", unknown, "allow"], ErrorCode::QuestionNotFound);
        assert!(text(&error, "message").contains(unknown), "{error:#}");
    }
    // A run is no question: the next one may be another than the user read.
    let error = world.error(&["answer", &run.id, "allow"], ErrorCode::QuestionNotFound);
    assert!(ids.iter().all(|id| text(&error, "message").contains(id.as_str())), "{error:#}");
    let common = ids[0].bytes().zip(ids[1].bytes()).take_while(|(one, other)| one == other).count();
    let error = world.error(&["answer", &ids[0][..common], "allow"], ErrorCode::QuestionNotFound);
    let candidates = error["details"]["candidates"].as_array().unwrap().iter().filter_map(Value::as_str);
    assert_eq!(candidates.collect::<BTreeSet<_>>(), ids.iter().map(String::as_str).collect());
    answer(&world, &ids[0][..=common], &["allow"]);
    world.ok(&["stop", &run.id]);
}

#[test]
fn an_answer_that_does_not_fit_is_told_what_would_and_changes_nothing() {
    let (world, repo) = world(conversation::asking(1));
    world.agent("choosing", conversation::choosing());
    let run = begin(&world, &repo);
    let permission = wait_for_question(&world, &run);
    let choosing = world.begin(&repo, "choosing", &TALK);
    let ids = wait_for_questions(&world, &choosing, 2);
    let unfit = |question: &str, words: &[&str], says: &str| {
        let error = world.error(&[&["answer", question], words].concat(), ErrorCode::InvalidAnswer);
        assert!(text(&error, "message").contains(says), "`{says}` is not in {error:#}");
        assert!(!text(&error, "hint").is_empty());
        assert_eq!(shown(&world, question)["state"], "open");
    };
    unfit(&permission, &["perhaps"], "'perhaps' is not a valid answer");
    unfit(&permission, &["1"], "'1' is not a valid answer");
    unfit(&permission, &["--text", "why not"], "does not accept free text");
    unfit(&permission, &["allow", "--text", "but"], "does not accept a text with allow");
    unfit(&permission, &["allow", "deny"], "'allow deny' is not a valid answer");
    unfit(&ids[0], &["3"], "'3' is not a valid answer");
    unfit(&ids[0], &["0"], "'0' is not a valid answer");
    unfit(&ids[0], &["1", "2"], "exactly one");
    unfit(&ids[0], &["allow"], "not a permission");
    unfit(&ids[1], &["allow-all"], "not a permission");
    unfit(&ids[1], &["1", "MySQL"], "'1 MySQL' is not a valid answer");
    unfit(&ids[1], &["--text", " "], "empty");
    assert_eq!((run.replies().len(), choosing.replies().len()), (0, 0));
    world.ok(&["stop", &run.id, &choosing.id]);
}

/// Offers one answer only, which is none of the quick ones.
const OFFERS_ONE: &str = r#"number() { printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/'; }
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
read -r line; reply "$(number)" '{"protocolVersion":1,"agentCapabilities":{}}'
read -r line; reply "$(number)" '{"sessionId":"s1"}'
read -r line; prompt=$(number)
echo '{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"t1","title":"touch x","kind":"execute","status":"pending"},"options":[{"optionId":"forever","name":"Allow for ever","kind":"allow_always"}]}}'
read -r line; printf '%s\n' "$line" > "$AGENCY_RUN_DIR/heard.ndjson"
reply "$prompt" '{"stopReason":"end_turn"}'
cat > /dev/null"#;

#[test]
fn an_answer_that_the_agent_does_not_take_leaves_the_question_to_be_answered_again() {
    let (world, repo) = world(Agent::new(OFFERS_ONE).stream("acp").prompt("protocol"));
    let run = begin(&world, &repo);
    let first = wait_for_question(&world, &run);
    world.error(&["answer", &first, "allow"], ErrorCode::QuestionExpired);
    assert_eq!(shown(&world, &first)["state"], "expired");
    let second = wait_for_question(&world, &run);
    assert_eq!(shown(&world, &second)["repeats"], first.as_str());
    answer(&world, &second, &["forever"]);
    assert_eq!(world.json(&["wait", &run.id])["data"]["state"], "completed");
    let heard = std::fs::read_to_string(run.file("heard.ndjson")).unwrap();
    assert!(heard.contains(r#""optionId":"forever""#), "{heard}");
}
