//! Who is named, and what becomes of it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use agency_engine::agency::Agency;
use agency_engine::agents::{AgentManager, ManagerConfig};
use agency_engine::config::{Config, Environment};
use agency_engine::home::Home;
use agency_model::ErrorCode;
use agency_testkit::{ProcessTable, agent, wait_for};
use rustix::process::{Signal, kill_process};

use super::fixture::{
    HOSTS, LIMIT, agent_pid, begin, complaints, kill, orphan, orphans, pid_file, pids, stranger, world,
};

// proves P13
#[test]
fn an_agent_whose_supervisor_and_starter_are_killed_is_named_and_ended_and_nobody_else_is_harmed() {
    for host in HOSTS {
        let (world, repo) = world();
        let bystander = begin(&world, &repo, "stubborn", "detached");
        let stranger = stranger(&world);
        let mut command = world.run_command(&repo, "stubborn", &["--host", host, "--name", "lost", "--wait"]);
        let starter = world.start(&mut command);
        let run = wait_for("the run", LIMIT, || world.runs().into_iter().find(|run| run.id != bystander.id));
        run.wait_for_output("ready");
        starter.signal(Signal::KILL);
        run.kill_supervisor();

        let pid = agent_pid(&run);
        let listed = orphans(&world);
        assert_eq!(listed.len(), 1, "{listed:#?}");
        let row = world.show(&run);
        let found = &listed[0];
        assert_eq!((&found["pid"], &found["run_id"]), (&pid.into(), &run.id.as_str().into()));
        assert_eq!((&found["run_name"], &found["run_state"]), (&"lost".into(), &"failed".into()));
        assert_eq!((&found["workspace"], &found["directory"]), (&row["worktree_path"], &row["worktree_path"]));
        assert_eq!((&found["process_state"], &found["descendants"]), (&"sleeping".into(), &1.into()));
        assert!(found["command"].as_str().unwrap().contains("agents/stubborn"), "{found:#}");
        assert_eq!(found["attachable"], host == "tmux");
        assert_eq!(found["attach"].is_string(), host == "tmux", "{found:#}");
        let text = world.ok(&["agent", "orphans"]).stdout;
        let kill = format!("agency agent kill-orphan {pid}");
        assert!(text.contains(&kill) && text.contains(&format!("{} (lost), failed", run.id)), "{text}");
        assert_eq!(text.contains(&format!("agency attach {}", run.id)), host == "tmux", "{text}");
        let said = complaints(&world);
        assert_eq!(said.len(), 1, "one orphan is one complaint: {said:?}");
        assert!(said[0].0.contains(&format!("process {pid} of {}", run.id)) && said[0].1.contains(&kill), "{said:?}");

        let killed = world.json(&["agent", "kill-orphan", &pid.to_string()])["data"].take();
        assert_eq!((&killed["pid"], &killed["ended"]), (&pid.into(), &2.into()), "{killed:#}");
        assert_eq!((&killed["run_id"], &killed["run_state"]), (&run.id.as_str().into(), &"failed".into()));
        assert!(run.processes().is_empty() && !pid_file(&world, &run).exists());
        assert!(world.show(&run)["error"].as_str().unwrap().starts_with("E_RUNNER_DISAPPEARED"));
        assert!(orphans(&world).is_empty() && complaints(&world).is_empty());
        assert!(stranger.is_running() && bystander.is_supervised());
        assert!(bystander.processes().contains(&bystander.agent()));
    }
}

// proves P13
#[test]
fn an_agent_with_a_supervisor_is_no_orphan_and_its_pid_file_lives_as_long_as_it_does() {
    let (world, repo) = world();
    world.agent("waiting", agent::waiting());
    let run = begin(&world, &repo, "waiting", "detached");
    let path = pid_file(&world, &run);
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    assert!(orphans(&world).is_empty() && path.exists());
    let error = world.error(&["agent", "kill-orphan", &agent_pid(&run).to_string()], ErrorCode::NotAnOrphan);
    assert!(error["hint"].as_str().unwrap().contains(&format!("agency stop {}", run.id)), "{error:#}");
    assert!(run.is_supervised() && run.processes().contains(&run.agent()));
    world.release("waiting");
    assert_eq!(world.ended(&run)["state"], "completed");
    run.wait_until_unsupervised();
    assert!(!path.exists());
}

// proves P13
#[test]
fn only_what_is_proved_to_be_an_orphan_can_be_killed() {
    let (world, repo) = world();
    let run = orphan(&world, &repo, "stubborn", "detached");
    let stranger = stranger(&world);
    let refused = |pid: &str, words: &str| {
        let error = world.error(&["agent", "kill-orphan", pid], ErrorCode::NotAnOrphan);
        assert!(error["message"].as_str().unwrap().contains(words), "{error:#}");
        error["hint"].as_str().unwrap().to_owned()
    };
    refused(&stranger.id().to_string(), "nothing proves");
    refused("1", "nothing proves");
    refused("0", "no process 0");
    refused("4294967295", "no process 4294967295");
    let child = run.processes().into_iter().find(|pid| *pid != run.agent()).unwrap();
    let hint = refused(&child.as_raw_nonzero().to_string(), "is one of those");
    assert!(hint.contains(&format!("kill-orphan {}", agent_pid(&run))), "{hint}");
    world.error(&["agent", "kill-orphan", "-1"], ErrorCode::Usage);
    world.error(&["agent", "kill-orphan", "some"], ErrorCode::Usage);
    assert!(stranger.is_running());
    assert_eq!(run.processes().len(), 2);
}

// proves P13
#[test]
fn an_agent_that_took_the_run_out_of_its_environment_is_found_by_its_pid_file() {
    let (world, repo) = world();
    let script = "exec env -u AGENCY_RUN_ID sh -c \"trap '' TERM INT HUP; echo ready; while :; do sleep 3600; done\"";
    world.agent("hiding", script);
    let run = orphan(&world, &repo, "hiding", "detached");
    assert!(run.processes().is_empty(), "nobody carries the run's id");
    let listed = orphans(&world);
    assert_eq!((listed.len(), &listed[0]["pid"]), (1, &agent_pid(&run).into()), "{listed:#?}");
    assert_eq!(listed[0]["descendants"], 1, "what it started is its own: {listed:#?}");
    let living =
        |pid: i64| fs::exists(format!("/proc/{pid}/exe")).unwrap() && fs::read_link(format!("/proc/{pid}/exe")).is_ok();
    assert!(living(agent_pid(&run)));
    world.ok(&["rm", &run.id]);
    assert!(!living(agent_pid(&run)), "a removed run leaves nobody behind");
    assert!(orphans(&world).is_empty() && !pid_file(&world, &run).exists());
    let left = ProcessTable::read().carrying("AGENCY_HOME", world.agency_home().as_os_str());
    assert_eq!(left, [], "not even what it started");
}

// proves P13
#[test]
fn without_a_pid_file_an_orphan_is_found_by_its_environment() {
    let (world, repo) = world();
    let run = orphan(&world, &repo, "stubborn", "tmux");
    fs::remove_file(pid_file(&world, &run)).unwrap();
    assert_eq!(pids(&world), [agent_pid(&run)]);
    world.ok(&["agent", "kill-orphan", &agent_pid(&run).to_string()]);
    assert!(run.processes().is_empty());
}

// proves P13
#[test]
fn what_an_agent_left_is_named_when_the_agent_itself_is_gone() {
    let (world, repo) = world();
    let run = orphan(&world, &repo, "stubborn", "detached");
    kill(run.agent());
    let [left] = run.processes()[..] else { panic!("{:?}", run.processes()) };
    let left = left.as_raw_nonzero().to_string();
    let listed = orphans(&world);
    assert_eq!((listed.len(), listed[0]["pid"].to_string()), (1, left.clone()), "{listed:#?}");
    assert!(!pid_file(&world, &run).exists(), "its process is gone");
    world.error(&["agent", "kill-orphan", &agent_pid(&run).to_string()], ErrorCode::NotAnOrphan);
    world.ok(&["agent", "kill-orphan", &left]);
    assert!(run.processes().is_empty());
}

// proves P13
#[test]
fn an_orphan_that_somebody_stopped_is_seen_so_and_can_be_killed() {
    let (world, repo) = world();
    world.agent("polite", "trap '' HUP\necho ready\nexec sleep 3600");
    let run = orphan(&world, &repo, "polite", "detached");
    kill_process(run.agent(), Signal::STOP).unwrap();
    wait_for("a stopped process", LIMIT, || (orphans(&world)[0]["process_state"] == "stopped").then_some(()));
    world.ok(&["agent", "kill-orphan", &agent_pid(&run).to_string()]);
    assert!(run.processes().is_empty());
}

// proves P13
#[test]
fn each_attempt_has_the_pid_file_of_its_own_process() {
    let (world, repo) = world();
    world.configure("\n[restart]\npauses_seconds = [0]\n");
    world.agent(
        "crashing",
        "[ -e \"$0.again\" ] || { : > \"$0.again\"; exit 3; }\ntrap '' HUP\necho ready\nexec sleep 3600",
    );
    let run = world.begin(&repo, "crashing", &["--host", "detached", "--mode", "headless", "--restart", "on-crash"]);
    run.wait_for_output("ready");
    assert_eq!(run.events().iter().filter(|event| event["type"] == "attempt").count(), 2);
    let text = fs::read_to_string(pid_file(&world, &run)).unwrap();
    let noted: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(noted["process"]["pid"], agent_pid(&run));
    run.kill_supervisor();
    assert_eq!(pids(&world), [agent_pid(&run)]);
}

// proves P13
#[test]
fn a_conversation_goes_on_only_when_nobody_is_left_in_its_workspace() {
    let (world, repo) = world();
    let run = orphan(&world, &repo, "stubborn", "detached");
    let pid = agent_pid(&run).to_string();
    let resume = ["resume", &run.id, "--prompt", "go on"];
    let error = world.error(&resume, ErrorCode::InvalidState);
    assert!(error["message"].as_str().unwrap().contains(&pid), "{error:#}");
    assert!(error["hint"].as_str().unwrap().contains("agency agent orphans"), "{error:#}");
    world.ok(&["agent", "kill-orphan", &pid]);
    let error = world.error(&resume, ErrorCode::InvalidState);
    assert!(error["message"].as_str().unwrap().contains("named no conversation"), "{error:#}");
}

// proves P9, P13
#[test]
fn a_manager_finds_and_ends_orphans_too() {
    let (world, repo) = world();
    let place = world.root().join("elsewhere");
    let run = orphan(&world, &repo, "stubborn", "detached");
    fs::rename(world.agency_home().join("pids"), &place).unwrap();
    let file = world.root().join("home/config.toml");
    let config = Config::load(Some(&file), &Environment::default()).unwrap();
    let manager = ManagerConfig { pid_dir: Some(place.clone()), ..ManagerConfig::of(&config) };
    let binary = env!("CARGO_BIN_EXE_agency").into();
    let agency = Agency::open(Home::new(world.agency_home()), config, binary).unwrap();
    let mut manager = AgentManager::new(agency, manager);
    let found = manager.detect_orphans().unwrap();
    assert_eq!(found.iter().map(|orphan| i64::from(orphan.pid)).collect::<Vec<_>>(), [agent_pid(&run)]);
    let error = manager.kill_orphan(std::process::id()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotAnOrphan);
    assert_eq!(manager.kill_orphan(found[0].pid).unwrap().ended, 2);
    assert!(run.processes().is_empty() && fs::read_dir(place).unwrap().next().is_none());
}
