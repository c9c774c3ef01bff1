use jiff::Timestamp;
use serde_json::json;

use super::*;

fn line(event: Event) -> Arc<EventLine> {
    Arc::new(EventLine { seq: 1, at: Timestamp::UNIX_EPOCH, attempt: 1, event })
}

fn transcript(events: Vec<Event>) -> Transcript {
    let mut transcript = Transcript::default();
    for (event, start) in events.into_iter().zip(0..) {
        transcript.push(start, &line(event));
    }
    transcript
}

fn call(id: &str, command: &str) -> Event {
    let (tool_name, tool_id) = ("Bash".to_owned(), Some(id.to_owned()));
    Event::ToolUse { tool_name, input: json!({ "command": command }), tool_id, parent_tool_id: None }
}

fn result(id: &str, output: &str, success: bool) -> Event {
    let (tool_name, tool_id) = ("Bash".to_owned(), Some(id.to_owned()));
    Event::ToolResult { tool_name, output: output.into(), success, tool_id, parent_tool_id: None }
}

#[test]
fn the_last_line_of_text_is_not_settled_until_it_ends() {
    let half = transcript(vec![Event::output("one\ntw")]);
    assert_eq!((half.entries().len(), half.settled()), (2, 1));
    let whole = transcript(vec![Event::output("one\ntw"), Event::output("o\n")]);
    assert_eq!((whole.entries().len(), whole.settled()), (2, 2));
    let ended = transcript(vec![Event::output("one\ntw"), Event::Message { text: "go on".to_owned() }]);
    assert_eq!((ended.entries().len(), ended.settled()), (3, 3));
}

#[test]
fn a_result_is_that_of_its_call() {
    let transcript = transcript(vec![call("1", "a"), call("2", "b"), result("1", "x\ny\n", false)]);
    let results: Vec<_> = transcript
        .entries()
        .iter()
        .map(|entry| match &entry.content {
            EntryContent::Tool(tool) => (tool.name(), tool.subject(), tool.result()),
            other @ (EntryContent::Text(_) | EntryContent::Note { .. }) => panic!("{other:?}"),
        })
        .collect();
    let failed = Some(ToolResult { success: false, lines: 2 });
    assert_eq!(results, [("Bash", "a", failed), ("Bash", "b", None)]);
}

#[test]
fn nothing_that_an_agent_writes_reaches_a_terminal_as_it_is() {
    let hostile = "a\u{1b}[2Jb\u{202e}c\u{7}";
    let events = vec![
        Event::output(hostile),
        Event::thinking(hostile),
        Event::Error { message: hostile.to_owned() },
        Event::Unknown { text: hostile.to_owned() },
        call("1", hostile),
        result("1", hostile, false),
    ];
    for entry in transcript(events).entries() {
        let texts = match &entry.content {
            EntryContent::Text(text) | EntryContent::Note { text, .. } => vec![text.clone()],
            EntryContent::Tool(tool) => {
                let details = tool.details().into_iter().map(|(text, _)| text);
                details.chain([tool.name().to_owned(), tool.subject().to_owned()]).collect()
            }
        };
        for text in texts {
            assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{text:?}");
        }
    }
}
