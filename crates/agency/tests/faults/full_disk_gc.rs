//! `agency gc` on a full disk: it makes room, or it says why not; nothing is lost.

use agency_testkit::agent;
use serde_json::Value;

use super::fixture::{until, world};
use super::small_disk::SmallDisk;

const DETACHED: [&str; 4] = ["--host", "detached", "--mode", "headless"];

#[test]
fn a_clean_up_on_a_full_disk_makes_room_or_can_be_repeated() {
    let (world, repo) = world();
    world.agent("quiet", agent::quiet());
    world.agent("worker", "echo x >new");
    world.configure("\n[gc]\nage = \"0s\"\n");
    let disk = SmallDisk::mount(&world, 4 * 1024);
    let mut ids = vec![];
    for agent in ["quiet", "quiet", "worker"] {
        let answer = disk.run_agent(&repo, agent, &DETACHED);
        let id = answer["data"]["id"].as_str().unwrap_or_else(|| panic!("{answer:#}")).to_owned();
        disk.answer(&["wait", &id]);
        ids.push(id);
    }
    disk.fill();
    let first = disk.answer(&["gc", "--yes"]);
    let is_there = |id: &str| {
        let row = disk.answer(&["show", id])["data"].take();
        let path = row["worktree_path"].as_str().unwrap().to_owned();
        let below = std::path::Path::new(&path).strip_prefix(world.agency_home()).unwrap().to_owned();
        (row["removed_at"].clone(), disk.path(below.to_str().unwrap()))
    };
    assert!(is_there(&ids[2]).1.join("new").exists(), "{first:#}");
    disk.make_room();
    until("the supervisors' exit", || {
        let report = disk.answer(&["gc", "--yes"]);
        assert_eq!(report["ok"], true, "{report:#}");
        ids[..2].iter().all(|id| is_there(id).0.is_string())
    });
    for id in &ids[..2] {
        assert!(!is_there(id).1.exists(), "after {first:#}");
    }
    assert_eq!(is_there(&ids[2]).0, Value::Null);
    assert!(is_there(&ids[2]).1.join("new").exists());
    assert_eq!(repo.worktrees().len(), 2);
}
