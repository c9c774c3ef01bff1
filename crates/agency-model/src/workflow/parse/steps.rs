//! Reads steps and stages.

use std::collections::BTreeMap;

use super::super::fields::Shape;
use super::super::reader::{Named, Notes, Object, template};
use super::super::{
    AgentStep, ApprovalStep, Command, Defaults, InputValue, Instruction, Located, LoopStep, MAX_ITERATIONS, MergeStep,
    MergeStrategy, OnFail, OnMaxIterations, OnSuccess, ParallelStep, ScriptStep, Step, StepKind, Work, WorkspaceChoice,
    default_timeout, template_name,
};
use super::servers::servers;
use crate::document::{Format, Node, NodeKind};
use crate::{McpServers, Mode};

/// What a list of steps is part of.
#[derive(Clone, Copy)]
pub(super) enum StepParent<'plan> {
    /// No loop.
    Workflow(&'plan Defaults),
    /// A loop, however far out.
    Loop(&'plan Defaults),
}

impl<'plan> StepParent<'plan> {
    const fn defaults(self) -> &'plan Defaults {
        match self {
            Self::Workflow(defaults) | Self::Loop(defaults) => defaults,
        }
    }
}

/// The steps of an object.
pub(super) fn steps(object: &Object<'_>, parent: StepParent<'_>, notes: &mut Notes<'_, '_>) -> Vec<Step> {
    object.list("steps", notes).iter().filter_map(|node| step(node, parent, notes)).collect()
}

fn step(node: &Node, parent: StepParent<'_>, notes: &mut Notes<'_, '_>) -> Option<Step> {
    let Some(kind) = kind_of(node, notes) else {
        // Others may name it all the same.
        notes.declare(name_of(node).as_ref(), Named::Step);
        return None;
    };
    let object = Object::take(node, Shape::Step(kind), notes)?;
    let name = object.name("name", notes);
    notes.declare(name.as_ref(), if kind == StepKind::Parallel { Named::Group } else { Named::Step });
    let when = object.template("when", notes);
    let timeout = object.duration("timeout", notes);
    let on_fail = object.choice("on_fail", notes).unwrap_or(OnFail::Block);
    let on_success = object.choice("on_success", notes).unwrap_or(OnSuccess::GoOn);
    if let (OnSuccess::ExitLoop, StepParent::Workflow(_)) = (on_success, parent) {
        notes.note(object.key_at("on_success"), "`exit_loop` outside of a loop: there is nothing to exit");
    }
    let name_value = name.as_ref().map(|name| name.value.clone()).unwrap_or_default();
    let work = match kind {
        StepKind::Agent => Work::Agent(Box::new(agent(&object, &name_value, parent.defaults(), notes)?)),
        StepKind::Script => Work::Script(script(&object, &name_value, notes)?),
        StepKind::Loop => Work::Loop(repeated(&object, parent.defaults(), notes)),
        StepKind::Parallel => Work::Parallel(parallel(&object, parent, notes)),
        StepKind::Merge => Work::Merge(merge(&object, notes)),
        StepKind::Approval => Work::Approval(ApprovalStep { message: object.template("message", notes) }),
    };
    let timeout_at = timeout.map(|_| object.key_at("timeout"));
    let timeout = timeout.or_else(|| default_timeout(kind));
    Some(Step { name: name?.value, at: object.at, when, timeout, timeout_at, on_fail, on_success, work })
}

fn name_of(node: &Node) -> Option<Located<String>> {
    let NodeKind::Map(entries) = &node.kind else { return None };
    let (_, name) = entries.iter().find(|(key, _)| key.name == "name")?;
    Some(Located::new(name.text()?.to_owned(), name.at))
}

/// The type of a step, which decides what else it may have.
fn kind_of(node: &Node, notes: &mut Notes<'_, '_>) -> Option<StepKind> {
    let words = || StepKind::ALL.iter().map(|kind| kind.as_str());
    let listed = || words().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    let NodeKind::Map(entries) = &node.kind else {
        notes.note(node.at, format!("expected a step with its fields, found {}", node.described(Format::Yaml)));
        return None;
    };
    let Some((_, value)) = entries.iter().find(|(key, _)| key.name == "type") else {
        notes.note(node.at, format!("a step needs `type`: one of {}", listed()));
        return None;
    };
    let word = value.text().unwrap_or_default();
    let kind = word.parse::<StepKind>().ok();
    if kind.is_none() {
        let message = format!("`type`: {} is not one of {}", value.described(Format::Yaml), listed());
        notes.unknown(value.at, message, word, words());
    }
    kind
}

fn agent(object: &Object<'_>, name: &str, defaults: &Defaults, notes: &mut Notes<'_, '_>) -> Option<AgentStep> {
    object.not_both("spell", "prompt", notes);
    let spell = object.template("spell", notes);
    let prompt = object.template("prompt", notes);
    for (field, text) in [("spell", &spell), ("prompt", &prompt)] {
        if let Some(text) = text
            && text.value.trim().is_empty()
        {
            notes.note(text.at, format!("`{field}` is empty"));
        }
    }
    let instruction = match (spell, prompt) {
        (Some(spell), _) if spell.value.contains('\n') => Some(Instruction::InlineSpell(spell)),
        (Some(_), _) => object.text("spell", notes).map(Instruction::Spell),
        (None, prompt) => prompt.map(Instruction::Prompt),
    };
    let input = object.entries_of("input", "a map of variables", notes);
    let input: BTreeMap<String, InputValue> =
        input.iter().map(|(key, node)| (key.name.clone(), variable(node))).collect();
    let agent = AgentStep {
        instruction: Instruction::Nothing,
        input,
        output: output(object, name, notes),
        adapter: object.text("adapter", notes),
        mode: object.choice("mode", notes).or(defaults.mode).unwrap_or(Mode::Headless),
        extra_args: object.texts("extra_args", notes),
        cwd: directory(object, "cwd", notes),
        env: object.environment("env", notes),
        mcp_servers: servers(object, notes),
        workspace: object.choice("workspace", notes).unwrap_or(WorkspaceChoice::Shared),
        display_name: name.to_owned(),
    };
    // What is missing is noted already.
    instruction.map(|instruction| AgentStep { instruction, ..agent })
}

/// The variable that also holds the result. One of the name of its own step holds the same.
fn output(object: &Object<'_>, step: &str, notes: &mut Notes<'_, '_>) -> Option<Located<String>> {
    let output = object.name("output", notes)?;
    if template_name(&output.value) != template_name(step) {
        notes.declare(Some(&output), Named::Variable);
    }
    Some(output)
}

fn variable(node: &Node) -> InputValue {
    match &node.kind {
        NodeKind::List(items) => InputValue::List(items.iter().map(variable).collect()),
        NodeKind::Map(entries) => {
            InputValue::Map(entries.iter().map(|(key, node)| (key.name.clone(), variable(node))).collect())
        }
        NodeKind::Text(..) => template(node).map_or(InputValue::Plain(node.value()), InputValue::Text),
        NodeKind::Null | NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::Other(_) => {
            InputValue::Plain(node.value())
        }
    }
}

fn script(object: &Object<'_>, name: &str, notes: &mut Notes<'_, '_>) -> Option<ScriptStep> {
    let command = command(object, notes);
    let env = object.environment("env", notes);
    let workdir = directory(object, "workdir", notes);
    let output = output(object, name, notes);
    Some(ScriptStep { command: command?, env, workdir, output })
}

/// A directory of the workspace.
fn directory(object: &Object<'_>, field: &'static str, notes: &mut Notes<'_, '_>) -> Option<Located<String>> {
    let found = object.text(field, notes)?;
    if leaves_workspace(&found.value) {
        notes.note(found.at, format!("`{field}`: `{}` is outside of the workspace", found.value));
    }
    Some(found)
}

/// Whether a path leads out of the directory that it is relative to, as far as its words say.
fn leaves_workspace(path: &str) -> bool {
    let mut depth = 0_usize;
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if depth == 0 => return true,
            ".." => depth -= 1,
            _ => depth += 1,
        }
    }
    path.starts_with('/')
}

fn command(object: &Object<'_>, notes: &mut Notes<'_, '_>) -> Option<Command> {
    let node = object.node("command")?;
    let NodeKind::List(items) = &node.kind else {
        return object.template("command", notes).and_then(|text| {
            let empty = text.value.trim().is_empty();
            if empty {
                notes.note(text.at, "`command` is empty");
            }
            (!empty).then_some(Command::Shell(text))
        });
    };
    let words: Vec<_> = items.iter().filter_map(template).collect();
    if words.is_empty() || words.len() < items.len() {
        notes.note(node.at, "`command`: expected a program and its arguments, each a text");
        return None;
    }
    Some(Command::Words(words))
}

fn repeated(object: &Object<'_>, defaults: &Defaults, notes: &mut Notes<'_, '_>) -> LoopStep {
    LoopStep {
        steps: steps(object, StepParent::Loop(defaults), notes),
        max_iterations: object.count("max_iterations", notes).unwrap_or(MAX_ITERATIONS),
        on_max_iterations: object.choice("on_max_iterations", notes).unwrap_or(OnMaxIterations::Block),
    }
}

fn parallel(object: &Object<'_>, parent: StepParent<'_>, notes: &mut Notes<'_, '_>) -> ParallelStep {
    ParallelStep {
        steps: steps(object, parent, notes),
        max_parallel: object.count("max_parallel", notes),
        fail_fast: object.flag("fail_fast", notes).unwrap_or(false),
    }
}

fn merge(object: &Object<'_>, notes: &mut Notes<'_, '_>) -> MergeStep {
    MergeStep {
        require_review: object.flag("require_review", notes).unwrap_or(true),
        into: object.text("into", notes),
        commit_message: object.template("commit_message", notes),
        strategy: object.choice("strategy", notes).unwrap_or(MergeStrategy::Merge),
        check: object.texts("check", notes),
        forecast: object.flag("forecast", notes).unwrap_or(false),
    }
}

/// The stages of a file, each as a parallel step.
pub(super) fn stages(object: &Object<'_>, defaults: &Defaults, notes: &mut Notes<'_, '_>) -> Vec<Step> {
    object.list("stages", notes).iter().filter_map(|node| stage(node, defaults, notes)).collect()
}

fn stage(node: &Node, defaults: &Defaults, notes: &mut Notes<'_, '_>) -> Option<Step> {
    let object = Object::take(node, Shape::Stage, notes)?;
    let id = object.name("id", notes);
    notes.declare(id.as_ref(), Named::Group);
    let tasks = object.list("tasks", notes).iter().filter_map(|node| task(node, defaults, notes)).collect();
    let work = Work::Parallel(ParallelStep { steps: tasks, max_parallel: None, fail_fast: false });
    Some(plain_step(id?.value, &object, work))
}

fn task(node: &Node, defaults: &Defaults, notes: &mut Notes<'_, '_>) -> Option<Step> {
    let object = Object::take(node, Shape::Task, notes)?;
    let id = object.name("id", notes);
    notes.declare(id.as_ref(), Named::Step);
    let mode = object.choice("executionMode", notes).or(defaults.mode).unwrap_or(Mode::Interactive);
    let prompt = object.template("prompt", notes).filter(|prompt| !prompt.value.trim().is_empty());
    if mode == Mode::Headless && prompt.is_none() {
        notes.note(object.at, "a headless task needs `prompt`: it cannot receive a prompt later");
    }
    let display_name = object.text("name", notes).or_else(|| id.clone()).map(|name| name.value);
    let agent = AgentStep {
        instruction: prompt.map_or(Instruction::Nothing, Instruction::Prompt),
        input: BTreeMap::new(),
        output: None,
        adapter: object.text("adapter", notes),
        mode,
        extra_args: object.texts("extraArgs", notes),
        cwd: directory(&object, "cwd", notes),
        env: object.environment("env", notes),
        mcp_servers: McpServers::new(),
        workspace: WorkspaceChoice::Shared,
        display_name: display_name.unwrap_or_default(),
    };
    Some(plain_step(id?.value, &object, Work::Agent(Box::new(agent))))
}

/// A step that stages and tasks are: without a limit of its own, since a user may be part of it.
fn plain_step(name: String, object: &Object<'_>, work: Work) -> Step {
    let (on_fail, on_success) = (OnFail::Block, OnSuccess::GoOn);
    Step { name, at: object.at, when: None, timeout: None, timeout_at: None, on_fail, on_success, work }
}
