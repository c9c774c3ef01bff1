//! `agency du`: sums that agree, and files that cannot lead it astray.

use std::fs;
use std::os::unix::fs::symlink;

use agency_model::ErrorCode;
use serde_json::Value;

use super::{AT_ONCE, finished, worktree, world};

const MEGABYTE: u64 = 1 << 20;

fn bytes(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is not a size"))
}

#[test]
fn sizes_by_run_repository_and_kind_agree_and_the_largest_is_first() {
    let (world, repo) = world(AT_ONCE);
    let other = world.repo("other");
    let (small, large) = (finished(&world, &repo, "true"), finished(&world, &other, "true"));
    fs::write(worktree(&world, &large).join("large"), vec![1; 8 << 20]).unwrap();
    fs::hard_link(worktree(&world, &large).join("large"), worktree(&world, &large).join("again")).unwrap();
    let outside = world.root().join("outside");
    fs::write(&outside, vec![1; 4 << 20]).unwrap();
    symlink(&outside, worktree(&world, &small).join("link")).unwrap();
    symlink(world.root(), worktree(&world, &small).join("directory")).unwrap();
    let usage = world.json(&["du"])["data"].take();
    let runs = usage["runs"].as_array().unwrap();
    assert_eq!((&runs[0]["id"], &runs[1]["id"]), (&large.id.as_str().into(), &small.id.as_str().into()));
    let size = bytes(&runs[0]["worktree_bytes"]);
    assert!((8 * MEGABYTE..10 * MEGABYTE).contains(&size), "a file with two names counts once: {size}");
    assert!(bytes(&runs[1]["worktree_bytes"]) < MEGABYTE, "links are not followed: {usage:#}");
    let kinds: u64 = usage["kinds"].as_array().unwrap().iter().map(|kind| bytes(&kind["bytes"])).sum();
    assert_eq!(kinds, bytes(&usage["bytes"]));
    let worktrees = usage["kinds"].as_array().unwrap().iter().find(|kind| kind["kind"] == "worktrees").unwrap();
    let of_runs: u64 = runs.iter().map(|run| bytes(&run["worktree_bytes"])).sum();
    assert_eq!(bytes(&worktrees["bytes"]), of_runs);
    assert_eq!(usage["repositories"][0]["repo"], other.path.to_str().unwrap(), "{usage:#}");
    assert_eq!((&usage["unread"], &usage["repositories"][0]["runs"]), (&0.into(), &1.into()));
    let alone = world.json(&["du", "--repo", repo.path.to_str().unwrap()])["data"].take();
    assert_eq!(alone["runs"].as_array().unwrap().len(), 1);
    assert!(bytes(&alone["bytes"]) < 8 * MEGABYTE, "{alone:#}");
    world.ok(&["rm", &large.id]);
    let after = world.json(&["du"])["data"].take();
    assert!(bytes(&after["bytes"]) + 7 * MEGABYTE <= bytes(&usage["bytes"]), "{after:#}");
    let text = world.ok(&["du"]).stdout;
    assert!(text.contains("removed") && text.contains("KIND") && text.contains("are free"), "{text}");
}

#[test]
fn directories_without_a_run_are_counted_and_hostile_names_are_escaped() {
    let (world, repo) = world(AT_ONCE);
    let run = finished(&world, &repo, "true");
    let parent = worktree(&world, &run).parent().unwrap().to_owned();
    fs::create_dir(parent.join("\u{1b}[31mred")).unwrap();
    fs::write(parent.join("\u{1b}[31mred/large"), vec![1; 1 << 20]).unwrap();
    fs::create_dir_all(world.agency_home().join("kept/\u{1b}]0;title\u{7}")).unwrap();
    let usage = world.json(&["du"])["data"].take();
    let worktrees = usage["kinds"].as_array().unwrap().iter().find(|kind| kind["kind"] == "worktrees").unwrap();
    assert!(bytes(&worktrees["bytes"]) >= MEGABYTE, "{usage:#}");
    for arguments in [&["du"][..], &["gc", "--dry-run"]] {
        let text = world.ok(arguments).stdout;
        assert!(!text.contains('\u{1b}') && !text.contains('\u{7}'), "{text:?}");
    }
}

#[test]
fn an_empty_home_has_nothing_and_a_wrong_option_is_refused() {
    let (world, _repo) = world("");
    let usage = world.json(&["du"])["data"].take();
    assert_eq!((&usage["runs"], &usage["repositories"]), (&serde_json::json!([]), &serde_json::json!([])));
    world.error(&["du", "--repository", "."], ErrorCode::Usage);
}
