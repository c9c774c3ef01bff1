//! tmux goes away.

use std::os::unix::net::UnixListener;

use agency_model::ErrorCode;
use agency_testkit::{Run, World, agent};
use rustix::process::{Pid, Signal, kill_process};

use super::fixture::{MODES, clear_away, how, until, world};

/// Lets tmux go away while an agent works, and checks that the agent does not mind.
fn goes_on_without_tmux(lose: impl Fn(&World, &Run)) {
    for mode in MODES {
        let (world, repo) = world();
        world.agent("waiting", agent::waiting());
        let run = world.begin(&repo, "waiting", &how("tmux", mode));
        run.wait_for_output("ready");
        lose(&world, &run);
        until("word of the lost pane", || {
            run.messages().iter().any(|message| message.contains("the tmux pane is gone"))
        });
        let error = world.error(&["attach", &run.id], ErrorCode::TmuxSessionNotFound);
        assert!(error["hint"].as_str().unwrap().contains("--direct"), "{error:#}");
        assert_eq!(world.show(&run)["state"], "running");
        world.release("waiting");
        let ended = world.ended(&run);
        assert_eq!((&ended["state"], &ended["exit_code"]), (&"completed".into(), &0.into()));
        assert_eq!(run.log("runner.stdout.log"), b"ready\nreleased\n");
        clear_away(&world, &repo, &[&run]);
    }
}

// proves L13
#[test]
fn an_agent_goes_on_when_the_tmux_server_is_told_to_end() {
    goes_on_without_tmux(|world, _| drop(world.tmux(&["kill-server"])));
}

// proves L13
#[test]
fn an_agent_goes_on_when_the_tmux_server_is_killed() {
    goes_on_without_tmux(|world, _| kill_server(world));
}

// proves L13
#[test]
fn an_agent_goes_on_when_its_session_is_killed_by_hand() {
    goes_on_without_tmux(|world, run| {
        let session = format!("=agency_{}", run.id);
        world.tmux(&["kill-session", "-t", &session]);
    });
}

fn kill_server(world: &World) {
    let pid = world.tmux(&["display-message", "-p", "#{pid}"]);
    let pid = Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    until("the end of the tmux server", || world.tmux_sessions().is_empty());
}

#[test]
fn a_run_starts_although_a_dead_tmux_server_left_its_socket() {
    let (world, repo) = world();
    world.agent("quiet", agent::quiet());
    drop(UnixListener::bind(world.socket()).unwrap());
    assert!(world.socket().exists());
    let run = world.begin(&repo, "quiet", &["--host", "tmux"]);
    assert_eq!(world.ended(&run)["state"], "completed");
    assert!(world.tmux_sessions().contains(&format!("agency_{}", run.id)));
    clear_away(&world, &repo, &[&run]);
}

// proves L11
#[test]
fn the_session_stays_when_the_agent_exits_at_once_and_shows_how_it_ended() {
    for mode in MODES {
        let (world, repo) = world();
        world.agent("failing", agent::failing(3));
        let run = world.begin(&repo, "failing", &how("tmux", mode));
        let ended = world.ended(&run);
        assert_eq!((&ended["state"], &ended["exit_code"]), (&"failed".into(), &3.into()));
        run.wait_until_unsupervised();
        let pane = format!("=agency_{}:", run.id);
        until("the last words on the screen", || {
            // With what scrolled away: tmux moves the screen up to say that the program has ended.
            let screen = world.tmux(&["capture-pane", "-p", "-S", "-", "-t", &pane]);
            screen.contains("something broke") && screen.contains("the run is failed, exit code 3")
        });
        clear_away(&world, &repo, &[&run]);
    }
}
