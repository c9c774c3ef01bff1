//! The scenarios of the requirements that a file alone decides, by their names.

use serde_json::json;

use super::super::super::{
    AGENT_TIMEOUT, AgentStep, Command, Contract, Instruction, SCRIPT_TIMEOUT, Step, StepKind, Work,
};
use super::*;
use crate::{McpServers, Mode};

fn agent(step: &Step) -> &AgentStep {
    let Work::Agent(agent) = &step.work else { panic!("{step:?} is no agent") };
    agent
}

// proves W2, W3
#[test]
fn minimal_task_definition() {
    let plan = plan("id: w\nstages:\n  - id: one\n    tasks:\n      - id: t1\n        adapter: gemini\n");
    assert_eq!((plan.name.as_str(), plan.spelling), ("w", Spelling::Stages));
    let [stage] = plan.steps.as_slice() else { panic!("one stage") };
    assert_eq!((stage.kind(), stage.name.as_str()), (StepKind::Parallel, "one"));
    let task = agent(&stage.children()[0]);
    assert_eq!((task.mode, task.display_name.as_str()), (Mode::Interactive, "t1"));
    assert_eq!((&task.instruction, task.contract()), (&Instruction::Nothing, Contract::Optional));
    assert_eq!(stage.children()[0].timeout, None);
}

// proves W3
#[test]
fn full_task_definition() {
    let plan = plan(concat!(
        "id: w\ngoal: Ship it\nstages:\n  - id: one\n    tasks:\n      - id: t1\n        adapter: codex\n",
        "        executionMode: headless\n        prompt: \"Do {{.goal}}\"\n        extraArgs: [\"--fast\", \"-v\"]\n",
        "        cwd: web\n        env: {TOKEN: abc, LEVEL: 3}\n        name: The builder\n",
    ));
    let task = agent(&plan.steps[0].children()[0]);
    assert_eq!(task.adapter.as_ref().map(|adapter| adapter.value.as_str()), Some("codex"));
    assert_eq!((task.mode, task.display_name.as_str()), (Mode::Headless, "The builder"));
    assert_eq!(task.extra_args, ["--fast", "-v"]);
    assert_eq!(task.cwd.as_ref().map(|cwd| cwd.value.as_str()), Some("web"));
    assert_eq!(task.env["LEVEL"].value, "3");
    assert_eq!(plan.goal.as_deref(), Some("Ship it"));
    assert!(matches!(&task.instruction, Instruction::Prompt(text) if text.value == "Do {{.goal}}"));
}

// proves W3
#[test]
fn task_name_default() {
    let plan = plan("id: w\nstages: [{id: s, tasks: [{id: a, adapter: x}, {id: b, adapter: x, name: Bee}]}]");
    let names: Vec<&str> = plan.steps[0].children().iter().map(|step| agent(step).display_name.as_str()).collect();
    assert_eq!(names, ["a", "Bee"]);
}

// proves W3
#[test]
fn headless_prompt_requirement() {
    insta::assert_snapshot!(mistakes("id: w\nstages:\n  - id: s\n    tasks:\n      - id: t\n        adapter: codex\n        executionMode: headless\n"), @r"
    w.yaml:5:9: a headless task needs `prompt`: it cannot receive a prompt later
    5 |       - id: t
      |         ^
    ");
    let by_default = "id: w\ndefaults: {mode: headless}\nstages: [{id: s, tasks: [{id: t, adapter: codex}]}]";
    assert!(mistakes(by_default).contains("needs `prompt`"));
}

// proves W3
#[test]
fn extra_arguments_validation() {
    insta::assert_snapshot!(mistakes("id: w\nstages:\n- id: s\n  tasks:\n  - id: t\n    adapter: codex\n    extraArgs: [--ok, 5, [x], true]\n"), @r"
    w.yaml:7:23: `extraArgs[1]`: expected a text (put it in quotes), found the number 5
    7 |     extraArgs: [--ok, 5, [x], true]
      |                       ^
    w.yaml:7:26: `extraArgs[2]`: expected a text (put it in quotes), found a list
    7 |     extraArgs: [--ok, 5, [x], true]
      |                          ^
    w.yaml:7:31: `extraArgs[3]`: expected a text (put it in quotes), found `true`
    7 |     extraArgs: [--ok, 5, [x], true]
      |                               ^
    ");
}

// proves W6
#[test]
fn inline_spell() {
    let plan = plan(
        "name: w\nsteps:\n- {name: a, type: agent, spell: implement}\n- name: b\n  type: agent\n  spell: |\n    Look at\n    {{.task.title}}\n",
    );
    assert!(matches!(&agent(&plan.steps[0]).instruction, Instruction::Spell(name) if name.value == "implement"));
    let Instruction::InlineSpell(spell) = &agent(&plan.steps[1]).instruction else { panic!("it has several lines") };
    assert_eq!(spell.value, "Look at\n{{.task.title}}\n");
    assert_eq!(spell.place(Position { line: 2, column: 3 }), Position { line: 8, column: 7 });
    assert_eq!(agent(&plan.steps[1]).contract(), Contract::Required);
}

#[test]
fn every_type_of_step_has_its_defaults() {
    let plan = plan(concat!(
        "name: w\nsteps:\n",
        "- {name: think, type: agent, prompt: hello}\n",
        "- {name: test, type: script, command: make test}\n",
        "- name: fix-loop\n  type: loop\n  steps:\n  - {name: check, type: script, command: [make, check], on_success: exit_loop}\n",
        "- name: look\n  type: parallel\n  steps:\n  - {name: left, type: approval}\n",
        "- {name: bring-in, type: merge}\n",
    ));
    assert_eq!(plan.timeout, WORKFLOW_TIMEOUT);
    let timeouts: Vec<_> = plan.steps.iter().map(|step| step.timeout).collect();
    assert_eq!(timeouts, [Some(AGENT_TIMEOUT), Some(SCRIPT_TIMEOUT), None, None, None]);
    assert_eq!(agent(&plan.steps[0]).mode, Mode::Headless);
    let [
        ..,
        Step { work: Work::Loop(repeated), .. },
        Step { work: Work::Parallel(parallel), .. },
        Step { work: Work::Merge(merge), .. },
    ] = plan.steps.as_slice()
    else {
        panic!("a loop, a parallel step and a merge");
    };
    assert_eq!((repeated.max_iterations.get(), repeated.on_max_iterations.as_str()), (10, "block"));
    assert!(
        matches!(&repeated.steps[0].work, Work::Script(script) if matches!(&script.command, Command::Words(words) if words.len() == 2))
    );
    assert_eq!((parallel.max_parallel, parallel.fail_fast), (None, false));
    assert_eq!((merge.require_review, merge.strategy.as_str()), (true, "merge"));
}

#[test]
fn json_says_the_same_as_yaml() {
    let yaml =
        plan("id: w\nstages: [{id: s, tasks: [{id: a, adapter: x, prompt: \"tab\\there \\\"q\\\" \\ud83d\\ude00\"}]}]");
    let json = "{\"id\": \"w\",\n\t\"stages\": [{\"id\": \"s\", \"tasks\": [{\"id\": \"a\", \"adapter\": \"x\", \"prompt\": \"tab\\there \\\"q\\\" \\ud83d\\ude00\"}]}]}";
    let json = parse_workflow("w.json", json.as_bytes()).unwrap();
    let told = |plan: &Plan| agent(&plan.steps[0].children()[0]).instruction.clone();
    let (Instruction::Prompt(first), Instruction::Prompt(second)) = (told(&yaml), told(&json)) else {
        panic!("prompts")
    };
    assert_eq!(first.value, second.value);
    assert_eq!(first.value, "tab\there \"q\" 😀");
}

#[test]
fn servers_are_presets_programs_or_addresses() {
    let plan = plan(concat!(
        "name: w\nmcp_servers: [filesystem, github]\nsteps:\n- name: a\n  type: agent\n  prompt: x\n  mcp_servers:\n",
        "    puppeteer:\n    mine: {command: serve, args: [--stdio], env: {A: b}}\n    far: {url: \"https://mcp.example\"}\n",
    ));
    let servers = |value| serde_json::from_value::<McpServers>(value).unwrap();
    let all = json!({ "filesystem": { "preset": "filesystem" }, "github": { "preset": "github" } });
    assert_eq!(plan.mcp_servers, servers(all));
    let own = json!({
        "puppeteer": { "preset": "puppeteer" },
        "mine": { "command": "serve", "args": ["--stdio"], "env": { "A": "b" } },
        "far": { "url": "https://mcp.example" },
    });
    assert_eq!(agent(&plan.steps[0]).mcp_servers, servers(own));
}

#[test]
fn a_stored_plan_is_read_back() {
    let plan = plan(
        "name: w\ntimeout: 1h30m\nsteps:\n- {name: a, type: agent, prompt: 'x {{.goal}}', input: {k: [1, 'y'], m: {n: null}}}\n",
    );
    let stored = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&stored).unwrap(), plan);
}
