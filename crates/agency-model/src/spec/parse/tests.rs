//! Mistakes in specs, and what is said about them.

use super::*;
use crate::spec::{Defaults, InputMode, LimitsSpec, PromptDraft, RunSpec};
use crate::{Host, Mode, VcsChoice};

const WHOLE: &str = r#"{
  "repo": "/repo", "base_ref": "main",
  "runner": {"kind": "claude-code", "args": ["--fast"]},
  "prompt": {"path": "task.md"},
  "inputs": [{"path": "a.txt", "mode": "read"}],
  "limits": {"max_minutes": 5}, "name": "label", "new_branch": "topic",
  "commands": {"test": "make"}, "artifacts_out": [1], "patch_policy": "x",
  "approval_policy": [{"action": "ask", "tool": "Bash"}], "context_pack": null
}"#;

fn defaults() -> Defaults {
    Defaults {
        repo: None,
        base_ref: None,
        runner: None,
        host: Host::Tmux,
        vcs: VcsChoice::Auto,
        limits: LimitsSpec { max_minutes: Some(9), ..LimitsSpec::default() },
        needs_prompt: true,
    }
}

fn parse(text: impl AsRef<[u8]>) -> Result<SpecDraft, Mistakes> {
    SpecDraft::parse("s.json", text.as_ref())
}

fn materialise(text: &str) -> Result<RunSpec, Mistakes> {
    let missing = |mistake| SpecDraft::located(mistake, "s.json", text.as_bytes());
    parse(text)?.materialise(defaults()).map_err(missing)
}

// proves L2
#[test]
fn every_field_of_version_1_is_read_and_reserved_ones_are_kept() {
    let spec = materialise(WHOLE).unwrap();
    assert_eq!(spec.runner.kind, "claude_code");
    assert_eq!(spec.runner.args, ["--fast"]);
    assert_eq!(spec.inputs[0].mode, InputMode::Read);
    assert_eq!(spec.limits.max_minutes, Some(5));
    assert_eq!(spec.approval_policy.rules().len(), 1);
    assert_eq!((spec.mode, spec.host), (Mode::Interactive, Host::Tmux));
    let stored = serde_json::to_value(&spec).unwrap();
    assert_eq!(stored["commands"]["test"], "make");
    assert_eq!(stored["patch_policy"], "x");
}

// proves L2
#[test]
fn each_mistake_names_the_field_what_was_expected_and_the_place() {
    let files = [
        "{\n \"repo\": 5\n}",
        "{\"repo\": \"/r\",}",
        "\n []",
        "{}x",
        "{\"repo\":\"a\",\"repo\":\"b\"}",
        "{\"runner\": {\"kind\": \"a\", \"kind\": \"b\"}}",
        "{\"runner\": \"codex\"}",
        "{\"inputs\": {}}",
        "{\"limits\": {\"max_minutes\": -1}}",
        "{\"approval_policy\": {\"default\": \"ask\"}}",
        "{\"approval_policy\": [5]}",
        "{\"approval_policy\": [\n {\"action\": \"alow\"}]}",
        "{\"approval_policy\": [{\"tool\": \"Bash\"}]}",
        "{\"approval_policy\": [{\"action\": \"ask\", \"command\": [\"a\"], \"path\": \"inside\"}]}",
        "{\"inputs\": [{\"path\": \"a\"}]}",
        r#"{"inputs":[{"path":"a","mode":"write"}]}"#,
        r#"{"runer":{"kind":"codex"}}"#,
        r#"{"approval_policy":[{"action":"ask","comand":"ls"}]}"#,
        r#"{"repo": 5, "runner": {"knid": "x", "args": [1, "a", 2]}, "host": "screen", "inputs": [{}, 5]}"#,
        r#"{"mcp_servers": {"githup": {}, "x": {"url": "u", "env": {"TOKEN": "s3cret"}}, "y": {"command": "c"}}}"#,
        r#"{"mcp_servers": {"x": {"command": "c", "env": "s3cret"}}}"#,
    ];
    let told: Vec<String> = files.iter().map(|file| format!("{file}\n{}", parse(file).unwrap_err())).collect();
    insta::assert_snapshot!(told.join("\n\n"), @r#"
    {
     "repo": 5
    }
    s.json:2:10: `repo`: expected a string, found the number 5

    {"repo": "/r",}
    s.json:1:15: not valid JSON: trailing comma


     []
    s.json:2:2: expected an object, such as {"repo": …}

    {}x
    s.json:1:3: not valid JSON: expected the end of the file after the value

    {"repo":"a","repo":"b"}
    s.json:1:13: `repo`: duplicate key

    {"runner": {"kind": "a", "kind": "b"}}
    s.json:1:26: `runner.kind`: duplicate key

    {"runner": "codex"}
    s.json:1:12: `runner`: expected an object, such as {"kind": "codex"}, found "codex"

    {"inputs": {}}
    s.json:1:12: `inputs`: expected an array, found an object

    {"limits": {"max_minutes": -1}}
    s.json:1:28: `limits.max_minutes`: expected a whole number, 0 or more, found the number -1

    {"approval_policy": {"default": "ask"}}
    s.json:1:21: `approval_policy`: expected an array, found an object

    {"approval_policy": [5]}
    s.json:1:22: `approval_policy[0]`: expected a rule with an `action`, found the number 5

    {"approval_policy": [
     {"action": "alow"}]}
    s.json:2:13: `approval_policy[0].action`: "alow" is not an action: did you mean `allow`?

    {"approval_policy": [{"tool": "Bash"}]}
    s.json:1:37: `approval_policy[0].action`: missing, expected `allow`, `deny` or `ask`

    {"approval_policy": [{"action": "ask", "command": ["a"], "path": "inside"}]}
    s.json:1:22: `approval_policy[0]`: `command` and `path` exclude each other: which paths a command touches is not known from its words

    {"inputs": [{"path": "a"}]}
    s.json:1:25: `inputs[0].mode`: missing, expected "read"

    {"inputs":[{"path":"a","mode":"write"}]}
    s.json:1:31: `inputs[0].mode`: unknown value `write`, expected `read`

    {"runer":{"kind":"codex"}}
    s.json:1:2: `runer`: unknown key; did you mean `runner`?

    {"approval_policy":[{"action":"ask","comand":"ls"}]}
    s.json:1:37: `approval_policy[0].comand`: unknown key; did you mean `command`?

    {"repo": 5, "runner": {"knid": "x", "args": [1, "a", 2]}, "host": "screen", "inputs": [{}, 5]}
    s.json:1:10: `repo`: expected a string, found the number 5
    s.json:1:24: `runner.knid`: unknown key; did you mean `kind`?
    s.json:1:46: `runner.args[0]`: expected a string, found the number 1
    s.json:1:54: `runner.args[2]`: expected a string, found the number 2
    s.json:1:67: `host`: unknown value `screen`, expected `tmux` or `detached`
    s.json:1:89: `inputs[0].path`: missing, expected a string, the path of a file in the repository
    s.json:1:92: `inputs[1]`: expected an object, such as {"path": "a.txt", "mode": "read"}, found the number 5

    {"mcp_servers": {"githup": {}, "x": {"url": "u", "env": {"TOKEN": "s3cret"}}, "y": {"command": "c"}}}
    s.json:1:18: `mcp_servers.githup`: it has neither `command` nor `url`, and no preset has that name; did you mean `github`?
    s.json:1:32: `mcp_servers.x`: `env` belongs to a server with a `command`

    {"mcp_servers": {"x": {"command": "c", "env": "s3cret"}}}
    s.json:1:47: `mcp_servers.x.env`: expected an object
    "#);
}

// proves L2
#[test]
fn a_missing_field_is_placed_at_the_end_of_its_object() {
    let text = "{\n \"repo\": \"/r\", \"base_ref\": \"main\",\n \"runner\": {\n  \"args\": []\n }\n}\n";
    insta::assert_snapshot!(materialise(text).unwrap_err(), @r#"s.json:5:2: `runner.kind`: missing, expected a string, the name of an agent, such as "claude_code""#);
    insta::assert_snapshot!(materialise("{\n}").unwrap_err(), @"s.json:2:1: `repo`: missing, expected a string, the absolute path of a git repository");
}

#[test]
fn a_file_that_is_too_large_or_no_text_is_refused() {
    insta::assert_snapshot!(parse(vec![b' '; 2_000_000]).unwrap_err(), @"s.json: it is 2000000 bytes; a run spec has at most 1048576");
    insta::assert_snapshot!(parse(b"{\"repo\": \"\xff\"}").unwrap_err(), @"s.json:1:11: it is not UTF-8: the byte at offset 10 starts no character");
}

// proves L3
#[test]
fn flags_win_over_the_file_and_defaults_come_last() {
    let flags = SpecDraft {
        base_ref: Some("topic".into()),
        prompt: Some(PromptDraft { path: Some("other.md".into()) }),
        inputs: parse(br#"{"inputs":[{"path":"b.txt","mode":"read"}]}"#).unwrap().inputs,
        ..SpecDraft::default()
    };
    let file = parse(WHOLE).unwrap();
    let spec = file.overridden_by(flags).materialise(defaults()).unwrap();
    assert_eq!((spec.base_ref.as_str(), spec.repo.as_str()), ("topic", "/repo"));
    assert_eq!(spec.prompt.unwrap().path, "other.md");
    assert_eq!(spec.inputs.iter().map(|input| input.path.as_str()).collect::<Vec<_>>(), ["a.txt", "b.txt"]);
    assert_eq!(spec.limits.max_minutes, Some(5));
}
