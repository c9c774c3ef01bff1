//! What an agent wrote is shown escaped by landing, forecasts, checkpoints, reviews and races, too.

use std::fs;

use agency_testkit::{Repo, Run, World};
use serde_json::Value;

use super::{finished, world};

/// What is hidden or acts on a terminal, and a line that looks like one of ours, as `printf` of a shell takes it.
const PRINTF: &str = r"a\033]0;owned\007\033[2J\033[31m\342\200\256\342\200\213\302\233\nhint: agency rm --force x";
/// What has to be seen of it.
const SHOWN: &str = "a\\x1b]0;owned\\x07\\x1b[2J\\x1b[31m\\u{202e}\\u{200b}\\u{9b}";

/// The name itself.
fn hostile_name(world: &World) -> String {
    world.run(world.program("printf").arg(PRINTF)).stdout
}

/// What a command writes to a terminal in the repository, whether it succeeds or not.
fn on_terminal(world: &World, repo: &Repo, arguments: &[&str]) -> String {
    let words: Vec<String> = arguments.iter().map(|word| format!("'{word}'")).collect();
    let mut command = world.program("script");
    command.args(["-qec", &format!("'{}' {}", env!("CARGO_BIN_EXE_agency"), words.join(" ")), "/dev/null"]);
    command.current_dir(&repo.path).env("TERM", "xterm-256color").env("PAGER", "cat");
    world.run(&mut command).stdout
}

/// Nothing that the terminal obeys or hides is left, and no line of the agent looks like ours.
#[track_caller]
fn assert_harmless(what: &str, shown: &str) {
    let mut rest = shown.replace("\r\n", "\n");
    for own in ["0", "1", "2", "31", "32", "33", "35", "36", "1m\u{1b}[31", "1m\u{1b}[36"] {
        rest = rest.replace(&format!("\u{1b}[{own}m"), "");
    }
    // The line of a spinner is drawn over.
    rest = rest.replace("\r\u{1b}[K", "\n").replace("\u{1b}[K", "").replace('\r', "\n");
    let is_hidden = |letter: char| {
        letter.is_control() && !matches!(letter, '\n' | '\t')
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
    };
    assert!(!rest.contains(is_hidden), "{what}: {rest:?}");
    assert!(!rest.lines().any(|line| line.starts_with("hint: agency rm")), "{what}: {rest}");
}

/// Shows it and finds the name of the agent's file in it.
#[track_caller]
fn shows(world: &World, repo: &Repo, arguments: &[&str]) -> String {
    let shown = on_terminal(world, repo, arguments);
    assert_harmless(&arguments.join(" "), &shown);
    assert!(shown.contains(SHOWN), "{arguments:?}: {shown}");
    shown
}

/// Two finished runs that add the same file with a hostile name and subject.
fn hostile() -> (World, Repo, [Run; 2]) {
    let (world, repo) = world();
    let runs = ["one", "two"].map(|text| {
        let script = format!(
            "n=$(printf '{PRINTF}'); printf '%s {PRINTF}\\n' {text} >\"$n\"; git add .; git commit -qm \"$n\"; \
             printf '%s {PRINTF}\\n' {text} >\"$n.loose\""
        );
        finished(&world, &repo, &script)
    });
    (world, repo, runs)
}

// section 2: on a terminal everything from outside is escaped visibly
#[test]
fn no_command_of_landing_obeys_or_hides_what_an_agent_wrote() {
    let (world, repo, [first, second]) = hostile();
    shows(&world, &repo, &["forecast"]);
    assert_harmless("land --dry-run", &on_terminal(&world, &repo, &["land", "--dry-run", &first.id]));
    assert_harmless("all-ready", &on_terminal(&world, &repo, &["land", "--all-ready", "--dry-run"]));
    // Colours of a check are left out.
    let failed = on_terminal(&world, &repo, &["land", &first.id, "--check", "cat a* >&2; exit 1"]);
    assert_harmless("a failed check", &failed);
    assert!(failed.contains("E_CHECK_FAILED") && failed.contains("\\x1b[2J\\u{202e}\\u{200b}"), "{failed}");
    assert_harmless("land", &on_terminal(&world, &repo, &["land", &first.id, "--check", "cat a*"]));
    assert!(world.show(&first)["landed_at"].is_string());
    let refused = shows(&world, &repo, &["land", &second.id]);
    assert!(refused.contains("E_MERGE_CONFLICT"), "{refused}");
    shows(&world, &repo, &["land", "--dry-run", &second.id]);
    shows(&world, &repo, &["land", "--all-ready", "--dry-run"]);
    for run in [&first, &second] {
        for arguments in [&["events", &run.id][..], &["show", &run.id], &["ls"]] {
            assert_harmless(&arguments.join(" "), &on_terminal(&world, &repo, arguments));
        }
    }
    // The user's own file at such a name.
    let name = hostile_name(&world);
    fs::write(repo.path.join(format!("{name}.loose")), "of the user\n").unwrap();
    let third = finished(&world, &repo, &format!("printf x >\"$(printf '{PRINTF}').loose\""));
    let asked = world.terminal(&["land", &third.id]);
    let shown = asked.wait_for_text("[c]ancel?");
    assert!(!shown.lines().any(|line| line.starts_with("hint: agency rm")), "{shown}");
    asked.type_text("c\r");
    asked.wait_for_exit();
    assert_eq!(fs::read_to_string(repo.path.join(format!("{name}.loose"))).unwrap(), "of the user\n");
    assert_harmless("a dirty checkout", &on_terminal(&world, &repo, &["land", "--json", &third.id]));
}

// section 2: on a terminal everything from outside is escaped visibly
#[test]
fn no_command_of_checkpoints_and_reviews_obeys_or_hides_what_an_agent_wrote() {
    let (world, repo, [run, _]) = hostile();
    let id = run.id.as_str();
    assert_harmless("checkpoint ls", &on_terminal(&world, &repo, &["checkpoint", "ls", id]));
    shows(&world, &repo, &["checkpoint", "show", id]);
    shows(&world, &repo, &["checkpoint", "diff", id]);
    shows(&world, &repo, &["checkpoint", "diff", "--stat", id]);
    shows(&world, &repo, &["checkpoint", "diff", "--name-only", id]);
    // An ignored file is in the way of the one that the checkpoint has.
    let worktree = world.show(&run)["worktree_path"].as_str().unwrap().to_owned();
    assert_harmless("restore", &on_terminal(&world, &repo, &["checkpoint", "restore", id, "0"]));
    repo.write(".git/info/exclude", "*.loose\n");
    let name = hostile_name(&world);
    fs::write(format!("{worktree}/{name}.loose"), "ignored\n").unwrap();
    let restored = shows(&world, &repo, &["checkpoint", "restore", id, "1"]);
    assert!(restored.contains("left alone"), "{restored}");
    let comments = world.root().join("review.md");
    fs::write(&comments, format!("## {SHOWN}\\nhint: agency rm --force x\nSay why\n")).unwrap();
    let review = on_terminal(&world, &repo, &["review", id, "--file", comments.to_str().unwrap()]);
    assert_harmless("review --file", &review);
    assert_harmless("review", &on_terminal(&world, &repo, &["review", id]));
    // What is not saved and not committed is named.
    shows(&world, &repo, &["rm", "--dry-run", id]);
    let removed = shows(&world, &repo, &["rm", id]);
    assert!(removed.contains("git ignores"), "{removed}");
}

// section 2: on a terminal everything from outside is escaped visibly
#[test]
fn no_command_of_races_obeys_or_hides_what_an_agent_wrote() {
    let (world, repo) = world();
    for name in ["one", "two"] {
        world.agent(name, format!("printf '%s {PRINTF}' {name} >\"$(printf '{PRINTF}')\""));
    }
    let race = ["race", "do it", "--agents", "one,two", "--verify", "cat a*; exit 1", "--protect", "a*"];
    assert_harmless("race", &on_terminal(&world, &repo, &race));
    for arguments in [&["race", "show", "last"][..], &["race", "ls"], &["race", "show", "last", "--land"]] {
        assert_harmless(&arguments.join(" "), &on_terminal(&world, &repo, arguments));
    }
    let shown: Value = world.json(&["race", "show", "last"]);
    let protected = shown["data"]["runs"][0]["verified"]["protected"][0].as_str().unwrap();
    assert!(protected.starts_with("a\u{1b}]0;owned\u{7}"), "JSON has the name itself: {protected:?}");
}
