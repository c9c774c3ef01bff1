//! An agent that says more than it should, wherever it can: none of it is in what our commands print.

use agency_testkit::{Output, World, wait_for};

use super::fixture::{HOSTS, LIMIT, MODES, clear_away, how, world};

const MARKER: &str = "stray words of an agent";

/// Says it on both streams and on whatever terminal it can reach, again and again until it is released.
const CHATTY: &str = r#"say() { echo "$1"; echo "$1" >&2; (echo "$1" >/dev/tty) 2>/dev/null; }
until [ -e "$0.release" ]; do say 'stray words of an agent'; sleep 0.01; done
say 'stray words of an agent'
exit 0"#;

/// Runs a command as a person would; it prints no word of the agent.
#[track_caller]
fn for_people(world: &World, arguments: &[&str]) -> Output {
    let output = world.ok(arguments);
    assert!(!output.stdout.contains(MARKER) && !output.stderr.contains(MARKER), "agency {arguments:?}: {output}");
    output
}

/// Runs a command as a program would; it prints exactly one object.
#[track_caller]
fn for_programs(world: &World, arguments: &[&str]) {
    let output = for_people(world, &[arguments, &["--json"]].concat());
    assert_eq!(output.object()["ok"], true, "agency {arguments:?}: {output}");
}

// proves P8
#[test]
fn nothing_an_agent_says_is_in_what_a_command_prints() {
    for (host, mode) in HOSTS.into_iter().flat_map(|host| MODES.map(|mode| (host, mode))) {
        let (world, repo) = world();
        world.agent("chatty", CHATTY);
        let path = repo.path.to_str().unwrap();
        let words = ["run", "--repo", path, "--runner", "chatty", "--prompt", "do it"];
        let words = [&words[..], &how(host, mode)].concat();
        for_people(&world, &words);
        for_people(&world, &words);
        for_programs(&world, &words);
        for_programs(&world, &words);
        let runs = world.runs();
        let [first, second, third, fourth] = runs.as_slice() else { panic!("{runs:?}") };
        for run in &runs {
            run.wait_for_output(MARKER);
        }
        for_people(&world, &["ls"]);
        for_programs(&world, &["ls"]);
        for_people(&world, &["stop", &first.id]);
        for_programs(&world, &["stop", &second.id]);
        world.release("chatty");
        for_people(&world, &["wait", &third.id]);
        for_programs(&world, &["wait", &fourth.id]);
        for_people(&world, &["ls", "--all"]);
        for_programs(&world, &["ls", "--all"]);
        clear_away(&world, &repo, &[first, second, third, fourth]);
    }
}

// proves P8
#[test]
fn an_agent_without_a_pane_does_not_reach_the_terminal_it_was_started_from() {
    for mode in MODES {
        let (world, repo) = world();
        world.agent("chatty", CHATTY);
        let options = [&how("detached", mode)[..], &["--wait"]].concat();
        let terminal = world.terminal_with(&world.run_command(&repo, "chatty", &options));
        let run = wait_for("the run", LIMIT, || world.runs().pop());
        run.wait_for_output(MARKER);
        world.ok(&["stop", &run.id]);
        terminal.wait_for_exit();
        assert!(!terminal.screen().contains(MARKER), "{}", terminal.screen());
        clear_away(&world, &repo, &[&run]);
    }
}
