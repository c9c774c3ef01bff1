//! What the conversation says about dialogs is no dialog, and a dialog is one at any width.

use agency_adapters::screen::ScreenText;
use agency_model::{Activity, Answer, QuestionKind};

use super::recorded::{AGENTS, recorded, rules};

/// Every dialog's words, as a user might quote them.
const QUOTED: &str = "
● The dialogs look like this:

   Do you want to proceed?
   ❯ 1. Yes
     2. No
   Esc to cancel · Tab to amend · Enter to confirm · Enter to select
   Would you like to run the following command?
 › 1. Yes, proceed (y)
   2. No
   Press enter to confirm or esc to cancel · esc to interrupt
   Do you trust the files in this folder?
   ● 1. Trust folder
   ? Shell ls
   Allow execution of [Shell]?
   ● 1. Allow once
   △ Permission required
   Allow once   Allow always   Reject   enter confirm
   ↑↓ select  enter submit  esc dismiss
   (esc to cancel, 3s) and esc to interrupt and esc interrupt
";

/// An idle screen with the quoted words far above or right above its prompt.
fn idle_after_quote(path: &str, begin: usize) -> ScreenText {
    let mut screen = recorded(path);
    let quote = QUOTED.lines().map(str::to_owned);
    screen.lines.splice(begin..begin + 1, quote);
    screen.highlights.clear();
    screen
}

#[test]
fn words_in_the_conversation_are_no_dialog() {
    let idle = [
        ("claude_code", "claude/06-idle-after-turn.txt", "──────"),
        ("codex", "codex/05-idle-after-turn.txt", "  Worked for"),
        ("gemini", "gemini/07-after.txt", "──────"),
        ("opencode", "opencode/05-idle-after-turn.txt", "     ▣  Build"),
    ];
    for (agent, path, below) in idle {
        let rules = rules(agent);
        let below = recorded(path).lines.iter().position(|line| line.starts_with(below)).unwrap();
        for begin in [0, 5, below - 1] {
            let reading = rules.read(&idle_after_quote(path, begin));
            assert_eq!(reading.activity, Activity::Idle, "{agent} by {:?} at {:?}", reading.rule, reading.text);
        }
    }
}

#[test]
fn a_draft_in_the_prompt_is_no_dialog() {
    let prompts = [
        ("claude_code", "claude/06-idle-after-turn.txt", "❯ "),
        ("codex", "codex/31-idle-after-turn.txt", "› "),
        ("gemini", "gemini/07-after.txt", " > "),
    ];
    for (agent, path, prompt) in prompts {
        let rules = rules(agent);
        for draft in ["1. Yes", "Do you want to proceed? Esc to cancel", "esc to interrupt", "Answer Questions"] {
            let mut screen = recorded(path);
            *screen.lines.iter_mut().rfind(|line| line.starts_with(prompt)).unwrap() = format!("{prompt}{draft}");
            let reading = rules.read(&screen);
            assert_eq!(reading.activity, Activity::Idle, "{agent}: {draft:?} by {:?}", reading.rule);
        }
    }
}

#[test]
fn noise_above_a_dialog_changes_nothing() {
    let dialogs = [
        ("claude_code", "claude/09-permission-bash.txt"),
        ("claude_code", "claude/07-question-AskUserQuestion.txt"),
        ("codex", "codex/06-permission.txt"),
        ("codex", "codex/35-question.txt"),
        ("gemini", "gemini/04-permission-shell.txt"),
        ("opencode", "opencode/02-permission.txt"),
    ];
    for (agent, path) in dialogs {
        let rules = rules(agent);
        let plain = recorded(path);
        let mut noisy = plain.clone();
        noisy.lines.splice(0..1, QUOTED.lines().map(str::to_owned));
        noisy.highlights.splice(0..1, QUOTED.lines().map(|_| vec![]));
        let (plain, noisy) = (rules.read(&plain), rules.read(&noisy));
        assert_eq!(plain.question, noisy.question, "{path}");
        assert_eq!(plain.rule, noisy.rule, "{path}");
    }
}

#[test]
fn a_dialog_is_the_same_question_at_another_width_and_with_another_mark() {
    let narrow = "
──────────────────────────────────────────────────────────
 Bash command
 Make file
╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
 touch made.txt &&
 echo made
╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
 Do you want to
 proceed?
   1. Yes
   2. Yes, and always allow access to
      /home/user/repo from this project
 ❯ 3. Yes, and switch to auto mode · auto mode handles these
      prompts for you
   4. No

 Esc to cancel · Tab to
 amend
";
    let rules = rules("claude_code");
    let wide = rules.read(&recorded("claude/09-permission-bash.txt")).question.unwrap().question;
    let narrow = rules.read(&ScreenText::plain(narrow)).question.unwrap().question;
    assert_eq!(wide.key, narrow.key);
    assert_eq!(wide.options, narrow.options);
    let other = rules.read(&recorded("claude/30-permission-bash-60-columns.txt")).question.unwrap().question;
    assert_ne!(wide.key, other.key);
}

#[test]
fn a_dialog_that_is_taller_than_the_screen_is_still_one() {
    let mut screen = recorded("claude/33-permission-write.txt");
    let begin = screen.lines.iter().position(|line| line.contains("  2 world")).unwrap();
    screen.lines.drain(..begin);
    let rules = rules("claude_code");
    let question = rules.read(&screen).question.unwrap().question;
    assert_eq!(question.kind, QuestionKind::Permission);
    assert_eq!(question.title, "Do you want to create hello.txt?");
}

/// What an agent asks about may itself look like a dialog; nothing of it may be hidden, and no other key be typed.
#[test]
fn words_inside_a_dialog_do_not_change_it() {
    let dialogs = [
        ("claude_code", "claude/33-permission-write.txt", "  2 world", "  3 "),
        ("claude_code", "claude/09-permission-bash.txt", " touch made.txt", " "),
        ("codex", "codex/06-permission.txt", "  $ touch made.txt", "    "),
        ("gemini", "gemini/04-permission-shell.txt", "│ │ touch made.txt", "│ │ "),
        ("opencode", "opencode/02-permission.txt", "  ┃  $ touch made.txt", "  ┃  "),
    ];
    let inside = [
        "Do you want to create harmless.txt?",
        "1. Yes",
        "2. No",
        "> a",
        "* b",
        "? Shell ls",
        "Allow execution of [Shell]?",
        "△ Permission required",
        "Would you like to run the following command?",
        "────────────────────",
        "╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌",
        "the last line",
    ];
    for (agent, path, after, indent) in dialogs {
        let rules = rules(agent);
        let mut screen = recorded(path);
        let plain = rules.read(&screen).question.unwrap();
        let begin = screen.lines.iter().rposition(|line| line.starts_with(after)).unwrap() + 1;
        screen.lines.splice(begin..begin, inside.iter().map(|line| format!("{indent}{line}")));
        screen.highlights.splice(begin..begin, inside.iter().map(|_| vec![]));
        let full = rules.read(&screen).question.unwrap();
        assert_eq!(full.question.title, plain.question.title, "{path}");
        assert_eq!(full.question.options, plain.question.options, "{path}");
        assert_eq!(
            full.keys_for(&Answer::Allow { message: None }),
            plain.keys_for(&Answer::Allow { message: None }),
            "{path}"
        );
        for line in inside.iter().filter(|line| !line.starts_with(['─', '╌'])) {
            assert!(full.question.detail.contains(line), "{path}: {line:?} is not in {:?}", full.question.detail);
        }
        assert_ne!(full.question.key, plain.question.key, "{path}");
    }
}

#[test]
fn other_screens_are_unknown() {
    let screens =
        ["", "\n\n", "user@host:~$ ls\nCargo.toml\n", "Segmentation fault\n", "Do you want to proceed? [y/N]"];
    for (agent, _) in AGENTS {
        for screen in screens {
            let rules = rules(agent);
            assert_eq!(rules.read(&ScreenText::plain(screen)).activity, Activity::Unknown, "{agent}: {screen}");
        }
    }
}
