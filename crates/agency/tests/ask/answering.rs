//! The scenarios of the document about asking, by their names, and what a question may be.

use std::fs;
use std::io::Write;
use std::process::Stdio;

use agency_model::ErrorCode;
use serde_json::Value;

use super::fixture::{command, empty, mine, wait_until_clean, world};

// proves A6
#[test]
fn spawn_agent_with_command_template() {
    let world = empty();
    let path = mine(&world, r#"for word in "$@"; do echo "<$word>"; done; echo "$PWD""#);
    let template =
        format!("{} -p {{prompt_file}} --mcp-config {{mcp_config}} 'two words' $HOME \"$(id)\"", path.display());
    command(&world, "mine", "ask", &template);
    let said = world.ok(&["ask", "-s", "docs", "What?"]);
    let lines: Vec<&str> = said.stdout.lines().collect();
    let scratch = lines.last().unwrap();
    let prompt = format!("<{scratch}/prompt.md>");
    let mcp = format!("<{scratch}/.mcp.json>");
    let words = ["<-p>", &prompt, "<--mcp-config>", &mcp, "<two words>", "<$HOME>", "<$(id)>"];
    assert_eq!(lines[..lines.len() - 1], words);
    assert!(scratch.starts_with(world.agency_home().join("scratch/lctx-").to_str().unwrap()), "{scratch}");
}

// proves A6
#[test]
fn interpolate_mcp_config_placeholder() {
    let world = world(r#"cat "$2""#);
    let said = world.ok(&["ask", "-s", "docs", "What?"]);
    assert_eq!(said.stdout, "{\"mcpServers\":{}}\n");
}

// proves A1
#[test]
fn capture_stdout_as_answer() {
    let world = world(r"printf '\033[1mthe\033[0m answer\n\nis 42'; echo noise >&2");
    let said = world.ok(&["ask", "-s", "docs", "What?"]);
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("the answer\n\nis 42\n", ""));
    let answer = world.json(&["ask", "-s", "docs,note", "What?"])["data"].take();
    assert_eq!(answer["answer"], "the answer\n\nis 42");
    assert_eq!(answer["sources"], Value::from(vec!["docs", "note"]));
    assert!(answer["duration"].as_f64().unwrap() > 0.0);
    assert_eq!(answer["usage"], Value::Null);
}

// proves A7
#[test]
fn handle_agent_failure() {
    let world = world("echo 'half an answer'; echo 'the model is asleep' >&2; exit 3");
    let output = world.agency(&["ask", "-s", "docs", "What?"]);
    assert_eq!((output.status.code(), output.stdout.as_str()), (Some(1), ""), "{output}");
    assert!(output.stderr.contains("the model is asleep") && output.stderr.contains("code 3"), "{output}");
    let error = world.error(&["ask", "-s", "docs", "What?"], ErrorCode::RunFailed);
    assert_eq!(error["details"]["stderr"], "the model is asleep");
    wait_until_clean(&world);
}

// proves A6
#[test]
fn agent_resolution() {
    let world = world("echo mine");
    let other = world.agent("other", "echo other");
    command(&world, "other", "ask", other.to_str().unwrap());
    assert_eq!(world.ok(&["ask", "-s", "docs", "What?"]).stdout, "mine\n");
    assert_eq!(world.ok(&["ask", "-s", "docs", "--runner", "other", "What?"]).stdout, "other\n");
    world.error(&["ask", "-s", "docs", "--runner", "nobody", "What?"], ErrorCode::RunnerNotConfigured);
    world.agent("bare", "echo bare");
    let error = world.error(&["ask", "-s", "docs", "--runner", "bare", "What?"], ErrorCode::RunnerNotConfigured);
    assert!(error["hint"].as_str().unwrap().contains("[agents.bare] ask ="), "{error:#}");
}

#[test]
fn a_command_whose_program_is_not_there_is_said_before_anything_is_made() {
    let world = empty();
    mine(&world, "true");
    command(&world, "mine", "ask", "no-such-program {prompt_file}");
    let error = world.error(&["ask", "-s", "docs", "What?"], ErrorCode::RunnerNotConfigured);
    assert!(error["message"].as_str().unwrap().contains("'no-such-program', is not on the PATH"), "{error:#}");
    assert!(world.runs().is_empty());
    command(&world, "mine", "chat", "sh 'oh");
    let error = world.error(&["ask", "-s", "docs", "What?"], ErrorCode::InvalidConfig);
    assert!(error["message"].as_str().unwrap().contains("a quote is opened and not closed"), "{error:#}");
}

#[test]
fn a_question_of_a_megabyte_comes_by_standard_input() {
    let world = world(r#"grep -c . "$1"; wc -c < "$1""#);
    fs::write(world.root().join("home/prompt_template.md"), "${question}${sourcesList}").unwrap();
    let question = "$(rm -rf /) \"a line of the question\" 'with' `all` ${question}\n".repeat(18_000);
    assert!(question.len() > 1024 * 1024);
    let mut child =
        world.command(&["ask", "-s", "docs", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(question.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let expected = format!("18001\n{}\n", question.len() + "- ./docs/".len());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    wait_until_clean(&world);
}

#[test]
fn what_is_no_question_is_refused() {
    let world = world("echo never");
    for (question, words) in [("", "empty"), ("  \n", "empty")] {
        let error = world.error(&["ask", "-s", "docs", question], ErrorCode::Usage);
        assert!(error["message"].as_str().unwrap().contains(words), "{error:#}");
    }
    for (bytes, words) in [(b"a\0b".as_slice(), "NUL"), (b"\xff\xfe", "UTF-8")] {
        let mut child =
            world.command(&["ask", "-s", "docs", "-"]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(bytes).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains(words));
    }
    assert!(world.runs().is_empty());
}

#[test]
fn groups_name_several_sources_and_each_counts_once() {
    let world = world("ls");
    world.ok(&["source", "group", "add", "core", "note", "docs"]);
    let answer = world.json(&["ask", "-s", "docs", "-g", "core", "What?"])["data"].take();
    assert_eq!(answer["sources"], Value::from(vec!["docs", "note"]));
}

#[test]
fn a_terminal_shows_what_the_agent_does_and_then_only_the_answer() {
    let world = empty();
    let using = r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Grep","input":{"pattern":"timeout"}}]},"session_id":"s"}"#;
    let result = r#"{"type":"result","subtype":"success","is_error":false,"result":"It is 42.","session_id":"s"}"#;
    let script = format!(
        "cat > /dev/null\nprintf '%s\\n' '{using}'\nuntil [ -e \"$0.release\" ]; do sleep 0.01; done\nprintf '%s\\n' '{result}'"
    );
    let path = world.agent("fake", script.as_str());
    world.configure(&format!("\n[agents.claude_code]\ncommand = {path:?}\n"));
    let terminal = world.terminal(&["ask", "-s", "docs", "--runner", "claude-code", "What?"]);
    terminal.wait_for_text("Grep timeout");
    world.release("fake");
    let screen = terminal.wait_for_text("It is 42.");
    assert_eq!(terminal.wait_for_exit(), 0);
    assert!(!screen.contains("Grep"), "{screen}");
}

#[test]
fn the_answer_of_a_stream_is_its_result_and_what_it_used_is_told() {
    let world = empty();
    // The built-in form of Claude Code, with a program that says what it would.
    let result = r#"{"type":"result","subtype":"success","is_error":false,"result":"It is 42.","session_id":"s","usage":{"input_tokens":7,"output_tokens":3},"total_cost_usd":0.5}"#;
    let path = world.agent("fake", format!("cat > /dev/null\nprintf '%s\\n' '{result}'").as_str());
    world.configure(&format!("\n[agents.claude_code]\ncommand = {path:?}\n"));
    let answer = world.json(&["ask", "-s", "docs", "--runner", "claude-code", "What?"])["data"].take();
    assert_eq!(answer["answer"], "It is 42.");
    assert_eq!(answer["usage"]["output_tokens"], 3, "{answer:#}");
}
