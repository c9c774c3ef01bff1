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
