//! Reads a prompt as a script. Any text either is a script or has an error that names its line.

use super::block::{directive_lines, numbered};
use super::{Directive, Script, ScriptError, ScriptedStep, words};
use agency_model::nearest;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// The longest prompt that is read as a script.
const MAX_PROMPT_BYTES: usize = 1024 * 1024;

const DIRECTIVES: [&str; 9] = ["say", "warn", "wait", "write", "append", "run", "ask", "commit", "exit"];

/// Reads the directives of a prompt; without a block of them, each of its lines is printed.
///
/// # Errors
///
/// Fails on an unknown directive, on a wrong argument, and on a path that leaves the directory by its spelling.
pub fn parse(prompt: &str) -> Result<Script, ScriptError> {
    if prompt.len() > MAX_PROMPT_BYTES {
        return Err(ScriptError::TooLong { limit: MAX_PROMPT_BYTES });
    }
    let steps = match directive_lines(prompt) {
        Some(lines) => lines.into_iter().map(|(line, text)| step(line, text)).collect::<Result<_, _>>()?,
        None => echo(prompt),
    };
    Ok(Script { steps })
}

fn echo(prompt: &str) -> Vec<ScriptedStep> {
    numbered(prompt)
        .filter(|(_, text)| !text.trim().is_empty())
        .map(|(line, text)| ScriptedStep { line, directive: Directive::Say(text.to_owned()) })
        .collect()
}

fn step(line: usize, text: &str) -> Result<ScriptedStep, ScriptError> {
    let (word, rest) = first_word(text);
    let bad = |directive, needs| ScriptError::BadArgument { line, directive, needs };
    let directive = match word {
        "say" => Directive::Say(rest.to_owned()),
        "warn" => Directive::Warn(rest.to_owned()),
        "wait" => Directive::Wait(duration(rest).ok_or(bad("wait", "a duration such as 200ms, 2s or 1m"))?),
        "write" => {
            let (path, text) = file(line, "write", rest)?;
            Directive::Write { path, text }
        }
        "append" => {
            let (path, text) = file(line, "append", rest)?;
            Directive::Append { path, text }
        }
        "run" => {
            let (program, arguments) = command(line, "run", rest)?;
            Directive::Run { program, arguments }
        }
        "ask" => {
            let (program, arguments) = command(line, "ask", rest)?;
            Directive::Ask { program, arguments }
        }
        "commit" if rest.is_empty() => return Err(bad("commit", "a message")),
        "commit" => Directive::Commit(rest.to_owned()),
        "exit" => Directive::Exit(rest.parse().map_err(|_| bad("exit", "a code from 0 to 255"))?),
        _ => {
            let nearest = nearest(word, DIRECTIVES);
            return Err(ScriptError::UnknownDirective { line, word: word.to_owned(), nearest });
        }
    };
    Ok(ScriptedStep { line, directive })
}

fn command(line: usize, directive: &'static str, rest: &str) -> Result<(String, Vec<String>), ScriptError> {
    let bad = |needs| ScriptError::BadArgument { line, directive, needs };
    let words = words::split(rest).map_err(|words::UnclosedQuote| bad("every quote to be closed"))?;
    let mut words = words.into_iter();
    let program = words.next().filter(|program| !program.is_empty()).ok_or(bad("a program"))?;
    Ok((program, words.collect()))
}

fn first_word(text: &str) -> (&str, &str) {
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text, ""),
    }
}

fn duration(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|character: char| character.is_ascii_alphabetic());
    let number: u64 = digits.parse().ok()?;
    let milliseconds = match &text[digits.len()..] {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        _ => return None,
    };
    number.checked_mul(milliseconds).map(Duration::from_millis)
}

fn file(line: usize, directive: &'static str, rest: &str) -> Result<(PathBuf, String), ScriptError> {
    let (path, text) = first_word(rest);
    if path.is_empty() {
        return Err(ScriptError::BadArgument { line, directive, needs: "a path and a text" });
    }
    let stays = Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !stays {
        return Err(ScriptError::OutsideDirectory { line, path: path.into() });
    }
    Ok((path.into(), unescape(text)))
}

/// Replaces `\n`, `\t` and `\\`, keeps any other backslash, and ends a text that is not empty with a newline.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len() + 1);
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            plain.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('\\') => plain.push('\\'),
            Some(other) => plain.extend(['\\', other]),
            None => plain.push('\\'),
        }
    }
    if !plain.is_empty() && !plain.ends_with('\n') {
        plain.push('\n');
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directives(prompt: &str) -> Vec<Directive> {
        parse(prompt).unwrap().steps.into_iter().map(|step| step.directive).collect()
    }

    fn refusal(line: &str) -> String {
        parse(&format!("# Task\n\n```agency\n{line}\n```\n")).unwrap_err().to_string()
    }

    #[test]
    fn every_directive_is_read() {
        let prompt = "Please.\n```agency\n# first\n\nsay  a  b\nwarn c\nwait 20ms\nwrite ./d/e f\\n\\tg\\\\n\\x\n\
                      append h i\nrun j 'k l'\ncommit m n\nexit 255\n```\nThanks.";
        assert_eq!(
            directives(prompt),
            [
                Directive::Say("a  b".into()),
                Directive::Warn("c".into()),
                Directive::Wait(Duration::from_millis(20)),
                Directive::Write { path: "./d/e".into(), text: "f\n\tg\\n\\x\n".into() },
                Directive::Append { path: "h".into(), text: "i\n".into() },
                Directive::Run { program: "j".into(), arguments: vec!["k l".into()] },
                Directive::Commit("m n".into()),
                Directive::Exit(255),
            ]
        );
    }

    #[test]
    fn a_prompt_without_a_block_is_echoed() {
        assert_eq!(
            directives("Hello\n\n  world\r\n"),
            [Directive::Say("Hello".into()), Directive::Say("  world".into())]
        );
        assert_eq!(directives(""), []);
    }

    #[test]
    fn errors_name_the_line_and_what_was_meant() {
        assert_eq!(refusal("comit x"), "line 4: unknown directive `comit`; did you mean `commit`?");
        assert_eq!(refusal("somersault"), "line 4: unknown directive `somersault`");
        for wrong in ["wait", "wait 2", "wait s", "wait 2h", "wait -1s", "wait 99999999999999999s"] {
            assert_eq!(refusal(wrong), "line 4: `wait` needs a duration such as 200ms, 2s or 1m", "{wrong}");
        }
        assert_eq!(refusal("exit 256"), "line 4: `exit` needs a code from 0 to 255");
        assert_eq!(refusal("run"), "line 4: `run` needs a program");
        assert_eq!(refusal("run a 'b"), "line 4: `run` needs every quote to be closed");
        assert_eq!(refusal("commit"), "line 4: `commit` needs a message");
        assert_eq!(refusal("write"), "line 4: `write` needs a path and a text");
    }

    #[test]
    fn a_path_that_leaves_by_its_spelling_is_refused() {
        for path in ["../x", "/etc/x", "a/../../x", "a/.."] {
            assert_eq!(refusal(&format!("write {path} y")), format!("line 4: `{path}` leaves the agent's directory"));
        }
    }

    #[test]
    fn a_huge_prompt_is_refused() {
        assert!(matches!(parse(&" ".repeat(MAX_PROMPT_BYTES + 1)), Err(ScriptError::TooLong { .. })));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(body in "(?s).{0,200}") {
            drop(parse(&body));
            drop(parse(&format!("```agency\n{body}\n```")));
        }
    }
}
