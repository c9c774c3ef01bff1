//! Checks the names in templates, those of spells that are included too.

use std::collections::HashMap;

use super::super::{Position, Problem, SPELL_CONTENT, Source, TemplateText};
use super::Surrounding;
use super::scope::{Scope, Wrong};
use crate::nearest;
use crate::template::{Reference, References, Spell, Template, TemplateError, is_template};

/// Every template that was read, so that a spell of many steps is read once.
pub(super) struct Templates<'project> {
    surrounding: &'project Surrounding<'project>,
    spells: HashMap<String, Read>,
    system_prompt: Option<Read>,
}

type Read = Result<References, TemplateError>;

impl<'project> Templates<'project> {
    pub(super) fn new(surrounding: &'project Surrounding<'project>) -> Self {
        Self { surrounding, spells: HashMap::new(), system_prompt: None }
    }

    /// What is wrong with a template of the workflow file.
    pub(super) fn text(&mut self, text: &TemplateText, source: &Source<'_>, scope: &Scope) -> Vec<Problem> {
        if !is_template(&text.value) {
            return vec![];
        }
        let problem =
            |at: Position, message: &str, meant: Option<&str>| source.problem(text.place(at), message).meant(meant);
        match read("", &text.value) {
            Err(error) => vec![problem(error.at, &error.message, error.nearest.as_deref())],
            Ok(references) => {
                let mut found = self.found(&references, scope, &problem);
                found.extend(self.includes(&references, scope, &mut vec![]));
                found
            }
        }
    }

    /// What is wrong with a spell, in the eyes of a step that uses it.
    pub(super) fn spell(&mut self, name: &str, step: &str, scope: &Scope) -> Vec<Problem> {
        let mut problems = self.spell_inside(name, scope, &mut vec![]);
        tell_step(&mut problems, step);
        problems
    }

    fn spell_inside(&mut self, name: &str, scope: &Scope, inside: &mut Vec<String>) -> Vec<Problem> {
        let Some(spell) = self.surrounding.spells.get(name) else { return vec![] };
        if let Some(first) = inside.iter().position(|earlier| earlier == name) {
            let chain: Vec<&str> = inside.iter().skip(first).map(String::as_str).chain([name]).collect();
            let message = format!("the spell `{name}` includes itself: {}", chain.join(" → "));
            return vec![Source::new(&spell.file, &spell.text).problem(Position::START, message)];
        }
        inside.push(name.to_owned());
        let read = self.spells.entry(name.to_owned()).or_insert_with(|| read(&spell.file, &spell.text)).clone();
        let problems = self.file(spell, &read, scope, inside);
        inside.pop();
        problems
    }

    /// What is wrong with the system prompt, in the eyes of a step that uses it.
    pub(super) fn system_prompt(&mut self, step: &str, scope: &Scope) -> Vec<Problem> {
        let spell = self.surrounding.system_prompt;
        let read = self.system_prompt.get_or_insert_with(|| read(&spell.file, &spell.text)).clone();
        let mut problems = self.file(spell, &read, scope, &mut vec![]);
        tell_step(&mut problems, step);
        let has_content = |references: &References| {
            references.fields.iter().any(|field| field.path.first().is_some_and(|name| name == SPELL_CONTENT))
        };
        if read.as_ref().is_ok_and(|references| !has_content(references)) {
            let message = "the system prompt lacks `{{.spell_content}}`, so no spell would reach an agent";
            problems.push(Source::new(&spell.file, &spell.text).problem(Position::START, message));
        }
        problems
    }

    fn file(&mut self, spell: &Spell, read: &Read, scope: &Scope, inside: &mut Vec<String>) -> Vec<Problem> {
        let source = Source::new(&spell.file, &spell.text);
        match read {
            Err(error) => vec![source.problem(error.at, &error.message).meant(error.nearest.as_deref())],
            Ok(references) => {
                let problem =
                    |at: Position, message: &str, meant: Option<&str>| source.problem(at, message).meant(meant);
                let mut found = self.found(references, scope, &problem);
                found.extend(self.includes(references, scope, inside));
                found
            }
        }
    }

    fn found(
        &self,
        references: &References,
        scope: &Scope,
        problem: &dyn Fn(Position, &str, Option<&str>) -> Problem,
    ) -> Vec<Problem> {
        let unknown =
            references.unknown.iter().map(|error| problem(error.at, &error.message, error.nearest.as_deref()));
        let missing = references.includes.iter().filter(|include| self.surrounding.spells.get(&include.name).is_none());
        let missing = missing.map(|include| {
            let meant = nearest(&include.name, self.surrounding.spells.names());
            problem(include.at, &format!("there is no spell `{}`", include.name), meant)
        });
        let fields = references.fields.iter().filter_map(|field| {
            let Wrong { message, meant } = scope.wrong(field)?;
            Some(problem(field.at, &message, meant.as_deref()))
        });
        unknown.chain(missing).chain(fields).collect()
    }

    /// What is wrong with the spells that a template includes.
    fn includes(&mut self, references: &References, scope: &Scope, inside: &mut Vec<String>) -> Vec<Problem> {
        let mut problems = vec![];
        for include in &references.includes {
            match include.dot.as_deref() {
                Some([]) => problems.extend(self.spell_inside(&include.name, scope, inside)),
                // About a part of the context, or something unknown: only its syntax can be judged.
                Some(_) | None => problems.extend(self.syntax(&include.name)),
            }
        }
        problems
    }

    fn syntax(&self, name: &str) -> Option<Problem> {
        let spell = self.surrounding.spells.get(name)?;
        let error = Template::parse(&spell.file, &spell.text).err()?;
        Some(Source::new(&spell.file, &spell.text).problem(error.at, error.message))
    }
}

fn read(file: &str, text: &str) -> Read {
    let references = Template::parse(file, text)?.references();
    let top = |field: &Reference| !field.path.is_empty();
    Ok(References { fields: references.fields.into_iter().filter(top).collect(), ..references })
}

/// A file does not say which step uses it.
fn tell_step(problems: &mut [Problem], step: &str) {
    for problem in problems {
        problem.message.push_str(&format!(" (in step `{step}`)"));
    }
}
