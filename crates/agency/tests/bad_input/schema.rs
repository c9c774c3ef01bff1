//! A small check of an answer against the schema that `agency schema` prints for it.

use agency_testkit::World;
use serde_json::Value;

/// The answer has the shape that the schema of that name describes.
#[track_caller]
pub(super) fn matches(world: &World, name: &str, answer: &Value) {
    let printed = world.ok(&["schema", name]);
    let schema: Value = serde_json::from_str(&printed.stdout).unwrap();
    check(&schema, &schema, answer, name);
}

/// Checks `const`, `enum`, `required` and the names in `properties`, as deep as objects and arrays go.
#[track_caller]
fn check(whole: &Value, schema: &Value, value: &Value, place: &str) {
    let schema = resolved(whole, schema);
    if let Some(constant) = schema.get("const") {
        assert_eq!(value, constant, "{place}");
    }
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        assert!(choices.contains(value), "{place}: {value} is none of {choices:?}");
    }
    if let (Some(fields), Some(items)) = (value.as_object(), schema.get("properties")) {
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            assert!(fields.contains_key(name.as_str().unwrap()), "{place} lacks {name}");
        }
        for (name, field) in fields {
            let described = items.get(name).unwrap_or_else(|| panic!("{place}.{name} is in no schema"));
            check(whole, described, field, &format!("{place}.{name}"));
        }
    }
    if let (Some(elements), Some(items)) = (value.as_array(), schema.get("items")) {
        for (index, element) in elements.iter().enumerate() {
            check(whole, items, element, &format!("{place}[{index}]"));
        }
    }
}

/// Follows `$ref` into `$defs`.
fn resolved<'a>(whole: &'a Value, schema: &'a Value) -> &'a Value {
    match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) => {
            let name = reference.strip_prefix("#/$defs/").unwrap();
            resolved(whole, whole["$defs"].get(name).unwrap_or_else(|| panic!("there is no {reference}")))
        }
        None => schema,
    }
}
