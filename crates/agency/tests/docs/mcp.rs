//! `docs/mcp.md` against what the server says about itself.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use super::markdown::{code_words, read, rows, section};
use super::program::{fields, world};

/// The tools, as a client is told.
fn tools() -> Vec<Value> {
    let world = world();
    let mut server = world.command(&["mcp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "docs", "version": "1" } });
    let mut input = server.stdin.take().unwrap();
    for line in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
    ] {
        writeln!(input, "{line}").unwrap();
    }
    // Nothing more comes; what was asked is still answered.
    drop(input);
    let lines = BufReader::new(server.stdout.take().unwrap()).lines().map(|line| line.unwrap());
    let answers: Vec<Value> = lines.map(|line| serde_json::from_str(&line).unwrap()).collect();
    assert!(server.wait().unwrap().success());
    answers.iter().find(|answer| answer["id"] == 2).unwrap()["result"]["tools"].as_array().unwrap().clone()
}

// proves A10
#[test]
fn every_tool_is_described_with_all_that_it_takes_and_no_other() {
    let section = section(&read("docs/mcp.md"), "Tools");
    let rows = rows(&section);
    let (described, explained): (Vec<&Vec<String>>, Vec<&Vec<String>>) = rows.iter().partition(|row| row.len() == 3);
    let tools = tools();
    let names: Vec<String> = tools.iter().map(|tool| format!("`{}`", tool["name"].as_str().unwrap())).collect();
    assert_eq!(described.iter().map(|row| row[0].clone()).collect::<Vec<_>>(), names);
    let mut all = vec![];
    for (row, tool) in described.iter().zip(&tools) {
        let taken = fields(&tool["inputSchema"]);
        assert_eq!(code_words(&row[1]), taken, "{}", row[0]);
        all.extend(taken);
        if !["show_run", "stop_run"].contains(&tool["name"].as_str().unwrap()) {
            for field in fields(&tool["outputSchema"]) {
                assert!(code_words(&row[2]).contains(&field), "{}: `{field}` is not named", row[0]);
            }
        }
    }
    let explained: Vec<String> = explained.iter().map(|row| row[0].trim_matches('`').to_owned()).collect();
    all.sort();
    all.dedup();
    let mut known = explained.clone();
    known.sort();
    assert_eq!(known, all);
}
