//! Agents that ask in Claude Code's protocol, and what they hear.

use std::fs;
use std::path::Path;
use std::time::Duration;

use agency_testkit::{Agent, Repo, Run, Terminal, World, wait_for};
use serde_json::{Value, json};

/// How long anything may take.
pub(super) const LIMIT: Duration = Duration::from_secs(30);

pub(super) fn world() -> (World, Repo) {
    let world = World::new(Path::new(env!("CARGO_BIN_EXE_agency")));
    let repo = world.repo("project");
    (world, repo)
}

/// Wants to run a command.
pub(super) fn permission(id: &str, command: &str) -> Value {
    let input = json!({ "command": command });
    let request =
        json!({ "subtype": "can_use_tool", "tool_name": "Bash", "input": input, "description": "Do something" });
    json!({ "type": "control_request", "request_id": id, "request": request })
}

/// Asks something with options.
pub(super) fn question(id: &str, text: &str, options: &[&str], several: bool) -> Value {
    let options: Vec<Value> = options.iter().map(|label| json!({ "label": label })).collect();
    let asked = json!({ "question": text, "header": text, "options": options, "multiSelect": several });
    let input = json!({ "questions": [asked] });
    let request = json!({ "subtype": "can_use_tool", "tool_name": "AskUserQuestion", "input": input });
    json!({ "type": "control_request", "request_id": id, "request": request })
}

/// Makes an agent of that name that asks all this at once, keeps what it hears, and ends when it has heard everything.
pub(super) fn asks(world: &World, name: &str, requests: &[Value]) {
    let asked: String = requests.iter().map(|request| format!("printf '%s\\n' '{request}'\n")).collect();
    let script = format!(
        "read -r prompt\n\
         printf '%s\\n' '{{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\"}}'\n{asked}\
         for _ in {}; do read -r line || exit 3; printf '%s\\n' \"$line\" >>\"$0.heard\"; done\n\
         printf '%s\\n' '{{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"Done.\"}}'\n\
         while read -r line; do :; done",
        "x ".repeat(requests.len()),
    );
    world.agent(name, Agent::new(script).prompt("protocol"));
    world.configure("stream = \"claude\"\n");
}

/// Starts such an agent, without a terminal.
pub(super) fn start(world: &World, repo: &Repo, name: &str, further: &[&str]) -> Run {
    world.begin(repo, name, &[&["--mode", "headless", "--host", "detached", "--name", name], further].concat())
}

/// The responses that an agent got, in order.
pub(super) fn heard(world: &World, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(world.root().join(format!("agents/{name}.heard"))).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["response"]["response"].take()).collect()
}

/// Waits until so many questions are open, and gives them.
pub(super) fn open(world: &World, count: usize) -> Vec<Value> {
    wait_for(&format!("{count} open questions"), LIMIT, || {
        let answer = world.json(&["inbox"]);
        answer["data"]["questions"].as_array().filter(|questions| questions.len() == count).cloned()
    })
}

pub(super) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap()
}

/// Waits until a text is shown and keys are offered below it. Keys that are pressed earlier do not count.
#[track_caller]
pub(super) fn offered(terminal: &Terminal, text: &str) -> String {
    let offers = |screen: &str| screen.trim_end().ends_with("[q] quit");
    terminal.wait_until(&format!("`{text}` and its keys"), |screen| screen.contains(text) && offers(screen))
}
