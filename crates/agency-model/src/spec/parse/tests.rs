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

fn materialise(text: &str) -> Result<RunSpec, SpecError> {
    SpecDraft::parse(text.as_bytes())?.materialise(defaults()).map_err(|error| error.located_in(text))
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
    let cases = [
        ("{\n \"repo\": 5\n}", "line 2, column 10: `repo`: invalid type: integer `5`, expected a string"),
        ("{\"repo\": \"/r\",}", "line 1, column 15: trailing comma"),
        ("\n []", "line 2, column 2: expected an object, such as {\"repo\": …}"),
        ("{}x", "line 1, column 3: expected the end of the file after the object"),
        ("{\"repo\":\"a\",\"repo\":\"b\"}", "line 1, column 18: `repo`: given twice"),
        ("{\"runner\": {\"kind\": \"a\", \"kind\": \"b\"}}", "line 1, column 31: `runner.kind`: given twice"),
        (
            "{\"runner\": \"codex\"}",
            "line 1, column 18: `runner`: invalid type: string \"codex\", expected an object, such as \
             {\"kind\": \"codex\"}",
        ),
        ("{\"inputs\": {}}", "line 1, column 11: `inputs`: invalid type: map, expected an array"),
        (
            "{\"limits\": {\"max_minutes\": -1}}",
            "line 1, column 29: `limits.max_minutes`: invalid value: integer `-1`, expected a whole number, \
             0 or more",
        ),
        (
            "{\"approval_policy\": {\"default\": \"ask\"}}",
            "line 1, column 20: `approval_policy`: invalid type: map, expected an array",
        ),
        (
            "{\"approval_policy\": [5]}",
            "line 1, column 22: `approval_policy[0]`: invalid type: integer `5`, expected a rule, such as \
             {\"action\": \"ask\", \"tool\": \"Bash\"}",
        ),
        (
            "{\"approval_policy\": [\n {\"action\": \"alow\"}]}",
            "line 2, column 19: `approval_policy[0].action`: \"alow\" is not an action: did you mean `allow`?",
        ),
        (
            "{\"approval_policy\": [{\"tool\": \"Bash\"}]}",
            "line 1, column 37: `approval_policy[0].action`: missing, expected \"allow\", \"deny\" or \"ask\"",
        ),
        (
            "{\"approval_policy\": [{\"action\": \"ask\", \"command\": [\"a\"], \"path\": \"inside\"}]}",
            "line 1, column 75: `approval_policy[0]`: `command` and `path` exclude each other: which paths a command \
             touches is not known from its words",
        ),
        ("{\"inputs\": [{\"path\": \"a\"}]}", "line 1, column 25: `inputs[0].mode`: missing, expected \"read\""),
    ];
    for (text, message) in cases {
        assert_eq!(SpecDraft::parse(text.as_bytes()).unwrap_err().to_string(), message);
    }
    let mode = SpecDraft::parse(br#"{"inputs":[{"path":"a","mode":"write"}]}"#).unwrap_err().to_string();
    assert!(
        mode.starts_with("line 1, column 37: `inputs[0].mode`: unknown variant `write`, expected `read`"),
        "{mode}"
    );
    let slip = SpecDraft::parse(br#"{"runer":{"kind":"codex"}}"#).unwrap_err().to_string();
    assert!(slip.ends_with("did you mean `runner`?"), "{slip}");
    let rule = SpecDraft::parse(br#"{"approval_policy":[{"action":"ask","comand":"ls"}]}"#).unwrap_err().to_string();
    assert!(rule.starts_with("line 1, column 44: `approval_policy[0].comand`: "), "{rule}");
    assert!(rule.ends_with("did you mean `command`?"), "{rule}");
}

// proves L2
#[test]
fn a_missing_field_is_placed_at_the_end_of_its_object() {
    let text = "{\n \"repo\": \"/r\", \"base_ref\": \"main\",\n \"runner\": {\n  \"args\": []\n }\n}\n";
    let error = materialise(text).unwrap_err();
    assert_eq!(error.position(), Some((5, 2)));
    assert_eq!(error.field(), Some("runner.kind"));
    let error = materialise("{\n}").unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 2, column 1: `repo` is missing: expected a string, the absolute path of a git repository"
    );
}

#[test]
fn a_file_that_is_too_large_or_no_text_is_refused() {
    assert!(matches!(SpecDraft::parse(&vec![b' '; 2_000_000]), Err(SpecError::TooLarge { bytes: 2_000_000 })));
    assert_eq!(SpecDraft::parse(b"{\"repo\": \"\xff\"}"), Err(SpecError::NotUtf8 { offset: 10, line: 1, column: 11 }));
}

// proves L3
#[test]
fn flags_win_over_the_file_and_defaults_come_last() {
    let flags = SpecDraft {
        base_ref: Some("topic".into()),
        prompt: Some(PromptDraft { path: Some("other.md".into()) }),
        inputs: SpecDraft::parse(br#"{"inputs":[{"path":"b.txt","mode":"read"}]}"#).unwrap().inputs,
        ..SpecDraft::default()
    };
    let file = SpecDraft::parse(WHOLE.as_bytes()).unwrap();
    let spec = file.overridden_by(flags).materialise(defaults()).unwrap();
    assert_eq!((spec.base_ref.as_str(), spec.repo.as_str()), ("topic", "/repo"));
    assert_eq!(spec.prompt.unwrap().path, "other.md");
    assert_eq!(spec.inputs.iter().map(|input| input.path.as_str()).collect::<Vec<_>>(), ["a.txt", "b.txt"]);
    assert_eq!(spec.limits.max_minutes, Some(5));
}
