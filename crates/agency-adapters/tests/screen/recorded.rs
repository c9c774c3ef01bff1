//! What each recorded screen says.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use agency_adapters::screen::{Reading, ScreenQuestion, ScreenRules, ScreenText};
use agency_model::{Activity, Answer};

pub(crate) const AGENTS: [(&str, &str); 4] =
    [("claude_code", "claude"), ("codex", "codex"), ("gemini", "gemini"), ("opencode", "opencode")];

/// The rules of an agent.
pub(crate) fn rules(agent: &str) -> ScreenRules {
    ScreenRules::built_in(agent).unwrap()
}

/// A recorded screen. Its first line may be the title of the window.
pub(crate) fn recorded(path: &str) -> ScreenText {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/screens").join(path);
    let text = fs::read_to_string(path).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let title = first.strip_prefix("title: ").map(str::to_owned);
    let mut screen = ScreenText::plain(if title.is_some() { rest } else { &text });
    screen.title = title;
    // The recordings have no colours; the first button is the one that stood out.
    let highlight = |line: &String| if line.contains("Allow once   ") { vec!["Allow once".to_owned()] } else { vec![] };
    screen.highlights = screen.lines.iter().map(highlight).collect();
    screen
}

/// The recorded screens of an agent, by name and in order.
pub(crate) fn screens(directory: &str) -> Vec<(String, ScreenText)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/screens").join(directory);
    let mut names: Vec<String> =
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert!(names.len() > 3, "{directory}: the recorded screens are missing");
    names.into_iter().map(|name| (name.clone(), recorded(&format!("{directory}/{name}")))).collect()
}

fn typed(question: &ScreenQuestion, answer: &Answer) -> String {
    match question.keys_for(answer) {
        Ok(pieces) => {
            let pieces: Vec<String> =
                pieces.iter().map(|piece| piece.escape_ascii().to_string().replace("\\x1b", "␛")).collect();
            pieces.join(" ")
        }
        Err(error) => format!("({error})"),
    }
}

pub(crate) fn rendered(reading: &Reading<'_>) -> String {
    let line = reading.line.map_or_else(|| "-".to_owned(), |line| line.to_string());
    let mut text = format!("{} by {} at {line}: {}\n", reading.activity, reading.rule.unwrap_or("-"), reading.text);
    let Some(asked) = &reading.question else { return text };
    let question = &asked.question;
    let tool = question.tool.as_ref().map_or("-", |tool| tool.name.as_str());
    let (several, own_words) = (question.several, question.free_text);
    writeln!(text, "  {} {:?} tool={tool} several={several} own_words={own_words}", question.kind, question.title)
        .unwrap();
    for line in question.detail.lines() {
        writeln!(text, "    | {line}").unwrap();
    }
    for option in &question.options {
        let answer = Answer::Options { chosen: vec![option.id.clone()] };
        let description = option.description.as_ref().map(|text| format!(" -- {text}")).unwrap_or_default();
        writeln!(text, "    {} {}{description}   types {}", option.id, option.label, typed(asked, &answer)).unwrap();
    }
    writeln!(text, "    allow types {}", typed(asked, &Answer::Allow { message: None })).unwrap();
    writeln!(text, "    deny types {}", typed(asked, &Answer::Deny { message: None })).unwrap();
    writeln!(text, "    words type {}", typed(asked, &Answer::Text { text: "Own words".to_owned() })).unwrap();
    text
}

fn golden(agent: &str, directory: &str) {
    let rules = rules(agent);
    let mut text = String::new();
    for (name, screen) in screens(directory) {
        write!(text, "\n== {name}\n{}", rendered(&rules.read(&screen))).unwrap();
    }
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(format!("screen_{agent}"), text));
}

#[test]
fn claude_code() {
    golden("claude_code", "claude");
}

#[test]
fn codex() {
    golden("codex", "codex");
}

#[test]
fn gemini() {
    golden("gemini", "gemini");
}

#[test]
fn opencode() {
    golden("opencode", "opencode");
}

#[test]
fn a_screen_that_is_named_after_what_it_shows_is_read_so() {
    for (agent, directory) in AGENTS {
        let rules = rules(agent);
        for (name, screen) in screens(directory) {
            let activity = rules.read(&screen).activity;
            let says = |word: &str| name.contains(word);
            let right = match activity {
                Activity::Idle => says("idle") || !(says("dialog") || says("permission") || says("working")),
                Activity::WaitingForUser => !says("idle") && !says("working"),
                Activity::Thinking | Activity::Writing | Activity::RunningCommand => says("working"),
                Activity::Unknown => name == "01-first-run.txt",
                Activity::Setup | Activity::Starting => false,
            };
            assert!(right, "{agent}/{name} is {activity}");
        }
    }
}
