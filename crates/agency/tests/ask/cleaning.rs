//! The scenarios of the document about cleaning up, by their names, and every other way to end.

use agency_model::ErrorCode;
use agency_testkit::World;
use rustix::process::{Signal, kill_process};

use super::fixture::{command, left, scratch, wait_until_clean, world};

/// Waits for ever, with children that do too.
const STUCK: &str = "cat docs/a.txt; sleep 3600 & setsid sleep 3600 & echo ready; exec sleep 3600";

// proves A7
#[test]
fn cleanup_after_successful_ask() {
    let world = world("cat docs/a.txt");
    world.ok(&["ask", "-s", "docs,note", "What?"]);
    assert!(left(&world).is_empty(), "{:?}", left(&world));
    wait_until_clean(&world);
}

// proves A7
#[test]
fn cleanup_after_failed_ask() {
    let world = world("exit 9");
    world.error(&["ask", "-s", "docs,note", "What?"], ErrorCode::RunFailed);
    assert!(left(&world).is_empty(), "{:?}", left(&world));
    wait_until_clean(&world);
}

// proves A7, A8
#[test]
fn cleanup_after_chat_exit() {
    let world = world("true");
    for (script, code) in [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137)] {
        let path = world.agent("talker", script);
        command(&world, "talker", "chat", path.to_str().unwrap());
        let output = world.agency(&["chat", "-s", "docs", "--runner", "talker"]);
        assert_eq!(output.status.code(), Some(code), "{output}");
        assert!(left(&world).is_empty(), "{:?}", left(&world));
        let config = std::fs::read_to_string(world.root().join("home/config.toml")).unwrap();
        let (before, _) = config.split_once("\n[agents.talker]").unwrap();
        std::fs::write(world.root().join("home/config.toml"), before).unwrap();
    }
    wait_until_clean(&world);
}

// proves A7
#[test]
fn cleanup_after_ctrl_c_and_term() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 130)] {
        let world = world(STUCK);
        let asking = world.spawn(&["ask", "-s", "docs,note", "What?"]);
        wait_for_agent(&world);
        asking.signal(signal);
        let output = asking.wait();
        assert_eq!((output.status.code(), output.stdout.as_str()), (Some(code), ""), "{output}");
        assert!(left(&world).is_empty(), "{:?}", left(&world));
        wait_until_clean(&world);
        assert_eq!(world.json(&["ls", "--all"])["data"]["runs"][0]["state"], "killed");
    }
}

// proves A7
#[test]
fn cleanup_after_timeout() {
    let world = world(STUCK);
    let error = world.error(&["ask", "-s", "docs,note", "--timeout", "1s", "What?"], ErrorCode::Timeout);
    assert_eq!(error["message"], "no answer came within 1 s");
    assert!(left(&world).is_empty(), "{:?}", left(&world));
    wait_until_clean(&world);
}

// proves A7
#[test]
fn when_who_asked_is_killed_the_agent_ends_and_nothing_is_left() {
    let world = world(STUCK);
    let asking = world.spawn(&["ask", "-s", "docs,note", "What?"]);
    wait_for_agent(&world);
    asking.signal(Signal::KILL);
    asking.wait();
    wait_until_clean(&world);
    let run = world.json(&["ls", "--all"])["data"]["runs"][0].take();
    assert_eq!((&run["state"], &run["reason"]), (&"killed".into(), &"stopped".into()), "{run:#}");
}

// proves A7
#[test]
fn when_the_supervisor_is_killed_the_question_fails_and_nothing_is_left() {
    let world = world(STUCK);
    let asking = world.spawn(&["ask", "-s", "docs,note", "What?"]);
    wait_for_agent(&world);
    world.runs()[0].kill_supervisor();
    let output = asking.wait();
    assert_eq!(output.status.code(), Some(1), "{output}");
    assert!(left(&world).is_empty(), "{:?}", left(&world));
    assert!(world.runs()[0].processes().is_empty(), "what the supervisor left was ended");
    wait_until_clean(&world);
}

// proves A7
#[test]
fn when_who_asked_is_killed_in_the_queue_the_question_is_never_asked() {
    let world = world(STUCK);
    world.set("max_agents", "1");
    let first = world.spawn(&["ask", "-s", "docs", "What?"]);
    wait_for_agent(&world);
    let second = world.spawn(&["ask", "-s", "note", "And what?"]);
    let queued = agency_testkit::wait_for("a question in the queue", super::fixture::LIMIT, || {
        let runs = world.json(&["ls", "--all", "--state", "queued"])["data"]["runs"].take();
        let run = world.run_with_id(runs[0]["id"].as_str()?);
        // Its supervisor has its orders, and so knows who asked.
        (run.is_supervised() && !run.file("launch.sock").exists()).then_some(run)
    });
    second.signal(Signal::KILL);
    second.wait();
    queued.wait_until_unsupervised();
    assert_eq!(world.show(&queued)["state"], "killed");
    assert_eq!(left(&world).len(), 1, "that of the first is alive");
    first.signal(Signal::INT);
    first.wait();
    wait_until_clean(&world);
}

// proves A7
#[test]
fn what_the_end_of_the_power_leaves_is_swept_at_the_next_start_and_a_live_one_stays() {
    for sweeper in [&["ask", "-s", "docs", "--runner", "quick", "What?"][..], &["reconcile"]] {
        let world = world(STUCK);
        let quick = world.agent("quick", "true");
        command(&world, "quick", "ask", quick.to_str().unwrap());
        let dead = world.spawn(&["ask", "-s", "docs,note", "What?"]);
        wait_for_agent(&world);
        let path = scratch(&world);
        world.kill_everything();
        dead.wait();
        assert!(path.is_dir(), "a power cut leaves it");
        let alive = world.spawn(&["ask", "-s", "docs", "--runner", "mine", "What?"]);
        // The next question sweeps it away, and so would any other command that looks for traces.
        wait_for_runs(&world, 2);
        let living = scratch(&world);
        assert_ne!(living, path);
        world.ok(sweeper);
        assert!(!path.exists() && living.is_dir());
        alive.signal(Signal::INT);
        alive.wait();
        world.ok(&["reconcile"]);
        wait_until_clean(&world);
    }
}

// proves A7
#[test]
fn a_second_ctrl_c_does_not_wait_and_leaves_nothing_either() {
    let world = world(&format!("trap '' TERM INT; {STUCK}"));
    let asking = world.spawn(&["ask", "-s", "docs,note", "What?"]);
    wait_for_agent(&world);
    asking.signal(Signal::INT);
    asking.signal(Signal::INT);
    asking.wait();
    wait_until_clean(&world);
}

// proves A7
#[test]
fn somebody_else_stops_the_run() {
    let world = world(STUCK);
    let asking = world.spawn(&["ask", "-s", "docs,note", "What?"]);
    wait_for_agent(&world);
    world.ok(&["stop", &world.runs()[0].id]);
    let output = asking.wait();
    assert_eq!(output.status.code(), Some(4), "{output}");
    wait_until_clean(&world);
}

#[test]
fn an_agent_that_dies_by_itself_is_a_failure() {
    let world = world("cat docs/a.txt; kill -9 $$");
    world.error(&["ask", "-s", "docs", "What?"], ErrorCode::RunFailed);
    wait_until_clean(&world);
}

/// Waits until the agent has begun to read.
#[track_caller]
fn wait_for_agent(world: &World) {
    wait_for_runs(world, 1);
    world.runs()[0].wait_for_output("ready");
    assert!(kill_process(world.runs()[0].agent(), Signal::CONT).is_ok());
}

#[track_caller]
fn wait_for_runs(world: &World, count: usize) {
    agency_testkit::wait_for("the run", super::fixture::LIMIT, || {
        let begun = |run: &agency_testkit::Run| {
            let log = std::fs::read(run.directory.join("logs/runner.stdout.log"));
            log.is_ok_and(|log| log.ends_with(b"ready\n"))
        };
        let runs = world.runs();
        (runs.len() >= count && runs.iter().all(begun)).then_some(())
    });
}
