//! What templates take their values from.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

/// The values that a template can name, ready to be rendered with again and again.
#[derive(Debug, Clone)]
pub struct TemplateValues(pub(super) gotmpl::Value);

impl TemplateValues {
    /// Takes the values of an object.
    #[must_use]
    pub fn new(values: &Map<String, Value>) -> Self {
        Self(object(values))
    }

    /// Whether it has a value of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.field(name).is_some()
    }
}

fn object(values: &Map<String, Value>) -> gotmpl::Value {
    let entries: BTreeMap<Arc<str>, gotmpl::Value> =
        values.iter().map(|(name, inner)| (Arc::from(name.as_str()), value(inner))).collect();
    gotmpl::Value::Map(Arc::new(entries))
}

/// JSON as templates represent it. Null is an empty text: Go would print `<no value>`, which is useless in a prompt.
pub(super) fn value(json: &Value) -> gotmpl::Value {
    match json {
        Value::Null => gotmpl::Value::String(Arc::from("")),
        Value::Bool(value) => gotmpl::Value::Bool(*value),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => gotmpl::Value::Int(number),
            (None, Some(number)) => gotmpl::Value::Uint(number),
            (None, None) => gotmpl::Value::Float(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => gotmpl::Value::String(Arc::from(text.as_str())),
        Value::Array(items) => gotmpl::Value::List(items.iter().map(value).collect()),
        Value::Object(entries) => object(entries),
    }
}

/// What templates know as JSON; `None` for a text, and for what JSON does not have.
pub(super) fn json_unless_text(value: &gotmpl::Value) -> Option<Value> {
    if matches!(value, gotmpl::Value::String(_)) { None } else { json(value) }
}

fn json(value: &gotmpl::Value) -> Option<Value> {
    Some(match value {
        gotmpl::Value::Bool(value) => Value::Bool(*value),
        gotmpl::Value::Int(number) => (*number).into(),
        gotmpl::Value::Uint(number) => (*number).into(),
        gotmpl::Value::Float(number) => serde_json::Number::from_f64(*number)?.into(),
        gotmpl::Value::String(text) => Value::from(text.as_ref()),
        gotmpl::Value::List(items) => items.iter().map(json).collect::<Option<Vec<_>>>()?.into(),
        gotmpl::Value::Map(entries) => {
            let entry = |(name, inner): (&Arc<str>, &gotmpl::Value)| Some((name.to_string(), json(inner)?));
            Value::Object(entries.iter().map(entry).collect::<Option<_>>()?)
        }
        gotmpl::Value::Nil | gotmpl::Value::Function(_) => return None,
    })
}
