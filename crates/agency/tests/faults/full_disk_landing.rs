//! Landing, restoring and verifying on a full disk: nothing is lost or half done, and the same command completes it.

use std::fs;
use std::path::PathBuf;

use agency_testkit::{Output, Repo, World};
use serde_json::Value;

use super::fixture::{how, world};
use super::full_disk::incompressible;
use super::small_disk::SmallDisk;

/// A text of 700,000 bytes.
fn large() -> String {
    incompressible(700_000).into_iter().map(|byte| char::from(b' ' + byte % 64)).collect()
}

/// A finished run on the disk, and its worktree as this process sees it.
fn finished(disk: &SmallDisk<'_>, world: &World, repo: &Repo, script: &str) -> (String, PathBuf) {
    world.agent("writer", script);
    let answer = disk.run_agent(repo, "writer", &how("detached", "headless"));
    let id = answer["data"]["id"].as_str().unwrap().to_owned();
    assert_eq!(disk.answer(&["wait", &id])["data"]["state"], "completed");
    let worktree = disk.answer(&["show", &id])["data"]["worktree_path"].take();
    let below = worktree.as_str().unwrap().split_once("/worktrees/").unwrap().1.to_owned();
    (id, disk.path(&format!("worktrees/{below}")))
}

/// Fills the disk and leaves so many bytes.
fn leave(disk: &SmallDisk<'_>, bytes: usize) {
    fs::write(disk.path("room"), vec![b'x'; bytes]).unwrap();
    disk.fill();
    fs::remove_file(disk.path("room")).unwrap();
}

fn is_refused(output: &Output) -> Value {
    assert!(!output.status.success(), "{output}");
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output}"))
}

// section 1: whatever deletes, saves first or refuses
#[test]
fn work_lands_once_after_there_is_room_again() {
    let (world, repo) = world();
    repo.commit_file("large", &large());
    let disk = SmallDisk::mount(&world, 12 * 1024);
    let (id, worktree) = finished(&disk, &world, &repo, "echo new > new.txt; echo loose > loose.txt");
    let land = ["land", "--json", "--check", "test -s large -a -s new.txt", &id];
    for room in [0, 60_000, 200_000, 700_000] {
        leave(&disk, room);
        let before = repo.git(&["rev-parse", "main"]);
        let output = disk.run_with_temporary_files(&land);
        disk.make_room();
        if output.status.success() {
            continue;
        }
        is_refused(&output);
        // Where only the record found no room, the work has landed; otherwise nothing did.
        let is_there = repo.git(&["ls-tree", "--name-only", "main"]).contains("new.txt");
        assert!(is_there || repo.git(&["rev-parse", "main"]) == before, "{output}");
        assert_eq!(repo.git(&["status", "--porcelain"]), "", "{room}: {output}");
        assert_eq!(fs::read_to_string(worktree.join("loose.txt")).unwrap(), "loose\n");
    }
    let landed = disk.answer(&["land", "--check", "test -s large -a -s new.txt", &id])["data"]["landed"][0].take();
    assert_eq!(landed["target"], "main", "{landed:#}");
    assert_eq!(repo.git(&["show", "main:new.txt"]).trim(), "new");
    assert_eq!(repo.git(&["rev-list", "--count", "--merges", "main"]).trim(), "1");
    let events = disk.events(&id);
    assert_eq!(events.iter().filter(|event| event["type"] == "landed").count(), 1, "{events:#?}");
}

// section 1: whatever deletes, saves first or refuses
#[test]
fn a_restore_that_finds_no_room_names_the_checkpoint_that_has_everything() {
    let (world, repo) = world();
    repo.commit_file("large", &large());
    repo.commit_file("small", "one\n");
    let disk = SmallDisk::mount(&world, 10 * 1024);
    let (id, worktree) = finished(&disk, &world, &repo, "echo short > large; echo two > small; echo new > new.txt");
    leave(&disk, 400_000);
    let refused = is_refused(&disk.run_with_temporary_files(&["checkpoint", "restore", "--json", &id, "0"]));
    let error = &refused["error"];
    let before = error["details"]["before"].as_u64().unwrap_or_else(|| panic!("{refused:#}"));
    assert!(error["message"].as_str().unwrap().contains(&format!("checkpoint {before} has all files")), "{refused:#}");
    disk.make_room();
    assert_eq!(disk.answer(&["checkpoint", "restore", &id, "0"])["ok"], true);
    assert_eq!(fs::read_to_string(worktree.join("large")).unwrap(), large());
    assert!(!worktree.join("new.txt").exists());
    assert_eq!(disk.answer(&["checkpoint", "restore", &id, &before.to_string()])["ok"], true);
    for (name, content) in [("large", "short\n"), ("small", "two\n"), ("new.txt", "new\n")] {
        assert_eq!(fs::read_to_string(worktree.join(name)).unwrap(), content, "{name}");
    }
}

#[test]
fn a_race_that_finds_no_room_to_verify_says_so_and_is_continued() {
    let (world, repo) = world();
    repo.commit_file("large", &large());
    let disk = SmallDisk::mount(&world, 16 * 1024);
    world.agent("a", "echo 1 > work");
    world.agent("b", "echo 2 > work");
    let race = ["race", "do it", "--repo", repo.path.to_str().unwrap(), "--agents", "a,b", "--verify", "test -s large"];
    disk.ok(&[&race[..], &["--no-wait"]].concat());
    for run in disk.answer(&["ls", "--all"])["data"]["runs"].as_array().unwrap() {
        disk.ok(&["wait", run["id"].as_str().unwrap()]);
    }
    leave(&disk, 300_000);
    is_refused(&disk.run_with_temporary_files(&["race", "show", "--json", "last", "--wait"]));
    disk.make_room();
    let shown = disk.answer(&["race", "show", "last", "--wait"])["data"].take();
    for run in shown["runs"].as_array().unwrap() {
        assert_eq!((&run["verified"]["succeeded"], &run["files"]), (&true.into(), &1.into()), "{shown:#}");
    }
}
