//! Permissions without the exact command or path.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Action, Question, decide, decide_in, permission, policy};

/// Inputs with neither a command nor a path.
fn untold() -> Vec<Value> {
    vec![
        json!({ "title": "git status" }),
        json!({ "title": "git push --for\u{2026}" }),
        json!({ "shown": "Bash command\n  git push\nDo you want to proceed?" }),
        json!({ "shown": "/ws/a" }),
        json!({ "title": "a", "shown": "b" }),
        json!({ "changes": null }),
        json!({ "command": null, "cwd": "/ws", "network": { "host": "example.com" } }),
        json!({ "title": "x", "command": null }),
        json!("git push"),
        json!(["git", "push"]),
        Value::Null,
    ]
}

#[test]
fn a_deny_that_may_be_meant_is_asked_and_never_passed_over() {
    for about in [json!({ "command": ["git", "push"] }), json!({ "path": ".git/**" }), json!({ "path": "outside" })] {
        for strict in ["deny", "ask"] {
            let mut rule = about.clone();
            rule["action"] = json!(strict);
            rule["name"] = json!("careful");
            let policy = policy(json!([rule, { "action": "allow" }]));
            for input in untold() {
                let decision = decide_in("/ws", &policy, &permission("Bash", input.clone()));
                assert_eq!(decision.action, Action::Ask, "{about} {strict}: {input}");
                assert_eq!(decision.rule.as_deref(), Some("careful"), "{about} {strict}: {input}");
                assert_eq!(decision.message, None);
                assert!(decision.why.contains("did not report the exact action"), "{}", decision.why);
            }
        }
    }
}

#[test]
fn a_deny_that_cannot_be_meant_changes_nothing() {
    let policy = policy(json!([
        { "action": "deny", "tool": "WebFetch", "path": "outside" },
        { "action": "deny", "tool": "Dangerous" },
        { "action": "allow", "tool": "Bash" },
        { "action": "deny", "command": ["git", "push"] },
    ]));
    for input in untold() {
        let decided = |tool: &str| decide(&policy, &permission(tool, input.clone())).0;
        // What follows a rule that is about it does not matter, reported or not.
        assert_eq!(decided("Bash"), Action::Allow, "{input}");
        assert_eq!(decided("Dangerous"), Action::Deny, "{input}");
        assert_eq!(decided("Other"), Action::Ask, "{input}");
    }
}

#[test]
fn what_is_shown_is_never_allowed_as_a_command_or_a_path() {
    let policy = policy(json!([
        { "action": "allow", "command": ["git", "status"] },
        { "action": "allow", "path": "inside" },
    ]));
    for input in untold() {
        assert_eq!(decide(&policy, &permission("Bash", input.clone())), (Action::Ask, None), "{input}");
    }
}

#[test]
fn a_tool_that_is_not_told_may_be_any() {
    let unnamed = Question { tool: None, ..permission("x", json!({})) };
    let everything = policy(json!([{ "action": "allow" }]));
    assert_eq!(decide(&everything, &unnamed).0, Action::Allow);
    let but_one = policy(json!([{ "action": "deny", "tool": "Bash" }, { "action": "allow" }]));
    assert_eq!(decide(&but_one, &unnamed).0, Action::Ask);
    let only_one = policy(json!([{ "action": "allow", "tool": "Bash" }]));
    assert_eq!(decide(&only_one, &unnamed).0, Action::Ask);
}

/// Inputs that do not say which command is run, and what is known of the tool that gets them.
fn commands_that_are_not_known() -> Vec<(&'static str, Value)> {
    vec![
        ("Bash", json!({})),
        ("Bash", json!({ "command": 5 })),
        ("Bash", json!({ "command": true })),
        ("Bash", json!({ "command": "" })),
        ("Bash", json!({ "command": [] })),
        ("Bash", json!({ "script": "git push" })),
        ("Bash", json!({ "command": { "x": "git push" } })),
        ("Bash", json!({ "commands": ["git push"] })),
        ("run_shell_command", json!({ "description": "d" })),
        ("command_execution", json!({ "cwd": "/ws" })),
        ("execute", json!({ "args": ["git", "push"] })),
        ("mcp__box__terminal-exec", json!({ "line": "git push" })),
        ("PowerShell", json!({ "script": "git push" })),
        ("write", json!({ "command": { "x": "git push" }, "path": "a" })),
        ("", json!({})),
        (" ", json!({ "file_path": "a" })),
    ]
}

#[test]
fn a_deny_with_a_command_is_asked_where_the_command_is_not_known() {
    for strict in ["deny", "ask"] {
        let policy = policy(json!([
            { "name": "careful", "action": strict, "command": ["git", "push"] },
            { "action": "deny", "path": "secrets/**" },
            { "action": "allow", "path": "inside" },
            { "action": "allow" },
        ]));
        for (tool, input) in commands_that_are_not_known() {
            let decision = decide_in("/ws", &policy, &permission(tool, input.clone()));
            let decided = (decision.action, decision.rule.as_deref());
            assert_eq!(decided, (Action::Ask, Some("careful")), "{strict}: {tool:?} {input}");
        }
        // What is known to run no command, or another one, is not held up.
        for (tool, input) in [
            ("Read", json!({})),
            ("Write", json!({ "file_path": "a", "content": "git push" })),
            ("mcp__github__list_issues", json!({ "state": "open" })),
            ("Bash", json!({ "command": "ls" })),
            ("command_execution", json!({ "command": "ls", "cwd": "/ws", "network": { "host": "example.com" } })),
        ] {
            assert_eq!(decide(&policy, &permission(tool, input.clone())).0, Action::Allow, "{tool} {input}");
        }
    }
}

#[test]
fn a_command_beside_another_one_is_denied_too() {
    let policy = policy(json!([{ "action": "deny", "command": ["git", "push"] }, { "action": "allow" }]));
    for input in [
        json!({ "command": "ls", "cmd": "git push" }),
        json!({ "cmd": "ls", "command": "git push" }),
        json!({ "command": 5, "cmd": "git push" }),
    ] {
        assert_eq!(decide(&policy, &permission("Bash", input.clone())).0, Action::Deny, "{input}");
    }
    let listing = self::policy(json!([{ "action": "allow", "command": "ls" }]));
    assert_eq!(decide(&listing, &permission("Bash", json!({ "command": "ls", "cmd": "ls" }))).0, Action::Ask);
}

#[test]
fn a_tool_without_a_name_may_be_any() {
    let but_one = policy(json!([{ "action": "deny", "tool": "Bash" }, { "action": "allow" }]));
    assert_eq!(decide(&but_one, &permission("", json!({ "x": 1 }))).0, Action::Ask);
    let every = policy(json!([{ "action": "allow", "tool": "*" }]));
    assert_eq!(decide(&every, &permission(" ", json!({ "x": 1 }))).0, Action::Ask);
}

proptest! {
    #[test]
    fn no_title_gets_past_a_deny(title in ".{0,40}", shown in any::<bool>()) {
        let policy = policy(json!([{ "action": "deny", "command": ["rm"] }, { "action": "allow" }]));
        let input = if shown { json!({ "shown": title }) } else { json!({ "title": title }) };
        prop_assert_eq!(decide(&policy, &permission("execute", input)).0, Action::Ask);
    }
}
