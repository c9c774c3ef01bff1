//! How the mistakes of whole files are reported.

use super::{json, toml};
use crate::config::ConfigError;
use agency_model::Position;

fn toml_error(text: &str) -> String {
    toml(text).unwrap_err().to_string()
}

fn json_error(text: &str) -> String {
    json(text).unwrap_err().to_string()
}

#[test]
fn broken_syntax() {
    insta::assert_snapshot!(
        toml_error("host = 'tmux'\nmax_agents = = 3"),
        @"config.toml:2:14: not valid TOML: extra `=`, expected nothing"
    );
    insta::assert_snapshot!(toml_error("[tmux\n"), @"config.toml:1:6: not valid TOML: unclosed table, expected `]`");
    insta::assert_snapshot!(
        toml_error("host = 'tmux'\nhost = 'tmux'"),
        @"config.toml:2:1: not valid TOML: duplicate key"
    );
    insta::assert_snapshot!(json_error("{\n  \"host\": tmux\n}"), @"config.json:2:12: not valid JSON: expected ident");
    insta::assert_snapshot!(
        json_error("{\"host\": \"tmux\""),
        @"config.json:1:15: not valid JSON: EOF while parsing an object"
    );
    insta::assert_snapshot!(json_error(""), @"config.json:1:1: not valid JSON: EOF while parsing a value");
    insta::assert_snapshot!(
        json_error("{\"agents\": {},\n \"agents\": {}}"),
        @"config.json:2:2: `agents`: duplicate key"
    );
}

#[test]
fn unknown_keys() {
    insta::assert_snapshot!(
        toml_error("max_agents = 2\nmax_agent = 3"),
        @"config.toml:2:1: `max_agent`: unknown key; did you mean `max_agents`?"
    );
    insta::assert_snapshot!(
        toml_error("[limit]\nmax_minutes = 3"),
        @"config.toml:1:2: `limit`: unknown key; did you mean `limits`?"
    );
    insta::assert_snapshot!(
        toml_error("[limits]\n  max_minute = 3"),
        @"config.toml:2:3: `limits.max_minute`: unknown key; did you mean `max_minutes`?"
    );
    insta::assert_snapshot!(
        toml_error("max_minutes = 3"),
        @"config.toml:1:1: `max_minutes`: unknown key; did you mean `limits.max_minutes`?"
    );
    insta::assert_snapshot!(
        toml_error("colour = 'red'"),
        @"config.toml:1:1: `colour`: unknown key, expected one of `default_agent`, `max_agents`, `host`, `branch_template`, `vcs`, `trust_worktrees`, `allow_self_answer`, `wrapper`, `diff_tool`, `pid_dir`, `tmux`, `limits`, `restart`, `database`, `approval_policy`, `notify`, `forecast`, `gc`, `land`, `mcp`, `tui`, `sources_dir`, `agents`"
    );
    insta::assert_snapshot!(
        toml_error("[agents.mine]\ncomand = 'm'"),
        @"config.toml:2:1: `agents.mine.comand`: unknown key; did you mean `command`?"
    );
    insta::assert_snapshot!(
        toml_error("\"ho\\u001bst\" = 1"),
        @r#"config.toml:1:1: `"ho\u{1b}st"`: unknown key; did you mean `host`?"#
    );
    insta::assert_snapshot!(
        json_error("{\n  \"tmux\": {\n    \"sockets\": \"\"\n  }\n}"),
        @"config.json:3:5: `tmux.sockets`: unknown key; did you mean `socket`?"
    );
}

#[test]
fn every_mistake_is_told_in_the_order_of_the_text() {
    insta::assert_snapshot!(
        toml_error("max_agent = 1\naaa = 2\n[limits]\nmax_minutes = -1\n[agents.mine]\nargs = [1, 'a', 2]"),
        @r"
    config.toml:1:1: `max_agent`: unknown key; did you mean `max_agents`?
    config.toml:2:1: `aaa`: unknown key, expected one of `default_agent`, `max_agents`, `host`, `branch_template`, `vcs`, `trust_worktrees`, `allow_self_answer`, `wrapper`, `diff_tool`, `pid_dir`, `tmux`, `limits`, `restart`, `database`, `approval_policy`, `notify`, `forecast`, `gc`, `land`, `mcp`, `tui`, `sources_dir`, `agents`
    config.toml:4:15: `limits.max_minutes`: expected a whole number from 0 to 525600, found the number -1
    config.toml:6:9: `agents.mine.args[0]`: expected a string, found the number 1
    config.toml:6:17: `agents.mine.args[2]`: expected a string, found the number 2
    "
    );
}

#[test]
fn wrong_types_and_values() {
    insta::assert_snapshot!(
        toml_error("host = 'tmux'\nmax_agents = 'eight'"),
        @r#"config.toml:2:14: `max_agents`: expected a whole number from 1 to 4294967295, found "eight""#
    );
    insta::assert_snapshot!(
        toml_error("max_agents = 0"),
        @"config.toml:1:14: `max_agents`: expected a whole number from 1 to 4294967295, found the number 0"
    );
    insta::assert_snapshot!(
        json_error("{\n  \"max_agents\": 0\n}"),
        @"config.json:2:17: `max_agents`: expected a whole number from 1 to 4294967295, found the number 0"
    );
    insta::assert_snapshot!(
        toml_error("max_agents = 99999999999"),
        @"config.toml:1:14: `max_agents`: expected a whole number from 1 to 4294967295, found the number 99999999999"
    );
    insta::assert_snapshot!(
        toml_error("[limits]\nstop_grace_seconds = -1"),
        @"config.toml:2:22: `limits.stop_grace_seconds`: expected a whole number from 0 to 86400, found the number -1"
    );
    insta::assert_snapshot!(
        toml_error("database.lock_timeout_seconds = 1.5"),
        @"config.toml:1:33: `database.lock_timeout_seconds`: expected a whole number from 0 to 86400, found the number 1.5"
    );
    insta::assert_snapshot!(
        toml_error("host = 'screen'"),
        @r#"config.toml:1:8: `host`: expected "auto" or "tmux" or "detached", found "screen""#
    );
    insta::assert_snapshot!(
        toml_error("host = 1"),
        @"config.toml:1:8: `host`: expected a string, found the number 1"
    );
    insta::assert_snapshot!(
        json_error("{\"wrapper\": null}"),
        @"config.json:1:13: `wrapper`: expected a string, found `null`"
    );
    insta::assert_snapshot!(
        toml_error("[notify]\ncommand = 'say hello'"),
        @r#"config.toml:2:11: `notify.command`: expected an array, found "say hello""#
    );
    insta::assert_snapshot!(
        toml_error("notify.command = ['', 'x']"),
        @r#"config.toml:1:18: `notify.command`: expected the name or path of a program, found """#
    );
    insta::assert_snapshot!(
        toml_error("[gc]\nage = 'a week'"),
        @r#"config.toml:2:7: `gc.age`: expected a duration such as 45s, 10m, 2h, 7d or 2w, found "a week""#
    );
    insta::assert_snapshot!(toml_error("limits = [5]"), @"config.toml:1:10: `limits`: expected a table, found an array");
    insta::assert_snapshot!(json_error("[]"), @"config.json:1:1: expected a table of settings, found an array");
}

#[test]
fn wrong_values_of_agents() {
    insta::assert_snapshot!(
        toml_error("[agents.mine]\ncommand = 'm'\nprompt = 'pipe'"),
        @"config.toml:3:10: `agents.mine.prompt`: `pipe` is not a way to pass a prompt: use `stdin`, `argument`, `file`, `protocol` or `flag:--name`"
    );
    insta::assert_snapshot!(
        json_error("{\"agents\": {\"codex\": {\"prompt\": \"flag:\"}}}"),
        @"config.json:1:33: `agents.codex.prompt`: `flag:` is not a way to pass a prompt: use `stdin`, `argument`, `file`, `protocol` or `flag:--name`"
    );
    insta::assert_snapshot!(
        json_error("{\"agents\": {\"codex\": {\"command\": null}}}"),
        @"config.json:1:34: `agents.codex.command`: expected a string, found `null`"
    );
    insta::assert_snapshot!(
        toml_error("[agents.mine]\ncommand = ''"),
        @r#"config.toml:2:11: `agents.mine.command`: expected the name or path of a program, found """#
    );
    insta::assert_snapshot!(
        toml_error("[agents.mine]\nargs = [\n  'a',\n  2,\n]"),
        @"config.toml:4:3: `agents.mine.args[1]`: expected a string, found the number 2"
    );
    insta::assert_snapshot!(
        toml_error("[agents.mine]\ncommand = 'm'\nenv = { 'A=B' = 'x' }"),
        @"config.toml:3:7: `agents.mine.env`: a variable's name is not empty and has no `=`"
    );
    insta::assert_snapshot!(
        toml_error("[agents.mine]\ncommand = 'm'\nstream = 'driver'"),
        @"config.toml:1:1: `agents.mine.headless`: `driver` is only for agency's own program: use another `stream`"
    );
    insta::assert_snapshot!(toml_error("agents.mine = 'm'"), @r#"config.toml:1:15: `agents.mine`: expected a table, found "m""#);
}

#[test]
fn names_of_agents() {
    insta::assert_snapshot!(
        toml_error("[agents.one]\n[agents.two]\n[agents.'my agent']"),
        @r#"
    config.toml:1:9: `agents.one`: it is not a built-in agent, so it needs a `command`
    config.toml:2:9: `agents.two`: it is not a built-in agent, so it needs a `command`
    config.toml:3:9: `agents."my agent"`: an agent's name has only letters, digits, `_` and `-`
    "#
    );
    insta::assert_snapshot!(
        toml_error("host = 'tmux'\n\n[agents.mine]\nargs = []"),
        @"config.toml:3:9: `agents.mine`: it is not a built-in agent, so it needs a `command`"
    );
    insta::assert_snapshot!(
        json_error("{\n  \"agents\": {\n    \"mine\": {}\n  }\n}"),
        @"config.json:3:5: `agents.mine`: it is not a built-in agent, so it needs a `command`"
    );
    insta::assert_snapshot!(
        toml_error("[agents.claud-code]\nargs = []"),
        @"config.toml:1:9: `agents.claud-code`: it is not a built-in agent, so it needs a `command`; did you mean `claude_code`?"
    );
    insta::assert_snapshot!(
        toml_error("[agents.'my agent']\ncommand = 'm'"),
        @r#"config.toml:1:9: `agents."my agent"`: an agent's name has only letters, digits, `_` and `-`"#
    );
    insta::assert_snapshot!(
        toml_error("[agents.claude_code]\n[agents.claude-code]"),
        @"config.toml:2:9: `agents.claude-code`: this is the agent `agents.claude_code`, too: keep one of them"
    );
    insta::assert_snapshot!(
        toml_error("default_agent = 'claude-cod'"),
        @r#"config.toml:1:17: `default_agent`: there is no agent "claude-cod"; did you mean `claude_code`?"#
    );
    insta::assert_snapshot!(
        toml_error("default_agent = 'nobody'"),
        @r#"config.toml:1:17: `default_agent`: there is no agent "nobody": known here are `claude_code`, `codex`, `cursor`, `gemini`, `opencode`, `scripted`"#
    );
}

#[test]
fn secrets_are_not_repeated() {
    for text in [
        "env = 's3cret'",
        "env = ['s3cret']",
        "env = { TOKEN = ['s3cret'] }",
        "env.TOKEN.x = 's3cret'",
        "env = { 'TOKEN=s3cret' = '' }",
    ] {
        let error = toml(&format!("[agents.mine]\n{text}")).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("s3cret"), "{error}");
    }
    insta::assert_snapshot!(
        toml_error("[agents.mine]\nenv = { PIN = 1234 }"),
        @"config.toml:2:15: `agents.mine.env.PIN`: expected a string"
    );
}

#[test]
fn each_tells_its_file_line_and_column() {
    let ConfigError::Invalid(mistakes) = toml("[limits]\n  max_minute = 3").unwrap_err() else { panic!() };
    let first = mistakes.first().unwrap();
    assert_eq!((first.file(), first.position()), (Some("config.toml"), Some(Position { line: 2, column: 3 })));
}

#[test]
fn deep_nesting_is_a_mistake_and_not_a_crash() {
    let deep = |part: &str| part.repeat(200_000);
    assert!(toml(&format!("host = {}", deep("["))).is_err());
    assert!(toml(&format!("{}host = 1", deep("tmux."))).is_err());
    assert!(toml(&format!("[{}host]", deep("tmux."))).is_err());
    assert!(toml(&format!("host = {}", deep("{a="))).is_err());
    assert!(json(&deep("[")).is_err());
    assert!(json(&deep("{\"a\":")).is_err());
}

#[test]
fn rules_that_cannot_hold() {
    insta::assert_snapshot!(toml_error("[[approval_policy]]\naction = 'ask'\n[[approval_policy]]\naction = 'alow'"), @r#"config.toml:4:10: `approval_policy[1].action`: "alow" is not an action: did you mean `allow`?"#);
    insta::assert_snapshot!(toml_error("[[approval_policy]]\naction = 'ask'\ncomand = 'ls'"), @"config.toml:3:1: `approval_policy[0].comand`: unknown key; did you mean `command`?");
    insta::assert_snapshot!(toml_error("[[approval_policy]]\ntool = 'Bash'"), @"config.toml:1:1: `approval_policy[0].action`: missing, expected `allow`, `deny` or `ask`");
    insta::assert_snapshot!(toml_error("approval_policy = ['ask']"), @r#"config.toml:1:20: `approval_policy[0]`: expected a rule with an `action`, found "ask""#);
    insta::assert_snapshot!(toml_error("[approval_policy]\naction = 'ask'"), @"config.toml:1:1: `approval_policy`: expected rules, each below `[[approval_policy]]`");
    insta::assert_snapshot!(
        json_error("{\"approval_policy\": [\n {\"action\": \"allow\",\n  \"command\": \"git status && ls\"}]}"),
        @"config.json:3:14: `approval_policy[0].command`: '&' is not allowed in a pattern: a pattern matches one command, and each part of a longer line is matched separately"
    );
    insta::assert_snapshot!(
        json_error("{\"approval_policy\": [\n {\"action\": \"allow\", \"command\": [\"ls\"], \"path\": \"inside\"}]}"),
        @"config.json:2:2: `approval_policy[0]`: `command` and `path` exclude each other: which paths a command touches is not known from its words"
    );
}
