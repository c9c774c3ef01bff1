//! Reads a template, and makes sure that all of it was read.
//!
//! The parser takes an `{{if}}` without `{{end}}`, and stops at an `{{end}}` too many. A mark behind the source shows
//! both: it has to come out as the last text of the outermost list.

use gotmpl::TemplateError;
use gotmpl::parse::{BranchNode, DefineNode, ListNode, Node, Parser, TextNode};

use super::position;
use crate::Position;

type Refusal = (Position, String);

pub(super) fn parse(source: &str) -> Result<(ListNode, Vec<DefineNode>), Refusal> {
    let mut mark = "\u{1}end".to_owned();
    while source.contains(&mark) {
        mark.push('\u{1}');
    }
    let marked = format!("{source}{mark}");
    // What is wrong with the source itself is said without the mark.
    Parser::new(source, "{{", "}}").and_then(Parser::parse).map_err(|error| refusal(&error, source))?;
    let parsed = Parser::new(&marked, "{{", "}}").and_then(Parser::parse);
    let (mut tree, defines) = parsed.map_err(|error| refusal(&error, source))?;
    if !take_mark(&mut tree, &mark) {
        return Err(unbalanced(&tree, &defines, source, &mark));
    }
    Ok((tree, defines))
}

fn refusal(error: &TemplateError, source: &str) -> Refusal {
    let (TemplateError::Lex { line, col, message, .. } | TemplateError::Parse { line, col, message, .. }) = error
    else {
        return (Position::START, error.to_string());
    };
    // The mark is not part of the source.
    let end = position(source, source.len());
    let at = Position { line: (*line).max(1), column: (*col).max(1) };
    let hint = if message.ends_with("'-'") { "; a step `run-tests` is written `{{.run_tests}}`" } else { "" };
    (at.min(end), format!("{message}{hint}"))
}

/// Takes the mark from the end of the list, if it is there.
fn take_mark(tree: &mut ListNode, mark: &str) -> bool {
    let Some(Node::Text(TextNode { text, .. })) = tree.nodes.last_mut() else { return false };
    let Some(rest) = text.strip_suffix(mark) else { return false };
    if rest.is_empty() {
        tree.nodes.pop();
    } else {
        *text = rest.into();
    }
    true
}

fn unbalanced(tree: &ListNode, defines: &[DefineNode], source: &str, mark: &str) -> Refusal {
    let open = open_block(tree, mark).or_else(|| {
        defines.iter().find(|define| holds(&define.body, mark)).map(|define| ("define", define.pos.offset))
    });
    match open {
        Some((word, offset)) => (position(source, offset), format!("this `{{{{{word}}}}}` has no `{{{{end}}}}`")),
        None => {
            (position(source, stray_end(tree, source)), "this `{{end}}` or `{{else}}` belongs to nothing".to_owned())
        }
    }
}

/// The innermost block that the mark ended up in.
fn open_block(list: &ListNode, mark: &str) -> Option<(&'static str, usize)> {
    list.nodes.iter().find_map(|node| {
        let (word, block) = block(node)?;
        let lists = || std::iter::once(&block.body).chain(&block.else_body);
        lists()
            .find_map(|list| open_block(list, mark))
            .or_else(|| lists().any(|list| holds(list, mark)).then_some((word, block.pos.offset)))
    })
}

fn block(node: &Node) -> Option<(&'static str, &BranchNode)> {
    match node {
        Node::If(block) => Some(("if", block)),
        Node::Range(block) => Some(("range", block)),
        Node::With(block) => Some(("with", block)),
        Node::List(_)
        | Node::Text(_)
        | Node::Action(_)
        | Node::Template(_)
        | Node::Define(_)
        | Node::Break(_)
        | Node::Continue(_) => None,
    }
}

/// Whether the mark is in the list, at whatever depth.
fn holds(list: &ListNode, mark: &str) -> bool {
    list.nodes.iter().any(|node| match node {
        Node::Text(text) => text.text.contains(mark),
        Node::List(list) => holds(list, mark),
        Node::Define(define) => holds(&define.body, mark),
        Node::If(_) | Node::Range(_) | Node::With(_) => block(node).is_some_and(|(_, block)| {
            holds(&block.body, mark) || block.else_body.as_ref().is_some_and(|list| holds(list, mark))
        }),
        Node::Action(_) | Node::Template(_) | Node::Break(_) | Node::Continue(_) => false,
    })
}

/// The first `end` or `else` after what was read.
fn stray_end(tree: &ListNode, source: &str) -> usize {
    let read = tree.nodes.last().map_or(0, node_offset);
    let rest = source.get(read..).unwrap_or_default();
    let words = rest.match_indices("{{").find(|(offset, _)| {
        let inside = rest.get(offset + 2..).unwrap_or_default().trim_start_matches(['-', ' ', '\t', '\n']);
        inside.starts_with("end") || inside.starts_with("else")
    });
    words.map_or(read, |(offset, _)| read + offset)
}

pub(super) fn node_offset(node: &Node) -> usize {
    match node {
        Node::List(list) => list.pos.offset,
        Node::Text(text) => text.pos.offset,
        Node::Action(action) => action.pos.offset,
        Node::If(block) | Node::Range(block) | Node::With(block) => block.pos.offset,
        Node::Template(template) => template.pos.offset,
        Node::Define(define) => define.pos.offset,
        Node::Break(position) | Node::Continue(position) => position.offset,
    }
}
