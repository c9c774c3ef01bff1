//! JSON Schemas in which every schema is an object, for programs that do not know `true` and `false` as schemas.

use serde_json::{Value, json};

/// Replaces the schema `true` by `{}` and `false` by `{"not": {}}`, which mean the same.
///
/// Only places that hold a schema are visited: a `true` elsewhere, such as in `default`, is a value.
pub(crate) fn write_as_objects(schema: &mut Value) {
    const SCHEMAS: [&str; 7] = ["items", "not", "contains", "if", "then", "else", "propertyNames"];
    const LISTS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];
    const TABLES: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
    // Every client takes `false` here: it is the usual way to exclude other fields.
    const EITHER: [&str; 3] = ["additionalProperties", "unevaluatedProperties", "unevaluatedItems"];
    match schema {
        Value::Bool(true) => *schema = json!({}),
        Value::Bool(false) => *schema = json!({ "not": {} }),
        Value::Object(fields) => {
            for (key, value) in fields {
                match key.as_str() {
                    key if SCHEMAS.contains(&key) => write_as_objects(value),
                    key if EITHER.contains(&key) && *value != Value::Bool(false) => write_as_objects(value),
                    key if LISTS.contains(&key) => {
                        value.as_array_mut().into_iter().flatten().for_each(write_as_objects);
                    }
                    key if TABLES.contains(&key) => {
                        value.as_object_mut().into_iter().flatten().for_each(|(_, value)| write_as_objects(value));
                    }
                    _ => {}
                }
            }
        }
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {}
    }
}
