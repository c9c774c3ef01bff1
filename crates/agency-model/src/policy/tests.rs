//! Whole policies against what agents ask.

mod commands;
mod paths;
mod properties;
mod untold;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::*;
use crate::ToolRequest;
use crate::document::{Format, Source, decode, read_json};

fn policy(rules: Value) -> Policy {
    serde_json::from_value(rules).unwrap()
}

fn permission(tool: &str, input: Value) -> Question {
    Question {
        key: "k".into(),
        kind: QuestionKind::Permission,
        title: tool.to_owned(),
        detail: String::new(),
        options: vec![],
        several: false,
        free_text: false,
        only_on_screen: false,
        tool: Some(ToolRequest::new(tool, input)),
    }
}

/// A world in which `/ws/out` leads to `/etc`, `/ws/self` in a circle, `/ws/new` to what is not there yet, `/ws/docs` to
/// `/ws/src/docs`, and `/tmp/ws` to `/ws`.
fn look(path: &Path) -> PathKind {
    match path.to_str() {
        Some("/ws/out") => PathKind::Link(PathBuf::from("/etc")),
        Some("/ws/self") => PathKind::Link(PathBuf::from("self")),
        Some("/ws/new") => PathKind::Link(PathBuf::from("../gone/x")),
        Some("/ws/out2") => PathKind::Link(PathBuf::from("/etc")),
        Some("/ws/docs") => PathKind::Link(PathBuf::from("./src/docs")),
        Some("/tmp/ws") => PathKind::Link(PathBuf::from("/ws")),
        Some("/ws/secret") => PathKind::Unknown,
        _ => PathKind::Plain,
    }
}

fn decide_in(workspace: &str, policy: &Policy, question: &Question) -> Decision {
    policy.decide(question, &Ground { workspace: Path::new(workspace), look: &look })
}

fn decide(policy: &Policy, question: &Question) -> (Action, Option<String>) {
    let decision = decide_in("/ws", policy, question);
    (decision.action, decision.rule)
}

fn bash(policy: &Policy, command: &str) -> Action {
    decide(policy, &permission("Bash", json!({ "command": command, "description": "d" }))).0
}

fn git_status() -> Policy {
    policy(json!([{ "action": "allow", "command": ["git", "status"] }]))
}

#[test]
fn the_first_rule_that_is_about_it_decides_and_without_one_it_is_asked() {
    let policy = policy(json!([
        { "name": "no-push", "action": "deny", "command": ["git", "push"], "message": "Open a pull request." },
        { "action": "ask", "tool": "Bash", "command": "git reset *" },
        { "action": "allow", "command": "git *" },
        { "action": "deny", "tool": ["web_*", "WebFetch"] },
    ]));
    let decided = |tool: &str, input: Value| decide_in("/ws", &policy, &permission(tool, input));
    let push = decided("Bash", json!({ "command": "git push -f" }));
    assert_eq!((push.action, push.by().as_str()), (Action::Deny, "rule no-push"));
    assert_eq!(push.answer(), Some(Answer::Deny { message: Some("Open a pull request.".to_owned()) }));
    let reset = decided("Bash", json!({ "command": "git reset --hard" }));
    assert_eq!((reset.action, reset.rule.as_deref(), reset.answer()), (Action::Ask, Some("rule 2"), None));
    let log = decided("Bash", json!({ "command": "git log" }));
    assert_eq!(
        (log.action, log.by().as_str(), log.answer()),
        (Action::Allow, "rule 3", Some(Answer::Allow { message: None }))
    );
    let fetch = decided("webfetch", json!({ "url": "https://example.com" }));
    assert_eq!(fetch.message.as_deref(), Some("The approval policy denies this (rule 4)."));
    let other = decided("Bash", json!({ "command": "ls" }));
    assert_eq!((other.action, other.rule, other.why.as_str()), (Action::Ask, None, "no rule matches"));
}

#[test]
fn only_permissions_are_for_rules() {
    let everything = policy(json!([{ "action": "allow" }]));
    for kind in QuestionKind::ALL {
        let question = Question { kind: *kind, ..permission("X", json!({})) };
        let expected = if *kind == QuestionKind::Permission { Action::Allow } else { Action::Ask };
        assert_eq!(decide(&everything, &question).0, expected, "{kind}");
    }
    let no_tool = Question { tool: None, ..permission("X", json!({})) };
    assert_eq!(decide(&policy(json!([{ "action": "deny", "tool": "*" }])), &no_tool).0, Action::Ask);
}

#[test]
fn tools_are_found_by_any_usual_spelling() {
    let fits = |pattern: Value, tool: &str| {
        decide(&policy(json!([{ "action": "allow", "tool": pattern }])), &permission(tool, json!({}))).0
            == Action::Allow
    };
    assert!(fits(json!("bash"), "Bash"));
    assert!(fits(json!("Command-Execution"), "command_execution"));
    assert!(fits(json!(["read", "mcp__github__*"]), "mcp__GitHub__list-issues"));
    assert!(!fits(json!("read"), "ReadAll"));
    assert!(!fits(json!("read"), "Thread"));
}

#[test]
fn the_rules_of_a_spec_come_first_and_say_where_they_are() {
    let spec = policy(json!([{ "action": "ask", "tool": "Bash" }]));
    let configuration = policy(json!([{ "action": "deny", "tool": "Edit" }, { "name": "all", "action": "allow" }]));
    let merged = Policy::of_run(&spec.rules, &configuration);
    let by = |tool: &str| decide_in("/ws", &merged, &permission(tool, json!({}))).by();
    assert_eq!([by("Bash"), by("Edit"), by("X")], ["rule 1 of the spec", "rule 1 of the configuration", "rule all"]);
}

/// The mistakes in the rules of a file, one line for each.
fn mistakes_in(rules: &Value) -> String {
    let text = rules.to_string();
    let source = Source::new("p.json", &text, Format::Json);
    let (root, mut mistakes) = read_json(&source);
    mistakes.extend(root.and_then(|root| decode::<Vec<Rule>>(&root, &source).err()).into_iter().flatten());
    mistakes.into_iter().map(with_missing_action).map(|mistake| mistake.statement() + "\n").collect()
}

#[test]
fn every_mistake_is_told_and_what_was_probably_meant() {
    let rules = json!([
        { "action": "alow", "tol": "Bash" },
        { "tool": [] },
        { "action": "deny", "command": "git status && ls", "path": "insde" },
        { "action": "ask", "message": "no" },
        { "action": "allow", "command": ["ls"], "path": "inside" },
        { "action": "allow", "command": "*" },
        { "action": "allow", "command": [""] },
        { "action": "allow", "path": "/etc" },
        { "action": "allow", "path": "src/" },
        { "action": "allow", "tool": 5, "name": "\n" },
        { "action": "ask", "name": "" },
        "ask",
    ]);
    insta::assert_snapshot!(mistakes_in(&rules), @r#"
    `[0].action`: "alow" is not an action: did you mean `allow`?
    `[0].tol`: unknown key
    `[1].tool`: it is empty: leave it out where it does not matter
    `[1].action`: missing, expected `allow`, `deny` or `ask`
    `[2].command`: '&' is not allowed in a pattern: a pattern matches one command, and each part of a longer line is matched separately
    `[2].path`: `insde`: did you mean `inside`? A file of that name is `./insde`
    `[3]`: `message` is sent to the agent with a `deny`; this rule does not deny
    `[4]`: `command` and `path` exclude each other: which paths a command touches is not known from its words
    `[5].command`: it is empty: leave it out where it does not matter
    `[6].command`: it is empty: leave it out where it does not matter
    `[7].path`: `/etc` does not begin in the workspace: write `outside` for everything that is not in it
    `[8].path`: `src/` has an empty part: write `src/**` for everything below a directory
    `[9].tool`: expected a string or a list of strings
    `[10]`: a name has 1 to 100 characters on one line
    `[11]`: expected a rule with an `action`, found "ask"
    "#);
    insta::assert_snapshot!(mistakes_in(&json!({})), @"expected an array, found an object");
}

#[test]
fn a_rule_is_stored_as_it_was_written() {
    let rules = json!([
        { "name": "a", "action": "deny", "tool": ["Bash"], "command": ["git", "push"], "message": "no" },
        { "action": "allow", "tool": "Edit", "path": "./src/**" },
        { "action": "ask", "command": "git *" },
    ]);
    assert_eq!(serde_json::to_value(policy(rules.clone())).unwrap(), rules);
}
