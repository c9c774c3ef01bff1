//! The functions beside Go's own.

use std::sync::Arc;

use gotmpl::{Result, TemplateError, Value, ValueFunc};

use super::render::MAX_RENDERED_BYTES;

/// Every function that a template can call: Go's own, then ours.
pub const FUNCTIONS: &[&str] = &[
    "and", "call", "eq", "ge", "gt", "html", "index", "js", "le", "len", "lt", "ne", "not", "or", "print", "printf",
    "println", "slice", "urlquery", "default", "include", "indent", "join", "lower", "quote", "trim", "upper",
];

/// Stands for a field that need not be there; templates cannot write it.
pub(super) const OPTIONAL: &str = "\u{1}optional";

type Function = fn(&[Value]) -> Result<Value>;

/// Those that need nothing but their arguments.
pub(super) fn plain() -> impl Iterator<Item = (&'static str, ValueFunc)> {
    let functions: [(&str, Function); 8] = [
        ("upper", |arguments| one("upper", arguments).map(|value| text(value.to_string().to_uppercase()))),
        ("lower", |arguments| one("lower", arguments).map(|value| text(value.to_string().to_lowercase()))),
        ("trim", |arguments| one("trim", arguments).map(|value| text(value.to_string().trim().to_owned()))),
        ("quote", |arguments| one("quote", arguments).map(|value| text(quoted(&value.to_string())))),
        ("indent", indent),
        ("default", default),
        ("join", join),
        (OPTIONAL, optional),
    ];
    functions.into_iter().map(|(name, function)| (name, Arc::new(function) as ValueFunc))
}

fn text(text: String) -> Value {
    Value::String(text.into())
}

fn one<'value>(name: &str, arguments: &'value [Value]) -> Result<&'value Value> {
    match arguments {
        [value] => Ok(value),
        _ => Err(count(name, 1, arguments)),
    }
}

fn two<'value>(name: &str, arguments: &'value [Value]) -> Result<(&'value Value, &'value Value)> {
    match arguments {
        [first, second] => Ok((first, second)),
        _ => Err(count(name, 2, arguments)),
    }
}

fn count(name: &str, expected: usize, arguments: &[Value]) -> TemplateError {
    TemplateError::ArgCount { name: name.to_owned(), expected, got: arguments.len() }
}

/// Quoted as JSON and most languages read it; it does not protect in a shell.
fn quoted(value: &str) -> String {
    serde_json::Value::from(value).to_string()
}

/// `indent 4 .text`: every line but empty ones begins with so many spaces.
fn indent(arguments: &[Value]) -> Result<Value> {
    let (width, value) = two("indent", arguments)?;
    let width = width.as_int().and_then(|width| usize::try_from(width).ok()).filter(|width| *width <= 1000);
    let width = width.ok_or_else(|| TemplateError::Exec("indent: the width is a number from 0 to 1000".to_owned()))?;
    let value = value.to_string();
    if value.lines().count().saturating_mul(width).saturating_add(value.len()) > MAX_RENDERED_BYTES {
        return Err(TemplateError::Exec("indent: the text is too long".to_owned()));
    }
    let space = " ".repeat(width);
    let lines = value.split('\n').map(|line| if line.is_empty() { String::new() } else { format!("{space}{line}") });
    Ok(text(lines.collect::<Vec<_>>().join("\n")))
}

/// `default "x" .value`: the value, or the other where it is missing or empty.
fn default(arguments: &[Value]) -> Result<Value> {
    let (other, value) = two("default", arguments)?;
    Ok(if value.is_truthy() || matches!(value, Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Float(_)) {
        value.clone()
    } else {
        other.clone()
    })
}

/// `join ", " .list`: the elements with a text between them.
fn join(arguments: &[Value]) -> Result<Value> {
    let (between, list) = two("join", arguments)?;
    let Value::List(items) = list else {
        return Err(TemplateError::TypeMismatch { expected: "list", got: list.type_name() });
    };
    Ok(text(items.iter().map(ToString::to_string).collect::<Vec<_>>().join(&between.to_string())))
}

/// A field of a field and so on, or nil where one is missing.
fn optional(arguments: &[Value]) -> Result<Value> {
    let Some((start, path)) = arguments.split_first() else { return Ok(Value::Nil) };
    let mut value = start;
    for name in path {
        match name.as_str().and_then(|name| value.field(name)) {
            Some(inner) => value = inner,
            None => return Ok(Value::Nil),
        }
    }
    Ok(value.clone())
}
