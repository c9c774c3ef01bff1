//! What a template takes from its context, found without rendering it.

use std::collections::HashSet;

use gotmpl::parse::{BranchNode, CommandNode, Expr, ListNode, Node, PipeNode, Pos, SmolStr};

use super::{FUNCTIONS, Template, optional};
use crate::document::Mistake;
use crate::{Position, nearest};

/// Templates that call each other are followed so far.
const MAX_CALL_DEPTH: usize = 16;

/// What a template needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct References {
    /// The values that it takes, in the order of the text.
    pub fields: Vec<Reference>,
    /// The spells that it includes by name.
    pub includes: Vec<Include>,
    /// Functions, variables and templates that are not known.
    pub unknown: Vec<Mistake>,
    /// Whether it uses its context as a whole, so that its fields do not say all that it needs.
    pub whole: bool,
}

/// A value that a template takes from its context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The names that lead to it: `.task.title` is `task`, `title`.
    pub path: Vec<String>,
    /// Where it is taken.
    pub at: Position,
    /// Whether `default` has something where it is missing.
    pub optional: bool,
}

/// A spell that a template includes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Include {
    /// Its name.
    pub name: String,
    /// Where.
    pub at: Position,
    /// What its dot is: a path from the top of the context, or nothing that can be known.
    pub dot: Option<Vec<String>>,
}

pub(super) fn of(template: &Template) -> References {
    let mut walk =
        ReferenceWalk { template, found: References::default(), scopes: vec![], calls: vec![], seen: HashSet::new() };
    walk.scopes.push(vec![("$".into(), Some(vec![]))]);
    walk.list(&template.tree, &Some(vec![]));
    walk.found
}

/// What a value is: a path from the top of the context, or nothing that can be known.
type Known = Option<Vec<String>>;

struct ReferenceWalk<'template> {
    template: &'template Template,
    found: References,
    scopes: Vec<Vec<(SmolStr, Known)>>,
    calls: Vec<SmolStr>,
    seen: HashSet<(SmolStr, Known)>,
}

impl ReferenceWalk<'_> {
    fn list(&mut self, list: &ListNode, dot: &Known) {
        for node in &list.nodes {
            match node {
                Node::List(inner) => self.list(inner, dot),
                Node::Action(action) => {
                    self.pipe(&action.pipe, dot);
                }
                Node::If(block) => self.block(block, dot, |_| dot.clone()),
                Node::With(block) => self.block(block, dot, Clone::clone),
                Node::Range(block) => self.block(block, dot, |_| None),
                Node::Template(call) => {
                    let given = call.pipe.as_ref().and_then(|pipe| self.pipe(pipe, dot));
                    self.call(&call.name, call.pos, &given);
                }
                Node::Define(_) | Node::Text(_) | Node::Break(_) | Node::Continue(_) => {}
            }
        }
    }

    fn block(&mut self, block: &BranchNode, dot: &Known, inside: impl Fn(&Known) -> Known) {
        self.scopes.push(vec![]);
        let value = self.pipe(&block.pipe, dot);
        let inner = inside(&value);
        if inner.is_none() && !block.pipe.is_assign {
            // The variables of a range are its elements.
            for name in &block.pipe.decl {
                self.set(name, None);
            }
        }
        self.scopes.push(vec![]);
        self.list(&block.body, &inner);
        self.scopes.pop();
        self.scopes.push(vec![]);
        if let Some(list) = &block.else_body {
            self.list(list, dot);
        }
        self.scopes.pop();
        self.scopes.pop();
    }

    fn call(&mut self, name: &SmolStr, at: Pos, dot: &Known) {
        let template = self.template;
        let Some(define) = template.defines.iter().find(|define| define.name == *name) else {
            let known = template.defines.iter().map(|define| define.name.as_str());
            self.unknown(at, format!("no template `{name}` is defined here"), nearest(name, known));
            return;
        };
        if self.calls.len() < MAX_CALL_DEPTH && self.seen.insert((name.clone(), dot.clone())) {
            self.calls.push(name.clone());
            let outside = std::mem::replace(&mut self.scopes, vec![vec![("$".into(), dot.clone())]]);
            self.list(&define.body, dot);
            self.scopes = outside;
            self.calls.pop();
        }
    }

    fn pipe(&mut self, pipe: &PipeNode, dot: &Known) -> Known {
        let mut value = None;
        for (index, command) in pipe.commands.iter().enumerate() {
            let optional = pipe.commands.get(index + 1).is_some_and(optional::is_default);
            let result = self.command(command, dot, optional);
            value = if index == 0 && pipe.commands.len() == 1 { result } else { None };
        }
        for name in &pipe.decl {
            if pipe.is_assign {
                self.assign(name);
            } else {
                self.set(name, value.clone());
            }
        }
        value
    }

    fn command(&mut self, command: &CommandNode, dot: &Known, optional: bool) -> Known {
        let (first, arguments) = command.args.split_first()?;
        let Expr::Identifier(at, name) = first else {
            let value = self.value(first, dot, optional);
            for argument in arguments {
                self.value(argument, dot, false);
            }
            return value;
        };
        self.function(*at, name);
        let of_default = optional::is_default(command);
        if name == "index" {
            return self.index(arguments, dot, optional);
        }
        let values: Vec<Known> = arguments.iter().map(|argument| self.value(argument, dot, of_default)).collect();
        if name == "include"
            && let Some(Expr::String(at, spell)) = arguments.first()
        {
            let dot = values.get(1).cloned().unwrap_or(Some(vec![]));
            let at = self.template.position(at.offset);
            self.found.includes.push(Include { name: spell.to_string(), at, dot });
        }
        None
    }

    /// `index . "run-tests" "outputs"` takes a path like any other.
    fn index(&mut self, arguments: &[Expr], dot: &Known, optional: bool) -> Known {
        let (first, names) = arguments.split_first()?;
        let literal = |name: &Expr| if let Expr::String(_, name) = name { Some(name.to_string()) } else { None };
        let start = if let Expr::Dot(_) = first { dot.clone() } else { self.value(first, dot, optional) };
        let literals: Option<Vec<String>> = names.iter().map(literal).collect();
        for name in names.iter().filter(|name| literal(name).is_none()) {
            self.value(name, dot, false);
        }
        let start = start?;
        // Which one it takes is known only when it is rendered.
        self.found.whole |= literals.is_none() && start.is_empty();
        let path: Vec<String> = start.into_iter().chain(literals?).collect();
        self.take(first.pos(), path.clone(), optional);
        Some(path)
    }

    fn value(&mut self, value: &Expr, dot: &Known, optional: bool) -> Known {
        match value {
            Expr::Dot(_) => {
                self.found.whole |= dot.as_ref().is_some_and(Vec::is_empty);
                dot.clone()
            }
            Expr::Field(at, names) => {
                let path = dot.clone().map(|dot| joined(dot, names))?;
                self.take(*at, path.clone(), optional);
                Some(path)
            }
            Expr::Variable(at, name, names) => {
                let start = self.variable(*at, name)?;
                let path = joined(start, names);
                if names.is_empty() {
                    self.found.whole |= path.is_empty();
                } else {
                    self.take(*at, path.clone(), optional);
                }
                Some(path)
            }
            Expr::Identifier(at, name) => {
                self.function(*at, name);
                None
            }
            Expr::Pipe(_, pipe) => self.pipe(pipe, dot),
            Expr::Chain(at, inner, names) => {
                let path = self.value(inner, dot, optional).map(|start| joined(start, names))?;
                self.take(*at, path.clone(), optional);
                Some(path)
            }
            Expr::String(..) | Expr::Number(..) | Expr::Bool(..) | Expr::Nil(_) => None,
        }
    }

    fn take(&mut self, at: Pos, path: Vec<String>, optional: bool) {
        let at = self.template.position(at.offset);
        self.found.fields.push(Reference { path, at, optional });
    }

    fn function(&mut self, at: Pos, name: &str) {
        if !FUNCTIONS.contains(&name) {
            self.unknown(at, format!("there is no function `{name}`"), nearest(name, FUNCTIONS.iter().copied()));
        }
    }

    fn variable(&mut self, at: Pos, name: &str) -> Known {
        let found = self.scopes.iter().rev().flat_map(|scope| scope.iter().rev()).find(|(known, _)| known == name);
        match found.map(|(_, value)| value.clone()) {
            Some(value) => value,
            None => {
                self.unknown(at, format!("there is no variable `{name}`"), None);
                None
            }
        }
    }

    fn set(&mut self, name: &SmolStr, value: Known) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push((name.clone(), value));
        }
    }

    /// A variable that is assigned to may be anything afterwards.
    fn assign(&mut self, name: &SmolStr) {
        let variables = self.scopes.iter_mut().rev().flat_map(|scope| scope.iter_mut().rev());
        if let Some((_, value)) = variables.into_iter().find(|(known, _)| known == name) {
            *value = None;
        }
    }

    fn unknown(&mut self, at: Pos, message: String, meant: Option<&str>) {
        let at = self.template.position(at.offset);
        self.found.unknown.push(Mistake::at(&self.template.file, at, message).meant(meant));
    }
}

fn joined(start: Vec<String>, names: &[SmolStr]) -> Vec<String> {
    start.into_iter().chain(names.iter().map(ToString::to_string)).collect()
}
