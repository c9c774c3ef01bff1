//! Pid files that prove nothing.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;

use agency_model::ErrorCode;
use agency_testkit::agent;
use serde_json::{Value, json};

use super::fixture::{agent_pid, begin, complaints, edit, identity, orphan, orphans, pid_file, pids, stranger, world};

// proves P13
#[test]
fn after_a_reboot_nobody_is_named_although_a_process_has_the_same_number() {
    let (world, repo) = world();
    let run = begin(&world, &repo, "stubborn", "tmux");
    world.kill_everything();
    run.wait_until_unsupervised();
    let stranger = stranger(&world);
    let path = pid_file(&world, &run);
    edit(&path, |file| {
        // All but the boot is that of a process of today.
        file["process"] = identity(stranger.id());
        file["process"]["boot_id"] = json!("00000000-0000-4000-8000-000000000000");
    });
    world.error(&["agent", "kill-orphan", &stranger.id().to_string()], ErrorCode::NotAnOrphan);
    assert!(complaints(&world).iter().all(|(said, _)| !said.contains("still runs")));
    assert!(path.exists(), "who only examines clears nothing away");
    assert!(orphans(&world).is_empty() && !path.exists());
    world.ok(&["reconcile"]);
    assert!(stranger.is_running());
}

// proves P13
#[test]
fn the_pid_file_of_a_process_that_is_gone_is_cleared_away() {
    for command in [&["agent", "orphans"], &["reconcile"][..]] {
        let (world, repo) = world();
        let run = begin(&world, &repo, "stubborn", "detached");
        world.kill_everything();
        run.wait_until_unsupervised();
        let path = pid_file(&world, &run);
        assert!(path.exists());
        world.ok(&["reconcile", "--dry-run"]);
        assert!(path.exists(), "a dry run clears nothing away");
        world.ok(command);
        assert!(!path.exists(), "{command:?}");
    }
}

// proves P13
#[test]
fn what_another_home_has_written_is_left_alone_unless_the_machine_was_started_anew_since() {
    let (world, repo) = world();
    let run = orphan(&world, &repo, "stubborn", "detached");
    let foreign = pid_file(&world, &run).with_file_name("r_01ARZ3NDEKTSV4RRFFQ69G5FAV.json");
    fs::copy(pid_file(&world, &run), &foreign).unwrap();
    edit(&foreign, |file| file["run_id"] = json!("r_01ARZ3NDEKTSV4RRFFQ69G5FAV"));
    assert_eq!(pids(&world), [agent_pid(&run)], "it is named once");
    edit(&foreign, |file| file["process"]["pid"] = json!(u32::MAX));
    assert_eq!(orphans(&world).len(), 1);
    assert!(foreign.exists());
    edit(&foreign, |file| file["process"]["boot_id"] = json!("another"));
    assert_eq!(orphans(&world).len(), 1);
    assert!(!foreign.exists());
}

/// Puts something in place of the pid file.
type Damage = fn(path: &Path, valid: &Path);

const DAMAGES: &[(&str, &str, Damage)] = &[
    ("nothing in it", "damaged", |path, _| fs::write(path, "").unwrap()),
    ("cut off", "damaged", |path, valid| {
        let text = fs::read(valid).unwrap();
        fs::write(path, &text[..text.len() / 2]).unwrap();
    }),
    ("no JSON", "damaged", |path, _| fs::write(path, b"\xff\x00 12345\n").unwrap()),
    ("a bare number", "damaged", |path, _| fs::write(path, "1\n").unwrap()),
    ("a negative pid", "damaged", |path, valid| {
        fs::copy(valid, path).unwrap();
        edit(path, |file| file["process"]["pid"] = json!(-1));
    }),
    ("deeply nested", "damaged", |path, _| fs::write(path, "[".repeat(60_000)).unwrap()),
    ("huge", "too large", |path, _| fs::write(path, vec![b' '; 8 << 20]).unwrap()),
    ("a directory", "not a file", |path, _| fs::create_dir(path).unwrap()),
    ("a link to one that is valid", "symbolic link", |path, valid| symlink(valid, path).unwrap()),
    ("a link to nowhere", "symbolic link", |path, _| symlink("/nowhere", path).unwrap()),
    ("a pipe", "not a file", |path, _| {
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    }),
    ("about another run", "named after", |path, valid| {
        fs::copy(valid, path).unwrap();
        edit(path, |file| file["run_id"] = json!("r_01ARZ3NDEKTSV4RRFFQ69G5FAV"));
    }),
    ("from the future", "version 2", |path, valid| {
        fs::copy(valid, path).unwrap();
        edit(path, |file| file["schema_version"] = json!(2));
    }),
    ("not to be read", "", |path, valid| {
        fs::copy(valid, path).unwrap();
        // Root reads everything, but it is not root's.
        if rustix::process::geteuid().is_root() {
            chown(path, Some(65534), Some(65534)).unwrap();
        } else {
            fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
        }
    }),
];

// proves P13
#[test]
fn a_pid_file_that_cannot_be_understood_is_named_kept_and_leads_to_nobody() {
    let (world, repo) = world();
    let run = begin(&world, &repo, "stubborn", "detached");
    world.kill_everything();
    run.wait_until_unsupervised();
    let stranger = stranger(&world);
    let path = pid_file(&world, &run);
    let valid = world.root().join("valid.json");
    fs::copy(&path, &valid).unwrap();
    // If it were believed, the stranger would be named.
    edit(&valid, |file| file["process"] = identity(stranger.id()));
    for (name, why, damage) in DAMAGES {
        clear(&path);
        damage(&path, &valid);
        let answer = world.json(&["agent", "orphans"])["data"].take();
        assert_eq!(answer["orphans"], json!([]), "{name}");
        let unclear = &answer["unclear"][0];
        assert_eq!((&unclear["path"], &unclear["run_id"]), (&json!(path), &json!(run.id)), "{name}: {answer:#}");
        assert!(unclear["why"].as_str().unwrap().contains(why), "{name}: {answer:#}");
        world.error(&["agent", "kill-orphan", &stranger.id().to_string()], ErrorCode::NotAnOrphan);
        world.ok(&["reconcile"]);
        assert!(path.symlink_metadata().is_ok(), "{name} is left to its owner");
        let said = complaints(&world);
        assert!(said.len() == 1 && said[0].0.contains(path.to_str().unwrap()), "{name}: {said:?}");
        assert!(said[0].1.contains(" mv ") && !said[0].1.contains("rm "), "{said:?}");
        assert!(stranger.is_running(), "{name}");
    }
    // If it is believed, the test above can fail.
    clear(&path);
    fs::copy(&valid, &path).unwrap();
    assert_eq!(pids(&world), [i64::from(stranger.id())]);
    edit(&path, |file| *file = Value::Null);
    world.ok(&["rm", &run.id]);
    assert!(!path.exists(), "it goes with its run");
    assert!(stranger.is_running());
}

fn clear(path: &Path) {
    if path.is_dir() {
        fs::remove_dir(path).unwrap();
    } else if path.symlink_metadata().is_ok() {
        fs::remove_file(path).unwrap();
    }
}

// proves P13
#[test]
fn an_orphan_whose_pid_file_is_damaged_is_found_by_its_environment() {
    let (world, repo) = world();
    let run = orphan(&world, &repo, "stubborn", "detached");
    fs::write(pid_file(&world, &run), "{").unwrap();
    assert_eq!(pids(&world), [agent_pid(&run)]);
    world.ok(&["agent", "kill-orphan", &agent_pid(&run).to_string()]);
    assert!(run.processes().is_empty());
    assert!(!pid_file(&world, &run).exists());
}

// proves P13
#[test]
fn a_pid_file_that_cannot_be_written_is_an_error_of_the_run_and_not_its_end() {
    let (world, repo) = world();
    let place = world.root().join("taken");
    fs::write(&place, "a file where a directory should be").unwrap();
    world.set("pid_dir", &json!(place).to_string());
    world.agent("quiet", agent::quiet());
    let run = world.begin(&repo, "quiet", &["--host", "detached", "--mode", "headless"]);
    assert_eq!(world.ended(&run)["state"], "completed");
    let said = run.messages().into_iter().find(|message| message.contains("pid file")).unwrap();
    assert!(said.contains(place.to_str().unwrap()), "{said}");
    let lost = orphan(&world, &repo, "stubborn", "detached");
    let answer = world.json(&["agent", "orphans"])["data"].take();
    assert_eq!(answer["orphans"][0]["pid"], agent_pid(&lost), "it is found by its environment");
    assert_eq!((&answer["unclear"][0]["path"], &answer["unclear"][0]["run_id"]), (&json!(place), &Value::Null));
}

// proves P13
#[test]
fn pid_files_go_where_the_configuration_says() {
    let (world, repo) = world();
    world.set("pid_dir", "'deep/pids'");
    world.agent("waiting", agent::waiting());
    let run = begin(&world, &repo, "waiting", "detached");
    let path = world.root().join("home/deep/pids").join(format!("{}.json", run.id));
    assert!(path.exists() && !pid_file(&world, &run).exists());
    let noted: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(noted["process"], identity(u32::try_from(agent_pid(&run)).unwrap()));
    world.release("waiting");
    world.ended(&run);
    run.wait_until_unsupervised();
    assert!(!path.exists());
}
