//! Going on with the conversation of a run that is over.

use std::fs;
use std::path::PathBuf;

use agency_model::ErrorCode;
use agency_testkit::{Run, World, agent, conversation};
use serde_json::Value;

use super::fixture::{TALK, begin, begin_with, shown, summary, text, wait_for_question, world};

#[track_caller]
fn resume(world: &World, parent: &Run, options: &[&str]) -> Run {
    let answer = world.json(&[&["resume", &parent.id], options].concat());
    assert_eq!(answer["ok"], true, "{answer:#}");
    world.run_with_id(text(&answer["data"], "id"))
}

fn worktree(world: &World, run: &Run) -> PathBuf {
    text(&world.show(run), "worktree_path").into()
}

#[test]
fn a_conversation_goes_on_in_the_same_worktree_with_the_arguments_for_it() {
    let (world, repo) = world(conversation::brief());
    let parent = begin(&world, &repo);
    assert_eq!(world.ended(&parent)["state"], "completed");
    let child = resume(&world, &parent, &["--prompt", "Now the documentation"]);
    let ended = world.ended(&child);
    assert_eq!((text(&ended, "state"), summary(&child).as_str()), ("completed", "Now the documentation"));
    assert_eq!(ended["parent_id"], parent.id.as_str());
    assert_eq!(worktree(&world, &child), worktree(&world, &parent));
    assert_eq!(repo.worktrees().len(), 2);
    let arguments = fs::read_to_string(worktree(&world, &child).join("arguments.txt")).unwrap();
    assert_eq!(arguments, format!("\n--resume conversation-of-{}\n", parent.id));
    assert_eq!(child.heard()[0]["message"]["content"], "Now the documentation");
    // And once more, with what the child called the conversation.
    let grandchild = resume(&world, &child, &["--prompt", "x", "--name", "third"]);
    assert_eq!(world.ended(&grandchild)["name"], "third");
    let arguments = fs::read_to_string(worktree(&world, &child).join("arguments.txt")).unwrap();
    assert!(arguments.ends_with(&format!("--resume conversation-of-{}\n", child.id)), "{arguments}");
}

// proves I5
#[test]
fn a_resumed_agent_that_asks_again_names_the_question_that_nobody_answered() {
    let (world, repo) = world(conversation::asking(1));
    let parent = begin(&world, &repo);
    let old = wait_for_question(&world, &parent);
    world.ok(&["stop", &parent.id]);
    let child = resume(&world, &parent, &["--prompt", "go on"]);
    let new = wait_for_question(&world, &child);
    assert_eq!(shown(&world, &new)["repeats"], old.as_str());
    world.ok(&["answer", &new, "allow"]);
    assert_eq!(world.ended(&child)["state"], "completed");
}

#[test]
fn what_cannot_go_on_says_why() {
    let (world, repo) = world(conversation::asking(1));
    world.agent("nameless", agent::quiet());
    let refused = |run: &Run, options: &[&str], code: ErrorCode, says: &str| {
        let error = world.error(&[&["resume", &run.id], options].concat(), code);
        assert!(text(&error, "message").contains(says), "`{says}` is not in {error:#}");
        assert!(!text(&error, "hint").is_empty(), "{error:#}");
    };
    let told = ["--prompt", "go on"];
    let parent = begin(&world, &repo);
    refused(&parent, &told, ErrorCode::InvalidState, "is running");
    wait_for_question(&world, &parent);
    world.ok(&["stop", &parent.id]);
    refused(&parent, &[], ErrorCode::InvalidSpec, "needs a prompt");

    let child = resume(&world, &parent, &told);
    refused(&parent, &told, ErrorCode::InvalidState, &format!("{} is at work", child.id));
    wait_for_question(&world, &child);
    world.ok(&["stop", &child.id]);

    let nameless = world.begin(&repo, "nameless", &TALK);
    assert_eq!(world.ended(&nameless)["state"], "completed");
    refused(&nameless, &told, ErrorCode::InvalidState, "named no conversation");

    world.ok(&["rm", &parent.id, &child.id]);
    refused(&parent, &told, ErrorCode::InvalidState, "was removed");
    let runs: Vec<String> = world.runs().into_iter().map(|run| run.id).collect();
    assert_eq!(runs, [&parent.id, &child.id, &nameless.id].map(Clone::clone), "what was refused left nothing");
}

#[test]
fn of_many_who_resume_at_once_one_does() {
    let (world, repo) = world(conversation::asking(1));
    let parent = begin(&world, &repo);
    wait_for_question(&world, &parent);
    world.ok(&["stop", &parent.id]);
    let many: Vec<_> = (0..6).map(|_| world.spawn(&["resume", &parent.id, "--prompt", "go on", "--json"])).collect();
    let answers: Vec<Value> = many.into_iter().map(|process| process.wait().object()).collect();
    let began = answers.iter().filter(|answer| answer["ok"] == true).count();
    assert_eq!(began, 1, "{answers:#?}");
    for late in answers.iter().filter(|answer| answer["ok"] == false) {
        assert_eq!(late["error"]["code"], "E_INVALID_STATE", "{late:#}");
    }
    assert_eq!(world.runs().len(), 2);
    world.ok(&["stop", &world.runs()[1].id]);
}

#[test]
fn a_conversation_in_the_repository_itself_is_not_gone_on_with_twice() {
    let (world, repo) = world(conversation::asking(1));
    let parent = begin_with(&world, &repo, &["--workspace", "none"], &[]);
    wait_for_question(&world, &parent);
    world.ok(&["stop", &parent.id]);
    let child = resume(&world, &parent, &["--prompt", "go on"]);
    let error = world.error(&["resume", &parent.id, "--prompt", "me too"], ErrorCode::InvalidState);
    assert!(text(&error, "message").contains(&child.id), "{error:#}");
    world.ok(&["stop", &child.id]);
}
