//! Makes `{{.task.owner | default "nobody"}}` work where the task has no owner.
//!
//! A missing field is an error before `default` is ever called. So a field that goes straight into `default` is taken by
//! a function that gives nothing where it is missing.

use gotmpl::parse::{BranchNode, CommandNode, Expr, ListNode, Node, PipeNode};

use super::functions::OPTIONAL;

/// Rewrites every such field.
pub(super) fn rewrite(list: &mut ListNode) {
    for node in &mut list.nodes {
        match node {
            Node::List(list) => rewrite(list),
            Node::Action(action) => pipe(&mut action.pipe),
            Node::If(block) | Node::Range(block) | Node::With(block) => branch(block),
            Node::Template(template) => template.pipe.iter_mut().for_each(pipe),
            Node::Define(define) => rewrite(&mut define.body),
            Node::Text(_) | Node::Break(_) | Node::Continue(_) => {}
        }
    }
}

fn branch(block: &mut BranchNode) {
    pipe(&mut block.pipe);
    rewrite(&mut block.body);
    if let Some(list) = &mut block.else_body {
        rewrite(list);
    }
}

fn pipe(node: &mut PipeNode) {
    for index in 0..node.commands.len() {
        let into_default = node.commands.get(index + 1).is_some_and(is_default);
        let Some(command) = node.commands.get_mut(index) else { continue };
        if into_default
            && let [value] = command.args.as_mut_slice()
            && let Some(call) = call_for(value)
        {
            command.args = call;
            continue;
        }
        let of_default = is_default(command);
        for argument in &mut command.args {
            match argument {
                Expr::Pipe(_, inner) => pipe(inner),
                Expr::Chain(_, inner, _) => {
                    if let Expr::Pipe(_, inner) = inner.as_mut() {
                        pipe(inner);
                    }
                }
                Expr::Field(..) | Expr::Variable(..) if of_default => {
                    if let Some(args) = call_for(argument) {
                        let at = argument.pos();
                        let commands = vec![CommandNode { pos: at, args }];
                        *argument = Expr::Pipe(at, PipeNode { pos: at, decl: vec![], commands, is_assign: false });
                    }
                }
                Expr::Field(..)
                | Expr::Variable(..)
                | Expr::Dot(_)
                | Expr::Identifier(..)
                | Expr::String(..)
                | Expr::Number(..)
                | Expr::Bool(..)
                | Expr::Nil(_) => {}
            }
        }
    }
}

/// Whether a command is a call of `default`.
pub(super) fn is_default(command: &CommandNode) -> bool {
    matches!(command.args.first(), Some(Expr::Identifier(_, name)) if name == "default")
}

/// The call that takes the same field, if it is one.
fn call_for(value: &Expr) -> Option<Vec<Expr>> {
    let (at, start, path) = match value {
        Expr::Field(at, path) => (*at, Expr::Dot(*at), path),
        Expr::Variable(at, name, path) if !path.is_empty() => (*at, Expr::Variable(*at, name.clone(), vec![]), path),
        Expr::Variable(..)
        | Expr::Dot(_)
        | Expr::Identifier(..)
        | Expr::String(..)
        | Expr::Number(..)
        | Expr::Bool(..)
        | Expr::Nil(_)
        | Expr::Pipe(..)
        | Expr::Chain(..) => return None,
    };
    let names = path.iter().map(|name| Expr::String(at, name.as_str().into()));
    Some([Expr::Identifier(at, OPTIONAL.into()), start].into_iter().chain(names).collect())
}
