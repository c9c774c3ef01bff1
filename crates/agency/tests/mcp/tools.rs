//! What a client sees of the server.

use serde_json::Value;

use super::client::Client;
use super::fixture::empty;

const TOOLS: [&str; 15] = [
    "list_sources",
    "ask_sources",
    "run_agent",
    "list_runs",
    "show_run",
    "run_output",
    "stop_run",
    "land_run",
    "forecast",
    "review_run",
    "list_checkpoints",
    "restore_checkpoint",
    "start_race",
    "show_race",
    "inbox",
];

// proves A10
#[test]
fn a_client_is_told_who_serves_it_and_which_tools_there_are() {
    let world = empty();
    let client = Client::new(&world);
    let info = client.service.peer_info().unwrap();
    assert_eq!(info.server_info.as_ref().unwrap().name, "agency");
    assert!(info.capabilities.tools.is_some() && info.instructions.as_ref().unwrap().contains("ask_sources"));
    let tools = client.tools();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, TOOLS);
    for tool in &tools {
        assert!(tool["description"].as_str().unwrap().len() > 20, "{tool:#}");
        for schema in ["inputSchema", "outputSchema"] {
            is_an_object_schema(&tool[schema]);
        }
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool:#}");
    }
    let of = |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap();
    assert_eq!(of("ask_sources")["inputSchema"]["required"], serde_json::json!(["sources", "question"]));
    assert_eq!(of("run_agent")["inputSchema"]["required"], serde_json::json!(["prompt"]));
    assert_eq!(of("run_agent")["inputSchema"]["properties"]["name"]["type"], "string");
    assert_eq!(of("run_agent")["inputSchema"]["properties"]["mode"]["enum"].as_array().unwrap().len(), 2);
    assert_eq!(of("list_runs")["inputSchema"]["properties"]["state"]["enum"].as_array().unwrap().len(), 5);
    assert_eq!(of("stop_run")["annotations"]["destructiveHint"], true);
    assert_eq!(of("ask_sources")["annotations"]["readOnlyHint"], true);
    client.leave();
}

#[test]
fn every_schema_of_a_tool_is_an_object() {
    let world = empty();
    let client = Client::new(&world);
    for tool in client.tools() {
        for schema in ["inputSchema", "outputSchema"] {
            for (name, field) in tool[schema]["properties"].as_object().unwrap() {
                has_no_boolean_schema(field, &format!("{} {schema} {name}", tool["name"]));
            }
        }
    }
    client.leave();
}

/// A `true` is a value only where a value is expected.
#[track_caller]
fn has_no_boolean_schema(schema: &Value, place: &str) {
    assert!(schema.is_object(), "{place}: {schema}");
    for (key, value) in schema.as_object().unwrap() {
        let place = format!("{place} {key}");
        match (key.as_str(), value) {
            ("additionalProperties", Value::Bool(false)) | ("default" | "const" | "enum" | "required", _) => {}
            ("properties", Value::Object(fields)) => {
                fields.values().for_each(|field| has_no_boolean_schema(field, &place));
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(choices)) => {
                choices.iter().for_each(|choice| has_no_boolean_schema(choice, &place));
            }
            (_, Value::Object(_)) => has_no_boolean_schema(value, &place),
            (_, Value::Bool(_)) => panic!("{place}: {value}"),
            (_, _) => {}
        }
    }
}

/// Every field of the input is described, of one type, and nothing refers to anything.
#[track_caller]
fn is_an_object_schema(schema: &Value) {
    assert_eq!(schema["type"], "object", "{schema:#}");
    assert!(schema["properties"].is_object(), "{schema:#}");
    let text = schema.to_string();
    assert!(!text.contains("$ref") && !text.contains("\"uint32\""), "{schema:#}");
}

#[test]
fn every_field_that_a_tool_takes_is_described_and_of_one_type() {
    let world = empty();
    let client = Client::new(&world);
    for tool in client.tools() {
        for (name, field) in tool["inputSchema"]["properties"].as_object().unwrap() {
            assert!(field["description"].as_str().is_some_and(|text| text.len() > 10), "{name}: {field:#}");
            assert!(field["type"].is_string(), "{name}: {field:#}");
        }
    }
}

#[test]
fn nothing_but_the_protocol_is_on_standard_output() {
    let world = empty();
    let output = world.agency(&["mcp"]);
    assert_eq!((output.status.code(), output.stdout.as_str(), output.stderr.as_str()), (Some(0), "", ""), "{output}");
}
