//! What an agent wrote is shown escaped on a terminal, and byte for byte elsewhere.

use std::fs;
use std::process::Command;

use agency_testkit::{Agent, Output, Repo, Run, World, conversation};

use super::fixture::{LIMIT, begin, wait_for_question, world};

/// What is hidden or acts on a terminal, with the escape that has to be seen instead.
const HOSTILE: [(&str, &str); 7] = [
    ("\u{1b}]0;owned\u{7}", "\\x1b]0;owned\\x07"),
    ("\u{1b}[2J", "\\x1b[2J"),
    ("\u{1b}[31m", "\\x1b[31m"),
    ("\u{202e}", "\\u{202e}"),
    ("\u{200b}", "\\u{200b}"),
    ("\u{9b}", "\\u{9b}"),
    ("\u{e0041}", "\\u{e0041}"),
];

/// All of it, as `printf` of a shell takes it.
const PRINTF: &str = r"\033]0;owned\007\033[2J\033[31m\342\200\256\342\200\213\302\233\363\240\201\201";

/// An agent whose files, names, words and question are hostile. It waits for an answer.
fn hostile() -> Agent {
    let json = HOSTILE.map(|(text, _)| {
        let units: Vec<u16> = text.encode_utf16().collect();
        units.iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>()
    });
    let words = json.concat();
    conversation::speaking(&format!(
        r#"hear_message
printf '{PRINTF} stderr\n' >&2
printf 'content {PRINTF}\377\n' >"$(printf 'name{PRINTF}\nhint: agency rm --force')"
echo bytes >"$(printf 'bytes\377.txt')"
tell 'words {words}'
ask ask-1 Bash '{{"command":"rm {words}\nrm -r /","description":"{words}"}}'
hear_reply ask-1
finish 'done {words}'
hear_the_end"#
    ))
}

/// The bytes that a command writes to a terminal. It must succeed.
#[track_caller]
pub(super) fn on_terminal(world: &World, arguments: &[&str]) -> String {
    let output = on_terminal_with(world, arguments);
    assert!(output.status.success(), "{arguments:?}: {output}");
    output.stdout
}

/// What a command does on a terminal.
#[track_caller]
fn on_terminal_with(world: &World, arguments: &[&str]) -> Output {
    let mut command = world.program("script");
    let words: Vec<String> = arguments.iter().map(|word| format!("'{word}'")).collect();
    command.args(["-qec", &format!("'{}' {}", env!("CARGO_BIN_EXE_agency"), words.join(" ")), "/dev/null"]);
    command.current_dir(world.root()).env("TERM", "xterm-256color");
    // A pager writes sequences of its own.
    command.env("PAGER", "cat");
    world.run(&mut command)
}

/// Nothing that the terminal obeys is left but line ends, tabs and colours of ours; nothing is hidden either.
#[track_caller]
fn assert_harmless(what: &str, shown: &str, colours_may_stay: bool) {
    let mut rest = shown.replace("\r\n", "\n");
    for own in ["0", "1", "2", "31", "32", "33", "35", "36"] {
        if colours_may_stay || own != "31" {
            rest = rest.replace(&format!("\u{1b}[{own}m"), "");
        }
    }
    let is_hidden = |letter: char| {
        letter.is_control() && !matches!(letter, '\n' | '\t')
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{e0000}'..='\u{e007f}')
    };
    assert!(!rest.contains(is_hidden), "{what}: {rest:?}");
}

fn asked() -> (World, Repo, Run, String) {
    let (world, repo) = world(hostile());
    let run = begin(&world, &repo);
    let question = wait_for_question(&world, &run);
    (world, repo, run, question)
}

// section 2: diff, show, logs, inbox and events on a terminal
#[test]
fn no_command_obeys_or_hides_what_an_agent_wrote() {
    let (world, _, run, question) = asked();
    let id = run.id.as_str();
    let commands: [&[&str]; 11] = [
        &["ls"],
        &["show", id],
        &["diff", id],
        &["logs", id],
        &["logs", "--stderr", id],
        &["logs", "--clean", id],
        &["events", id],
        &["inbox"],
        &["inbox", "show", &question],
        &["why", id],
        &["policy", "test"],
    ];
    for arguments in commands {
        let shown = on_terminal(&world, arguments);
        assert_harmless(&arguments.join(" "), &shown, arguments[0] == "logs" || arguments[0] == "ls");
    }
    assert!(on_terminal(&world, &["ls"]).contains("\u{1b}[33mwaiting"), "our own colours stay");
    // What is there is seen.
    let inbox = on_terminal(&world, &["inbox", "show", &question]);
    let events = on_terminal(&world, &["events", id]);
    let show = on_terminal(&world, &["show", id]);
    let diff = on_terminal(&world, &["diff", id]);
    for (_, escape) in HOSTILE {
        assert!(inbox.contains(escape), "{escape} in {inbox}");
        assert!(show.contains(escape), "{escape} in {show}");
        assert!(diff.contains(escape), "{escape} in {diff}");
    }
    assert!(events.contains("\\u{202e}"), "{events}");
    assert!(diff.contains("\\xff"), "{diff}");
    // A name with a newline stays on its line.
    assert!(show.lines().all(|line| !line.starts_with("hint:")), "{show}");
    assert!(show.contains("\\nhint: agency rm --force"), "{show}");
    world.ok(&["answer", &question, "allow"]);
    world.ended(&run);
    for arguments in [&["show", id], &["events", id], &["why", id], &["wait", id]] {
        assert_harmless(&arguments.join(" "), &on_terminal(&world, arguments), false);
    }
}

#[test]
fn pipes_stay_exact_and_raw_is_exact_everywhere() {
    let (world, _, run, question) = asked();
    let bytes = |arguments: &[&str]| world.command(arguments).output().unwrap().stdout;
    let log = fs::read(run.file("logs/runner.stderr.log")).unwrap();
    assert_eq!(bytes(&["logs", "--stderr", &run.id]), log);
    let refused = on_terminal_with(&world, &["logs", "--stderr", "--raw", &run.id]);
    assert!(refused.stdout.contains("add --force"), "{refused}");
    let shown = on_terminal(&world, &["logs", "--stderr", "--raw", "--force", &run.id]);
    assert_eq!(shown.replace("\r\n", "\n"), String::from_utf8(log).unwrap());
    let diff = bytes(&["diff", &run.id]);
    let content = b"content \x1b]0;owned\x07\x1b[2J\x1b[31m\xe2\x80\xae\xe2\x80\x8b\xc2\x9b\xf3\xa0\x81\x81\xff\n";
    assert!(diff.windows(content.len()).any(|window| window == content), "{}", String::from_utf8_lossy(&diff));
    let show = String::from_utf8_lossy(&bytes(&["show", &run.id])).into_owned();
    let name: String = HOSTILE.map(|(text, _)| text).concat();
    assert!(show.contains(&format!("name{name}\nhint: agency rm --force")), "{show}");
    // JSON has the characters themselves, and control characters as JSON has them.
    let json = String::from_utf8(bytes(&["inbox", "show", "--json", &question])).unwrap();
    assert!(json.contains("\u{202e}") && json.contains("\u{9b}"), "{json}");
    assert!(!json.trim_end().contains(|letter: char| letter < ' '), "{json}");
    let detail: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(detail["data"]["detail"], format!("rm {name}\nrm -r /"));
}

// section 2: pipes stay byte-exact
#[test]
fn a_question_and_a_name_that_is_not_utf8_are_exact_in_a_pipe() {
    let (world, _, run, question) = asked();
    let name: String = HOSTILE.map(|(text, _)| text).concat();
    for arguments in [&["inbox"][..], &["inbox", "show", &question]] {
        let shown = String::from_utf8(world.command(arguments).output().unwrap().stdout).unwrap();
        assert!(shown.contains(&format!("\n  | rm {name}\n  | rm -r /\n")), "{arguments:?}: {shown:?}");
    }
    let assert_exact = |when: &str| {
        let shown = world.command(&["show", &run.id]).output().unwrap().stdout;
        let line = b"bytes\xff.txt (added, +1 -0)\n";
        assert!(shown.windows(line.len()).any(|part| part == line), "{when}: {}", String::from_utf8_lossy(&shown));
        let files = world.json(&["show", &run.id])["data"]["changed_files"].take();
        let file = files.as_array().unwrap().iter().find(|file| !file["path_hex"].is_null());
        let file = file.unwrap_or_else(|| panic!("{when}: {files:#}"));
        assert_eq!(file["path"], "bytes\u{fffd}.txt");
        assert_eq!(file["path_hex"], "6279746573ff2e747874");
    };
    assert_exact("while it runs");
    assert!(on_terminal(&world, &["show", &run.id]).contains("bytes\\xff.txt (added"));
    world.ok(&["answer", &question, "allow"]);
    world.ended(&run);
    world.ok(&["rm", &run.id]);
    assert_exact("from what was recorded at the end");
}

// section 2: JSON on a terminal
#[test]
fn json_on_a_terminal_has_the_same_values_and_nothing_that_it_obeys_or_hides() {
    let (world, _, run, question) = asked();
    let id = run.id.as_str();
    for arguments in [&["inbox"][..], &["inbox", "show", &question], &["show", id]] {
        let shown = on_terminal(&world, &[arguments, &["--json"]].concat());
        assert_harmless(&arguments.join(" "), &shown, false);
        let value: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(value, world.json(arguments), "{arguments:?}");
    }
    let events = on_terminal(&world, &["events", "--json", id]);
    assert_harmless("events --json", &events, false);
    assert!(events.contains("\\u202e") && events.contains("\\u009b"), "{events}");
    let error = on_terminal_with(&world, &["show", "--json", "\u{202e}\u{7f}"]);
    assert!(!error.status.success());
    assert_harmless("an error", &error.stdout, false);
}

// the pane of a headless agent, and the screen
#[test]
fn neither_the_pane_nor_the_screen_hides_what_is_to_be_allowed() {
    let (world, repo) = world(hostile());
    let run = world.begin(&repo, "agent", &["--host", "tmux", "--mode", "headless"]);
    wait_for_question(&world, &run);
    let session = world.tmux_sessions().into_iter().find(|name| name.contains(run.id.as_str())).unwrap();
    let pane = agency_testkit::wait_for("the question in the pane", LIMIT, || {
        let pane = world.tmux(&["capture-pane", "-p", "-J", "-t", &format!("={session}:")]);
        pane.contains("rm -r /").then_some(pane)
    });
    assert!(pane.contains("\\u{202e}") && pane.contains("\\x1b[2J"), "{pane}");
    let screen = world.terminal(&[]);
    screen.wait_for_text("agent");
    screen.send_keys(&["i"]);
    let shown = screen.wait_until("the question", |screen| screen.contains("rm -r /"));
    assert!(shown.contains("\\u{202e}") && shown.contains("\\x1b[2J"), "{shown}");
}

/// What a file of the repository, an argument or a name holds is escaped in errors too.
#[test]
fn errors_are_escaped_on_a_terminal() {
    let (world, _) = world(conversation::asking(1));
    let mut command: Command = world.program("script");
    let program = env!("CARGO_BIN_EXE_agency");
    command.args(["-qec", &format!("'{program}' show \"$(printf 'x{PRINTF}\\nhint: agency rm')\""), "/dev/null"]);
    let shown = world.run(command.current_dir(world.root()).env("TERM", "xterm-256color")).stdout;
    assert!(shown.contains("E_RUN_NOT_FOUND") && shown.contains("\\u{202e}"), "{shown:?}");
    assert!(
        shown.lines().filter(|line| line.contains("hint")).all(|line| !line.starts_with("hint: agency rm'")),
        "{shown}"
    );
    assert!(!shown.contains('\u{202e}') && !shown.contains("\u{1b}[2J") && !shown.contains('\u{7}'), "{shown:?}");
}
