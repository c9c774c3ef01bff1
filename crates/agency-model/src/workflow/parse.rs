//! Reads a workflow file.
//!
//! The one rule: any bytes give a plan, or every mistake that can be seen in the file alone.

mod names;
mod servers;
mod steps;

use std::collections::HashSet;

use super::fields::Shape;
use super::reader::{Notes, Object};
use super::{Defaults, Plan, Spelling, WORKFLOW_TIMEOUT};
use crate::Position;
use crate::document::{Mistake, Node, Reason, Source, read_json, read_yaml};

/// The largest file that is read; ten thousand steps fit well.
pub const MAX_WORKFLOW_BYTES: usize = 4 * 1024 * 1024;

/// A workflow file, as far as it can be read.
#[derive(Debug, Clone, Default)]
pub struct Partly {
    /// What could be read.
    pub plan: Option<Plan>,
    /// What is wrong.
    pub mistakes: Vec<Mistake>,
    /// Names of steps that could not be read, so that their results are not known.
    pub unread: Vec<String>,
}

/// Reads a workflow file, YAML or JSON; `file` is its name in mistakes.
pub fn parse_workflow(file: &str, bytes: &[u8]) -> Result<Plan, Vec<Mistake>> {
    match parse_partly(file, bytes) {
        Partly { plan: Some(plan), mistakes, .. } if mistakes.is_empty() => Ok(plan),
        Partly { mistakes, .. } => Err(mistakes),
    }
}

/// Reads as much of a workflow file as can be read, so that what it uses can be checked as well.
#[must_use]
pub fn parse_partly(file: &str, bytes: &[u8]) -> Partly {
    let text = match text_of(file, bytes) {
        Ok(text) => text,
        Err(mistake) => return Partly { mistakes: vec![mistake], ..Partly::default() },
    };
    let source = Source::with_excerpts(file, text);
    let (root, mistakes) = read(file, &source);
    let mut notes = Notes { source: &source, mistakes, names: vec![] };
    if root.is_none() && notes.mistakes.is_empty() {
        notes.note(Position::START, "the file is empty");
    }
    let plan = root.and_then(|root| workflow(file, &root, &mut notes));
    let mut unread = names::check(&mut notes);
    let read: HashSet<&str> = plan.iter().flat_map(Plan::all_steps).map(|step| step.name.as_str()).collect();
    unread.retain(|name| !read.contains(name.as_str()));
    let mut mistakes = notes.mistakes;
    mistakes.sort();
    Partly { plan, mistakes, unread }
}

/// Reads any YAML or JSON file, such as that of a task; `file` is its name in mistakes.
pub fn parse_values(file: &str, bytes: &[u8]) -> Result<serde_json::Value, Vec<Mistake>> {
    let text = text_of(file, bytes).map_err(|mistake| vec![mistake])?;
    let (root, mistakes) = read(file, &Source::with_excerpts(file, text));
    if mistakes.is_empty() { Ok(root.map_or(serde_json::Value::Null, |root| root.value())) } else { Err(mistakes) }
}

/// The text of a file that is not too large.
fn text_of<'bytes>(file: &str, bytes: &'bytes [u8]) -> Result<&'bytes str, Mistake> {
    let refuse = |message: String| Mistake::at(file, Position::START, message).because(Reason::Syntax);
    if bytes.len() > MAX_WORKFLOW_BYTES {
        return Err(refuse(format!("it is too large: at most {MAX_WORKFLOW_BYTES} bytes are read")));
    }
    std::str::from_utf8(bytes)
        .map_err(|error| refuse(format!("not UTF-8: the byte at offset {} starts no character", error.valid_up_to())))
}

/// Reads JSON where the name of the file says so, else YAML.
fn read(file: &str, source: &Source<'_>) -> (Option<Node>, Vec<Mistake>) {
    if file.ends_with(".json") { read_json(source) } else { read_yaml(source) }
}

fn workflow(file: &str, root: &Node, notes: &mut Notes<'_, '_>) -> Option<Plan> {
    let object = Object::take(root, Shape::Workflow, notes)?;
    object.not_both("steps", "stages", notes);
    let spelling = if object.node("stages").is_some() { Spelling::Stages } else { Spelling::Steps };
    let id = object.name("id", notes);
    let name = object.name("name", notes);
    let name = match spelling {
        Spelling::Steps => name.or(id),
        Spelling::Stages => id.or(name),
    };
    let description = object.text("description", notes).map(|text| text.value);
    let goal = object.text("goal", notes).map(|text| text.value);
    let timeout = object.duration("timeout", notes);
    let mcp_servers = servers::servers(&object, notes);
    let defaults = object.node("defaults").and_then(|node| defaults(node, notes)).unwrap_or_default();
    let steps = match spelling {
        Spelling::Steps => steps::steps(&object, steps::StepParent::Workflow(&defaults), notes),
        Spelling::Stages => steps::stages(&object, &defaults, notes),
    };
    Some(Plan {
        file: file.to_owned(),
        name: name?.value,
        description,
        goal,
        timeout: timeout.unwrap_or(WORKFLOW_TIMEOUT),
        timeout_at: timeout.map(|_| object.key_at("timeout")),
        mcp_servers,
        defaults,
        spelling,
        steps,
    })
}

fn defaults(node: &Node, notes: &mut Notes<'_, '_>) -> Option<Defaults> {
    let object = Object::take(node, Shape::Defaults, notes)?;
    Some(Defaults {
        adapter: object.text("adapter", notes),
        mode: object.choice("mode", notes),
        host: object.choice("host", notes),
    })
}

#[cfg(test)]
mod tests;
