//! What an agent asks is on disk and shown to whoever looks.

use agency_testkit::conversation;
use serde_json::{Value, json};

use super::fixture::{answer, begin, events, open, rows, shown, text, wait_for_question, wait_for_questions, world};
use super::hostile_output::on_terminal;

// proves I1, I2, I5
#[test]
fn a_permission_is_in_the_database_and_in_the_inbox_with_all_there_is_to_know() {
    let (world, repo) = world(conversation::asking(1));
    let run = begin(&world, &repo);
    let id = wait_for_question(&world, &run);
    assert_eq!(rows(&world, &run), [("open".to_owned(), String::new())]);
    let question = open(&world, &run).remove(0);
    assert_eq!(question["id"], id.as_str());
    assert_eq!((text(&question, "kind"), text(&question, "title")), ("permission", "Bash"));
    assert_eq!(question["detail"], "touch file-1");
    assert_eq!(question["actions"], json!(["allow", "deny", "allow_all"]));
    assert_eq!(question["options"], json!([]));
    assert!(text(&question, "asked_at").ends_with('Z'), "{question:#}");

    let listed = world.ok(&["inbox"]).stdout;
    for words in [&id, "permission", "touch file-1", "allow   # or deny, allow-all"] {
        assert!(listed.contains(words), "`{words}` is not in:\n{listed}");
    }
    // The beginning of an id is enough, in any case and without its mark.
    let beginning = id.trim_start_matches("q_").to_lowercase();
    assert_eq!(shown(&world, &beginning[..beginning.len() - 1])["id"], id.as_str());
    // The printed line, as a user pastes it: a shell answers what it says, and nothing else.
    let line = listed.lines().find_map(|line| line.trim().strip_prefix("answer    ")).unwrap();
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_agency")).parent().unwrap().to_str().unwrap();
    let path = format!("{binary}:{}", std::env::var("PATH").unwrap());
    let pasted = world.run(world.program("sh").args(["-c", line]).env("PATH", path));
    assert_eq!(
        (pasted.stdout.trim(), pasted.stderr.as_str()),
        (format!("{id}: allow, sent by the agent's protocol").as_str(), "")
    );
    assert_eq!(world.ok(&["inbox"]).stdout, "No open questions.\n");
    assert_eq!(world.ended(&run)["state"], "completed");
}

// proves I1
#[test]
fn a_question_with_two_parts_is_two_questions_with_their_options() {
    let (world, repo) = world(conversation::choosing());
    let run = begin(&world, &repo);
    wait_for_questions(&world, &run, 2);
    let asked = open(&world, &run);
    let titles: Vec<&str> = asked.iter().map(|question| text(question, "title")).collect();
    assert_eq!(titles, ["Database", "Extras"]);
    assert_eq!(asked[0]["kind"], "question");
    assert_eq!(asked[0]["detail"], "Which database should we use?");
    assert_eq!(asked[0]["options"][1], json!({ "id": "Postgres", "label": "Postgres", "description": "Server" }));
    assert_eq!((&asked[0]["several"], &asked[1]["several"]), (&json!(false), &json!(true)));
    assert_eq!(asked[0]["actions"], json!([]));
    let whole = world.ok(&["inbox", "show", text(&asked[0], "id")]).stdout;
    for words in
        ["Which database should we use?", "1. SQLite (Embedded)", "2. Postgres (Server)", "1   # or 2, deny, --text"]
    {
        assert!(whole.contains(words), "`{words}` is not in:\n{whole}");
    }
    world.ok(&["stop", &run.id]);
}

// proves I1, I2
#[test]
fn a_plan_is_shown_whole_and_is_allowed_or_denied() {
    let plan = r#"{"plan":"1. Read\n2. Write\n3. Test\n4. Rest\n5. Ship\n6. Celebrate\n7. Sleep\n8. Wake"}"#;
    let script = format!("hear_message\nask ask-1 ExitPlanMode '{plan}'\nhear_reply ask-1\nfinish done\nhear_the_end");
    let (world, repo) = world(conversation::speaking(&script));
    let run = begin(&world, &repo);
    let id = wait_for_question(&world, &run);
    let question = open(&world, &run).remove(0);
    assert_eq!(question["kind"], "plan");
    assert_eq!(question["actions"], json!(["allow", "deny"]));
    assert!(world.ok(&["inbox"]).stdout.contains("more lines"));
    assert!(world.ok(&["inbox", "show", &id]).stdout.contains("8. Wake"));
    answer(&world, &id, &["allow"]);
    assert_eq!(world.ended(&run)["state"], "completed");
}

// proves I4
#[test]
fn who_asks_waits_for_the_user_and_why_says_how_we_know() {
    let (world, repo) = world(conversation::asking_two_at_once());
    let run = begin(&world, &repo);
    let ids = wait_for_questions(&world, &run, 2);
    let why = || world.json(&["why", &run.id])["data"].take();
    let reason = why();
    assert_eq!(reason["activity"], "waiting_for_user", "{reason:#}");
    assert_eq!(world.show(&run)["activity"], "waiting_for_user");
    let asked = events(&run, "question");
    assert_eq!(asked.iter().map(|event| text(event, "question_id")).collect::<Vec<_>>(), ids);
    assert_eq!(reason["because"], format!("event {}, question {}", asked[0]["seq"], ids[0]));
    let activity: Vec<Value> = events(&run, "activity");
    assert_eq!(activity.last().unwrap()["seq"], reason["seq"]);

    // It waits until the last of its questions is answered.
    answer(&world, &ids[0], &["deny"]);
    assert_eq!(why()["activity"], "waiting_for_user");
    assert_eq!(why()["because"], reason["because"]);
    answer(&world, &ids[1], &["allow"]);
    assert_eq!(world.ended(&run)["state"], "completed");
    let told = events(&run, "answer");
    assert_eq!(told.iter().map(|event| text(event, "question_id")).collect::<Vec<_>>(), ids);
    assert_eq!((text(&told[0], "answer"), text(&told[0], "by")), ("deny", "ada"));
    assert_eq!(told[1]["outcome"], "sent by the agent's protocol");
    let did: Vec<Value> = events(&run, "activity").into_iter().map(|mut event| event["activity"].take()).collect();
    assert_eq!(did, ["starting", "thinking", "waiting_for_user", "running_command", "idle"]);
}

// proves I1
#[test]
fn nothing_in_a_question_moves_the_cursor() {
    let questions = r#"{"questions":[{"question":"a\u001b[2Jb","header":"c\u001b[2Jd","options":[{"label":"e\u001b[2Jf","description":"g\u001b[2Jh"}]}]}"#;
    let script = format!("hear_message\nask ask-1 AskUserQuestion '{questions}'\nhear_the_end");
    let (world, repo) = world(conversation::speaking(&script));
    let run = begin(&world, &repo);
    let id = wait_for_question(&world, &run);
    for arguments in [&["inbox"][..], &["inbox", "show", &id]] {
        let shown = on_terminal(&world, arguments);
        assert!(shown.contains(r"e\x1b[2Jf (g\x1b[2Jh)") && !shown.contains("\u{1b}[2J"), "{shown:?}");
        let piped = world.ok(arguments).stdout;
        assert!(piped.contains("e\u{1b}[2Jf (g\u{1b}[2Jh)"), "{piped:?}");
    }
    world.ok(&["stop", &run.id]);
}
