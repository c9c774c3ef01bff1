//! The words of a denial, for an agent whose protocol has no place for them.

use agency_testkit::{Run, conversation};

use super::fixture::{answer, begin, begin_with, events, text, wait_for_question, world};

const WORDS: &str = "use the \"other\" tool";

/// What the agent was prompted with, in all its processes.
fn prompts(run: &Run) -> Vec<String> {
    let heard = run.heard().into_iter().filter(|line| line["method"] == "session/prompt");
    heard.map(|line| text(&line["params"]["prompt"][0], "text").to_owned()).collect()
}

#[test]
fn they_follow_as_a_message_once_and_the_outcome_says_so() {
    let (world, repo) = world(conversation::asking_by_protocol());
    let run = begin(&world, &repo);
    let question = wait_for_question(&world, &run);
    let told = answer(&world, &question, &["deny", "--text", WORDS]);
    assert!(text(&told, "outcome").contains("the text follows as a message"), "{told:#}");
    let ended = world.ended(&run);
    assert_eq!(ended["state"], "completed", "{ended:#}");
    assert_eq!(prompts(&run), ["do it", WORDS]);
    let messages = events(&run, "message");
    assert_eq!((messages.len(), text(&messages[0], "text")), (1, WORDS));
    assert!(text(&events(&run, "answer")[0], "outcome").contains("the text follows as a message"));
}

#[test]
fn a_denial_without_words_is_only_a_denial() {
    let (world, repo) = world(conversation::asking_by_protocol());
    let run = begin(&world, &repo);
    let question = wait_for_question(&world, &run);
    let told = answer(&world, &question, &["deny"]);
    assert_eq!(told["outcome"], "sent by the agent's protocol", "{told:#}");
    assert_eq!(world.ended(&run)["state"], "completed");
    assert_eq!(prompts(&run), ["do it"]);
}

#[test]
fn they_are_not_lost_when_the_agent_crashes_before_it_reads_them() {
    let (world, repo) = world(conversation::asking_by_protocol_and_crashing());
    let run = begin_with(&world, &repo, &["--restart", "on-crash"], &[]);
    let question = wait_for_question(&world, &run);
    answer(&world, &question, &["deny", "--text", WORDS]);
    let ended = world.ended(&run);
    assert_eq!(ended["state"], "completed", "{ended:#}");
    let prompts = prompts(&run);
    let with_words = prompts.iter().filter(|prompt| prompt.contains(WORDS)).count();
    assert_eq!(with_words, 1, "{prompts:#?}");
}

#[test]
fn the_message_of_a_rule_is_not_sent_and_the_outcome_says_so() {
    let (world, repo) = world(conversation::asking_by_protocol());
    world.configure("\n[[approval_policy]]\naction = \"deny\"\nmessage = \"Not that.\"\n");
    let run = begin(&world, &repo);
    let ended = world.ended(&run);
    assert_eq!(ended["state"], "completed", "{ended:#}");
    let answers = events(&run, "answer");
    assert!(text(&answers[0], "outcome").contains("the rule's message was not sent"), "{answers:#?}");
    assert_eq!(prompts(&run), ["do it"]);
}

#[test]
fn a_title_is_asked_where_a_denied_command_may_be_meant() {
    let (world, repo) = world(conversation::asking_by_protocol());
    let rules = "\n[[approval_policy]]\nname = \"rm\"\naction = \"deny\"\ncommand = [\"rm\"]\n\n[[approval_policy]]\naction = \"allow\"\n";
    world.configure(rules);
    let run = begin(&world, &repo);
    let question = wait_for_question(&world, &run);
    answer(&world, &question, &["deny"]);
    assert_eq!(world.ended(&run)["state"], "completed");
    let notices = events(&run, "notice");
    let told = |words: &str| notices.iter().any(|notice| text(notice, "message").contains(words));
    assert!(told("rule rm leaves") && told("did not report the exact action"), "{notices:#?}");
}
