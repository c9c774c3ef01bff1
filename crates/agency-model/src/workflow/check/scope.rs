//! Which names templates know at a step.

use std::collections::{HashMap, HashSet};

use super::super::{Plan, RESULT_FIELDS, Step, TASK_FIELDS, template_name};
use crate::nearest;
use crate::template::Reference;

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Defined {
    /// A text.
    Text,
    /// The task.
    Task,
    /// The result of a step.
    Result,
    /// The result of a loop, or the loop around.
    Loop,
    /// Whatever a step's `input` says.
    Anything,
}

/// Names that are known, with what they hid.
pub(super) struct Scope {
    known: HashMap<String, Defined>,
    undo: Vec<(String, Option<Defined>)>,
    task_fields: Vec<String>,
    /// Every step and variable of the plan, known yet or not.
    anywhere: HashSet<String>,
}

/// What is wrong with a reference.
pub(super) struct Wrong {
    pub(super) message: String,
    pub(super) meant: Option<String>,
}

impl Scope {
    pub(super) fn new(plan: &Plan, task_fields: &[&str]) -> Self {
        let mut anywhere = HashSet::new();
        for step in plan.all_steps() {
            anywhere.extend([step.name.clone(), template_name(&step.name)]);
            anywhere.extend(step.output().map(|output| template_name(&output.value)));
        }
        let mut scope = Self {
            known: HashMap::new(),
            undo: vec![],
            task_fields: TASK_FIELDS.iter().chain(task_fields).map(|name| (*name).to_owned()).collect(),
            anywhere,
        };
        for name in ["goal", "session", "workflow"] {
            scope.define(name, Defined::Text);
        }
        for name in ["task", "bead"] {
            scope.define(name, Defined::Task);
        }
        scope.define("previous", Defined::Result);
        scope
    }

    /// Adds a name, as it is and as it is written after a dot.
    pub(super) fn define(&mut self, name: &str, defined: Defined) {
        let written = template_name(name);
        if written != name {
            self.insert(name.to_owned(), defined);
        }
        self.insert(written, defined);
    }

    fn insert(&mut self, name: String, defined: Defined) {
        let hidden = self.known.insert(name.clone(), defined);
        self.undo.push((name, hidden));
    }

    pub(super) fn enter_loop(&mut self, step: &Step) {
        self.define(&step.name, Defined::Loop);
        self.define("loop_entry", Defined::Result);
    }

    pub(super) fn mark(&self) -> usize {
        self.undo.len()
    }

    pub(super) fn back_to(&mut self, mark: usize) {
        while self.undo.len() > mark {
            match self.undo.pop() {
                Some((name, Some(hidden))) => {
                    self.known.insert(name, hidden);
                }
                Some((name, None)) => {
                    self.known.remove(&name);
                }
                None => return,
            }
        }
    }

    /// What is wrong with a reference, if something is.
    pub(super) fn wrong(&self, reference: &Reference) -> Option<Wrong> {
        let mut path = reference.path.iter().map(String::as_str);
        let first = path.next()?;
        let Some(defined) = self.known.get(first) else {
            // `default` has something where a step had no turn yet, but not for a slip of the pen.
            return if reference.optional && self.anywhere.contains(first) { None } else { Some(self.unknown(first)) };
        };
        let second = path.next()?;
        let refuse = |known: &mut dyn Iterator<Item = &str>, what: &str| {
            let known: Vec<&str> = known.collect();
            if known.contains(&second) || reference.optional {
                return None;
            }
            let meant = nearest(second, known).map(str::to_owned);
            Some(Wrong { message: format!("{what} has no `{second}`"), meant })
        };
        match defined {
            Defined::Anything => None,
            Defined::Text => Some(Wrong { message: format!("`{first}` is a text and has no `{second}`"), meant: None }),
            Defined::Task => refuse(&mut self.task_fields.iter().map(String::as_str), "a task"),
            Defined::Result => refuse(&mut RESULT_FIELDS.iter().copied(), &format!("the result `{first}`")),
            Defined::Loop => {
                refuse(&mut RESULT_FIELDS.iter().copied().chain(["iteration"]), &format!("the loop `{first}`"))
            }
        }
    }

    fn unknown(&self, name: &str) -> Wrong {
        if self.anywhere.contains(name) {
            let message = format!("`{name}` is not done before this step, but after it or at the same time");
            return Wrong { message, meant: None };
        }
        if name == "loop_entry" {
            return Wrong { message: "`loop_entry` is known in loops only".to_owned(), meant: None };
        }
        let meant = nearest(name, self.known.keys().map(String::as_str).filter(|known| !known.contains('-')));
        Wrong { message: format!("nothing before this step defines `{name}`"), meant: meant.map(str::to_owned) }
    }
}
