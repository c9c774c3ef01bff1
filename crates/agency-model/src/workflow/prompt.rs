//! The prompt of an agent, made from its step, the spells and the context.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{AgentStep, InputValue, Instruction, TemplateText};
use crate::document::Mistake;
use crate::template::{Spell, Spellbook, Template, TemplateValues, is_template};

/// The variable of the system prompt that holds the rendered spell.
pub const SPELL_CONTENT: &str = "spell_content";

impl TemplateText {
    /// Renders it; mistakes have their positions in the workflow file.
    pub fn render(&self, file: &str, context: &TemplateValues, spells: &Arc<Spellbook>) -> Result<String, Mistake> {
        if !is_template(&self.value) {
            return Ok(self.value.clone());
        }
        let rendered = Template::parse(file, &self.value).and_then(|template| template.render(context, spells));
        // What is wrong in an included spell has its place there.
        rendered.map_err(|error| if error.file() == Some(file) { self.in_file(error) } else { error })
    }

    /// Renders it as a value: one action alone keeps its type.
    pub fn render_value(
        &self,
        file: &str,
        context: &TemplateValues,
        spells: &Arc<Spellbook>,
    ) -> Result<Value, Mistake> {
        if !is_template(&self.value) {
            return Ok(Value::String(self.value.clone()));
        }
        let rendered = Template::parse(file, &self.value).and_then(|template| template.render_value(context, spells));
        rendered.map_err(|error| if error.file() == Some(file) { self.in_file(error) } else { error })
    }

    /// A mistake with its position in the workflow file.
    pub(super) fn in_file(&self, error: Mistake) -> Mistake {
        error.moved(|at| self.place(at))
    }
}

/// What prompts are made from.
#[derive(Debug, Clone)]
pub struct PromptParts<'parts> {
    /// The workflow file, as messages name it.
    pub file: &'parts str,
    /// The spells of the project.
    pub spells: &'parts Arc<Spellbook>,
    /// The system prompt.
    pub system_prompt: &'parts Spell,
}

impl AgentStep {
    /// The prompt of the agent: the spell within the system prompt, or the prompt alone; nothing if it has neither.
    pub fn prompt(&self, values: &Map<String, Value>, parts: &PromptParts<'_>) -> Result<Option<String>, Mistake> {
        let PromptParts { file, spells, system_prompt } = parts;
        let mut values = values.clone();
        values.extend(self.rendered_input(&values, parts)?);
        let context = TemplateValues::new(&values);
        let spell = match &self.instruction {
            Instruction::Nothing => return Ok(None),
            Instruction::Prompt(prompt) => return prompt.render(file, &context, spells).map(Some),
            Instruction::InlineSpell(spell) => spell.render(file, &context, spells)?,
            Instruction::Spell(name) => {
                let missing = || {
                    Mistake::at(file, name.at, format!("there is no spell `{}`", name.value))
                        .meant(crate::nearest(&name.value, spells.names()))
                };
                let spell = spells.get(&name.value).ok_or_else(missing)?;
                Template::parse(&spell.file, &spell.text)?.render(&context, spells)?
            }
        };
        // A file ends with a newline, which is not an empty line of the prompt.
        values.insert(SPELL_CONTENT.to_owned(), spell.trim_end_matches('\n').into());
        let whole = Template::parse(&system_prompt.file, &system_prompt.text)?;
        whole.render(&TemplateValues::new(&values), spells).map(Some)
    }

    fn rendered_input(
        &self,
        values: &Map<String, Value>,
        parts: &PromptParts<'_>,
    ) -> Result<Map<String, Value>, Mistake> {
        let context = TemplateValues::new(values);
        let rendered = |(name, value): (&String, &InputValue)| Ok((name.clone(), value.rendered(&context, parts)?));
        self.input.iter().map(rendered).collect()
    }
}

impl InputValue {
    fn rendered(&self, context: &TemplateValues, parts: &PromptParts<'_>) -> Result<Value, Mistake> {
        match self {
            Self::Text(text) => text.render_value(parts.file, context, parts.spells),
            Self::List(items) => items.iter().map(|item| item.rendered(context, parts)).collect(),
            Self::Map(entries) => {
                entries.iter().map(|(name, value)| Ok((name.clone(), value.rendered(context, parts)?))).collect()
            }
            Self::Plain(value) => Ok(value.clone()),
        }
    }

    /// Every template in it.
    pub fn templates(&self) -> Vec<&TemplateText> {
        match self {
            Self::Text(text) => vec![text],
            Self::List(items) => items.iter().flat_map(Self::templates).collect(),
            Self::Map(entries) => entries.values().flat_map(Self::templates).collect(),
            Self::Plain(_) => vec![],
        }
    }
}
