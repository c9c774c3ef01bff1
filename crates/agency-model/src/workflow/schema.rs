//! The JSON Schema of a workflow file, made from the table of its fields.

use serde_json::{Map, Value, json};

use super::StepKind;
use super::fields::{Field, Holds, Need, Shape};
use crate::McpPreset;

/// The JSON Schema of a workflow file, for editors.
#[must_use]
#[doc(hidden)]
pub fn workflow_schema() -> schemars::Schema {
    let mut definitions: Map<String, Value> = Shape::ALL
        .iter()
        .filter(|shape| **shape != Shape::Workflow)
        .map(|shape| (definition_name(*shape).to_owned(), object(*shape)))
        .collect();
    let kinds = StepKind::ALL.iter().map(|kind| reference(definition_name(Shape::Step(*kind))));
    definitions.insert("step".to_owned(), json!({ "oneOf": kinds.collect::<Vec<_>>() }));
    let mut whole = object(Shape::Workflow);
    if let Some(fields) = whole.as_object_mut() {
        fields.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
        fields.insert("title".to_owned(), "Workflow".into());
        fields.insert("$defs".to_owned(), Value::Object(definitions));
    }
    schemars::Schema::try_from(whole).unwrap_or_default()
}

const fn definition_name(shape: Shape) -> &'static str {
    match shape {
        Shape::Workflow => "workflow",
        Shape::Defaults => "defaults",
        Shape::Step(kind) => kind.as_str(),
        Shape::Stage => "stage",
        Shape::Task => "task",
        Shape::McpServer => "mcp_server",
    }
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn object(shape: Shape) -> Value {
    let properties: Map<String, Value> =
        shape.fields().map(|field| (field.name.to_owned(), property(shape, field))).collect();
    let required: Vec<&str> =
        shape.fields().filter(|field| field.need == Need::Required).map(|field| field.name).collect();
    let mut schema = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    let either: Vec<Value> = shape.fields().filter_map(|field| either(shape, field)).collect();
    if let (false, Some(fields)) = (either.is_empty(), schema.as_object_mut()) {
        fields.insert("allOf".to_owned(), Value::Array(either));
    }
    schema
}

/// That one of two fields has to be there, reported once for both.
fn either(shape: Shape, field: &Field) -> Option<Value> {
    let Need::OneOf(other) = field.need else { return None };
    let first = shape.fields().find(|known| known.name == field.name || known.name == other)?;
    (first.name == field.name).then(|| json!({ "anyOf": [{ "required": [field.name] }, { "required": [other] }] }))
}

fn property(shape: Shape, field: &Field) -> Value {
    let mut schema = match (shape, field.name) {
        // The type of a step defines its shape.
        (Shape::Step(kind), "type") => json!({ "const": kind.as_str() }),
        _ => value(field.holds),
    };
    let default = if field.default.is_empty() { String::new() } else { format!(" Default: {}.", field.default) };
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("description".to_owned(), format!("{}{default}", field.what).into());
    }
    schema
}

fn value(holds: Holds) -> Value {
    match holds {
        Holds::Name => json!({ "type": ["string", "integer"], "pattern": r"^[\p{L}\p{N}_-]{1,100}$" }),
        Holds::Text => json!({ "type": "string" }),
        Holds::Template => json!({ "type": ["string", "number", "boolean"] }),
        Holds::Duration => {
            json!({ "type": "string", "pattern": r"^\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))*$" })
        }
        Holds::Count => json!({ "type": "integer", "minimum": 1 }),
        Holds::Flag => json!({ "type": "boolean" }),
        Holds::Word(words) => json!({ "enum": words }),
        Holds::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Holds::Environment => {
            json!({ "type": "object", "additionalProperties": { "type": ["string", "number", "boolean", "null"] } })
        }
        Holds::Variables => json!({ "type": "object" }),
        Holds::Command => {
            let words = json!({ "type": "array", "items": { "type": ["string", "number", "boolean"] }, "minItems": 1 });
            json!({ "oneOf": [{ "type": "string" }, words] })
        }
        Holds::McpServers => {
            let presets: Vec<&str> = McpPreset::ALL.iter().map(|preset| preset.as_str()).collect();
            let server = json!({ "oneOf": [{ "type": "null" }, { "const": true }, reference("mcp_server")] });
            json!({ "oneOf": [
                { "type": "array", "items": { "enum": presets } },
                { "type": "object", "additionalProperties": server },
            ] })
        }
        Holds::Object(shape) => reference(definition_name(shape)),
        Holds::Objects(shape) => json!({ "type": "array", "items": reference(definition_name(shape)), "minItems": 1 }),
        Holds::Steps => json!({ "type": "array", "items": reference("step"), "minItems": 1 }),
    }
}
