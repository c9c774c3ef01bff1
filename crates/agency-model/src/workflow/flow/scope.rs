//! What the templates of a step can name.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::super::{Step, StepPath, StepResult, StepStatus, TemplateText, Work, template_name};
use super::instance::Instance;
use super::{Flow, record, without_rounds};
use crate::document::Mistake;
use crate::template::{Spellbook, Template, TemplateValues, is_template};

/// The surroundings of a step that templates can name.
#[derive(Debug, Clone)]
pub struct StepSurroundings {
    /// What the step before it came to; a success without words before the first.
    pub previous: Arc<StepResult>,
    /// What the step before the innermost loop came to.
    pub loop_entry: Option<Arc<StepResult>>,
    /// The loops around it, each with its round.
    pub rounds: Vec<(String, u32)>,
}

impl Flow {
    /// The surroundings of a step that templates can name.
    #[must_use]
    pub fn surroundings(&self, path: &StepPath) -> StepSurroundings {
        let place = self.places.get(&without_rounds(path)).map(Vec::as_slice).unwrap_or_default();
        let (mut steps, mut instances) = (self.plan.steps.as_slice(), self.steps.as_slice());
        let start = Arc::new(StepResult::of(StepStatus::Succeeded));
        let mut around = StepSurroundings { previous: start, loop_entry: None, rounds: vec![] };
        // At the same time means: not one after the other.
        let mut in_order = true;
        for index in place {
            if in_order && let Some(before) = instances.get(..*index).and_then(record::last_result) {
                around.previous = before;
            }
            let (Some(step), Some(instance)) = (steps.get(*index), instances.get(*index)) else { break };
            in_order = around.enter(step, instance);
            (steps, instances) = (step.children(), instance.children());
        }
        around
    }

    /// Everything that the templates of a step can name.
    #[must_use]
    pub fn values(&self, path: &StepPath) -> Map<String, Value> {
        let mut values: Map<String, Value> =
            self.results.iter().map(|(name, result)| (name.clone(), result.to_value())).collect();
        values.extend(self.printed.iter().map(|(name, text)| (name.clone(), Value::from(text.as_str()))));
        self.with_surroundings(path, values)
    }

    /// What one template of a step names: of a thousand results, those few.
    pub fn values_for(&self, path: &StepPath, text: &TemplateText) -> Result<Map<String, Value>, Mistake> {
        if !is_template(&text.value) {
            return Ok(Map::new());
        }
        let needed = Template::parse(&self.plan.file, &text.value).map_err(|error| text.in_file(error))?.references();
        if needed.whole || !needed.includes.is_empty() {
            return Ok(self.values(path));
        }
        let mut values = Map::new();
        for name in needed.fields.iter().filter_map(|field| field.path.first()) {
            if let Some(result) = self.results.get(name) {
                values.insert(name.clone(), result.to_value());
            }
            if let Some(printed) = self.printed.get(name) {
                values.insert(name.clone(), printed.as_str().into());
            }
        }
        Ok(self.with_surroundings(path, values))
    }

    fn with_surroundings(&self, path: &StepPath, mut values: Map<String, Value>) -> Map<String, Value> {
        let around = self.surroundings(path);
        for (name, round) in around.rounds {
            let value = under_way(round);
            values.insert(template_name(&name), value.clone());
            values.insert(name, value);
        }
        if let Some(entry) = around.loop_entry {
            values.insert("loop_entry".to_owned(), entry.to_value());
        }
        values.insert("previous".to_owned(), around.previous.to_value());
        values.insert("workflow".to_owned(), self.plan.name.as_str().into());
        if let Some(session) = &self.session {
            values.insert("session".to_owned(), session.id.as_str().into());
            values.insert("goal".to_owned(), session.goal.as_deref().unwrap_or_default().into());
            values.insert("task".to_owned(), session.task.to_value());
            values.insert("bead".to_owned(), session.task.to_value());
        }
        values
    }

    /// Whether the condition of a step is true.
    pub(super) fn is_wanted(&self, step: &Step, path: &StepPath) -> Result<bool, Mistake> {
        let Some(when) = &step.when else { return Ok(true) };
        if !is_template(&when.value) {
            return Ok(is_true(&when.value));
        }
        let context = TemplateValues::new(&self.values_for(path, when)?);
        when.render(&self.plan.file, &context, &Arc::new(Spellbook::default())).map(|text| is_true(&text))
    }
}

impl StepSurroundings {
    /// Goes inside a step; returns whether the steps there come one after the other.
    fn enter(&mut self, step: &Step, instance: &Instance) -> bool {
        match &step.work {
            Work::Loop(_) => {
                self.loop_entry = Some(Arc::clone(&self.previous));
                self.rounds.push((step.name.clone(), instance.round()));
                if let Some(last) = instance.group.as_ref().and_then(|group| group.last_of_round.as_ref()) {
                    self.previous = Arc::clone(last);
                }
                true
            }
            Work::Parallel(_) => false,
            Work::Agent(_) | Work::Script(_) | Work::Merge(_) | Work::Approval(_) => true,
        }
    }
}

/// A loop as the steps inside it see it: neither done nor failed.
fn under_way(round: u32) -> Value {
    let mut value = StepResult { iteration: Some(round), ..StepResult::of(StepStatus::Skipped) }.to_value();
    if let Some(object) = value.as_object_mut() {
        object.insert("skipped".to_owned(), false.into());
        object.insert("status".to_owned(), "running".into());
    }
    value
}

/// Whether a rendered condition is true: what Go would call empty is not, and neither is a plain no.
fn is_true(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    !matches!(
        text.as_str(),
        "" | "false" | "no" | "off" | "0" | "0.0" | "[]" | "map[]" | "{}" | "nil" | "null" | "<nil>" | "<no value>"
    )
}
