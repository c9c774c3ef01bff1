//! Rules about commands.

use serde_json::{Value, json};

use super::{Action, bash, decide, decide_in, git_status, permission, policy};

#[test]
fn nothing_is_allowed_that_a_shell_would_read_as_more() {
    let policy = git_status();
    for command in ["git status", "git status --short 'a b'", " git  status\n", "/bin/bash -lc 'git status'"] {
        assert_eq!(bash(&policy, command), Action::Allow, "{command}");
    }
    for command in [
        "git status && rm -rf ~",
        "git status; curl x | sh",
        "git status | sh",
        "git status || rm x",
        "git status & rm x",
        "git status\nrm x",
        "git status $(rm x)",
        "git status `rm x`",
        "git status > ~/.bashrc",
        "git status <(rm x)",
        "FOO=1 git status",
        "GIT_PAGER='rm x' git status",
        "sh -c 'git status'",
        "bash -c 'git status; rm x'",
        "git status # x",
        "git status \\\n; rm x",
        "git status 2>&1",
        "git",
        "git statusx",
        "xgit status",
        "./git status",
        "/tmp/git status",
        "git -C /x status",
        "sudo git status",
        "git 'status;rm x'",
        "git \"status$(rm x)\"",
        "GIT status",
        "git status *",
        "{ git status; }",
        "(git status)",
        "! git status",
        "if git status; then rm x; fi",
        "/bin/bash -lc '/bin/bash -lc \"git status\"'",
        "/bin/bash -lc 'git status' x",
        "/bin/bash -c 'git status'",
        "/tmp/bash -lc 'git status'",
        "/bin/bash -lc 'git status; rm x'",
        "git status ;",
        "git\u{a0}status",
        "git status\r\nrm x",
        "git status\u{2028}rm x",
        "time git status",
        "env git status",
        "xargs git status",
        "",
    ] {
        assert_eq!(bash(&policy, command), Action::Ask, "{command:?}");
    }
}

#[test]
fn each_part_of_a_line_is_decided_alone_and_the_strictest_holds() {
    let policy = policy(json!([
        { "name": "build", "action": "allow", "command": "cargo build *" },
        { "name": "tail", "action": "allow", "command": ["tail"] },
        { "name": "no", "action": "deny", "command": ["rm"] },
    ]));
    let decided = |command: &str| decide(&policy, &permission("Bash", json!({ "command": command })));
    assert_eq!(decided("cargo build -q | tail -3"), (Action::Allow, Some("build, tail".to_owned())));
    assert_eq!(decided("tail x && tail y"), (Action::Allow, Some("tail".to_owned())));
    assert_eq!(decided("tail x; ls"), (Action::Ask, None));
    assert_eq!(decided("ls; tail x && rm y"), (Action::Deny, Some("no".to_owned())));
    let why = decide_in("/ws", &policy, &permission("Bash", json!({ "command": "tail x; ls -l" }))).why;
    assert_eq!(why, "`ls -l`: no rule matches");
    let why = decide_in("/ws", &policy, &permission("Bash", json!({ "command": "tail $x" }))).why;
    assert!(why.starts_with("no rule matches; it has '$'"), "{why}");
}

#[test]
fn a_deny_finds_what_may_be_meant() {
    let policy = policy(json!([
        { "action": "deny", "command": ["rm"] },
        { "action": "ask", "command": "git push" },
        { "action": "allow", "tool": "Bash" },
    ]));
    for command in [
        "rm x",
        "/bin/rm x",
        "RM x",
        "r'm' x",
        "a; rm x",
        "A=b rm x",
        "$(rm x)",
        "a `rm x`",
        "(rm x)",
        "a\nrm x",
        "sudo -u me rm x",
        "sh -c 'a; rm x'",
        "find . -exec rm x",
        "if a; then rm x; fi",
        "a & rm x",
        "eval 'rm x'",
        "xargs rm",
        "a > b; rm x",
        "/bin/bash -lc 'rm x'",
        "/bin/bash -lc 'rm $x'",
        "nohup /bin/rm x",
    ] {
        assert_eq!(bash(&policy, command), Action::Deny, "{command}");
    }
    let long = format!("sudo {} $x", "git ".repeat(20_000));
    assert_eq!(bash(&policy, &long), Action::Allow);
    assert_eq!(bash(&policy, &format!("{long}; rm x")), Action::Deny);
    assert_eq!(bash(&policy, "git push --force origin main"), Action::Ask);
    for command in ["git rm x", "echo rm", "git rm $x", "rmdir x", "ls"] {
        assert_eq!(bash(&policy, command), Action::Allow, "{command}");
    }
}

#[test]
fn commands_come_as_lines_or_as_words_and_with_nothing_more() {
    let policy = git_status();
    let decided = |input: Value| decide(&policy, &permission("command_execution", input)).0;
    assert_eq!(decided(json!({ "command": ["git", "status"] })), Action::Allow);
    assert_eq!(decided(json!({ "command": ["/bin/bash", "-lc", "git status"] })), Action::Allow);
    assert_eq!(decided(json!({ "command": "/bin/bash -lc 'git status'", "cwd": "/ws/src" })), Action::Allow);
    assert_eq!(
        decided(json!({ "cmd": "git status", "timeout": 5, "sandbox": false, "permissions": null })),
        Action::Allow
    );
    for more in [
        json!({ "command": ["/bin/bash", "-lc", "git status; rm x"] }),
        json!({ "command": ["git", "status"], "cwd": "/etc" }),
        json!({ "command": ["git", "status"], "cwd": "/ws/out" }),
        json!({ "command": "git status", "permissions": { "network": true } }),
        json!({ "command": "git status", "network": "example.com" }),
        json!({ "command": "git status", "dangerouslyDisableSandbox": true }),
        json!({ "command": "git status", "cmd": "rm x" }),
        json!({ "command": "git", "args": ["status"] }),
        json!({ "command": ["git", 1] }),
        json!({ "command": [] }),
        json!({ "command": { "a": "git status" } }),
        json!({ "command": null }),
        json!("git status"),
    ] {
        assert_eq!(decided(more.clone()), Action::Ask, "{more}");
    }
}

#[test]
fn a_text_with_wildcards_is_about_whole_words() {
    let fits = |pattern: &str, command: &str| {
        bash(&policy(json!([{ "action": "allow", "command": pattern }])), command) == Action::Allow
    };
    assert!(fits("git status", "git status"));
    assert!(!fits("git status", "git status -s"));
    assert!(fits("git status *", "git status"));
    assert!(fits("npm run test:*", "npm run test:unit"));
    assert!(!fits("npm run test:*", "npm run test:unit --watch"));
    assert!(fits("cargo * --locked", "cargo test -q --locked"));
    assert!(!fits("cargo * --locked", "cargo test --locked -q"));
    assert!(fits("cat src/*", "cat src/a/b"));
    assert!(!fits("cat src/*", "cat 'src/a' /etc/passwd"));
}

#[test]
fn a_line_for_a_shell_of_windows_is_not_read_as_one_for_sh() {
    let policy = policy(json!([
        { "action": "deny", "command": ["git", "push"] },
        { "action": "allow", "command": ["git", "status"] },
        { "action": "allow", "command": ["echo"] },
    ]));
    for tool in ["PowerShell", "powershell", "pwsh", "mcp__x__PowerShell", "Power-Shell_x", "cmd"] {
        let decided = |line: &str| decide(&policy, &permission(tool, json!({ "command": line }))).0;
        let expected = if tool == "Power-Shell_x" { Action::Allow } else { Action::Ask };
        // To a shell of Windows, `'` and `%` mean something else.
        for line in ["git status", "echo 'a'", "echo %PATH%"] {
            assert_eq!(decided(line), expected, "{tool}: {line}");
        }
    }
    let decided = |line: &str| decide(&policy, &permission("PowerShell", json!({ "command": line }))).0;
    for line in [
        "git push",
        "GIT.EXE Push",
        "g`it pu`sh",
        "C:\\tools\\git.exe push",
        "echo a; git push",
        "& git push",
        "if ($x) { git push }",
    ] {
        assert_eq!(decided(line), Action::Deny, "{line}");
    }
    for line in ["pwsh -c 'git push'", "powershell.exe -Command git push", "cmd /c git push"] {
        assert_eq!(bash(&policy, line), Action::Deny, "{line}");
    }
}
