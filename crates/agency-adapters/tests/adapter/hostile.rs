//! What no agent should print.

use agency_adapters::{Outcome, StreamFormat, StreamItem};
use agency_model::{Event, Usage};

use super::any_pieces::heard;
use super::recorded::FORMATS;

const SESSION: &str = r#"{"type":"system","subtype":"init","session_id":"s"}"#;

fn claude(text: &str) -> Vec<StreamItem> {
    heard(StreamFormat::Claude, [text.as_bytes()])
}

fn said(content: &str) -> String {
    format!(r#"{{"type":"assistant","message":{{"content":[{content}]}}}}"#)
}

fn unknown(text: &str) -> StreamItem {
    StreamItem::Event(Event::Unknown { text: text.to_owned() })
}

fn output(text: &str) -> StreamItem {
    StreamItem::Event(Event::output(text))
}

fn session() -> StreamItem {
    StreamItem::Session("s".to_owned())
}

#[test]
fn an_unknown_kind_and_no_json_are_kept_whole() {
    let lines = [
        "plain words",
        "{\"type\":",
        "{}",
        "[]",
        r#"["result"]"#,
        "null",
        "\u{feff}{}",
        r#"{"type":"never_seen","a":1}"#,
        r#"{"type":7}"#,
        r#"{"type":"error","type":"error","message":"twice"}"#,
        r#"{"type":"assistant","message":{"content":[{"type":"never_seen"}]}}"#,
        r#"{"type":"assistant"}"#,
        r#"{"type":"result"}"#,
        r#"{"type":"item.completed","item":{"type":"never_seen"}}"#,
        r#"{"type":"step_finish"}"#,
        r#"{"type":"tool_use"}"#,
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"method":"session/request_permission"}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"never_seen"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update"}"#,
        r#"{"jsonrpc":"2.0","id":3,"result":{"a":1}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"never/seen"}"#,
    ];
    for format in FORMATS {
        for line in lines {
            assert_eq!(heard(format, [line.as_bytes()]), [unknown(line)], "{format}");
        }
        assert_eq!(heard(format, ["\n \r\n\t\n".as_bytes()]), []);
    }
}

// proves P6
#[test]
fn a_line_of_64_mb_is_cut_and_the_next_is_heard() {
    let piece = vec![b'x'; 1024 * 1024];
    let mut parser = StreamFormat::Claude.parser().unwrap();
    assert_eq!(parser.feed(br#"{"type":"assistant","x":""#), []);
    for _ in 0..64 {
        assert_eq!(parser.feed(&piece), []);
    }
    let heard = parser.feed(format!("\"}}\n{SESSION}\n").as_bytes());
    let [StreamItem::Event(Event::Unknown { text }), last, StreamItem::TurnStarted] = heard.as_slice() else {
        panic!("{} items", heard.len());
    };
    assert!(text.len() < 16 * 1024 * 1024 + 200);
    assert!(text.ends_with("x… [a line of 67108891 bytes; only the first 16777216 are kept]"));
    assert_eq!(last, &session());
}

#[test]
fn a_million_short_lines_are_a_million_items() {
    let piece = "x\n".repeat(1000);
    for format in FORMATS {
        let mut parser = format.parser().unwrap();
        let count: usize = (0..250).map(|_| parser.feed(piece.as_bytes()).len()).sum();
        assert_eq!(count, 250_000);
    }
}

#[test]
fn a_line_of_many_objects_is_bounded() {
    let heard = claude(&"{}".repeat(1_000_000));
    assert_eq!(heard.len(), 1001);
}

// proves P6
#[test]
fn broken_utf_8_is_replaced() {
    let mut line = said(r#"{"type":"text","text":"a?b"}"#).into_bytes();
    let place = line.iter().position(|byte| *byte == b'?').unwrap();
    line[place] = 0xff;
    assert_eq!(heard(StreamFormat::Claude, [line.as_slice()]), [output("a\u{fffd}b")]);
}

#[test]
fn deep_nesting_does_not_overflow_the_stack() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(10_000), close.repeat(10_000));
        assert_eq!(claude(&deep), [unknown(&deep)]);
        let input = said(&format!(r#"{{"type":"tool_use","id":"1","name":"T","input":{deep}}}"#));
        assert_eq!(claude(&input), [unknown(&input)]);
        let shape = format!(r#"{{"type":"assistant","message":{deep}}}"#);
        assert_eq!(claude(&shape), [unknown(&shape)]);
        // Where nobody looks, it does no harm.
        let beside = format!(r#"{{"type":"assistant","x":{deep},"message":{{"content":"a"}}}}"#);
        assert_eq!(claude(&beside), [output("a")]);
    }
}

// proves P6
#[test]
fn a_half_line_at_the_end_is_heard() {
    assert_eq!(claude(&format!("{SESSION}\n{SESSION}")), [session(), StreamItem::TurnStarted, StreamItem::TurnStarted]);
    let half = &SESSION[..20];
    assert_eq!(claude(&format!("{SESSION}\n{half}")), [session(), StreamItem::TurnStarted, unknown(half)]);
}

#[test]
fn two_objects_on_a_line_are_both_heard() {
    let text = said(r#"{"type":"text","text":"} {"}"#);
    for between in ["", " ", "\t"] {
        assert_eq!(claude(&format!("{SESSION}{between}{text}")), [session(), StreamItem::TurnStarted, output("} {")]);
    }
    assert_eq!(claude(&format!("{SESSION} words")), [session(), StreamItem::TurnStarted, unknown("words")]);
    assert_eq!(claude(&format!("words {SESSION}")), [unknown(&format!("words {SESSION}"))]);
}

#[test]
fn half_characters_are_replaced() {
    let text = said(r#"{"type":"text","text":"a\ud83db\ud83d\ude00\udc00"}"#);
    assert_eq!(claude(&text), [output("a\u{fffd}b😀\u{fffd}")]);
    // The name of a tool survives a second reading.
    let used = said(r#"{"type":"tool_use","id":"1","name":"T","input":{"a":"\udead"}}"#);
    let answered =
        r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1","content":"\ud800"}]}}"#;
    let heard = claude(&format!("{used}\n{answered}"));
    let [StreamItem::Event(Event::ToolUse { .. }), StreamItem::Event(Event::ToolResult { tool_name, output, .. })] =
        heard.as_slice()
    else {
        panic!("{heard:?}");
    };
    assert_eq!((tool_name.as_str(), output.as_str()), ("T", "\u{fffd}"));
    let broken = r#"{"type":"text","text":"\ud83d"#;
    assert_eq!(claude(broken), [unknown(broken)]);
}

#[test]
fn numbers_out_of_range_make_a_line_unknown() {
    for number in ["-1", "1.5", "18446744073709551616", "1e999", "1e30"] {
        let lines = [
            format!(r#"{{"type":"result","subtype":"success","usage":{{"input_tokens":{number}}}}}"#),
            format!(r#"{{"type":"turn.completed","usage":{{"output_tokens":{number}}}}}"#),
            format!(r#"{{"type":"result","status":"success","stats":{{"cached":{number}}}}}"#),
            format!(r#"{{"type":"step_finish","part":{{"tokens":{{"input":{number}}}}}}}"#),
            format!(
                r#"{{"method":"session/update","params":{{"update":{{"sessionUpdate":"usage_update","used":{number},"size":1}}}}}}"#
            ),
        ];
        for (format, line) in FORMATS.into_iter().zip(lines) {
            assert_eq!(heard(format, [line.as_bytes()]), [unknown(&line)], "{format}");
        }
    }
    let cost = r#"{"type":"result","subtype":"success","total_cost_usd":1e999}"#;
    assert_eq!(claude(cost), [unknown(cost)]);
    let input = said(r#"{"type":"tool_use","id":"1","name":"T","input":{"n":1e999}}"#);
    assert_eq!(claude(&input), [unknown(&input)]);
}

#[test]
fn the_largest_counts_do_not_overflow() {
    let most = u64::MAX;
    let line = format!(
        r#"{{"type":"result","subtype":"success","result":"a","usage":{{"input_tokens":{most},"cache_read_input_tokens":{most}}}}}"#
    );
    let usage = Event::Usage(Usage {
        input_tokens: Some(most),
        output_tokens: None,
        cached_tokens: Some(most),
        cost_usd: None,
    });
    let result = Outcome { success: true, text: Some("a".to_owned()), error: None };
    assert_eq!(claude(&line), [StreamItem::Event(usage), StreamItem::Result(result)]);
}

#[test]
fn a_result_of_a_tool_that_was_never_used_is_kept() {
    let answered = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"9","content":[{"type":"text","text":"a"},{"type":"image"}]}]}}"#;
    let result = Event::ToolResult {
        tool_name: "unknown".to_owned(),
        output: "a\n[image]".into(),
        success: true,
        tool_id: Some("9".to_owned()),
        parent_tool_id: None,
    };
    assert_eq!(claude(answered), [StreamItem::Event(result)]);
}

#[test]
fn codex_items_without_a_beginning_are_told_as_use_and_result() {
    let line = r#"{"type":"item.completed","item":{"id":"i","type":"mcp_tool_call","server":"s","tool":"t","arguments":{"a":1},"result":{"content":[{"type":"text","text":"done"}]},"error":null,"status":"completed"}}"#;
    let id = Some("i".to_owned());
    let tool_name = "s.t".to_owned();
    let (input, parent_tool_id) = (serde_json::json!({"a": 1}), None);
    let used = Event::ToolUse { tool_name: tool_name.clone(), input, tool_id: id.clone(), parent_tool_id };
    let output = "done".into();
    let answered = Event::ToolResult { tool_name, output, success: true, tool_id: id, parent_tool_id: None };
    assert_eq!(heard(StreamFormat::Codex, [line.as_bytes()]), [StreamItem::Event(used), StreamItem::Event(answered)]);
}

#[test]
fn codex_counts_on_from_what_another_process_used() {
    let mut parser = StreamFormat::Codex.parser().unwrap();
    parser.count_from(Usage { input_tokens: Some(100), ..Usage::default() });
    let heard = parser.feed(b"{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":130}}\n");
    let Some(StreamItem::Event(Event::Usage(usage))) = heard.first() else { panic!("{heard:?}") };
    assert_eq!(usage.input_tokens, Some(30));
}

#[test]
fn codex_counts_the_whole_thread_and_each_turn_is_told_its_own() {
    let turn = |tokens: u64| format!(r#"{{"type":"turn.completed","usage":{{"input_tokens":{tokens}}}}}"#);
    let stream = [turn(100), turn(300), turn(50)].join("\n");
    let counts: Vec<u64> = heard(StreamFormat::Codex, [stream.as_bytes()])
        .into_iter()
        .filter_map(|heard| {
            let StreamItem::Event(Event::Usage(Usage { input_tokens, .. })) = heard else { return None };
            input_tokens
        })
        .collect();
    assert_eq!(counts, [100, 200, 50]);
}

#[test]
fn a_block_that_is_not_understood_does_not_hide_the_rest_of_a_message() {
    for block in
        [r#"{"type":"never_seen","a":1}"#, r#"{"type":"text","text":{"deep":1}}"#, "7", r#"{"type":"tool_use"}"#]
    {
        let line = format!(
            r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":"before"}},{block},{{"type":"text","text":"after"}}]}}}}"#
        );
        assert_eq!(claude(&line), [output("before"), unknown(block), output("after")]);
        // Whatever the order of the fields.
        let line = line.replacen(r#""type":"assistant","#, "", 1).replace("]}}", r#"]},"type":"assistant"}"#);
        assert_eq!(claude(&line), [output("before"), unknown(block), output("after")]);
        let whole = format!(r#"{{"type":"assistant","message":{{"content":[{block}]}}}}"#);
        assert_eq!(claude(&whole), [unknown(&whole)]);
    }
}

#[test]
fn a_result_beside_a_block_that_is_not_understood_belongs_to_its_tool() {
    let used = r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"1","name":"Bash","input":{}}]}}"#;
    let answered = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"1","content":"a"},{"type":"never_seen"}]}}"#;
    let heard = claude(&format!("{used}\n{answered}"));
    let [_, StreamItem::Event(Event::ToolResult { tool_name, .. }), StreamItem::Event(Event::Unknown { text })] =
        heard.as_slice()
    else {
        panic!("{heard:?}")
    };
    assert_eq!((tool_name.as_str(), text.as_str()), ("Bash", r#"{"type":"never_seen"}"#));
}
