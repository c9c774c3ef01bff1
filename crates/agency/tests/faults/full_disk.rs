//! The disk that holds the home is full.

use std::fs;

use agency_testkit::agent;

use super::fixture::{until, world};
use super::small_disk::SmallDisk;

const DETACHED: [&str; 4] = ["--host", "detached", "--mode", "headless"];

// proves L4
#[test]
fn a_worktree_that_does_not_fit_is_taken_back_and_the_run_has_failed() {
    let (world, repo) = world();
    world.agent("quiet", agent::quiet());
    let large = "0123456789abcdef".repeat(256 * 1024);
    repo.commit_file("large", &large);
    let disk = SmallDisk::mount(&world, 3 * 1024);
    disk.assert_too_small_for(&large);
    let answer = disk.run_agent(&repo, "quiet", &DETACHED);
    assert_eq!(answer["error"]["code"], "E_WORKTREE_CREATE_FAILED", "{answer:#}");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(message.contains("unable to write file 'large'"), "{message}");
    assert_eq!(repo.branches(), ["main"]);
    assert_eq!(repo.worktrees(), std::slice::from_ref(&repo.path));
    let id = answer["error"]["details"]["id"].as_str().unwrap();
    assert_eq!(disk.answer(&["show", id])["data"]["state"], "failed");
    // The room is there again, and what fits works.
    let smaller = ["--base", "HEAD~1"];
    let answer = disk.run_agent(&repo, "quiet", &[&DETACHED[..], &smaller].concat());
    let id = answer["data"]["id"].as_str().unwrap();
    assert_eq!(disk.answer(&["wait", id])["data"]["state"], "completed");
    disk.ok(&["rm", "--delete-branch", "--all-finished"]);
    assert_eq!(repo.branches(), ["main"]);
}

#[test]
fn a_run_on_a_full_disk_is_refused_and_leaves_nothing() {
    let (world, repo) = world();
    world.agent("quiet", agent::quiet());
    let disk = SmallDisk::mount(&world, 2 * 1024);
    disk.ok(&["ls"]);
    disk.fill();
    let answer = disk.run_agent(&repo, "quiet", &DETACHED);
    assert_eq!(answer["error"]["code"], "E_DB_ERROR", "{answer:#}");
    assert_eq!(fs::read_dir(disk.path("runs")).unwrap().count(), 0, "a refused run leaves no directory");
    assert_eq!(repo.branches(), ["main"]);
    assert_eq!(repo.worktrees(), std::slice::from_ref(&repo.path));
    disk.make_room();
    disk.ok(&["reconcile"]);
    let live = disk.answer(&["ls", "--state", "queued", "--state", "running"]);
    assert_eq!(live["data"]["runs"], serde_json::json!([]), "{live:#}");
    let checks = disk.answer(&["doctor"])["data"]["checks"].take();
    let complaints = checks.as_array().unwrap().iter().filter(|check| check["health"] != "ok");
    let names: Vec<&str> = complaints.map(|check| check["name"].as_str().unwrap()).collect();
    assert!(names.iter().all(|name| ["agent claude_code", "home"].contains(name)), "{checks:#}");
}

// proves L12, P7
#[test]
fn an_agent_that_says_more_than_fits_goes_on_to_its_end_and_the_events_say_what_was_lost() {
    let (world, repo) = world();
    let size = 16 << 20;
    // It ends well only when it is heard to the end.
    let script = format!("yes 'All work and no play.' | head -c {size} && echo \"said it all\" >&2");
    world.agent("noisy", script);
    let disk = SmallDisk::mount(&world, 4 * 1024);
    let answer = disk.run_agent(&repo, "noisy", &DETACHED);
    let id = answer["data"]["id"].as_str().unwrap();
    let ended = disk.answer(&["wait", id])["data"].take();
    assert_eq!((&ended["state"], &ended["exit_code"]), (&"completed".into(), &0.into()), "{ended:#}");
    let log = fs::read(disk.path(&format!("runs/{id}/logs/runner.stdout.log"))).unwrap();
    assert!(!log.is_empty() && log.len() < size, "the disk was too small");
    let line = b"All work and no play.\n".iter();
    assert!(log.iter().eq(line.cycle().take(log.len())), "what was kept is what was said first");
    let events = disk.events(id);
    let said: Vec<&str> = events.iter().filter_map(|event| event["message"].as_str()).collect();
    assert!(said.iter().any(|text| text.contains("runner.stdout.log cannot be written: No space left")), "{said:?}");
    let lost = format!("{} bytes of runner.stdout.log were lost", size - log.len());
    assert!(said.iter().any(|text| text.contains(&lost)), "{lost}: {said:?}");
    assert_eq!(events.last().unwrap()["type"], "completed");
    disk.ok(&["rm", "--delete-branch", id]);
}

// proves L12, L22
#[test]
fn the_end_of_a_run_is_recorded_although_the_disk_filled_up_meanwhile() {
    let (world, repo) = world();
    let script = "echo ready; until [ -e \"$0.release\" ]; do sleep 0.01; done; exit 7";
    world.agent("waiting", script);
    let disk = SmallDisk::mount(&world, 3 * 1024);
    let answer = disk.run_agent(&repo, "waiting", &DETACHED);
    let id = answer["data"]["id"].as_str().unwrap();
    let log = disk.path(&format!("runs/{id}/logs/runner.log"));
    until("the agent", || fs::read(&log).is_ok_and(|text| text == b"ready\n"));
    disk.fill();
    world.release("waiting");
    let ended = disk.answer(&["wait", id])["data"].take();
    assert_eq!((&ended["state"], &ended["exit_code"]), (&"failed".into(), &7.into()), "{ended:#}");
    let done = fs::read_to_string(disk.path(&format!("runs/{id}/done.json"))).unwrap();
    assert!(done.contains("\"exit_code\": 7"), "{done}");
    assert_eq!(disk.events(id).last().unwrap()["type"], "completed");
    disk.ok(&["rm", "--delete-branch", id]);
    assert_eq!(repo.branches(), ["main"]);
}

// proves L16
#[test]
fn a_run_is_stopped_although_the_disk_is_full_and_what_could_not_be_recorded_is_said() {
    for reserve in [true, false] {
        let (world, repo) = world();
        world.agent("waiting", agent::waiting());
        let disk = SmallDisk::mount(&world, 3 * 1024);
        let answer = disk.run_agent(&repo, "waiting", &DETACHED);
        let id = answer["data"]["id"].as_str().unwrap();
        let log = disk.path(&format!("runs/{id}/logs/runner.log"));
        until("the agent", || fs::read(&log).is_ok_and(|text| text == b"ready\n"));
        if !reserve {
            fs::remove_file(disk.path(&format!("runs/{id}/.reserve"))).unwrap();
        }
        disk.fill();
        let stopped = disk.answer(&["stop", id]);
        let living = agency_testkit::ProcessTable::read().carrying("AGENCY_RUN_ID", id.as_ref());
        assert!(living.is_empty(), "the agent lives on: {stopped:#}");
        if stopped["ok"] == true {
            assert_eq!(stopped["data"]["state"], "killed", "{stopped:#}");
        } else {
            assert!(stopped["error"]["message"].as_str().unwrap().contains("was stopped, but"), "{stopped:#}");
            assert!(stopped["error"]["hint"].as_str().unwrap().contains("agency reconcile"), "{stopped:#}");
        }
        disk.make_room();
        disk.ok(&["reconcile"]);
        let row = disk.answer(&["show", id])["data"].take();
        // Without any room for markers, all that is known is that its supervisor is gone.
        let states: &[&str] = if reserve { &["killed"] } else { &["killed", "failed"] };
        assert!(states.contains(&row["state"].as_str().unwrap()), "{row:#}");
    }
}

// proves L22
#[test]
fn a_supervisor_that_finds_no_room_for_its_last_words_says_them_when_there_is_room() {
    let (world, repo) = world();
    let script = "echo ready; until [ -e \"$0.release\" ]; do sleep 0.01; done; exit 7";
    world.agent("waiting", script);
    let disk = SmallDisk::mount(&world, 3 * 1024);
    let answer = disk.run_agent(&repo, "waiting", &DETACHED);
    let id = answer["data"]["id"].as_str().unwrap();
    let log = disk.path(&format!("runs/{id}/logs/runner.log"));
    until("the agent", || fs::read(&log).is_ok_and(|text| text == b"ready\n"));
    // Somebody takes even the room that was set aside.
    fs::remove_file(disk.path(&format!("runs/{id}/.reserve"))).unwrap();
    disk.fill();
    world.release("waiting");
    let agent = answer["data"]["id"].as_str().unwrap();
    until("the end of the agent", || {
        agency_testkit::ProcessTable::read().carrying("AGENCY_RUN_ID", agent.as_ref()).is_empty()
    });
    disk.assert_full();
    disk.make_room();
    let ended = disk.answer(&["wait", id])["data"].take();
    assert_eq!((&ended["state"], &ended["exit_code"]), (&"failed".into(), &7.into()), "{ended:#}");
    assert_eq!(disk.events(id).last().unwrap()["type"], "completed");
}

// proves L16
#[test]
fn a_run_that_waits_for_a_slot_is_stopped_although_the_disk_is_full() {
    let (world, repo) = world();
    world.set("max_agents", "1");
    world.agent("first", agent::waiting());
    world.agent("second", agent::waiting());
    let disk = SmallDisk::mount(&world, 4 * 1024);
    let first = disk.run_agent(&repo, "first", &DETACHED)["data"]["id"].as_str().unwrap().to_owned();
    let second = disk.run_agent(&repo, "second", &DETACHED)["data"].take();
    assert_eq!(second["state"], "queued", "{second:#}");
    let second = second["id"].as_str().unwrap();
    disk.fill();
    let told = disk.answer(&["send", second, "hello"]);
    assert_eq!(told["error"]["code"], "E_INVALID_STATE", "{told:#}");
    let stopped = disk.answer(&["stop", second]);
    if stopped["ok"] == true {
        assert_eq!(stopped["data"]["state"], "killed", "{stopped:#}");
    } else {
        assert!(stopped["error"]["message"].as_str().unwrap().contains("was stopped, but"), "{stopped:#}");
        assert!(stopped["error"]["hint"].as_str().unwrap().contains("agency reconcile"), "{stopped:#}");
    }
    let lock = disk.path(&format!("runs/{second}/supervisor.lock"));
    assert!(!agency_system::lock::is_held(&lock).unwrap(), "its supervisor is gone");
    disk.make_room();
    disk.ok(&["reconcile"]);
    // Without any room for markers, all that is known is that it was never started.
    let row = disk.answer(&["show", second])["data"].take();
    assert!(["killed", "failed"].contains(&row["state"].as_str().unwrap()), "{row:#}");
    assert!(row["started_at"].is_null(), "{row:#}");
    world.release("first");
    assert_eq!(disk.answer(&["wait", &first])["data"]["state"], "completed");
}

#[test]
fn a_look_that_finds_no_room_is_an_error_and_never_no_change() {
    let (world, repo) = world();
    world.agent("writer", "head -c 300000 /dev/urandom > first");
    let disk = SmallDisk::mount(&world, 6 * 1024);
    let answer = disk.run_agent(&repo, "writer", &DETACHED);
    let id = answer["data"]["id"].as_str().unwrap();
    assert_eq!(disk.answer(&["wait", id])["data"]["state"], "completed");
    let stat = ["diff", "--stat", id];
    let before = disk.run_with_temporary_files(&stat);
    assert!(before.stdout.contains("first"), "{before}");
    let worktree = disk.answer(&["show", id])["data"]["worktree_path"].take();
    let worktree = worktree.as_str().unwrap().split_once("/worktrees/").unwrap().1.to_owned();
    fs::write(disk.path(&format!("worktrees/{worktree}/second")), incompressible(800_000)).unwrap();
    // There is room for the database, and not for what git stores.
    fs::write(disk.path("room"), [b'x'; 400_000]).unwrap();
    disk.fill();
    fs::remove_file(disk.path("room")).unwrap();
    let refused = disk.run_with_temporary_files(&stat);
    assert!(!refused.status.success() && refused.stdout.is_empty(), "{refused}");
    assert!(refused.stderr.contains("No space left on device"), "{refused}");
    let kept = disk.path(&format!("runs/{id}/git"));
    assert!(kept.join("index").exists() && kept.join("objects").exists(), "a look that fails deletes nothing");
    let shown = disk.run_with_temporary_files(&["show", id]);
    assert!(shown.stdout.contains("first") && shown.stdout.contains("the files cannot be compared"), "{shown}");
    disk.make_room();
    let after = disk.run_with_temporary_files(&stat);
    assert!(after.stdout.contains("first") && after.stdout.contains("second"), "{after}");
}

/// Bytes that no compression makes fewer.
pub(super) fn incompressible(length: usize) -> Vec<u8> {
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..length).map(|_| next()).collect()
}
