//! The schema that editors check whole files against.

use crate::config::config_schema;

#[test]
fn the_schema_has_every_default_and_refuses_other_keys() {
    let schema = config_schema().to_value();
    insta::assert_snapshot!("config_schema", serde_json::to_string_pretty(&schema).unwrap());
}
