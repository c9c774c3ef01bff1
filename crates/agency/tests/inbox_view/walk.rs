//! `agency inbox --interactive`, key by key.

use agency_model::ErrorCode;
use agency_testkit::wait_for;
use serde_json::json;

use super::fixture::{LIMIT, asks, heard, offered, open, permission, question, start, text, world};

#[test]
fn every_kind_of_question_is_answered_by_its_keys() {
    let (world, repo) = world();
    let requests = [
        permission("r1", "touch one"),
        permission("r2", "touch two"),
        question("r3", "Which database?", &["SQLite", "Postgres"], false),
        question("r4", "Which extras?", &["Auth", "Cache", "Mail"], true),
        question("r5", "Which name?", &["Ada"], false),
    ];
    asks(&world, "asking", &requests);
    let run = start(&world, &repo, "asking", &[]);
    open(&world, 5);
    let terminal = world.terminal(&["inbox", "--interactive"]);
    let screen = offered(&terminal, "touch one");
    assert!(screen.contains("[a] allow  [d] deny  [A] allow all  [v] show all  [s] skip  [q] quit"), "{screen}");
    terminal.send_keys(&["a"]);
    offered(&terminal, "touch two");
    terminal.send_keys(&["d"]);
    offered(&terminal, "[1-2] choose");
    // Not one of its answers: it is asked on.
    terminal.send_keys(&["A"]);
    terminal.send_keys(&["2"]);
    offered(&terminal, "[1-3] toggle, [Enter] answer");
    terminal.send_keys(&["3"]);
    terminal.wait_for_text("chosen: Mail ");
    terminal.send_keys(&["2"]);
    terminal.wait_for_text("chosen: Cache, Mail ");
    terminal.send_keys(&["2"]);
    terminal.send_keys(&["1"]);
    terminal.wait_for_text("chosen: Auth, Mail ");
    terminal.send_keys(&["Enter"]);
    offered(&terminal, "Which name?");
    terminal.send_keys(&["e"]);
    terminal.wait_for_text("your answer");
    terminal.type_text("Grace Höpper");
    terminal.send_keys(&["Enter"]);
    terminal.wait_for_text("No more open questions.");
    assert_eq!(terminal.wait_for_exit(), 0);
    assert_eq!(world.ended(&run)["state"], "completed");
    let heard = heard(&world, "asking");
    let decided: Vec<&str> = heard.iter().map(|response| text(response, "behavior")).collect();
    assert_eq!(decided, ["allow", "deny", "allow", "allow", "allow"]);
    let answers: Vec<_> = heard[2..].iter().map(|response| &response["updatedInput"]["answers"]).collect();
    let expected = [("Which database?", "Postgres"), ("Which extras?", "Auth, Mail"), ("Which name?", "Grace Höpper")];
    assert_eq!(answers, expected.map(|(asked, answer)| json!({ asked: answer })).iter().collect::<Vec<_>>());
}

#[test]
fn allow_all_answers_the_others_of_the_run_too() {
    let (world, repo) = world();
    asks(&world, "asking", &[permission("r1", "touch one"), permission("r2", "touch two")]);
    let run = start(&world, &repo, "asking", &[]);
    open(&world, 2);
    let terminal = world.terminal(&["inbox", "-i"]);
    offered(&terminal, "touch one");
    terminal.send_keys(&["A"]);
    terminal.wait_for_text("allow all: sent by");
    assert_eq!(terminal.wait_for_exit(), 0);
    assert_eq!(world.ended(&run)["state"], "completed");
    assert_eq!(heard(&world, "asking").len(), 2);
}

#[test]
fn the_whole_detail_is_shown_on_demand_and_no_word_of_it_moves_the_cursor() {
    let (world, repo) = world();
    let lines: Vec<String> = (1..=12).map(|number| format!("echo line-{number}")).collect();
    asks(&world, "asking", &[permission("r1", &format!("{}\n\u{1b}[2Jgone", lines.join("\n")))]);
    start(&world, &repo, "asking", &[]);
    open(&world, 1);
    let terminal = world.terminal(&["inbox", "--interactive"]);
    let screen = offered(&terminal, "more lines");
    assert!(screen.contains("line-5") && !screen.contains("line-6"), "{screen}");
    terminal.send_keys(&["v"]);
    let screen = terminal.wait_for_text("line-12");
    assert!(screen.contains("line-1\n") && screen.contains("[2Jgone"), "{screen}");
    terminal.send_keys(&["q"]);
    assert_eq!(terminal.wait_for_exit(), 0);
    open(&world, 1);
}

#[test]
fn arrows_and_pasted_text_are_no_answers() {
    let (world, repo) = world();
    asks(&world, "asking", &[permission("r1", "touch one")]);
    let run = start(&world, &repo, "asking", &[]);
    open(&world, 1);
    let terminal = world.terminal(&["inbox", "--interactive"]);
    let asked = |times: usize| {
        let count = || terminal.screen().matches("[q] quit").count();
        wait_for(&format!("the keys for the {times}. time"), LIMIT, || (count() == times).then_some(()));
    };
    asked(1);
    // The last byte of this key is an `A`.
    terminal.send_keys(&["Up"]);
    asked(2);
    terminal.type_text("and all of this");
    asked(3);
    terminal.type_text("xd");
    terminal.wait_for_text("deny: sent by");
    assert_eq!(terminal.wait_for_exit(), 0);
    world.ended(&run);
    assert_eq!(heard(&world, "asking")[0]["behavior"], "deny");
}

#[test]
fn without_a_terminal_or_with_json_it_is_refused() {
    let (world, _) = world();
    let output = world.agency(&["inbox", "--interactive"]);
    assert_eq!(output.status.code(), Some(2), "{output}");
    assert!(output.stderr.contains("E_USAGE") && output.stderr.contains("terminal"), "{output}");
    for wrong in [&["inbox", "--interactive"][..], &["inbox", "-i", "-f"], &["inbox", "-f", "show", "q_1"]] {
        world.error(wrong, ErrorCode::Usage);
    }
    let terminal = world.terminal(&["inbox", "-i"]);
    terminal.wait_for_text("No open questions.");
    assert_eq!(terminal.wait_for_exit(), 0);
}
