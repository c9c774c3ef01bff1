//! Rules about paths.

use serde_json::{Value, json};

use super::{Action, decide, decide_in, permission, policy};

#[test]
fn paths_are_inside_by_their_words_and_by_their_symlinks() {
    let policy = policy(json!([
        { "name": "in", "action": "allow", "tool": "write", "path": "inside" },
        { "name": "out", "action": "deny", "path": "outside" },
    ]));
    let decided = |input: Value| decide(&policy, &permission("Write", input)).0;
    for path in ["a", "src/./a", "/ws", "/ws/a", "/ws/src/../a", "docs/a", "/ws/docs"] {
        assert_eq!(decided(json!({ "file_path": path, "content": "/etc/passwd ../.." })), Action::Allow, "{path}");
    }
    for path in [
        "/etc/passwd",
        "../x",
        "/ws/../x",
        "/wsx",
        "out/passwd",
        "out/../tmp/a",
        "docs/../out2",
        "new",
        "self",
        "secret/x",
        "~/x",
        "$HOME/x",
        "file:///etc",
        "file:a",
        "FILE:/ws/a",
        " /ws/a",
        "a\0",
        "",
        "src/../../ws/../etc",
    ] {
        assert_eq!(decided(json!({ "file_path": path })), Action::Deny, "{path:?}");
    }
    let two =
        json!({ "changes": [{ "path": "/ws/a", "diff": "" }, { "path": "/ws/b", "kind": { "move_path": "/etc/x" } }] });
    assert_eq!(decided(two), Action::Deny);
    assert_eq!(decided(json!({ "changes": [{ "path": "/ws/a", "diff": "+../x" }] })), Action::Allow);
    assert_eq!(decided(json!({ "changes": { "/etc/x": { "add": 1 } } })), Action::Deny);
    assert_eq!(decided(json!({ "path": "a", "pattern": "/etc/**" })), Action::Deny);
    assert_eq!(decided(json!({ "path": "a", "patch": "x" })), Action::Deny);
    assert_eq!(decided(json!({ "path": "a", "grant_root": "/" })), Action::Deny);
    assert_eq!(decided(json!({ "content": "x" })), Action::Ask);
    assert_eq!(decided(json!({ "path": "a", "command": "rm x" })), Action::Ask);
    assert_eq!(decided(json!({ "command": "cat /etc/passwd", "cwd": "/etc" })), Action::Ask);
    assert_eq!(decided(json!({ "cwd": "/ws", "network": { "host": "example.com" } })), Action::Ask);
    assert_eq!(decided(json!({ "path": "a", "directory": "/etc" })), Action::Deny);
    let many: Vec<Value> = (0..2000).map(|_| json!("a")).chain([json!("/etc")]).collect();
    assert_eq!(decided(json!({ "path": "a", "names": many })), Action::Deny);
    assert_eq!(decided(json!({ "paths": many })), Action::Deny);
    let through = |path: &str| decide_in("/tmp/ws", &policy, &permission("Write", json!({ "file_path": path }))).action;
    assert_eq!([through("a"), through("/ws/a"), through("/tmp/ws/a")], [Action::Allow; 3]);
    assert_eq!(through("/tmp/a"), Action::Deny);
}

#[test]
fn paths_below_the_workspace_are_matched_part_by_part() {
    let policy = policy(json!([
        { "action": "deny", "path": ".git/**" },
        { "action": "deny", "path": "**/.env*" },
        { "action": "allow", "path": "src/**/*.rs" },
        { "action": "allow", "path": "./docs/*" },
    ]));
    let decided = |path: &str| decide(&policy, &permission("Edit", json!({ "path": path }))).0;
    for (path, action) in [
        (".git", Action::Deny),
        (".git/hooks/x", Action::Deny),
        (".GIT/config", Action::Deny),
        ("a/.env.local", Action::Deny),
        ("src/a.rs", Action::Allow),
        ("src/a/b/c.rs", Action::Allow),
        ("src/a.RS", Action::Ask),
        ("src/a.txt", Action::Ask),
        // It leads to src/docs, which is not docs.
        ("docs/a", Action::Ask),
        ("docs/../.git/x", Action::Deny),
        ("other", Action::Ask),
    ] {
        assert_eq!(decided(path), action, "{path}");
    }
}

#[test]
fn every_text_that_may_be_a_path_is_looked_at() {
    let policy = policy(json!([
        { "name": "git", "action": "deny", "path": ".git/**" },
        { "name": "out", "action": "deny", "path": "outside" },
        { "name": "src", "action": "allow", "path": "src/**" },
    ]));
    let decided = |input: Value| decide(&policy, &permission("move", input)).0;
    for to in [".git/hooks/x", ".git\\hooks\\x", ".GIT/x", "out", "out/passwd", "/etc/x", "../x", "$HOME/x"] {
        for input in [
            json!({ "path": "src/a", "to": to }),
            json!({ "path": "src/a", "more": [{ "deep": ["src/b", to] }] }),
            json!({ "from": "src/a", "to": to }),
            json!({ "blocked_path": to, "path": "src/a" }),
        ] {
            // A single word that follows no path may have nothing to do with files.
            let expected = if to == "out" && input.get("from").is_some() { Action::Ask } else { Action::Deny };
            assert_eq!(decided(input.clone()), expected, "{input}");
        }
    }
    for input in [
        json!({ "path": "src/a", "to": "Makefile" }),
        json!({ "path": "src/a", "to": "docs/b" }),
        json!({ "path": "src/a", "to": "$HOME" }),
        json!({ "from": "src/a", "to": "src/b" }),
        json!({ "network": { "host": "example.com" } }),
    ] {
        assert_eq!(decided(input.clone()), Action::Ask, "{input}");
    }
    for input in [
        json!({ "path": "src/a", "to": "src/b" }),
        json!({ "path": "src/a", "mode": "replace", "cell_id": "c1", "content": ".git/x", "url": "https://example.com" }),
        json!({ "path": "src/a", "pattern": "fn (main|x)$", "body": "several\n/lines" }),
        json!({ "path": "src/a", "line": 5, "all": true, "limit": null }),
    ] {
        assert_eq!(decided(input.clone()), Action::Allow, "{input}");
    }
}

#[test]
fn the_path_for_which_an_agent_asks_is_one_of_its_paths() {
    let asked = |tool: &str, input: Value, blocked: Value| {
        let mut question = permission(tool, input);
        question.tool.as_mut().unwrap().blocked_path = Some(blocked);
        question
    };
    let rules = policy(json!([
        { "name": "secret", "action": "deny", "path": "secrets/**" },
        { "name": "in", "action": "allow", "path": "inside" },
        { "name": "touch", "action": "allow", "command": "touch *" },
    ]));
    let decided = |tool: &str, input: Value, blocked: Value| decide(&rules, &asked(tool, input, blocked)).0;
    let write = || json!({ "file_path": "a", "content": "x" });
    let touch = || json!({ "command": "touch a" });
    for inside in ["/ws/a", "b", "docs/x"] {
        assert_eq!(decided("Write", write(), json!(inside)), Action::Allow, "{inside}");
        assert_eq!(decided("Bash", touch(), json!(inside)), Action::Allow, "{inside}");
    }
    for outside in ["/etc/x", "../x", "out/x", "/wsx"].map(Value::from) {
        assert_eq!(decided("Write", write(), outside.clone()), Action::Ask, "{outside}");
        assert_eq!(decided("Bash", touch(), outside.clone()), Action::Ask, "{outside}");
    }
    // What leads anywhere may lead to what is denied.
    for denied in [json!("/ws/secrets/x"), json!("secrets"), json!("~/x"), json!(""), json!(5), json!(["/ws/a"])] {
        assert_eq!(decided("Write", write(), denied.clone()), Action::Deny, "{denied}");
        assert_eq!(decided("Bash", touch(), denied.clone()), Action::Deny, "{denied}");
    }
    // It does not stand for the paths that a tool is not given.
    assert_eq!(decided("Other", json!({ "x": 1 }), json!("/ws/a")), Action::Ask);
    assert_eq!(decided("Write", write(), Value::Null), Action::Allow);
    let outside = policy(json!([{ "action": "deny", "path": "outside" }, { "action": "allow" }]));
    assert_eq!(decide(&outside, &asked("Bash", touch(), json!("/etc/x"))).0, Action::Deny);
}
