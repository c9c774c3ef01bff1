//! Finds the section of a key that was written in the wrong place.

use super::config_schema;
use agency_model::document::{Mistake, Reason, dotted_key};
use serde_json::Value;

/// Adds the section that has an unknown key of the top level.
pub(super) fn in_other_section(mistake: Mistake) -> Mistake {
    if mistake.reason != Reason::UnknownKey || mistake.nearest.is_some() {
        return mistake;
    }
    match section_of(&mistake.field) {
        Some(section) => {
            let right = dotted_key(&section, &mistake.field);
            Mistake { message: "unknown key".to_owned(), ..mistake }.meant(Some(&right))
        }
        None => mistake,
    }
}

/// The table of the top level that has the key, by the schema of the file.
fn section_of(key: &str) -> Option<String> {
    let schema = config_schema().to_value();
    let has_key = |property: &Value| {
        let definition = property.get("$ref")?.as_str()?.strip_prefix('#')?;
        schema.pointer(definition)?.get("properties")?.get(key)
    };
    let sections = schema.get("properties")?.as_object()?;
    sections.iter().find(|(_, property)| has_key(property).is_some()).map(|(name, _)| name.clone())
}
