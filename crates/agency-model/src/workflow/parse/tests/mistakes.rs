//! Every mistake is reported, with its place and the name that was probably meant.

use super::*;

// proves W3
#[test]
fn every_problem_is_told_at_once() {
    let text = concat!(
        "name: two words\n",
        "timeout: 10 minutes\n",
        "descripton: typo\n",
        "steps:\n",
        "  - name: build\n",
        "    type: scrpt\n",
        "    command: make\n",
        "  - name: test\n",
        "    type: script\n",
        "    timeuot: 5m\n",
        "  - name: test\n",
        "    type: agent\n",
        "    on_fail: ignore\n",
        "    on_success: exit_loop\n",
        "    spell: fix\n",
        "    prompt: also\n",
        "  - type: loop\n",
        "    max_iterations: 0\n",
        "    steps: []\n",
        "  - just a text\n",
        "  - {name: m, type: merge, require_review: 'yes', strategy: squsah}\n",
        "  - {name: p, type: parallel}\n",
        "  - {command: x}\n",
    );
    insta::assert_snapshot!(mistakes(text));
}

#[test]
fn keys_that_are_there_twice_are_all_told() {
    insta::assert_snapshot!(mistakes("name: a\nname: b\nsteps:\n- {name: x, type: script, type: agent, command: y}\n"), @"
    w.yaml:2:1: `name`: duplicate key
    2 | name: b
      | ^
    w.yaml:4:27: `steps[0].type`: duplicate key
    4 | - {name: x, type: script, type: agent, command: y}
      |                           ^
    ");
}

#[test]
fn names_mean_one_thing() {
    let text = concat!(
        "name: w\nsteps:\n",
        "- {name: run-tests, type: script, command: x}\n",
        "- {name: run_tests, type: script, command: x}\n",
        "- {name: previous, type: script, command: x}\n",
        "- {name: a, type: script, command: x, output: task}\n",
        "- {name: b, type: script, command: x, output: a}\n",
        "- {name: c, type: script, command: x, output: text}\n",
        "- {name: d, type: script, command: x, output: text}\n",
    );
    insta::assert_snapshot!(mistakes(text), @r"
    w.yaml:4:10: duplicate name `run_tests`: first in line 3 as `run-tests`, which templates write alike
    4 | - {name: run_tests, type: script, command: x}
      |          ^
    w.yaml:5:10: `previous` means something else in templates; choose another name
    5 | - {name: previous, type: script, command: x}
      |          ^
    w.yaml:6:47: `task` means something else in templates; choose another name
    6 | - {name: a, type: script, command: x, output: task}
      |                                               ^
    w.yaml:7:47: the variable `a` has the name of the step in line 6
    7 | - {name: b, type: script, command: x, output: a}
      |                                               ^
    ");
    plan("id: w\nstages: [{id: review, tasks: [{id: review, adapter: x}]}]");
}

#[test]
fn what_is_no_workflow_is_said_so() {
    for (text, expected) in [
        ("", "the file is empty"),
        ("# nothing", "the file is empty"),
        ("5", "expected a workflow"),
        ("a: [1\n", "expected `]`"),
        ("a:\n\t- b", "found a tab"),
        ("--- {name: a}\n--- {name: b}\n", "a second document"),
        ("name: !secret x", "the tag `!secret` means nothing here"),
        ("name: *nobody", ""),
        ("? [a]\n: b\n", "the name of a field is a text"),
        ("5: b\n", "the name of a field is a text"),
        ("name: a\nsteps: []\nstages: []\n", "not both"),
    ] {
        let told = mistakes(text);
        assert!(told.contains(expected), "{text:?}: {told}");
    }
    let json = parse_workflow("w.json", b"{\"name\": \"a\",}").unwrap_err();
    assert_eq!(json[0].to_string(), "w.json:1:14: not valid JSON: trailing comma");
}

#[test]
fn servers_that_nobody_can_start_are_refused() {
    let text = "name: w\nmcp_servers: {githib: , mine: {comand: x}, both: {command: a, url: b}}\nsteps: [{name: a, type: agent, prompt: x, mcp_servers: [pupeteer, 5]}]\n";
    insta::assert_snapshot!(mistakes(text), @r"
    w.yaml:2:15: `githib` is not a preset; give its `command` or `url`; did you mean `github`?
    2 | mcp_servers: {githib: , mine: {comand: x}, both: {command: a, url: b}}
      |               ^
    w.yaml:2:31: an MCP server needs `command` or `url`
    2 | mcp_servers: {githib: , mine: {comand: x}, both: {command: a, url: b}}
      |                               ^
    w.yaml:2:32: an MCP server has no field `comand`; did you mean `command`?
    2 | mcp_servers: {githib: , mine: {comand: x}, both: {command: a, url: b}}
      |                                ^
    w.yaml:2:63: an MCP server has `command` or `url`, not both
    2 | mcp_servers: {githib: , mine: {comand: x}, both: {command: a, url: b}}
      |                                                               ^
    w.yaml:3:57: `pupeteer` is not a preset; give its `command` or `url`; did you mean `puppeteer`?
    3 | steps: [{name: a, type: agent, prompt: x, mcp_servers: [pupeteer, 5]}]
      |                                                         ^
    w.yaml:3:67: a list of servers names presets; write others as a map
    3 | steps: [{name: a, type: agent, prompt: x, mcp_servers: [pupeteer, 5]}]
      |                                                                   ^
    ");
}

#[test]
fn a_long_line_is_shown_around_its_mistake() {
    let text = format!("name: w\nsteps: [{{name: {}, type: script, comand: x}}]\n", "a".repeat(90));
    insta::assert_snapshot!(mistakes(&text), @r"
    w.yaml:2:9: a script step needs `command`
    2 | steps: [{name: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
      |         ^
    w.yaml:2:122: a script step has no field `comand`; did you mean `command`?
    2 | aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, type: script, comand: x}]
      |                                                   ^
    ");
}

#[test]
fn a_directory_outside_of_the_workspace_is_refused_with_its_place() {
    for outside in ["../../..", "/etc", "a/../..", ".."] {
        let script = format!("name: w\nsteps:\n- {{name: x, type: script, command: y, workdir: {outside}}}\n");
        let agent = format!("name: w\nsteps:\n- {{name: x, type: agent, adapter: a, prompt: y, cwd: {outside}}}\n");
        let task = format!("id: w\nstages:\n- id: s\n  tasks:\n  - {{id: x, adapter: a, prompt: y, cwd: {outside}}}\n");
        for (text, place, field) in
            [(script, "w.yaml:3:", "`workdir`"), (agent, "w.yaml:3:", "`cwd`"), (task, "w.yaml:5:", "`cwd`")]
        {
            let found = mistakes(&text);
            assert!(
                found.contains(place) && found.contains(&format!("{field}: `{outside}` is outside")),
                "{text}: {found}"
            );
        }
    }
}

#[test]
fn a_mistake_in_the_form_says_what_was_found_and_what_was_expected() {
    let files = [
        "name: w\nsteps: [{name: a, type: script\n",
        "name: w\nsteps: [{name: a, type: script]\n",
        "name: w\nsteps: [{name: a type: script}]\n",
        "name: w\nsteps: [a b}\n",
        "name: w\nsteps: [\"a\" \"b\"]\n",
        "name: w\nsteps: ]\n",
        "name: w\nsteps:\n\t- name: a\n",
        "name: w\nsteps:\n  - name: a\n    type: script\n   command: x\n",
        "name: w\nsteps:\n  - name: a\n  type: script\n",
        "name: w\nsteps:\n  - name: a\n    command: echo: this: fails\n",
        "name: w\ndescription: \"never closed\nsteps: []\n",
        "name: w\ndescription: 'it's wrong'\n",
        "name: w\ndescription: \"a \\q\"\n",
        "name: w\ndescription: @home\n",
        "name: w\ndescription: `home`\n",
        "name: w\ndescription: *home\n",
        "name: w\ndescription: {{.task.title}}\n",
        "name: w\ndescription: | text\n",
        "name: w\nsteps\n",
        "name: w\nsteps:\n- a\n-b: x\n",
        "%YAML\nname: w\n",
        "name: w\ndescription: a\n   b: c\n",
    ];
    let told: Vec<String> = files.iter().map(|file| format!("{file:?}\n{}", mistakes(file))).collect();
    // The words of the parser are for those who know the grammar of YAML.
    for word in ["flow ", "scalar", "block", "node", "simple key", "EOF", "token", "context"] {
        assert!(!told.iter().any(|told| told.replace("workflow", "").contains(word)), "{word}");
    }
    insta::assert_snapshot!(told.join("\n\n"));
}
