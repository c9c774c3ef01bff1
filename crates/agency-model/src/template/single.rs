//! Takes the value of a template that is exactly one action, before it becomes a text.

use std::sync::{Arc, Mutex, PoisonError};

use gotmpl::Value;
use gotmpl::parse::{CommandNode, Expr, ListNode, Node};

/// The function that keeps a value; templates cannot write its name.
pub(super) const HAND_OVER: &str = "\u{1}value";

/// The same template with its value handed over; `None` unless it is exactly one action that prints something.
pub(super) fn handing_over(tree: &ListNode) -> Option<ListNode> {
    let [Node::Action(action)] = tree.nodes.as_slice() else { return None };
    if !action.pipe.decl.is_empty() {
        return None;
    }
    let (mut action, at) = (action.clone(), action.pos);
    action.pipe.commands.push(CommandNode { pos: at, args: vec![Expr::Identifier(at, HAND_OVER.into())] });
    Some(ListNode { pos: tree.pos, nodes: vec![Node::Action(action)] })
}

/// The function itself.
pub(super) fn keeping(place: Arc<Mutex<Option<Value>>>) -> impl Fn(&[Value]) -> gotmpl::Result<Value> {
    move |arguments| {
        *place.lock().unwrap_or_else(PoisonError::into_inner) = arguments.last().cloned();
        Ok(Value::String("".into()))
    }
}
