//! Agents that behave badly.

use std::fs;

use agency_testkit::agent;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::fixture::{HOSTS, MODES, clear_away, how, until, world};

#[test]
fn an_agent_that_exits_at_once_is_completed_in_every_host_and_mode() {
    let (world, repo) = world();
    world.agent("quiet", agent::quiet());
    let mut runs = vec![];
    for (host, mode) in HOSTS.into_iter().flat_map(|host| MODES.map(|mode| (host, mode))) {
        let run = world.begin(&repo, "quiet", &how(host, mode));
        let ended = world.ended(&run);
        assert_eq!((&ended["state"], &ended["exit_code"]), (&"completed".into(), &0.into()));
        runs.push(run);
    }
    clear_away(&world, &repo, &runs.iter().collect::<Vec<_>>());
}

// proves L16
#[test]
fn an_agent_that_ignores_every_polite_signal_is_killed_after_the_grace() {
    for (host, mode) in [("tmux", "interactive"), ("detached", "headless")] {
        let (world, repo) = world();
        world.agent("stubborn", agent::stubborn());
        let run = world.begin(&repo, "stubborn", &how(host, mode));
        run.wait_for_output("ready");
        let stopped = world.json(&["stop", &run.id])["data"].take();
        assert_eq!((&stopped["state"], &stopped["signal"]), (&"killed".into(), &9.into()));
        assert!(stopped["exit_code"].is_null() && stopped["error"].is_null(), "{stopped:#}");
        assert_eq!(stopped["reason"], "stopped");
        run.wait_until_gone();
        clear_away(&world, &repo, &[&run]);
    }
}

#[test]
fn a_daemon_that_an_agent_leaves_does_not_keep_the_run_from_ending_and_is_ended() {
    for (host, mode) in HOSTS.into_iter().flat_map(|host| MODES.map(|mode| (host, mode))) {
        let (world, repo) = world();
        world.agent("daemonizing", agent::daemonizing());
        let run = world.begin(&repo, "daemonizing", &how(host, mode));
        let ended = world.ended(&run);
        assert_eq!((&ended["state"], &ended["exit_code"]), (&"completed".into(), &0.into()));
        run.wait_until_gone();
        assert!(run.log("runner.stdout.log").starts_with(b"daemon "));
        let said = run.messages();
        assert!(said.iter().any(|message| message.contains("ending what the agent left")), "{said:?}");
        clear_away(&world, &repo, &[&run]);
    }
}

#[test]
fn a_daemon_that_ignores_term_is_killed_in_the_end() {
    let (world, repo) = world();
    world.agent(
        "leaver",
        r#"setsid sh -c 'trap "" TERM HUP; : > "$0"; while :; do sleep 60; done' "$0.$$" &
until [ -e "$0.$$" ]; do sleep 0.01; done"#,
    );
    let run = world.begin(&repo, "leaver", &how("detached", "interactive"));
    assert_eq!(world.ended(&run)["state"], "completed");
    run.wait_until_gone();
    clear_away(&world, &repo, &[&run]);
}

#[test]
fn an_agent_that_closes_its_output_lives_on_until_it_exits() {
    for mode in MODES {
        let (world, repo) = world();
        let closing = "echo ready; exec >&- 2>&-; until [ -e \"$0.release\" ]; do sleep 0.01; done; exit 7";
        world.agent("closing", closing);
        let run = world.begin(&repo, "closing", &how("detached", mode));
        run.wait_for_output("ready");
        let output = format!("/proc/{}/fd/1", run.agent().as_raw_nonzero());
        until("a closed output", || fs::symlink_metadata(&output).is_err());
        assert_eq!(world.show(&run)["state"], "running");
        world.release("closing");
        let ended = world.ended(&run);
        assert_eq!((&ended["state"], &ended["exit_code"]), (&"failed".into(), &7.into()));
        assert_eq!(run.log("runner.log"), b"ready\n");
        clear_away(&world, &repo, &[&run]);
    }
}

#[test]
fn an_agent_that_comes_back_to_a_terminal_it_had_closed_is_heard() {
    let (world, repo) = world();
    let script = "echo ready; exec <&- >&- 2>&-; until [ -e \"$0.release\" ]; do sleep 0.01; done
echo back >/dev/tty";
    world.agent("returning", script);
    let run = world.begin(&repo, "returning", &how("detached", "interactive"));
    run.wait_for_output("ready");
    let output = format!("/proc/{}/fd/1", run.agent().as_raw_nonzero());
    until("a closed output", || fs::symlink_metadata(&output).is_err());
    world.release("returning");
    assert_eq!(world.ended(&run)["state"], "completed");
    assert_eq!(run.log("runner.stdout.log"), b"ready\nback\n");
}

// proves L16
#[test]
fn an_agent_that_is_stopped_by_a_signal_can_still_be_stopped() {
    for (host, mode) in [("tmux", "interactive"), ("detached", "headless")] {
        let (world, repo) = world();
        world.agent("waiting", agent::waiting());
        let run = world.begin(&repo, "waiting", &how(host, mode));
        run.wait_for_output("ready");
        kill_process_group(run.agent(), Signal::STOP).unwrap();
        // Not always the shell itself: one that has just made a child does not stop before the child goes on.
        until("a stopped agent", || {
            let stat = |pid: Pid| fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
            let mut stats = run.processes().into_iter().filter_map(|pid| stat(pid).ok());
            stats.any(|stat| stat.contains(") T "))
        });
        let stopped = world.json(&["stop", &run.id])["data"].take();
        assert_eq!((&stopped["state"], &stopped["signal"]), (&"killed".into(), &15.into()));
        clear_away(&world, &repo, &[&run]);
    }
}

// proves L12
#[test]
fn an_agent_that_dies_by_a_signal_has_failed_without_an_exit_code() {
    for mode in MODES {
        let (world, repo) = world();
        world.agent("waiting", agent::waiting());
        let run = world.begin(&repo, "waiting", &how("detached", mode));
        run.wait_for_output("ready");
        kill_process(run.agent(), Signal::SEGV).unwrap();
        let ended = world.ended(&run);
        assert_eq!((&ended["state"], &ended["signal"]), (&"failed".into(), &11.into()));
        assert!(ended["exit_code"].is_null());
        assert!(ended["error"].as_str().unwrap().starts_with("E_RUN_FAILED"), "{ended:#}");
        assert_eq!(fs::read_to_string(run.file("exit_code.txt")).unwrap(), "139\n");
        clear_away(&world, &repo, &[&run]);
    }
}
