//! `agency land --all-ready`: what is ready lands in the order that needs the least rework.

use serde_json::Value;

use super::{conflicts, data, finished, here, shown, world};

fn names(of: &Value) -> Vec<&str> {
    of.as_array().unwrap().iter().map(|run| run["name"].as_str().unwrap()).collect()
}

#[test]
fn the_dear_work_lands_untouched_and_what_conflicts_with_it_is_named() {
    let (world, repo) = world();
    repo.commit_file("one.txt", "1\n");
    repo.commit_file("two.txt", "2\n");
    finished(&world, &repo, "small", "echo small > one.txt");
    finished(&world, &repo, "dear", "seq 50 > one.txt; seq 50 > two.txt");
    finished(&world, &repo, "other", "echo other > two.txt");
    finished(&world, &repo, "apart", "echo apart > apart.txt");
    let failing = ["run", "-a", "broken", "--mode", "headless", "--name", "broken", "-p", "work"];
    world.agent("broken", "echo broken > broken.txt; exit 3");
    let broken = data(&world, &repo, &failing)["id"].as_str().unwrap().to_owned();
    world.run(&mut here(&world, &repo, &["wait", &broken]));

    let before = repo.git(&["for-each-ref", "refs/heads"]);
    let plan = data(&world, &repo, &["land", "--all-ready", "--dry-run"]);
    assert_eq!(names(&plan["order"]), ["dear", "apart"]);
    assert_eq!(names(&plan["rework"]), ["small", "other"]);
    assert_eq!(names(&plan["not_ready"]), ["broken"]);
    assert_eq!(repo.git(&["for-each-ref", "refs/heads"]), before, "a dry run changes nothing");
    let text = shown(&world, &repo, &["land", "--all-ready", "--dry-run"]);
    assert!(text.starts_with("Ready to land on main, in this order:\n  1 dear\n  2 apart\n"), "{text}");
    assert!(text.contains("  small: it conflicts with dear\n"), "{text}");
    assert!(text.contains("  broken: it is failed; agency land lands it if it is named\n"), "{text}");

    let first = data(&world, &repo, &["land", "--all-ready", "--dry-run", "small"]);
    assert_eq!(names(&first["order"]), ["small", "other", "apart"], "what a user puts first stays first");

    let landed = data(&world, &repo, &["land", "--all-ready"]);
    assert_eq!(names(&landed["landed"]), ["dear", "apart"]);
    assert_eq!(names(&landed["plan"]["order"]), ["dear", "apart"]);
    assert_eq!(repo.git(&["show", "main:apart.txt"]).trim(), "apart");
    let after = data(&world, &repo, &["forecast"]);
    assert_eq!(conflicts(&after), ["small main one.txt", "other main two.txt"]);
    assert_eq!(names(&data(&world, &repo, &["land", "--all-ready"])["landed"]), [""; 0], "nothing more is ready");
}

#[test]
fn works_in_one_file_that_merge_land_one_after_the_other() {
    let (world, repo) = world();
    let lines: String = (1..=20).map(|line| format!("line {line}\n")).collect();
    repo.commit_file("d/f", &lines);
    finished(&world, &repo, "one", "sed -i '1s/.*/one/' d/f");
    finished(&world, &repo, "two", "sed -i '20s/.*/two/' d/f");
    finished(&world, &repo, "three", "sed -i '10s/.*/three/' d/f");
    let plan = data(&world, &repo, &["land", "--all-ready", "--dry-run"]);
    assert_eq!(names(&plan["order"]), ["one", "two", "three"]);
    assert_eq!(names(&data(&world, &repo, &["land", "--all-ready"])["landed"]), ["one", "two", "three"]);
    assert_eq!(repo.git(&["show", "main:d/f"]).lines().filter(|line| !line.starts_with("line")).count(), 3);
}

#[test]
fn the_first_failure_stops_with_everything_consistent() {
    let (world, repo) = world();
    finished(&world, &repo, "one", "echo one > one.txt");
    finished(&world, &repo, "two", "echo two > two.txt");
    finished(&world, &repo, "three", "echo three > three.txt");
    let output = world.run(here(&world, &repo, &["land", "--all-ready", "--check", "test ! -e two.txt"]).arg("--json"));
    let answer: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(answer["error"]["code"], "E_CHECK_FAILED", "{answer}");
    assert!(repo.git(&["ls-tree", "--name-only", "main"]).lines().any(|name| name == "one.txt"));
    let left = repo.git(&["ls-tree", "--name-only", "main"]);
    assert!(!left.contains("two.txt") && !left.contains("three.txt"), "{left}");
    assert_eq!(names(&data(&world, &repo, &["forecast"])["runs"]), ["two", "three"]);
}

#[test]
fn an_open_comment_and_a_missing_approval_hold_a_run_back() {
    let (world, repo) = world();
    repo.write(".agency/project.toml", "[land]\nrequire_approval = true\n");
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-q", "-m", "project"]);
    let one = finished(&world, &repo, "one", "echo one > one.txt");
    let two = finished(&world, &repo, "two", "echo two > two.txt");
    let plan = |first: &str| data(&world, &repo, &["land", "--all-ready", "--dry-run", first]);
    assert_eq!(names(&plan(&one)["not_ready"]), ["one", "two"]);
    let database = rusqlite::Connection::open(world.agency_home().join("agency.db")).unwrap();
    let forecast = data(&world, &repo, &["forecast", "--fresh"]);
    for run in forecast["runs"].as_array().unwrap() {
        let values = [run["id"].as_str().unwrap(), run["tree"].as_str().unwrap()];
        let sql = "INSERT INTO approvals (run_id, tree, approved_by, approved_at) VALUES (?1, ?2, 'me', '2026-01-01T00:00:00Z')";
        database.execute(sql, values).unwrap();
    }
    assert_eq!(names(&plan(&one)["order"]), ["one", "two"]);
    let comment = "INSERT INTO comments (run_id, tree, path, side, quoted, body, state, created_at) \
        VALUES (?1, '', 'one.txt', 'new', '', 'why?', 'open', '2026-01-01T00:00:00Z')";
    database.execute(comment, [&one]).unwrap();
    assert_eq!(plan(&two)["not_ready"][0]["why"], "a comment is open");
    // Any change voids an approval.
    let worktree = data(&world, &repo, &["show", &two])["worktree_path"].as_str().unwrap().to_owned();
    std::fs::write(std::path::Path::new(&worktree).join("two.txt"), "changed\n").unwrap();
    assert_eq!(plan(&two)["not_ready"][1]["why"], "it changed since it was approved");
}
