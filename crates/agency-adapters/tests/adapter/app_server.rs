//! `codex app-server` against recorded exchanges: what is heard, and that we say what was said then.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use agency_adapters::{Channel, Opening, StreamFormat, StreamItem, ToAgent};
use agency_model::{Answer, Event, Usage};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::recorded::rendered;

/// A recorded line: whether we said it, and what it is.
type Recorded = (bool, Value);

fn exchanges() -> Vec<(String, Vec<Recorded>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agents/codex-app-server");
    let mut exchanges: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let text = fs::read_to_string(entry.path()).unwrap();
            let lines = text.lines().map(|line| {
                let mut record: Value = serde_json::from_str(line).unwrap();
                (record["dir"] == ">>", record["line"].take())
            });
            (entry.file_name().into_string().unwrap(), lines.collect())
        })
        .collect();
    exchanges.sort_by(|one, other| one.0.cmp(&other.0));
    assert!(exchanges.len() > 10, "the recorded exchanges are missing");
    exchanges
}

fn exchange(name: &str) -> Vec<Recorded> {
    exchanges().into_iter().find(|(found, _)| found.starts_with(name)).unwrap().1
}

fn opening(exchange: &[Recorded]) -> Opening {
    let said = |method: &str| exchange.iter().find(|(ours, line)| *ours && line["method"] == method);
    Opening {
        prompt: said("turn/start").map(|(_, line)| prompt(line)),
        directory: PathBuf::from("/home/user/repo"),
        resume: said("thread/resume").map(|(_, line)| line["params"]["threadId"].as_str().unwrap().to_owned()),
        mcp_servers: vec![],
    }
}

fn prompt(turn: &Value) -> String {
    turn["params"]["input"][0]["text"].as_str().unwrap().to_owned()
}

fn conversation(opening: Opening) -> Channel {
    StreamFormat::Codex.conversation(opening).unwrap()
}

fn lines(bytes: &[u8]) -> Vec<Value> {
    assert!(bytes.is_empty() || bytes.ends_with(b"\n"));
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(read).collect()
}

fn read(line: &[u8]) -> Value {
    serde_json::from_slice(line).unwrap()
}

fn bytes(exchange: &[Recorded]) -> Vec<u8> {
    let told = exchange.iter().filter(|(ours, _)| !ours).map(|(_, line)| format!("{line}\n"));
    told.collect::<String>().into_bytes()
}

/// What we are to say where this was said when the exchange was recorded.
fn expected(mut line: Value) -> Value {
    match line["method"].as_str() {
        Some("initialize") => {
            let version = env!("CARGO_PKG_VERSION");
            line["params"]["clientInfo"] = json!({ "name": "agency", "title": "agency", "version": version });
        }
        Some("thread/start") => line["params"] = json!({ "cwd": line["params"]["cwd"] }),
        Some("thread/resume") => {
            line["params"]["cwd"] = json!("/home/user/repo");
            line["params"]["excludeTurns"] = json!(true);
        }
        Some("turn/start") => {
            line["params"] = json!({ "threadId": line["params"]["threadId"], "input": line["params"]["input"] });
        }
        Some(_) => {}
        None if line["error"].is_object() => {
            line["error"]["message"] = json!("agency does not answer item/permissions/requestApproval");
        }
        None if line["result"]["decision"] != "decline" && !line["result"]["decision"].is_null() => {
            line["result"]["decision"] = json!("accept");
        }
        None => {}
    }
    line
}

/// The answers that a recorded response amounts to, with the keys of their questions.
fn answers(line: &Value) -> Vec<(String, Answer)> {
    let key = line["id"].to_string();
    let result = &line["result"];
    if let Some(given) = result["answers"].as_object() {
        let answer = |given: &Value| {
            let given = given["answers"][0].as_str().unwrap();
            match given.strip_prefix("user_note: ") {
                Some(text) => Answer::Text { text: text.to_owned() },
                None => Answer::Options { chosen: vec![given.to_owned()] },
            }
        };
        return given.values().enumerate().map(|(index, given)| (format!("{key}/{index}"), answer(given))).collect();
    }
    let answer = match (result["decision"].as_str(), result["action"].as_str()) {
        (Some("accept"), _) | (None, Some("accept")) => Answer::Allow { message: None },
        (Some("decline"), _) => Answer::Deny { message: None },
        _ => Answer::AllowAll,
    };
    vec![(key, answer)]
}

/// Has the exchange once more. Checks what we say, and returns what is heard.
fn replayed(name: &str, exchange: &[Recorded]) -> Vec<StreamItem> {
    let mut channel = conversation(opening(exchange));
    let mut said: VecDeque<Value> = lines(&channel.open()).into();
    let mut heard = vec![];
    let mut turns = 0;
    for (ours, line) in exchange {
        if !ours {
            let new = channel.feed(format!("{line}\n").as_bytes());
            for item in &new {
                if let StreamItem::Reply(bytes) = item {
                    said.extend(lines(bytes));
                }
            }
            heard.extend(new);
            continue;
        }
        let mut tell = |message: ToAgent| said.extend(lines(&channel.encode(&message).unwrap()));
        match line["method"].as_str() {
            Some("no/such") => continue,
            Some("turn/interrupt") => tell(ToAgent::Interrupt),
            Some("turn/start") => {
                if turns > 0 {
                    tell(ToAgent::Message(prompt(line)));
                }
                turns += 1;
            }
            Some(_) => {}
            None if line["error"].is_object() => {}
            None => {
                answers(line).into_iter().for_each(|(key, answer)| tell(ToAgent::Answer { key: key.into(), answer }));
            }
        }
        assert_eq!(said.pop_front(), Some(expected(line.clone())), "{name}");
    }
    assert!(said.is_empty(), "{name}: {said:?}");
    assert_eq!(channel.finish(), [], "{name}");
    heard
}

#[test]
fn golden() {
    let mut text = String::new();
    for (name, exchange) in exchanges() {
        text += &format!("\n== {name}\n");
        for item in replayed(&name, &exchange) {
            text += &rendered(&item);
            text.push('\n');
        }
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!("adapter_codex_app_server", text));
}

/// A line that says nothing which is not known already.
fn says_nothing(line: &Value) -> bool {
    let response = line["result"].is_object();
    let ours = line["params"]["item"]["type"] == "userMessage";
    let begins = line["method"] == "item/started" && line["params"]["item"].get("command").is_none();
    let silent = [
        "thread/started",
        "thread/status/changed",
        "thread/readState/changed",
        "thread/settings/updated",
        "thread/goal/cleared",
        "thread/tokenUsage/updated",
        "turn/started",
        "turn/diff/updated",
        "item/agentMessage/delta",
        "item/commandExecution/outputDelta",
        "serverRequest/resolved",
        "account/rateLimits/updated",
        "remoteControl/status/changed",
        "mcpServer/startupStatus/updated",
    ];
    response || ours || begins || line["method"].as_str().is_some_and(|method| silent.contains(&method))
}

#[test]
fn every_line_is_heard_or_known_to_say_nothing() {
    for (name, exchange) in exchanges() {
        let mut channel = conversation(opening(&exchange));
        channel.open();
        for (_, line) in exchange.iter().filter(|(ours, _)| !ours) {
            let heard = channel.feed(format!("{line}\n").as_bytes());
            assert!(!heard.is_empty() || says_nothing(line), "{name}: {line}");
            // An error that answers nothing we said.
            let unknown = matches!(heard.as_slice(), [StreamItem::Event(Event::Unknown { .. })]);
            assert!(!unknown || line["id"] == 4, "{name}: {line}");
        }
    }
}

#[test]
fn a_resumed_thread_tells_neither_its_history_nor_what_it_has_cost() {
    let usage: Vec<_> = replayed("e2", &exchange("e2"))
        .into_iter()
        .filter_map(|heard| {
            let StreamItem::Event(Event::Usage(usage)) = heard else { return None };
            Some(usage)
        })
        .collect();
    let turn = Usage { input_tokens: Some(100), output_tokens: Some(20), cached_tokens: Some(0), cost_usd: None };
    assert_eq!(usage, [turn]);
}

fn heard_in<'a>(exchange: &[Recorded], pieces: impl Iterator<Item = &'a [u8]>) -> Vec<StreamItem> {
    let mut channel = conversation(opening(exchange));
    channel.open();
    let mut heard: Vec<StreamItem> = pieces.flat_map(|piece| channel.feed(piece)).collect();
    heard.extend(channel.finish());
    heard
}

#[test]
fn pieces_of_any_one_size_give_the_same_items() {
    for (name, exchange) in exchanges() {
        let bytes = bytes(&exchange);
        let whole = heard_in(&exchange, [bytes.as_slice()].into_iter());
        for size in [1, 7, 64, 4096] {
            assert_eq!(heard_in(&exchange, bytes.chunks(size)), whole, "{name} in pieces of {size}");
        }
        assert_eq!(heard_in(&exchange, [bytes.trim_ascii_end()].into_iter()), whole, "{name} without its last end");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// A recorded exchange with some of its bytes changed.
    #[test]
    fn a_damaged_stream_is_heard_to_its_end(
        which in any::<prop::sample::Index>(),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..30),
    ) {
        let exchanges = exchanges();
        let (_, exchange) = which.get(&exchanges);
        let mut bytes = bytes(exchange);
        for (place, byte) in &damage {
            let place = place.index(bytes.len());
            bytes[place] = *byte;
        }
        prop_assert_eq!(heard_in(exchange, bytes.chunks(50)), heard_in(exchange, [bytes.as_slice()].into_iter()));
    }
}
