//! An agent that asks, is told something, and goes on.

use std::fs;

use agency_testkit::{RealAgent, Script, Turn, wait_for};
use serde_json::{Value, json};

use super::scene::{LIMIT, Scene};

each_agent![
    a_question_is_answered_by_a_human,
    a_denied_command_is_not_run,
    a_conversation_goes_on_in_another_run,
    a_comment_on_a_line_changes_it,
];

// proves I1, I2, I3
fn a_question_is_answered_by_a_human(agent: RealAgent) {
    let script = Script::new()
        .turn(agent.run_command_if_allowed("echo first > one.txt"))
        .turn(agent.run_command_if_allowed("echo second > two.txt"))
        .turn(agent.run_command_if_allowed("echo third > three.txt"))
        .say("All three are there.");
    let scene = Scene::asking(agent, script);
    let run = scene.begin_asking();
    let question = scene.question(&run);
    assert_eq!((&question["kind"], &question["state"]), (&"permission".into(), &"open".into()), "{question:#}");
    assert!(question["detail"].as_str().unwrap().contains("echo first > one.txt"), "{question:#}");
    assert_eq!(question["actions"], serde_json::json!(["allow", "deny", "allow_all"]));
    let why = scene.world.json(&["why", &run.id])["data"].take();
    assert_eq!(why["activity"], "waiting_for_user", "{why:#}");

    scene.answer(&question, &["allow"]);
    let second = scene.question(&run);
    assert_ne!(question["id"], second["id"]);
    scene.answer(&second, &["allow-all"]);
    let ended = scene.ended(&run);
    assert_eq!(ended["state"], "completed", "{ended:#}");
    let worktree = ended["worktree_path"].as_str().unwrap();
    for (name, text) in [("one.txt", "first\n"), ("two.txt", "second\n"), ("three.txt", "third\n")] {
        assert_eq!(fs::read_to_string(format!("{worktree}/{name}")).unwrap(), text);
    }
    assert!(fs::read_dir(worktree).unwrap().all(|entry| {
        // What "always" would write into the repository.
        let name = entry.unwrap().file_name().into_string().unwrap();
        ![".claude", ".codex", ".gemini", ".opencode", "opencode.json"].contains(&name.as_str())
    }));
}

#[test]
fn claude_asks_several_things_and_gets_options_and_own_words() {
    let option = |label: &str| json!({ "label": label, "description": "d" });
    let questions = json!({ "questions": [
        { "question": "Which database?", "header": "Database", "multiSelect": false, "options": [option("SQLite"), option("Postgres")] },
        { "question": "Which extras?", "header": "Extras", "multiSelect": true, "options": [option("Auth"), option("Cache")] },
    ] });
    let script = Script::new().turn(Turn::new().tool("AskUserQuestion", questions)).say("Noted.");
    let scene = Scene::asking(RealAgent::Claude, script);
    let run = scene.begin_asking();
    let both = scene.questions(&run, 2);
    assert_eq!((&both[0]["kind"], &both[0]["title"]), (&"question".into(), &"Database".into()), "{both:#?}");
    scene.answer(&both[1], &["--text", "Only what is needed"]);
    scene.answer(&both[0], &["2"]);
    assert_eq!(scene.ended(&run)["state"], "completed");
    let told = scene.model.wait_for_turn(1);
    assert!(told.says("Postgres") && told.says("Only what is needed"));
}

#[test]
fn codex_asks_and_gets_own_words() {
    let option = |label: &str| json!({ "label": label, "description": "d" });
    let questions = json!({ "questions": [
        { "id": "db", "header": "Database", "question": "Which database?", "options": [option("SQLite"), option("Postgres")] },
    ] });
    let script = Script::new().turn(Turn::new().tool("request_user_input", questions)).say("Noted.");
    let scene = Scene::asking(RealAgent::Codex, script);
    let run = scene.begin_asking();
    let question = scene.question(&run);
    assert_eq!(question["kind"], "question", "{question:#}");
    scene.answer(&question, &["--text", "Neither of them"]);
    assert_eq!(scene.ended(&run)["state"], "completed");
    assert!(scene.model.wait_for_turn(1).says("Neither of them"));
}

#[test]
fn claude_is_interrupted_while_a_question_is_open_and_then_told_what_to_do() {
    let agent = RealAgent::Claude;
    let both = agent.run_command_if_allowed("echo 1 > one.txt").and(agent.run_command_if_allowed("echo 2 > two.txt"));
    let scene = Scene::asking(agent, Script::new().turn(both).say("Then something else."));
    let run = scene.begin_asking();
    let question = scene.question(&run);
    scene.world.ok(&["interrupt", &run.id]);
    wait_for("no open question", LIMIT, || {
        let open = scene.world.json(&["inbox"])["data"]["questions"].take();
        open.as_array().unwrap().is_empty().then_some(())
    });
    let shown = scene.world.json(&["inbox", "show", question["id"].as_str().unwrap()])["data"].take();
    assert_eq!(shown["state"], "expired", "{shown:#}");
    scene.world.ok(&["send", &run.id, "do something else"]);
    let ended = scene.ended(&run);
    assert_eq!(ended["state"], "completed", "{ended:#}");
    assert!(!fs::exists(format!("{}/one.txt", ended["worktree_path"].as_str().unwrap())).unwrap());
}

#[test]
fn claude_takes_two_messages_into_the_turn_in_which_they_come() {
    let agent = RealAgent::Claude;
    let script = Script::new().turn(agent.run_command("until [ -e go ]; do sleep 0.05; done")).say("All done.");
    let scene = Scene::new(agent, script);
    let run = scene.begin();
    wait_for("the command", LIMIT, || run.events().iter().any(|event| event["type"] == "tool_use").then_some(()));
    scene.world.ok(&["send", &run.id, "use the left one"]);
    scene.world.ok(&["send", &run.id, "use the right one"]);
    let worktree = scene.world.show(&run)["worktree_path"].as_str().unwrap().to_owned();
    fs::write(format!("{worktree}/go"), "").unwrap();
    let ended = scene.ended(&run);
    assert_eq!(ended["state"], "completed", "{ended:#}");
    let told = scene.model.wait_for_turn(1);
    assert!(told.says("use the left one") && told.says("use the right one"));
    let events = run.events();
    let count = |kind: &str| events.iter().filter(|event| event["type"] == kind).count();
    assert_eq!((count("message"), count("unknown")), (2, 0), "what it reports about its messages is understood");
    let idle = events.iter().filter(|event| event["type"] == "activity" && event["activity"] == "idle").count();
    assert_eq!(idle, 1, "when all is done");
}

#[test]
fn gemini_hears_the_words_of_a_denial_as_its_next_message() {
    the_words_of_a_denial_follow_as_a_message(RealAgent::Gemini);
}

#[test]
fn opencode_hears_the_words_of_a_denial_as_its_next_message() {
    the_words_of_a_denial_follow_as_a_message(RealAgent::Opencode);
}

fn the_words_of_a_denial_follow_as_a_message(agent: RealAgent) {
    let command = agent.run_command_if_allowed("echo no > no.txt");
    let script = match agent {
        // A rejection ends its turn.
        RealAgent::Opencode => Script::new().turn(command).say("I will."),
        RealAgent::Claude | RealAgent::Codex | RealAgent::Gemini => {
            Script::new().turn(command).say("Then not.").say("I will.")
        }
    };
    let scene = Scene::asking(agent, script);
    let run = scene.begin_asking();
    let question = scene.question(&run);
    let id = question["id"].as_str().unwrap();
    let told = scene.world.json(&["answer", id, "deny", "--text", "Ask my colleague instead"]);
    let outcome = told["data"]["outcome"].as_str().unwrap();
    assert!(outcome.contains("follows as a message"), "{told:#}");
    let ended = scene.ended(&run);
    assert_eq!(ended["state"], "completed", "{ended:#}");
    let turns = scene.model.turns();
    let heard = turns.iter().filter(|turn| turn.says("Ask my colleague instead")).count();
    assert_eq!(heard, 1, "in one call of the model, the last");
    let messages = run.events().into_iter().filter(|event| event["type"] == "message").count();
    assert_eq!(messages, 1);
}

fn a_denied_command_is_not_run(agent: RealAgent) {
    let script = Script::new().turn(agent.run_command_if_allowed("echo no > no.txt")).say("Then not.");
    let scene = Scene::asking(agent, script);
    let run = scene.begin_asking();
    let question = scene.question(&run);
    scene.answer(&question, &["deny"]);
    let ended = scene.ended(&run);
    assert!(!fs::exists(format!("{}/no.txt", ended["worktree_path"].as_str().unwrap())).unwrap());
    let state = match agent {
        // A rejection ends its turn, which it calls a success.
        RealAgent::Opencode => "completed",
        RealAgent::Claude | RealAgent::Codex | RealAgent::Gemini => "completed",
    };
    assert_eq!(ended["state"], state, "{ended:#}");
    let denied = run.events().into_iter().find(|event| event["type"] == "answer").unwrap();
    assert_eq!(denied["answer"], "deny", "{denied:#}");
}

fn a_comment_on_a_line_changes_it(agent: RealAgent) {
    let script = Script::new()
        .turn(agent.write_file("greeting.txt", "hello\nwrold\n"))
        .say("Done.")
        .turn(agent.run_command("sed -i s/wrold/world/ greeting.txt"))
        .say("Corrected.");
    let scene = Scene::new(agent, script);
    let run = scene.begin();
    assert_eq!(scene.ended(&run)["state"], "completed");
    let comment = "greeting.txt:2:There is a spelling mistake";
    let sent = scene.world.json(&["review", &run.id, "--comment", comment, "--send"])["data"].take();
    let resumed = scene.world.run_with_id(sent["sent"]["run_id"].as_str().unwrap_or_else(|| panic!("{sent:#}")));
    let ended = scene.ended(&resumed);
    assert_eq!(ended["state"], "completed", "{ended:#}");
    let asked = wait_for("the third turn", LIMIT, || scene.model.turns().into_iter().find(|turn| turn.turn == Some(2)));
    assert!(asked.says("greeting.txt, line 2") && asked.says("There is a spelling mistake"));
    let file = format!("{}/greeting.txt", ended["worktree_path"].as_str().unwrap());
    assert_eq!(fs::read_to_string(file).unwrap(), "hello\nworld\n");
    let review = scene.world.json(&["review", &run.id])["data"].take();
    assert_eq!(review["comments"][0]["state"], "addressed", "{review:#}");
}

fn a_conversation_goes_on_in_another_run(agent: RealAgent) {
    let script = Script::new().turn(agent.write_file("first.txt", "1\n")).say("One.").say("Two.");
    let scene = Scene::new(agent, script);
    let run = scene.begin();
    let first = scene.ended(&run);
    assert_eq!(first["state"], "completed", "{first:#}");
    let prompt = "now say the second thing";
    let answer = scene.world.json(&["resume", &run.id, "--prompt", prompt]);
    let resumed = scene.world.run_with_id(answer["data"]["id"].as_str().unwrap());
    let second = scene.ended(&resumed);
    assert_eq!(second["state"], "completed", "{second:#}");
    assert_eq!(second["parent_id"], run.id.as_str());
    assert_eq!(second["worktree_path"], first["worktree_path"]);
    assert_eq!(second["agent_session"], first["agent_session"]);
    let asked = wait_for("the third turn", LIMIT, || scene.model.turns().into_iter().find(|turn| turn.turn == Some(2)));
    assert!(asked.says(prompt) && asked.says("do it"), "the model was told the whole conversation");
    let outputs: Vec<Value> = resumed.events().into_iter().filter(|event| event["type"] == "output").collect();
    let said: String = outputs.iter().map(|event| event["text"].as_str().unwrap()).collect();
    assert_eq!(said, "Two.", "the history is not told again");
    assert_eq!(second["usage"]["input_tokens"], 100, "{second:#}");
}
