//! JSON Schemas as every client understands them.
//!
//! Some models refuse what the standard allows: formats of their own, several types at once, references. Some clients
//! refuse a schema that is `true` or `false` instead of an object, and with it the whole list of tools.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use crate::object_schema::write_as_objects;

/// The schema of what a tool takes or gives.
pub(super) fn plain<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    drop_formats(&mut schema);
    write_as_objects(&mut schema);
    let mut fields = schema.as_object_mut().map(std::mem::take).unwrap_or_default();
    fields.remove("title");
    fields
}

/// The schema of what a tool takes, in which a field that may be absent is of one type.
pub(super) fn plain_input<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = plain::<T>();
    if let Some(Value::Object(fields)) = schema.get_mut("properties") {
        fields.values_mut().for_each(take_null_out);
    }
    schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    schema
}

fn drop_formats(value: &mut Value) {
    if let Some(fields) = value.as_object_mut() {
        // A field of that name is described by an object.
        fields.retain(|key, value| key != "format" || !value.is_string());
        fields.values_mut().for_each(drop_formats);
    } else if let Some(items) = value.as_array_mut() {
        items.iter_mut().for_each(drop_formats);
    }
}

fn take_null_out(field: &mut Value) {
    let Some(schema) = field.as_object_mut() else { return };
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    if let Some(Value::Array(types)) = schema.get("type") {
        let mut named = types.iter().filter(|word| *word != "null");
        if let (Some(only), None) = (named.next().cloned(), named.next()) {
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(mut choices)) = schema.remove("anyOf") {
        choices.retain(|choice| choice.get("type").is_none_or(|word| word != "null"));
        match (choices.pop(), choices.is_empty()) {
            (Some(Value::Object(only)), true) => {
                for (key, value) in only {
                    schema.entry(key).or_insert(value);
                }
            }
            (last, _) => {
                choices.extend(last);
                schema.insert("anyOf".to_owned(), Value::Array(choices));
            }
        }
    }
    name_words(schema);
}

/// Words that are described one by one become a list of words.
fn name_words(schema: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = schema.get("oneOf") else { return };
    let words: Option<Vec<Value>> = choices.iter().map(|choice| choice.get("const").cloned()).collect();
    if let Some(words) = words {
        schema.remove("oneOf");
        schema.insert("type".to_owned(), Value::from("string"));
        schema.insert("enum".to_owned(), Value::Array(words));
    }
}
