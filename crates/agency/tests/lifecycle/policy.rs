//! Approval rules: what they answer, what they leave to a human, and what they would have done.

use std::fs;
use std::time::Duration;

use agency_model::ErrorCode;
use agency_testkit::agent::Agent;
use agency_testkit::{Repo, World, wait_for};
use serde_json::{Value, json};

use super::{start, text, world};

/// An agent that asks by Claude Code's protocol, one permission after the other, and keeps the answers.
fn asking(world: &World, name: &str, permissions: &[(&str, Value)]) {
    let permissions: Vec<_> = permissions.iter().map(|(tool, input)| (*tool, input.clone(), None)).collect();
    asking_for(world, name, &permissions);
}

/// The same, with the paths because of which it asks.
fn asking_for(world: &World, name: &str, permissions: &[(&str, Value, Option<&str>)]) {
    let mut script = String::from(
        r#"read -r prompt
ask() {
  printf '{"type":"control_request","request_id":"%s","request":{"subtype":"can_use_tool","tool_name":"%s","input":%s%s}}\n' "$1" "$2" "$3" "$4"
  read -r answer
  printf '%s\n' "$answer" >> "$0.answers"
}
printf '{"type":"system","subtype":"init","session_id":"s"}\n'
"#,
    );
    for (index, (tool, input, blocked)) in permissions.iter().enumerate() {
        let blocked = blocked.map(|path| format!(",\"blocked_path\":{}", json!(path))).unwrap_or_default();
        script.push_str(&format!("ask {index} {tool} '{input}' '{blocked}'\n"));
    }
    script.push_str(r#"printf '{"type":"result","subtype":"success","is_error":false,"result":"done"}\n'"#);
    world.agent(name, Agent::new(script).prompt("protocol"));
    // It goes to the table that was just begun.
    world.configure("stream = \"claude\"\n");
}

/// What the agent was answered.
fn answers(world: &World, name: &str) -> Vec<Value> {
    let told = fs::read_to_string(world.root().join("agents").join(format!("{name}.answers"))).unwrap();
    let answer = |line: &str| serde_json::from_str::<Value>(line).unwrap()["response"]["response"].take();
    told.lines().map(answer).collect()
}

/// Waits for a question about this, and answers it.
fn answer(world: &World, about: &str, answer: &str) {
    let question = wait_for(about, Duration::from_secs(20), || {
        let inbox = world.json(&["inbox"]);
        let questions = inbox["data"]["questions"].as_array().unwrap();
        questions.iter().find(|question| text(question, "detail").starts_with(about)).cloned()
    });
    world.ok(&["answer", text(&question, "id"), answer]);
}

fn begin(world: &World, repo: &Repo, more: &[&str]) -> Value {
    start(world, repo, "asking", &[&["--mode", "headless", "--host", "detached"], more].concat())
}

/// The events of a kind.
fn events(world: &World, run: &Value, kind: &str) -> Vec<Value> {
    let printed = world.ok(&["events", "--json", text(run, "id")]).stdout;
    let lines = printed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter(|event| event["type"] == kind).collect()
}

const RULES: &str = r#"
[[approval_policy]]
name = "no-push"
action = "deny"
command = ["git", "push"]
message = "Open a pull request instead."

[[approval_policy]]
action = "allow"
command = ["git", "status"]

[[approval_policy]]
name = "own-files"
action = "allow"
tool = ["write", "edit"]
path = "inside"

[[approval_policy]]
name = "careful"
action = "ask"
command = "make *"
"#;

#[test]
fn a_rule_answers_without_a_human_and_all_else_is_asked() {
    let world = world();
    let repo = world.repo("shop");
    let bash = |command: &str| ("Bash", json!({ "command": command }));
    asking(
        &world,
        "asking",
        &[
            bash("git status --short"),
            bash("git status; git push -f"),
            ("Write", json!({ "file_path": "new.rs", "content": "x" })),
            bash("git status && make"),
            ("Write", json!({ "file_path": "../new.rs", "content": "x" })),
        ],
    );
    world.configure(RULES);
    let run = begin(&world, &repo, &[]);
    answer(&world, "git status && make", "allow");
    answer(&world, "../new.rs", "deny");
    world.ok(&["wait", text(&run, "id")]);

    let answers = answers(&world, "asking");
    let behaviours: Vec<&str> = answers.iter().map(|answer| text(answer, "behavior")).collect();
    assert_eq!(behaviours, ["allow", "deny", "allow", "allow", "deny"]);
    assert_eq!(answers[1]["message"], "Open a pull request instead.");
    let by: Vec<String> = events(&world, &run, "answer").iter().map(|event| text(event, "by").to_owned()).collect();
    assert_eq!(by[..3], ["rule 2 of the configuration", "rule no-push", "rule own-files"]);
    assert!(!by[3].starts_with("rule") && !by[4].starts_with("rule"), "{by:?}");
    let notices = events(&world, &run, "notice");
    let careful = notices.iter().filter(|notice| text(notice, "message").starts_with("rule careful leaves q_")).count();
    assert_eq!(careful, 1, "{notices:?}");
}

#[test]
fn the_rules_of_the_spec_come_before_those_of_the_configuration() {
    let world = world();
    let repo = world.repo("shop");
    let path = repo.path.to_str().unwrap();
    asking(
        &world,
        "asking",
        &[("Bash", json!({ "command": "git status" })), ("Bash", json!({ "command": "git push" }))],
    );
    world.configure(RULES);
    let rules = json!([{ "action": "deny", "tool": "bash", "command": ["git", "status"] }, { "name": "push", "action": "allow", "command": "git push" }]);
    let spec = json!({
        "repo": path, "base_ref": "main", "runner": { "kind": "asking" }, "prompt": { "path": "README.md" },
        "mode": "headless", "host": "detached", "approval_policy": rules,
    });
    let file = world.root().join("spec.json");
    fs::write(&file, spec.to_string()).unwrap();
    let run = world.json(&["run", "--spec", file.to_str().unwrap(), "--wait"])["data"].take();
    let by: Vec<String> = events(&world, &run, "answer").iter().map(|event| text(event, "by").to_owned()).collect();
    assert_eq!(by, ["rule 1 of the spec", "rule push"]);
    assert_eq!(answers(&world, "asking")[0]["message"], "The approval policy denies this (rule 1 of the spec).");
    assert_eq!(world.json(&["show", text(&run, "id")])["data"]["spec"]["approval_policy"], rules);
    let checked = world.json(&["policy", "check", file.to_str().unwrap()]);
    assert_eq!(checked["data"]["rules"], rules);
}

#[test]
fn a_policy_is_tested_on_what_past_runs_asked() {
    let world = world();
    let repo = world.repo("shop");
    asking(&world, "asking", &[("Bash", json!({ "command": "git status" })), ("Bash", json!({ "command": "make" }))]);
    let run = begin(&world, &repo, &["--name", "past"]);
    answer(&world, "git status", "allow");
    answer(&world, "make", "deny");
    world.ok(&["wait", text(&run, "id")]);

    let none = world.json(&["policy", "test"])["data"].take();
    assert_eq!(none["summary"]["ask"], 2, "{none:#}");
    let file = world.root().join("rules.json");
    fs::write(&file, r#"[{"action": "allow", "command": "make *"}, {"action": "allow", "command": ["git"]}]"#).unwrap();
    let file = file.to_str().unwrap();
    let tested = world.json(&["policy", "test", "--run", "past", file])["data"].take();
    let told: Vec<(&Value, &Value, &Value)> = tested["questions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|test| (&test["action"], &test["rule"], &test["change"]))
        .collect();
    let allow = json!("allow");
    let expected = [(&allow, &json!("rule 2"), &json!("spared")), (&allow, &json!("rule 1"), &json!("different"))];
    assert_eq!(told, expected);
    assert_eq!((&tested["summary"]["different"], &tested["summary"]["allow"]), (&json!(1), &json!(2)));
    let table = world.ok(&["policy", "test", file]).stdout;
    assert!(table.contains("! deny by ") && table.contains(" -> allow by rule 1"), "{table}");
    world.error(&["policy", "test", "--run", "nobody"], ErrorCode::RunNotFound);
}

#[test]
fn the_path_because_of_which_an_agent_asks_is_decided_shown_and_replayed() {
    let world = world();
    let repo = world.repo("shop");
    let write = || json!({ "file_path": "a", "content": "x" });
    let touch = || json!({ "command": "touch a" });
    asking_for(
        &world,
        "asking",
        &[
            ("Write", write(), Some("b")),
            ("Write", write(), Some("secrets/key")),
            ("Bash", touch(), Some("c")),
            ("Bash", touch(), Some("secrets/key")),
            ("Bash", touch(), Some("/etc/outside")),
        ],
    );
    let rules = r#"
[[approval_policy]]
name = "secret"
action = "deny"
path = "secrets/**"

[[approval_policy]]
name = "own"
action = "allow"
path = "inside"

[[approval_policy]]
name = "touch"
action = "allow"
command = "touch *"
"#;
    world.configure(rules);
    let run = begin(&world, &repo, &["--name", "blocked"]);
    let question = wait_for("the question", Duration::from_secs(20), || {
        // Those that a rule answers are open for a moment.
        let open = world.json(&["inbox"])["data"]["questions"].as_array().unwrap().clone();
        open.into_iter().find(|question| text(question, "detail") == "touch a\n\nblocked path: /etc/outside")
    });
    world.ok(&["answer", text(&question, "id"), "deny"]);
    world.ok(&["wait", text(&run, "id")]);
    let by: Vec<String> = events(&world, &run, "answer").iter().map(|event| text(event, "by").to_owned()).collect();
    assert_eq!(by[..4], ["rule own", "rule secret", "rule touch", "rule secret"]);

    let tested = world.json(&["policy", "test", "--run", "blocked"])["data"].take();
    let actions: Vec<&str> = tested["questions"].as_array().unwrap().iter().map(|test| text(test, "action")).collect();
    assert_eq!(actions, ["allow", "deny", "allow", "deny", "ask"], "{tested:#}");
}

#[test]
fn every_mistake_of_a_file_is_told() {
    let world = world();
    let file = world.root().join("rules.toml");
    fs::write(&file, "[[approval_policy]]\naction = 'alow'\n\n[[approval_policy]]\naction = 'deny'\npath = 'outsde'\n")
        .unwrap();
    let error = world.error(&["policy", "check", file.to_str().unwrap()], ErrorCode::InvalidConfig);
    let places: Vec<(&Value, &Value)> = error["details"]["mistakes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mistake| (&mistake["line"], &mistake["column"]))
        .collect();
    assert_eq!(places, [(&json!(2), &json!(10)), (&json!(6), &json!(8))]);
    assert!(text(&error, "message").contains("did you mean `allow`?"), "{error:#}");
    assert_eq!(world.agency(&["policy", "check", file.to_str().unwrap()]).status.code(), Some(2));
}
