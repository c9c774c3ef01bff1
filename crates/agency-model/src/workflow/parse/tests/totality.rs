//! Nothing stops the reader, and nothing makes it slow.

use proptest::prelude::*;

use super::*;

#[test]
fn large_files_are_refused_and_aliases_do_not_explode() {
    let large = vec![b'#'; MAX_WORKFLOW_BYTES + 1];
    assert!(parse_workflow("w.yaml", &large).unwrap_err()[0].message.contains("at most"));
    assert!(parse_workflow("w.yaml", b"\xff").unwrap_err()[0].message.contains("not UTF-8"));
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..20 {
        let inside = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{inside}]\n"));
    }
    assert!(mistakes(&bomb).contains("more than 1000000 values"));
    let mut deep = "a0: &a0 [x]\n".to_owned();
    for level in 1..200 {
        deep.push_str(&format!("a{level}: &a{level} [*a{}]\n", level - 1));
    }
    assert!(mistakes(&deep).contains("nested deeper"));
    assert!(mistakes(&"[".repeat(5000)).contains("w.yaml:1:"));
    assert!(mistakes(&"- ".repeat(5000)).contains("w.yaml:1:"));
}

#[test]
fn ten_thousand_steps_are_read() {
    let mut text = "name: big\nsteps:\n".to_owned();
    for number in 0..10_000 {
        text.push_str(&format!("- name: s{number}\n  type: script\n  command: echo {{{{.previous.output}}}}\n"));
    }
    assert_eq!(plan(&text).steps.len(), 10_000);
}

const WORDS: &[&str] = &[
    "name",
    "steps",
    "stages",
    "type",
    "agent",
    "script",
    "loop",
    "parallel",
    "merge",
    "approval",
    "tasks",
    "id",
    "command",
    "spell",
    "prompt",
    "input",
    "mcp_servers",
    "defaults",
    "env",
    "timeout",
    "5m",
    "{{.x}}",
    "&a",
    "*a",
    "!!str",
    "|",
    ">",
    "- ",
    "? ",
    ": ",
    "\n",
    "\n  ",
    "\n    ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "\"",
    "'",
    "#",
    "~",
    "<<",
    "\t",
    "é",
    "\u{0}",
    "---",
    "...",
];

proptest! {
    #[test]
    fn no_text_stops_it(text in ".{0,200}") {
        let _ = parse_workflow("w.yaml", text.as_bytes());
    }

    #[test]
    fn no_words_in_any_order_stop_it(words in prop::collection::vec(prop::sample::select(WORDS), 0..60)) {
        let text = words.concat();
        match parse_workflow("w.yaml", text.as_bytes()) {
            Ok(plan) => prop_assert!(!plan.steps.is_empty()),
            Err(mistakes) => prop_assert!(!mistakes.is_empty() && mistakes.iter().all(|mistake| mistake.position().is_some_and(|at| at.line >= 1))),
        }
        let _ = parse_workflow("w.json", text.as_bytes());
    }
}
