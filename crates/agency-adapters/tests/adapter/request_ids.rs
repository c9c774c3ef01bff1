//! Ids of requests that contain what separates the parts of a request.

use agency_adapters::{Channel, EncodeError, Opening, StreamFormat, StreamItem, ToAgent};
use agency_model::{Answer, Question, QuestionKey};
use serde_json::{Value, json};

use super::app_server_talk::{lines, running, tell};

const ALLOW: Answer = Answer::Allow { message: None };

fn claude() -> Channel {
    let opening = Opening { prompt: None, directory: "/w".into(), resume: None, mcp_servers: vec![] };
    StreamFormat::Claude.conversation(opening).unwrap()
}

/// The keys of the questions, as a reader of their stored form gets them.
fn keys(items: &[StreamItem]) -> Vec<QuestionKey> {
    let key = |item: &StreamItem| {
        let StreamItem::Question(question) = item else { panic!("{item:?}") };
        let stored: Question = serde_json::from_value(serde_json::to_value(question).unwrap()).unwrap();
        assert_eq!(stored.key, question.key);
        stored.key
    };
    items.iter().map(key).collect()
}

fn answer(channel: &mut Channel, key: &QuestionKey, answer: Answer) -> Result<Vec<Value>, EncodeError> {
    channel.encode(&ToAgent::Answer { key: key.clone(), answer }).map(|bytes| lines(&bytes))
}

fn chosen() -> Answer {
    Answer::Options { chosen: vec!["A".to_owned()] }
}

#[test]
fn claude_code_may_put_a_slash_into_its_ids() {
    let mut channel = claude();
    let request = |id: &str, tool: &str, input: Value| json!({ "type": "control_request", "request_id": id, "request": { "tool_name": tool, "input": input } });
    let asked = |text: &str| json!({ "question": text, "options": [{ "label": "A" }] });
    let questions = json!({ "questions": [asked("one?"), asked("two?")] });
    let permissions = [request("r", "Bash", json!({})), request("r/0", "Bash", json!({}))];
    let heard = permissions.map(|permission| tell(&mut channel, &permission)).concat();
    let [first, second] = keys(&heard).try_into().unwrap();
    let parts = keys(&tell(&mut channel, &request("r/1", "AskUserQuestion", questions)));
    assert_eq!(parts, [QuestionKey::part("r/1", 0), QuestionKey::part("r/1", 1)]);
    assert_eq!(answer(&mut channel, &parts[0], chosen()), Ok(vec![]));
    let answered = |lines: Result<Vec<Value>, EncodeError>| lines.unwrap()[0]["response"]["request_id"].clone();
    assert_eq!(answered(answer(&mut channel, &second, ALLOW)), "r/0");
    assert_eq!(answered(answer(&mut channel, &parts[1], chosen())), "r/1");
    assert_eq!(answered(answer(&mut channel, &first, ALLOW)), "r");
}

#[test]
fn codex_may_put_a_slash_into_its_ids() {
    let mut channel = running();
    let request = |id: &str, method: &str, params: Value| json!({ "method": method, "id": id, "params": params });
    let approval = json!({ "threadId": "t", "turnId": "u", "itemId": "i", "command": "touch x", "cwd": "/x" });
    let question =
        json!({ "id": "a", "header": "a", "question": "Which?", "isOther": false, "options": [{ "label": "A" }] });
    let questions = json!({ "threadId": "t", "questions": [question] });
    let asked = tell(&mut channel, &request("r", "item/tool/requestUserInput", questions));
    let permission = request("r/0", "item/commandExecution/requestApproval", approval);
    let [permission] = keys(&tell(&mut channel, &permission)).try_into().unwrap();
    let [part] = keys(&asked).try_into().unwrap();
    assert_eq!(answer(&mut channel, &part, chosen()).unwrap()[0]["id"], "r");
    assert_eq!(answer(&mut channel, &permission, ALLOW).unwrap()[0]["id"], "r/0");
}
