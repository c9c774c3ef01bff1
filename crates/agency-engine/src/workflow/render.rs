//! Renders the prompt of a step, without running anything.

use agency_model::nearest;
use agency_model::template::{Reference, Template, TemplateValues};
use agency_model::workflow::{
    Command, InputValue, Instruction, PromptParts, RESULT_FIELDS, Step, StepKind, Task, TemplateText, Work,
    template_name,
};
use serde_json::{Map, Value, json};

use super::{Loaded, WorkflowError};

/// The prompt of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Rendered {
    /// The prompt of an agent, the command of a script, or the message of a merge or an approval.
    pub text: String,
    /// What only running will know, as it stands in the text.
    pub unknown: Vec<String>,
}

/// Renders the prompt of a step. The results of earlier steps are not known yet; they are named in angle brackets.
pub fn render(loaded: &Loaded, step: &str, task: &Task, goal: Option<&str>) -> Result<Rendered, WorkflowError> {
    let plan = &loaded.plan;
    let found = plan.find(step).ok_or_else(|| {
        let names: Vec<&str> = plan.all_steps().map(|step| step.name.as_str()).collect();
        WorkflowError::NoSuchStep {
            message: format!("the workflow `{}` has no step `{step}`", plan.name),
            nearest: nearest(step, names).map(str::to_owned),
        }
    })?;
    let Guess { values, marks } = Guess::new(loaded, found, task, goal.or(plan.goal.as_deref()));
    let text = told(loaded, found, &values)?.ok_or_else(|| WorkflowError::NoSuchStep {
        message: format!("the step `{step}` has no prompt"),
        nearest: None,
    })?;
    let mut unknown: Vec<String> = marks.into_iter().filter(|mark| text.contains(mark)).collect();
    unknown.sort();
    unknown.dedup();
    Ok(Rendered { text, unknown })
}

fn told(loaded: &Loaded, step: &Step, values: &Map<String, Value>) -> Result<Option<String>, WorkflowError> {
    let Loaded { plan, spells, system_prompt } = loaded;
    let parts = PromptParts { file: &plan.file, spells, system_prompt };
    let context = TemplateValues::new(values);
    let plain = |text: &TemplateText| text.render(&plan.file, &context, spells);
    Ok(match &step.work {
        Work::Agent(agent) => agent.prompt(values, &parts)?,
        Work::Script(script) => Some(match &script.command {
            Command::Shell(line) => plain(line)?,
            Command::Words(words) => words.iter().map(plain).collect::<Result<Vec<_>, _>>()?.join("\n"),
        }),
        Work::Merge(merge) => merge.commit_message.as_ref().map(plain).transpose()?,
        Work::Approval(approval) => approval.message.as_ref().map(plain).transpose()?,
        Work::Loop(_) | Work::Parallel(_) => None,
    })
}

/// A context in which every step has come to something that is not known yet.
struct Guess {
    values: Map<String, Value>,
    /// What stands for something unknown.
    marks: Vec<String>,
}

impl Guess {
    fn new(loaded: &Loaded, step: &Step, task: &Task, goal: Option<&str>) -> Self {
        let mut guess = Self { values: Map::new(), marks: vec![] };
        for step in loaded.plan.all_steps() {
            let result = guess.result(&step.name, step.kind());
            if let Some(output) = step.output() {
                let held = match step.kind() {
                    StepKind::Script => guess.mark(&output.value),
                    StepKind::Agent | StepKind::Loop | StepKind::Parallel | StepKind::Merge | StepKind::Approval => {
                        result.clone()
                    }
                };
                guess.values.insert(template_name(&output.value), held);
            }
            guess.values.insert(template_name(&step.name), result.clone());
            guess.values.insert(step.name.clone(), result);
        }
        for name in ["previous", "loop_entry"] {
            let result = guess.result(name, StepKind::Script);
            guess.values.insert(name.to_owned(), result);
        }
        let session = guess.mark("session");
        guess.values.insert("session".to_owned(), session);
        guess.values.insert("task".to_owned(), task.to_value());
        guess.values.insert("bead".to_owned(), task.to_value());
        guess.values.insert("goal".to_owned(), goal.unwrap_or_default().into());
        guess.values.insert("workflow".to_owned(), loaded.plan.name.as_str().into());
        guess.outputs(loaded, step);
        guess
    }

    fn mark(&mut self, name: &str) -> Value {
        let mark = format!("<{name}>");
        self.marks.push(mark.clone());
        Value::String(mark)
    }

    fn result(&mut self, name: &str, kind: StepKind) -> Value {
        let mut result: Map<String, Value> =
            RESULT_FIELDS.iter().map(|field| ((*field).to_owned(), self.mark(&format!("{name}.{field}")))).collect();
        // Conditions see what is usual: the step went well.
        for (field, value) in [("success", true), ("failed", false), ("skipped", false)] {
            result.insert(field.to_owned(), value.into());
        }
        result.insert("outputs".to_owned(), Value::Object(Map::new()));
        if kind == StepKind::Loop {
            result.insert("iteration".to_owned(), json!(1));
        }
        Value::Object(result)
    }

    /// The outputs that there will be: those that the step itself and the spells name.
    fn outputs(&mut self, loaded: &Loaded, step: &Step) {
        let spells = loaded.spells.names().filter_map(|name| loaded.spells.get(name)).map(|spell| spell.text.as_str());
        let texts = texts(step).into_iter().chain(spells).chain([loaded.system_prompt.text.as_str()]);
        let references =
            texts.filter_map(|text| Template::parse("", text).ok()).flat_map(|text| text.references().fields);
        for Reference { path, .. } in references {
            let [name, field, rest @ ..] = path.as_slice() else { continue };
            let (true, Some(Value::Object(result))) = (field == "outputs", self.values.get_mut(name)) else { continue };
            let mark = format!("<{}>", path.join("."));
            if let (Some(Value::Object(outputs)), false) = (result.get_mut(field), rest.is_empty()) {
                put(outputs, rest, &mark);
                self.marks.push(mark);
            }
        }
    }
}

/// Puts a mark at a path, unless something is there.
fn put(object: &mut Map<String, Value>, path: &[String], mark: &str) {
    match path {
        [] => {}
        [name] => {
            object.entry(name.as_str()).or_insert_with(|| mark.into());
        }
        [name, rest @ ..] => {
            let inner = object.entry(name.as_str()).or_insert_with(|| Value::Object(Map::new()));
            if !inner.is_object() {
                *inner = Value::Object(Map::new());
            }
            if let Value::Object(inner) = inner {
                put(inner, rest, mark);
            }
        }
    }
}

/// Every template of a step.
fn texts(step: &Step) -> Vec<&str> {
    match &step.work {
        Work::Agent(agent) => {
            let told = match &agent.instruction {
                Instruction::InlineSpell(text) | Instruction::Prompt(text) => Some(text),
                Instruction::Spell(_) | Instruction::Nothing => None,
            };
            let input = agent.input.values().flat_map(InputValue::templates);
            told.into_iter().chain(input).map(|text| text.value.as_str()).collect()
        }
        Work::Script(script) => match &script.command {
            Command::Shell(line) => vec![&line.value],
            Command::Words(words) => words.iter().map(|word| word.value.as_str()).collect(),
        },
        Work::Merge(merge) => merge.commit_message.iter().map(|text| text.value.as_str()).collect(),
        Work::Approval(approval) => approval.message.iter().map(|text| text.value.as_str()).collect(),
        Work::Loop(_) | Work::Parallel(_) => vec![],
    }
}
