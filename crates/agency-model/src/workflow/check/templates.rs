//! Checks the names in templates, those of spells that are included too.

use std::collections::HashMap;

use super::super::{SPELL_CONTENT, TemplateText};
use super::Surrounding;
use super::scope::{Scope, Wrong};
use crate::document::{Mistake, Source};
use crate::template::{Reference, References, Spell, Template, is_template};
use crate::{Position, nearest};

/// Every template that was read, so that a spell of many steps is read once.
pub(super) struct Templates<'project> {
    surrounding: &'project Surrounding<'project>,
    spells: HashMap<String, Read>,
    system_prompt: Option<Read>,
}

type Read = Result<References, Mistake>;

impl<'project> Templates<'project> {
    pub(super) fn new(surrounding: &'project Surrounding<'project>) -> Self {
        Self { surrounding, spells: HashMap::new(), system_prompt: None }
    }

    /// What is wrong with a template of the workflow file.
    pub(super) fn text(&mut self, text: &TemplateText, source: &Source<'_>, scope: &Scope) -> Vec<Mistake> {
        if !is_template(&text.value) {
            return vec![];
        }
        let mistake =
            |at: Position, message: &str, meant: Option<&str>| source.mistake(text.place(at), message).meant(meant);
        match read("", &text.value) {
            Err(error) => vec![mistake(begin(&error), &error.message, error.nearest.as_deref())],
            Ok(references) => {
                let mut found = self.found(&references, scope, &mistake);
                found.extend(self.includes(&references, scope, &mut vec![]));
                found
            }
        }
    }

    /// What is wrong with a spell, in the eyes of a step that uses it.
    pub(super) fn spell(&mut self, name: &str, step: &str, scope: &Scope) -> Vec<Mistake> {
        let mut mistakes = self.spell_inside(name, scope, &mut vec![]);
        tell_step(&mut mistakes, step);
        mistakes
    }

    fn spell_inside(&mut self, name: &str, scope: &Scope, inside: &mut Vec<String>) -> Vec<Mistake> {
        let Some(spell) = self.surrounding.spells.get(name) else { return vec![] };
        if let Some(first) = inside.iter().position(|earlier| earlier == name) {
            let chain: Vec<&str> = inside.iter().skip(first).map(String::as_str).chain([name]).collect();
            let message = format!("the spell `{name}` includes itself: {}", chain.join(" → "));
            return vec![Source::with_excerpts(&spell.file, &spell.text).mistake(Position::START, message)];
        }
        inside.push(name.to_owned());
        let read = self.spells.entry(name.to_owned()).or_insert_with(|| read(&spell.file, &spell.text)).clone();
        let mistakes = self.file(spell, &read, scope, inside);
        inside.pop();
        mistakes
    }

    /// What is wrong with the system prompt, in the eyes of a step that uses it.
    pub(super) fn system_prompt(&mut self, step: &str, scope: &Scope) -> Vec<Mistake> {
        let spell = self.surrounding.system_prompt;
        let read = self.system_prompt.get_or_insert_with(|| read(&spell.file, &spell.text)).clone();
        let mut mistakes = self.file(spell, &read, scope, &mut vec![]);
        tell_step(&mut mistakes, step);
        let has_content = |references: &References| {
            references.fields.iter().any(|field| field.path.first().is_some_and(|name| name == SPELL_CONTENT))
        };
        if read.as_ref().is_ok_and(|references| !has_content(references)) {
            let message = "the system prompt lacks `{{.spell_content}}`, so no spell would reach an agent";
            mistakes.push(Source::with_excerpts(&spell.file, &spell.text).mistake(Position::START, message));
        }
        mistakes
    }

    fn file(&mut self, spell: &Spell, read: &Read, scope: &Scope, inside: &mut Vec<String>) -> Vec<Mistake> {
        let source = Source::with_excerpts(&spell.file, &spell.text);
        match read {
            Err(error) => vec![source.mistake(begin(error), &error.message).meant(error.nearest.as_deref())],
            Ok(references) => {
                let mistake =
                    |at: Position, message: &str, meant: Option<&str>| source.mistake(at, message).meant(meant);
                let mut found = self.found(references, scope, &mistake);
                found.extend(self.includes(references, scope, inside));
                found
            }
        }
    }

    fn found(
        &self,
        references: &References,
        scope: &Scope,
        mistake: &dyn Fn(Position, &str, Option<&str>) -> Mistake,
    ) -> Vec<Mistake> {
        let unknown =
            references.unknown.iter().map(|error| mistake(begin(error), &error.message, error.nearest.as_deref()));
        let missing = references.includes.iter().filter(|include| self.surrounding.spells.get(&include.name).is_none());
        let missing = missing.map(|include| {
            let meant = nearest(&include.name, self.surrounding.spells.names());
            mistake(include.at, &format!("there is no spell `{}`", include.name), meant)
        });
        let fields = references.fields.iter().filter_map(|field| {
            let Wrong { message, meant } = scope.wrong(field)?;
            Some(mistake(field.at, &message, meant.as_deref()))
        });
        unknown.chain(missing).chain(fields).collect()
    }

    /// What is wrong with the spells that a template includes.
    fn includes(&mut self, references: &References, scope: &Scope, inside: &mut Vec<String>) -> Vec<Mistake> {
        let mut mistakes = vec![];
        for include in &references.includes {
            match include.dot.as_deref() {
                Some([]) => mistakes.extend(self.spell_inside(&include.name, scope, inside)),
                // About a part of the context, or something unknown: only its syntax can be judged.
                Some(_) | None => mistakes.extend(self.syntax(&include.name)),
            }
        }
        mistakes
    }

    fn syntax(&self, name: &str) -> Option<Mistake> {
        let spell = self.surrounding.spells.get(name)?;
        let error = Template::parse(&spell.file, &spell.text).err()?;
        Some(Source::with_excerpts(&spell.file, &spell.text).mistake(begin(&error), error.message))
    }
}

fn read(file: &str, text: &str) -> Read {
    let references = Template::parse(file, text)?.references();
    let top = |field: &Reference| !field.path.is_empty();
    Ok(References { fields: references.fields.into_iter().filter(top).collect(), ..references })
}

/// The position of a mistake in its template.
fn begin(mistake: &Mistake) -> Position {
    mistake.position().unwrap_or(Position::START)
}

/// A file does not say which step uses it.
fn tell_step(mistakes: &mut [Mistake], step: &str) {
    for mistake in mistakes {
        mistake.message.push_str(&format!(" (in step `{step}`)"));
    }
}
