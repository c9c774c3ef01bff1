//! Checks what a plan uses: agents, spells, and every name in every template.
//!
//! The one rule: what is refused here would fail when its step begins. A name that only running can know, such as an
//! output of an agent, is let through.

mod scope;
mod templates;

use self::scope::{Defined, Scope};
use self::templates::Templates;
use super::{AgentStep, Command, Instruction, Plan, Step, StepKind, TemplateText, Work, template_name};
use crate::document::{Mistake, Source};
use crate::nearest;
use crate::template::{Spell, Spellbook};

/// What a workflow may use.
#[derive(Debug, Clone, Copy)]
pub struct Surrounding<'project> {
    /// The names of the configured agents.
    pub adapters: &'project [&'project str],
    /// The spells.
    pub spells: &'project Spellbook,
    /// The system prompt.
    pub system_prompt: &'project Spell,
    /// Fields of the task beside those that every task has.
    pub task_fields: &'project [&'project str],
    /// Names of steps that could not be read.
    pub unread: &'project [String],
}

/// Every mistake of a plan that reading its file alone does not show; `text` is what the file holds.
#[must_use]
pub fn check_workflow(plan: &Plan, text: &str, surrounding: &Surrounding<'_>) -> Vec<Mistake> {
    let mut check = Check {
        surrounding,
        source: Source::with_excerpts(&plan.file, text),
        scope: Scope::new(plan, surrounding.task_fields),
        templates: Templates::new(surrounding),
        mistakes: vec![],
    };
    for name in surrounding.unread {
        check.scope.define(name, Defined::Anything);
    }
    check.adapter(plan.defaults.adapter.as_ref());
    check.sequence(&plan.steps);
    let mut mistakes = check.mistakes;
    mistakes.sort();
    // A spell is checked once for each step that uses it.
    mistakes.dedup();
    mistakes
}

struct Check<'project, 'text> {
    surrounding: &'project Surrounding<'project>,
    source: Source<'text>,
    scope: Scope,
    templates: Templates<'project>,
    mistakes: Vec<Mistake>,
}

impl Check<'_, '_> {
    fn sequence(&mut self, steps: &[Step]) {
        for step in steps {
            self.step(step);
            self.define(step);
        }
    }

    fn step(&mut self, step: &Step) {
        if let Some(when) = &step.when {
            self.text(when);
        }
        match &step.work {
            Work::Agent(agent) => self.agent(step, agent),
            Work::Script(script) => {
                match &script.command {
                    Command::Shell(line) => self.text(line),
                    Command::Words(words) => words.iter().for_each(|word| self.text(word)),
                }
                script.env.values().for_each(|value| self.text(value));
            }
            Work::Loop(repeated) => {
                let before = self.scope.mark();
                self.scope.enter_loop(step);
                // A step of the round before is before, too.
                repeated.steps.iter().for_each(|step| self.define(step));
                self.sequence(&repeated.steps);
                self.scope.back_to(before);
            }
            Work::Parallel(parallel) => {
                for child in &parallel.steps {
                    let before = self.scope.mark();
                    self.step(child);
                    self.scope.back_to(before);
                }
            }
            Work::Merge(merge) => merge.commit_message.iter().for_each(|text| self.text(text)),
            Work::Approval(approval) => approval.message.iter().for_each(|text| self.text(text)),
        }
    }

    /// Makes a step and all inside it known to what comes after.
    fn define(&mut self, step: &Step) {
        for child in step.children() {
            self.define(child);
        }
        let result = if step.kind() == StepKind::Loop { Defined::Loop } else { Defined::Result };
        self.scope.define(&step.name, result);
        if let Some(output) = step.output() {
            let held = if step.kind() == StepKind::Script { Defined::Text } else { Defined::Result };
            self.scope.define(&template_name(&output.value), held);
        }
    }

    fn agent(&mut self, step: &Step, agent: &AgentStep) {
        self.adapter(agent.adapter.as_ref());
        agent.env.values().for_each(|value| self.text(value));
        for text in agent.input.values().flat_map(super::InputValue::templates) {
            self.text(text);
        }
        let before = self.scope.mark();
        for name in agent.input.keys() {
            self.scope.define(name, Defined::Anything);
        }
        match &agent.instruction {
            Instruction::Nothing => {}
            Instruction::Prompt(prompt) => self.text(prompt),
            Instruction::InlineSpell(spell) => {
                self.text(spell);
                self.system_prompt(step);
            }
            Instruction::Spell(name) => {
                if self.surrounding.spells.get(&name.value).is_none() {
                    let message = format!("there is no spell `{}`; spells are `.agency/spells/<name>.md`", name.value);
                    let meant = nearest(&name.value, self.surrounding.spells.names());
                    self.mistakes.push(self.source.mistake(name.at, message).meant(meant));
                }
                self.mistakes.extend(self.templates.spell(&name.value, &step.name, &self.scope));
                self.system_prompt(step);
            }
        }
        self.scope.back_to(before);
    }

    fn system_prompt(&mut self, step: &Step) {
        let before = self.scope.mark();
        self.scope.define(super::SPELL_CONTENT, Defined::Text);
        self.mistakes.extend(self.templates.system_prompt(&step.name, &self.scope));
        self.scope.back_to(before);
    }

    fn adapter(&mut self, adapter: Option<&super::Located<String>>) {
        let Some(adapter) = adapter else { return };
        // `claude-code` is `claude_code`, as everywhere.
        if !self.surrounding.adapters.contains(&template_name(&adapter.value).as_str()) {
            let meant = nearest(&adapter.value, self.surrounding.adapters.iter().copied());
            let message = format!("unknown adapter `{}`; `agency adapters` lists the known ones", adapter.value);
            self.mistakes.push(self.source.mistake(adapter.at, message).meant(meant));
        }
    }

    fn text(&mut self, text: &TemplateText) {
        self.mistakes.extend(self.templates.text(text, &self.source, &self.scope));
    }
}

#[cfg(test)]
mod tests;
