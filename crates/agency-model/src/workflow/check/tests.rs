//! What is wrong with workflows that are written right.

use super::super::parse_workflow;
use super::*;

const SYSTEM_PROMPT: &str = "Session {{.session}}: {{.goal}}\n{{.spell_content}}\n";

fn check(yaml: &str, spells: &[(&str, &str)], system_prompt: &str) -> Vec<Mistake> {
    let plan = parse_workflow("w.yaml", yaml.as_bytes()).unwrap_or_else(|mistakes| panic!("{mistakes:?}"));
    let mut book = Spellbook::default();
    for (name, text) in spells {
        book.add(name, Spell { file: format!("spells/{name}.md"), text: (*text).to_owned() });
    }
    let system_prompt = Spell { file: "system-prompt.md".to_owned(), text: system_prompt.to_owned() };
    let adapters = ["claude_code", "codex", "gemini"];
    let surrounding = Surrounding {
        adapters: &adapters,
        spells: &book,
        system_prompt: &system_prompt,
        task_fields: &["custom"],
        unread: &[],
    };
    check_workflow(&plan, yaml, &surrounding)
}

fn told(yaml: &str, spells: &[(&str, &str)]) -> String {
    let mistakes = check(yaml, spells, SYSTEM_PROMPT);
    mistakes.iter().map(|mistake| format!("{mistake}\n{}", mistake.excerpt())).collect::<Vec<_>>().join("\n")
}

// proves W3
#[test]
fn valid_adapter_type() {
    assert_eq!(
        told("id: w\nstages: [{id: s, tasks: [{id: a, adapter: gemini}, {id: b, adapter: claude-code}]}]", &[]),
        ""
    );
}

// proves W3
#[test]
fn invalid_adapter_type() {
    insta::assert_snapshot!(told("id: w\ndefaults: {adapter: codx}\nstages:\n- id: s\n  tasks:\n  - {id: a, adapter: gemni}\n", &[]), @r"
    w.yaml:2:21: unknown adapter `codx`; `agency adapters` lists the known ones; did you mean `codex`?
    2 | defaults: {adapter: codx}
      |                     ^
    w.yaml:6:22: unknown adapter `gemni`; `agency adapters` lists the known ones; did you mean `gemini`?
    6 |   - {id: a, adapter: gemni}
      |                      ^
    ");
}

// proves W6
#[test]
fn spell_as_profile() {
    let yaml =
        "name: w\nsteps:\n- {name: a, type: agent, spell: implement}\n- {name: b, type: agent, spell: implment}\n";
    insta::assert_snapshot!(told(yaml, &[("implement", "Do {{.task.title}}")]), @r"
    w.yaml:4:33: there is no spell `implment`; spells are `.agency/spells/<name>.md`; did you mean `implement`?
    4 | - {name: b, type: agent, spell: implment}
      |                                 ^
    ");
}

#[test]
fn a_reference_that_nothing_before_defines_is_refused() {
    let yaml = concat!(
        "name: w\nsteps:\n",
        "- name: first\n  type: script\n  command: |\n    echo {{.previous.output}}\n    echo {{.bead.titel}} {{.second.output}}\n",
        "- {name: second, type: script, command: '{{.frist.output}} {{.first.outputs.any.thing}} {{.first.sumary}}', output: text}\n",
        "- {name: third, type: agent, prompt: '{{.text}} {{.text.x}} {{.own}} {{.task.custom}}', input: {own: '{{.own}}'}}\n",
        "- {name: fourth, type: approval, message: '{{.loop_entry.success}} {{.own}} {{.goal.x}} {{.task.who | default 1}} {{.oops | default 1}}'}\n",
        "- {name: fifth, type: script, command: '{{if .first.success}}', env: {A: '{{.third.summry}}'}}\n",
    );
    insta::assert_snapshot!(told(yaml, &[]), @r"
    w.yaml:7:12: a task has no `titel`; did you mean `title`?
    7 |     echo {{.bead.titel}} {{.second.output}}
      |            ^
    w.yaml:7:28: `second` is not done before this step, but after it or at the same time
    7 |     echo {{.bead.titel}} {{.second.output}}
      |                            ^
    w.yaml:8:44: nothing before this step defines `frist`; did you mean `first`?
    8 | - {name: second, type: script, command: '{{.frist.output}} {{.first.outputs.any.thing}} {{.first.sum
      |                                            ^
    w.yaml:8:91: the result `first` has no `sumary`; did you mean `summary`?
    8 | '{{.frist.output}} {{.first.outputs.any.thing}} {{.first.sumary}}', output: text}
      |                                                   ^
    w.yaml:9:51: `text` is a text and has no `x`
    9 | - {name: third, type: agent, prompt: '{{.text}} {{.text.x}} {{.own}} {{.task.custom}}', input: {own:
      |                                                   ^
    w.yaml:9:105: nothing before this step defines `own`
    9 | t.x}} {{.own}} {{.task.custom}}', input: {own: '{{.own}}'}}
      |                                                   ^
    w.yaml:10:46: `loop_entry` is known in loops only
    10 | - {name: fourth, type: approval, message: '{{.loop_entry.success}} {{.own}} {{.goal.x}} {{.task.who
       |                                              ^
    w.yaml:10:70: nothing before this step defines `own`
    10 | pe: approval, message: '{{.loop_entry.success}} {{.own}} {{.goal.x}} {{.task.who | default 1}} {{.oo
       |                                                   ^
    w.yaml:10:79: `goal` is a text and has no `x`
    10 | val, message: '{{.loop_entry.success}} {{.own}} {{.goal.x}} {{.task.who | default 1}} {{.oops | defa
       |                                                   ^
    w.yaml:10:117: nothing before this step defines `oops`
    10 |  {{.own}} {{.goal.x}} {{.task.who | default 1}} {{.oops | default 1}}'}
       |                                                   ^
    w.yaml:11:43: this `{{if}}` has no `{{end}}`
    11 | - {name: fifth, type: script, command: '{{if .first.success}}', env: {A: '{{.third.summry}}'}}
       |                                           ^
    w.yaml:11:77: the result `third` has no `summry`; did you mean `summary`?
    11 | - {name: fifth, type: script, command: '{{if .first.success}}', env: {A: '{{.third.summry}}'}}
       |                                                                             ^
    ");
}

#[test]
fn what_is_done_at_the_same_time_is_not_before() {
    let yaml = concat!(
        "name: w\nsteps:\n- name: p\n  type: parallel\n  steps:\n",
        "  - {name: a, type: script, command: '{{.b.output}}'}\n  - {name: b, type: script, command: '{{.a.output}} {{.b.output}}'}\n",
        "- {name: c, type: script, command: '{{.a.output}} {{.b.output}} {{.p.success}}'}\n",
    );
    insta::assert_snapshot!(told(yaml, &[]), @r"
    w.yaml:6:41: `b` is not done before this step, but after it or at the same time
    6 |   - {name: a, type: script, command: '{{.b.output}}'}
      |                                         ^
    w.yaml:7:41: `a` is not done before this step, but after it or at the same time
    7 |   - {name: b, type: script, command: '{{.a.output}} {{.b.output}}'}
      |                                         ^
    w.yaml:7:55: `b` is not done before this step, but after it or at the same time
    7 |   - {name: b, type: script, command: '{{.a.output}} {{.b.output}}'}
      |                                                       ^
    ");
}

#[test]
fn in_a_loop_the_round_before_is_before() {
    let yaml = concat!(
        "name: w\nsteps:\n- name: my-loop\n  type: loop\n  steps:\n",
        "  - {name: a, type: script, command: '{{.b.output}} {{.my_loop.iteration}} {{.loop_entry.output}} {{index . \"my-loop\" \"iteration\"}}'}\n",
        "  - {name: b, type: script, command: '{{.a.output}} {{.a.iteration}}'}\n",
        "- {name: c, type: script, command: '{{.a.output}} {{.my_loop.iteration}} {{.loop_entry.output}}'}\n",
    );
    insta::assert_snapshot!(told(yaml, &[]), @r"
    w.yaml:7:55: the result `a` has no `iteration`
    7 |   - {name: b, type: script, command: '{{.a.output}} {{.a.iteration}}'}
      |                                                       ^
    w.yaml:8:76: `loop_entry` is known in loops only
    8 | - {name: c, type: script, command: '{{.a.output}} {{.my_loop.iteration}} {{.loop_entry.output}}'}
      |                                                                            ^
    ");
}

#[test]
fn spells_are_checked_where_they_are_used() {
    let yaml = concat!(
        "name: w\nsteps:\n- {name: a, type: agent, spell: one, input: {what: x}}\n- {name: b, type: agent, spell: one}\n",
        "- name: c\n  type: agent\n  spell: |\n    {{include \"two\"}}\n    {{include \"tow\"}} {{nofunc}}\n",
        "- {name: d, type: agent, spell: self}\n",
    );
    let spells = [
        ("one", "Do {{.what}}\n"),
        ("two", "ok\n{{.waht | upper}}\n"),
        ("self", "{{include \"other\"}}"),
        ("other", "{{include \"self\"}}"),
        ("unused", "{{if}}"),
    ];
    insta::assert_snapshot!(told(yaml, &spells), @r#"
    spells/one.md:1:6: nothing before this step defines `what` (in step `b`)
    1 | Do {{.what}}
      |      ^
    spells/self.md:1:1: the spell `self` includes itself: self → other → self (in step `d`)
    1 | {{include "other"}}
      | ^
    spells/two.md:2:3: nothing before this step defines `waht`
    2 | {{.waht | upper}}
      |   ^
    w.yaml:9:15: there is no spell `tow`; did you mean `two`?
    9 |     {{include "tow"}} {{nofunc}}
      |               ^
    w.yaml:9:25: there is no function `nofunc`
    9 |     {{include "tow"}} {{nofunc}}
      |                         ^
    "#);
}

// proves W7
#[test]
fn system_prompt_override() {
    let yaml = "name: w\nsteps: [{name: a, type: agent, spell: one}, {name: b, type: agent, prompt: plain}]";
    let spells = [("one", "Do it")];
    assert!(check(yaml, &spells, "{{.spell_content}} for {{.workflow}}").is_empty());
    let mistakes = check(yaml, &spells, "Be good.\n{{.nope}}");
    let told: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "system-prompt.md:1:1: the system prompt lacks `{{.spell_content}}`, so no spell would reach an agent",
            "system-prompt.md:2:3: nothing before this step defines `nope` (in step `a`)",
        ]
    );
    let only_prompts = "name: w\nsteps: [{name: b, type: agent, prompt: '{{.spell_content}}'}]";
    assert_eq!(check(only_prompts, &[], "no content").len(), 1, "without spells only the prompt is wrong");
}
